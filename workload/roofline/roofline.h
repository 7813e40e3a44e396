/* How long operations take by a peak rate and a memory bandwidth: perf = min(peak, intensity x
 * memory bandwidth) (ASTRA-sim 2.0, section IV-A), each with the share of it that is reached, and
 * what an operation takes besides. */
#ifndef ORR_WORKLOAD_ROOFLINE_ROOFLINE_H
#define ORR_WORKLOAD_ROOFLINE_ROOFLINE_H

#include "workload/roofline/efficiency.h"

struct wl_roofline {
    double peak_flops;
    double memory_bytes_per_s;              /* INFINITY: never bound by memory */
    bool truncate_to_ns;                    /* as the reference does */
    const struct wl_efficiency *efficiency; /* by kind and size; NULL: all of both is reached */
};

/* What such a time is made of. */
struct wl_roofline_parts {
    sim_time constant_ps; /* <= the whole */
    bool by_memory;       /* the rest, by the memory bandwidth rather than by the peak */
};
struct wl_roofline_parts orr_wl_roofline_parts(const struct wl_roofline *roofline,
                                               enum orr_op_kind kind, uint64_t operations,
                                               uint64_t bytes);

/* Of so many operations of a kind that touch so many bytes; up to a whole ps. 0 for those that are
 * no work at all. O(points). */
sim_time orr_wl_roofline_time(const struct wl_roofline *roofline, enum orr_op_kind kind,
                              uint64_t operations, uint64_t bytes);

#endif
