/* Rotations of a graph: images of nodes and links, and links that stand for others
 * (topology/graph_rotations.c). */
#ifndef ORR_NETWORK_GRAPH_ROTATION_H
#define ORR_NETWORK_GRAPH_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct net_graph;
struct orr_arena;
struct orr_fold;

/* A rotation: adds `step`, modulo `size`, to the digit number / stride % size of the NPUs' numbers.
 */
struct net_rotation {
    uint32_t stride, size, step; /* step < size */
};

static inline uint32_t net_rotated(const struct net_rotation *rotation, uint32_t npu)
{
    const uint32_t own = npu / rotation->stride % rotation->size;
    const uint32_t up = own + rotation->step, to = up < rotation->size ? up : up - rotation->size;
    return npu - own * rotation->stride + to * rotation->stride;
}

/* The images of nodes and links under a rotation. */
struct net_images {
    uint32_t *node, *link; /* [nodes], [links] */
};

/* Finds the image of each link under a rotation of the NPUs, with switches mapped accordingly.
 * false: the rotation is no automorphism that keeps counts, bandwidths and latencies. The images
 * are in the arena; they are NULL if memory ran out. O(links x log links of a node), if switches
 * are distinguished by their neighbours. */
bool orr_net_graph_rotate(const struct net_graph *graph, const struct net_rotation *rotation,
                          struct orr_arena *arena, struct net_images *images);

/* The representative of each link under a fold whose digits are rotations of the graph: the lowest
 * link of its orbit, into representative[links]. Errors: ORR_ERR_MEMORY; ORR_ERR_INPUT: the digits
 * are no rotations, or an orbit of links is smaller than a class of NPUs, so that ranks of a class
 * share a link. O(digits x links). */
enum orr_status orr_net_graph_representatives(const struct net_graph *graph,
                                              const struct orr_fold *fold,
                                              uint32_t *representative);

/* Sets the digits of the NPUs' numbers: `count` sizes, of which those of 1 are left out. */
void orr_net_graph_number(struct net_graph *graph, const uint32_t *size, size_t count);

#endif
