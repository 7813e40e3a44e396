/* The roofline: perf = min(peak, intensity x memory bandwidth) (ASTRA-sim 2.0, section IV-A), each
 * scaled by its efficiency, plus a constant time per operation. */
#ifndef ORR_WORKLOAD_ROOFLINE_ROOFLINE_H
#define ORR_WORKLOAD_ROOFLINE_ROOFLINE_H

#include "workload/roofline/efficiency.h"

struct wl_roofline {
    double peak_flops;
    double product_peak_flops[ORR_PRODUCT_TYPES]; /* of products of a type; 0: peak_flops */
    double alignment;          /* factor of the peak for unaligned products and attention; 0: 1 */
    double memory_bytes_per_s; /* INFINITY: never bound by memory */
    bool truncate_to_ns;       /* as the reference does */
    const struct wl_efficiency *efficiency; /* by kind and size; NULL: 1 */
};

struct wl_work {
    enum orr_op_kind kind;
    unsigned flags; /* enum orr_comp_flag */
    uint64_t operations, bytes;
};

/* Duration, rounded up to a whole ps; 0 for no operations and no bytes. O(points). */
sim_time orr_wl_roofline_time(const struct wl_roofline *roofline, const struct wl_work *work);

/* The kind whose efficiency the work has: of products by their type. */
enum orr_op_kind orr_wl_rate_kind(enum orr_op_kind kind, unsigned flags);

/* The parts of a roofline time. */
struct wl_roofline_parts {
    sim_time constant_ps; /* <= the total */
    bool by_memory;       /* the rest is bound by memory, else by the peak */
};
struct wl_roofline_parts orr_wl_roofline_parts(const struct wl_roofline *roofline,
                                               const struct wl_work *work);

#endif
