/* What a strategy sends in an iteration, as demands between the devices of a group, or from it to
 * the next ones: all groups do the same (SiP-ML, SIGCOMM'21, sections 3.2 and 4). It is worked out
 * once, for circuits, for peers and for the matrix that is told. docs/models.md, section 15. */
#ifndef ORR_PLANNER_SIPML_SIPML_TRAFFIC_H
#define ORR_PLANNER_SIPML_SIPML_TRAFFIC_H

#include "workload/workload.h"

/* From a device of the first group to any other one, in an iteration. */
struct sipml_row {
    uint32_t from, to; /* from < k; to may be of another group */
    uint64_t parallel; /* bytes along edges, both ways, and of exchanges among copies in a group */
    uint64_t ring;     /* bytes of rings: between the groups, or in the only one */
};

struct sipml_traffic {
    uint32_t devices, group;     /* N and k */
    const struct sipml_row *row; /* [rows] by (from, to) */
    uint32_t rows;
    struct demand_total of; /* of a group, as rows add it up */
};

/* Of a strategy that was checked. Rings go to the device k further along, around all N, 2 (l - 1) /
 * l of the bytes; `bidirectional`: half of these go to the one k before. All of it is the arena's.
 * Errors: memory. O(k^2 + transfers). */
enum orr_status orr_sipml_traffic(struct orr_arena *arena, const struct model_graph *model,
                                  const struct strategy *strategy, bool bidirectional,
                                  struct sipml_traffic *out, struct orr_diag *diag);

/* The bytes between the first so many of all devices [first * first], or NULL: memory is out.
 * O(first^2 + rows). */
uint64_t *orr_sipml_traffic_corner(struct orr_arena *arena, const struct sipml_traffic *traffic,
                                   uint32_t first);

#endif
