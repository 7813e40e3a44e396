/* The operation kind of a trace's computations, which selects their efficiency (docs/models.md,
 * section 2). */
#ifndef ORR_WORKLOAD_TRACE_OP_KIND_H
#define ORR_WORKLOAD_TRACE_OP_KIND_H

#include "workload/trace/trace.h"

struct orr_arena;

/* "sharded", "gathered": values of the attribute tensor_access. */
extern const char *const orr_mem_access_names[ORR_ACCESSES];

/* "default", "gemm", "attention", "elementwise", "memory", "scan", "cast": of the attribute
 * op_kind; then those of rates alone; NULL. */
extern const char *const orr_op_kind_names[ORR_OP_KINDS + 1];

/* "element", "fp8", "fp4", NULL: of the attribute op_type. */
extern const char *const orr_product_type_names[ORR_PRODUCT_TYPES + 1];

/* By the flags of a node, and back. */
static inline enum orr_product_type orr_wl_product_type(unsigned flags)
{
    return (flags & ORR_COMP_FP4) != 0   ? ORR_PRODUCT_FP4
           : (flags & ORR_COMP_FP8) != 0 ? ORR_PRODUCT_FP8
                                         : ORR_PRODUCT_ELEMENT;
}
static inline unsigned orr_wl_product_flag(enum orr_product_type type)
{
    return type == ORR_PRODUCT_FP4   ? (unsigned)ORR_COMP_FP4
           : type == ORR_PRODUCT_FP8 ? (unsigned)ORR_COMP_FP8
                                     : 0u;
}

/* Whether operations of the kind count as the model's: products, attention, recurrences. */
static inline bool orr_wl_does_model_flops(enum orr_op_kind kind)
{
    return kind == ORR_OP_GEMM || kind == ORR_OP_ATTENTION || kind == ORR_OP_SCAN;
}

/* The kind that the name of an operator or GPU kernel implies, ORR_OP_DEFAULT if none;
 * case-insensitive. O(length x known names). */
enum orr_op_kind orr_wl_op_kind_of_name(const char *name);

/* [nodes] kinds, in the arena: the attribute's, else the one implied by the name. NULL when memory
 * is out. */
const uint8_t *orr_wl_op_kinds(const struct orr_trace *trace, struct orr_arena *arena);

#endif
