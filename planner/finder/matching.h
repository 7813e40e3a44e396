/* Maximum-weight matching of a general graph: pairs of nodes, each node in at most one pair, with
 * the maximum sum of weights (TopoOpt, Algorithm 1, lines 13-18). The matching need not be perfect,
 * and no pair has weight 0.
 *
 * Edmonds' blossom algorithm with dual variables, grown from all exposed vertices at once, in
 * O(n^3) (Z. Galil: Efficient algorithms for finding maximum matching in graphs, 1986, section 3).
 * Integers only, so that the result is exact and the same on all machines. */
#ifndef ORR_PLANNER_FINDER_MATCHING_H
#define ORR_PLANNER_FINDER_MATCHING_H

#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;

#define MATCHING_NONE UINT32_MAX /* the mate of an exposed vertex */

/* Weights are below this bound, so that sums of two weights and two duals fit 64 bits. */
#define MATCHING_MAX_WEIGHT ((uint64_t)1 << 60)

enum { MATCHING_MAX_NODES = 1 << 14 };

/* A matching and the proof that it has maximum weight (the duals of the linear program, doubled).
 * With u_i = node_dual[i] >= 0 and z_B = dual of blossom B > 0:
 *
 * - u_i + u_j + 2 x (sum of z_B over all B that contain both) >= 2 x weight(i, j), for all i and j;
 *   equal for pairs;
 * - u_i = 0 for exposed vertices;
 * - B has an odd number of members, all but one of which are paired within B. */
struct matching {
    uint32_t *mate;      /* [nodes]; MATCHING_NONE: exposed */
    uint64_t *node_dual; /* [nodes] */
    uint32_t blossoms;
    struct matching_blossom {
        uint64_t dual;
        uint32_t members, *member;
    } * blossom; /* [blossoms], in no particular order; nested or disjoint */
};

/* Computes a maximum-weight matching of weight[nodes * nodes], symmetric; the diagonal is not read.
 * The arrays of `out` and all scratch memory (about 6 x nodes^2 bytes) are in the arena.
 * Deterministic; among several matchings of maximum weight any may be found. Errors: too many
 * nodes, weights too large or not symmetric, memory. O(nodes^3). */
enum orr_status orr_matching_prove(struct orr_arena *arena, uint32_t nodes, const uint64_t *weight,
                                   struct matching *out, struct orr_diag *diag);

/* The same without the proof: fills mate[nodes]. `scratch` may be reset afterwards. */
enum orr_status orr_matching_max_weight(struct orr_arena *scratch, uint32_t nodes,
                                        const uint64_t *weight, uint32_t *mate,
                                        struct orr_diag *diag);

#endif
