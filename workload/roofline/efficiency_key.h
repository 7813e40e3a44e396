/* Keys of compute.efficiency, such as "compute.efficiency.gemm.points", and the operations whose
 * time each key affects: the parameters of a fit and of its standard deviations (docs/models.md,
 * section 18). */
#ifndef ORR_WORKLOAD_ROOFLINE_EFFICIENCY_KEY_H
#define ORR_WORKLOAD_ROOFLINE_EFFICIENCY_KEY_H

#include <stdbool.h>

#include "core/cause.h"
#include "workload/roofline/efficiency.h"
#include "workload/trace/trace.h"

/* A parameter of a kind's entry: points (affects the part of times bound by the peak), bandwidth
 * (the part bound by memory), constant. */
struct wl_efficiency_key {
    enum orr_op_kind kind;
    enum orr_part_bound bound;
};

/* Parses a key; false: the text is no such key. */
bool orr_wl_efficiency_key_read(const char *text, struct wl_efficiency_key *out);

/* The index in key[count] that the part of a kind's operations depends on; SIZE_MAX: none. First
 * the kind's own key. Memory operations use the bandwidth of elementwise ones. Other kinds use the
 * first kind with an equal value, since a kind without an entry has the value of `default`; a
 * default of 1 matches nothing. efficiency NULL: there are no entries. O(count x points). */
size_t orr_wl_efficiency_key_find(const struct wl_efficiency *efficiency,
                                  const struct wl_efficiency_key *key, size_t count,
                                  const struct wl_efficiency_key *part);

#endif
