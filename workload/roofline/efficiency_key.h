/* The values of compute.efficiency by their keys, "compute.efficiency.gemm.points", and which
 * operations' times go by them: what a fit varies, and what its spreads are of (docs/models.md,
 * 18).
 */
#ifndef ORR_WORKLOAD_ROOFLINE_EFFICIENCY_KEY_H
#define ORR_WORKLOAD_ROOFLINE_EFFICIENCY_KEY_H

#include <stdbool.h>

#include "core/core.h"
#include "workload/roofline/efficiency.h"

/* A value of a kind's entry: its points, by which the part of times goes that is by the peak; its
 * bandwidth, of the part by memory; its constant. */
struct wl_efficiency_key {
    enum orr_op_kind kind;
    enum orr_part_bound bound;
};

/* False: the text is no such key. */
bool orr_wl_efficiency_key_read(const char *text, struct wl_efficiency_key *out);

/* By which of the keys [count] the part of a kind's operations goes; SIZE_MAX: by none. The kind's
 * own comes first. Memory operations follow elementwise ones in their bandwidth. Others follow the
 * first kind whose value is the same as theirs, as that of a kind without an entry is that of
 * `default`; but 1 where nothing is said is nobody's. efficiency NULL: there are no entries.
 * O(count x points). */
size_t orr_wl_efficiency_key_find(const struct wl_efficiency *efficiency,
                                  const struct wl_efficiency_key *key, size_t count,
                                  const struct wl_efficiency_key *part);

#endif
