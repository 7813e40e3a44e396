/* How long operations take by a peak rate and a memory bandwidth: perf = min(peak, intensity x
 * memory bandwidth) (ASTRA-sim 2.0, section IV-A), each with the share of it that is reached, and
 * what an operation takes besides. */
#ifndef ORR_WORKLOAD_ROOFLINE_ROOFLINE_H
#define ORR_WORKLOAD_ROOFLINE_ROOFLINE_H

#include "workload/roofline/efficiency.h"

struct wl_roofline {
    double peak_flops;
    double fp8_peak_flops; /* of products of fp8; 0: they have the other */
    double alignment; /* times as much of it for unaligned products and attention; 0: as others */
    double memory_bytes_per_s;              /* INFINITY: never bound by memory */
    bool truncate_to_ns;                    /* as the reference does */
    const struct wl_efficiency *efficiency; /* by kind and size; NULL: all of both is reached */
};

struct wl_work {
    enum orr_op_kind kind;
    unsigned flags; /* enum orr_comp_flag */
    uint64_t operations, bytes;
};

/* Up to a whole ps; 0 for what is no work at all. O(points). */
sim_time orr_wl_roofline_time(const struct wl_roofline *roofline, const struct wl_work *work);

/* What such a time is made of. */
struct wl_roofline_parts {
    sim_time constant_ps; /* <= the whole */
    bool by_memory;       /* the rest, by the memory bandwidth rather than by the peak */
};
struct wl_roofline_parts orr_wl_roofline_parts(const struct wl_roofline *roofline,
                                               const struct wl_work *work);

#endif
