/* Algorithm 1 (SiP-ML, SIGCOMM'21, section 3.2): parts are placed in order, each on the device that
 * is free first among those that the degree of the fabric lets all its parents send to, with memory
 * left; where there is none, parents move.
 *
 * A part may be on device g with a parent on a when (g - a) mod k is at most `ahead`, or (a - g)
 * mod k at most `behind`. The paper's edges are one-way: ahead is D - 1, behind 0. Where parts that
 * are linked send to each other both are half of that, and a device has as many peers.
 *
 * REPAIR of a part without such a device: it goes where most parents' edges are met (then where it
 * is free first, then by index). Then, at most R rounds: backwards from the parts whose edges are
 * not met, each parent of such an edge moves to the nearest device that meets it (then by index),
 * and its own parents may follow; forwards in order, a part with an edge that is not met is placed
 * anew. That need not end. docs/models.md, section 15. */
#ifndef ORR_PLANNER_SIPML_SIPML_ALGORITHM_H
#define ORR_PLANNER_SIPML_SIPML_ALGORITHM_H

#include "planner/sipml/sipml_graph.h"

struct sipml_limits {
    uint32_t devices;       /* k */
    uint32_t behind, ahead; /* with behind + ahead + 1 >= k: no limit */
    uint64_t memory_bytes;  /* of a device; 0: any */
    uint32_t repair_rounds; /* R, of a repair */
};

struct sipml_assignment {
    uint32_t *device;         /* [parts] */
    uint32_t repairs, rounds; /* parts without a device; rounds, all together */
    bool ended;               /* all edges are met; else the places are of no use */
    sim_time makespan_ps;     /* transfers take no time */
    uint64_t held_bytes;      /* on the device that holds most */
};

/* Places a graph; what it needs is in the arena. Repairs also do not end when all of them together
 * placed SIPML_MAX_VISITS parts anew, where four links of a part count as another part. False when
 * memory is out. O(parts x (window + slices) + links x k), and O(parts) a round of a repair. */
enum { SIPML_MAX_VISITS = 1 << 23 };
bool orr_sipml_algorithm(struct orr_arena *arena, const struct sipml_graph *graph,
                         const struct sipml_limits *limits, struct sipml_assignment *out);

/* Whether a device may have a part of which the parent is on `from`. */
static inline bool orr_sipml_allowed(const struct sipml_limits *limits, uint32_t from, uint32_t to)
{
    const uint32_t k = limits->devices;
    const uint32_t on = to >= from ? to - from : to + k - from;
    return on <= limits->ahead || k - on <= limits->behind;
}

#endif
