/* Efficiency: the share of an NPU's peak rate and memory bandwidth that operations reach, by kind
 * and size, and a constant time per operation. For a matrix product this is the GEMM efficiency.
 * Key `compute.efficiency` (docs/models.md, section 2). */
#ifndef ORR_WORKLOAD_ROOFLINE_EFFICIENCY_H
#define ORR_WORKLOAD_ROOFLINE_EFFICIENCY_H

#include "core/status.h"
#include "core/time.h"
#include "workload/trace/trace.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

/* A share in (0, 1] as a function of size: linear in the size's logarithm between points, constant
 * outside. */
struct wl_curve {
    size_t points;          /* >= 1 */
    const double *log_size; /* [points], ascending */
    const double *share;    /* [points] */
};

/* The efficiency of one kind of operation. */
struct wl_kind_efficiency {
    struct wl_curve peak;   /* share of the peak rate, by operations */
    struct wl_curve memory; /* share of the memory bandwidth, by bytes */
    sim_time constant_ps;   /* additional time of every operation: launch, bias, transposes */
};

struct wl_efficiency {
    struct wl_kind_efficiency of[ORR_OP_KINDS];
    bool own[ORR_OP_KINDS]; /* has an entry of its own */
};

/* The kind whose entry another has in place of its own: products of narrow types have that of
 * products, recurrences that of attention, casts that of elementwise operations; others none,
 * ORR_OP_DEFAULT. */
static inline enum orr_op_kind orr_wl_stands_for(enum orr_op_kind kind)
{
    return kind == ORR_OP_GEMM_FP8 || kind == ORR_OP_GEMM_FP4 ? ORR_OP_GEMM
           : kind == ORR_OP_SCAN                              ? ORR_OP_ATTENTION
           : kind == ORR_OP_CAST                              ? ORR_OP_ELEMENTWISE
                                                              : ORR_OP_DEFAULT;
}

/* The share at a size. O(points). */
double orr_wl_curve_at(const struct wl_curve *curve, double size);

/* Whether both curves are equal and set, not the default of 1. O(points). */
bool orr_wl_curves_agree(const struct wl_curve *a, const struct wl_curve *b);

/* Reads the key's value. A number: the share of the peak for all operations; *share is set and *out
 * is NULL. A list of curves: *share is 1. Kinds of operators without an entry use the entry
 * `default`, unless its scope is a layer: then they reach 1, with a warning. Errors name the
 * location and what was expected. Kinds that another stands for take keys that their entries leave
 * out from that one (orr_wl_stands_for). */
enum orr_status orr_wl_efficiency_read(struct orr_arena *arena, const struct orr_conf *node,
                                       double *share, const struct wl_efficiency **out,
                                       struct orr_diag *diag);

#endif
