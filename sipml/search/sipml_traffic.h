/* Traffic of a strategy in an iteration, as demands between the devices of a group and from it to
 * other groups; all groups do the same (SiP-ML, SIGCOMM'21, sections 3.2 and 4). Computed once, for
 * circuits, peers and the reported matrix. docs/models.md, section 15. */
#ifndef ORR_SIPML_SEARCH_SIPML_TRAFFIC_H
#define ORR_SIPML_SEARCH_SIPML_TRAFFIC_H

#include "workload/strategy/demand_total.h"

struct model_graph;
struct orr_arena;
struct orr_diag;
struct strategy;

/* A demand of an iteration, from a device of the first group to any other one. */
struct sipml_row {
    uint32_t from, to; /* from < k; to may be of another group */
    uint64_t parallel; /* bytes along edges, both directions, and of exchanges in a group */
    uint64_t ring;     /* bytes of rings: between groups, or in the only group */
};

struct sipml_traffic {
    uint32_t devices, group;     /* N and k */
    const struct sipml_row *row; /* [rows] by (from, to) */
    uint32_t rows;
    struct demand_total of; /* totals of a group */
};

/* The traffic of a checked strategy. Rings go to the device k further along, around all N, with 2
 * (l - 1) / l of the bytes; `bidirectional`: half of these go to the device k before. All of it is
 * in the arena. Errors: memory. O(k^2 + transfers). */
enum orr_status orr_sipml_traffic(struct orr_arena *arena, const struct model_graph *model,
                                  const struct strategy *strategy, bool bidirectional,
                                  struct sipml_traffic *out, struct orr_diag *diag);

/* The matrix of bytes between the first devices [first * first], in the arena. NULL: memory is out.
 * O(first^2 + rows). */
uint64_t *orr_sipml_traffic_corner(struct orr_arena *arena, const struct sipml_traffic *traffic,
                                   uint32_t first);

#endif
