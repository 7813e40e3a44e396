/* The operation kind of a trace's computations, which selects their efficiency (docs/models.md,
 * section 2). */
#ifndef ORR_WORKLOAD_TRACE_OP_KIND_H
#define ORR_WORKLOAD_TRACE_OP_KIND_H

#include "workload/trace/trace.h"

struct orr_arena;

/* "sharded", "gathered": values of the attribute tensor_access. */
extern const char *const orr_mem_access_names[ORR_ACCESSES];

/* "default", "gemm", "attention", "elementwise", "memory", NULL: of the attribute op_kind. */
extern const char *const orr_op_kind_names[ORR_OP_KINDS + 1];

/* The kind that the name of an operator or GPU kernel implies, ORR_OP_DEFAULT if none;
 * case-insensitive. O(length x known names). */
enum orr_op_kind orr_wl_op_kind_of_name(const char *name);

/* [nodes] kinds, in the arena: the attribute's, else the one implied by the name. NULL when memory
 * is out. */
const uint8_t *orr_wl_op_kinds(const struct orr_trace *trace, struct orr_arena *arena);

#endif
