/* Algorithm 1 (SiP-ML, SIGCOMM'21, section 3.2): greedy placement in topological order. Each part
 * goes to the device where it starts first (ties: the smallest index), among those with memory left
 * to which the degree of the fabric lets all its parents send. If there is none, parents move
 * (repair). `free_first` takes the device that is free first instead; a part with a wanted device
 * goes there if edges and memory allow it.
 *
 * WINDOW. A part may be on device g with a parent on a if (g - a) mod k is at most `ahead`, or (a -
 * g) mod k at most `behind`. The paper's edges are one-way: ahead is D - 1, behind 0. If linked
 * parts send to each other both are half of that, and a device has as many peers.
 *
 * REPAIR of a part without such a device. It goes to the device that meets most edges of its
 * parents (ties: by the earliest start, then by index). Then, at most R rounds:
 * 1. Backwards from the parts with violated edges, each parent of such an edge moves to the nearest
 *    device that meets it (then by index); its own parents may follow.
 * 2. Forwards in order, parts with a violated edge are placed again.
 * Rounds need not end. docs/models.md, section 15. */
#ifndef ORR_SIPML_SEARCH_SIPML_ALGORITHM_H
#define ORR_SIPML_SEARCH_SIPML_ALGORITHM_H

#include "sipml/search/sipml_graph.h"

struct orr_arena;

struct sipml_limits {
    uint32_t devices;       /* k */
    uint32_t behind, ahead; /* no limit if behind + ahead + 1 >= k */
    uint64_t memory_bytes;  /* of a device; 0: not limited */
    uint32_t repair_rounds; /* R, the maximum of a repair */
    bool free_first;        /* by when devices are free, however late the part can start */
    const uint32_t *wanted; /* [parts] devices to prefer; NULL: none */
};

struct sipml_assignment {
    uint32_t *device;         /* [parts] */
    uint32_t repairs, rounds; /* parts that needed a repair; rounds of all repairs */
    bool ended;               /* all edges are met; else the assignment is invalid */
    sim_time makespan_ps;     /* transfers take no time */
    uint64_t held_bytes;      /* on the fullest device */
};

/* Places a graph; *out is in the arena. Repairs also stop when all of them together placed
 * SIPML_MAX_VISITS parts, where four links of a part count as another part. False when memory is
 * out. O(parts x (window + slices) + links x k), and O(parts) a round of a repair. */
enum { SIPML_MAX_VISITS = 1 << 23 };
bool orr_sipml_algorithm(struct orr_arena *arena, const struct sipml_graph *graph,
                         const struct sipml_limits *limits, struct sipml_assignment *out);

/* Whether device `to` may have a part with a parent on `from`. */
static inline bool orr_sipml_allowed(const struct sipml_limits *limits, uint32_t from, uint32_t to)
{
    const uint32_t k = limits->devices;
    const uint32_t on = to >= from ? to - from : to + k - from;
    return on <= limits->ahead || k - on <= limits->behind;
}

#endif
