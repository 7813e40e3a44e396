/* Deduplication of file traces that are equal modulo the names of ranks and groups. They become one
 * trace, with peers as offsets and equal group names, so that their ranks can be folded
 * (docs/models.md, section 9: content modulo relabelling). */
#ifndef ORR_SIM_TRACE_DEDUP_H
#define ORR_SIM_TRACE_DEDUP_H

#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;
struct orr_trace;
struct sys;

/* New names for the listed groups of a job: name[group] for each group of the system that lists
 * them; NULL: nothing was renamed. */
struct wl_group_names {
    const char *const *name; /* [count] */
    uint32_t count;
};

/* Replaces by_rank[npus] if ranks share a template; `listed` has the job's groups. Does nothing if
 * groups cannot be renamed consistently, or no trace would be shared. Traces and names are in the
 * arena. O(nodes of the distinct traces + ranks of the groups). */
enum orr_status orr_wl_dedup_traces(struct orr_arena *arena, const struct sys *listed,
                                    const struct orr_trace **by_rank, uint32_t npus,
                                    struct wl_group_names *names, struct orr_diag *diag);

#endif
