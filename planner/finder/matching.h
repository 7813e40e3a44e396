/* Maximum-weight matching of a general graph: pairs of nodes, each node in one pair at most, of the
 * greatest sum of weights (TopoOpt, Algorithm 1, lines 13-18). Not perfect: nodes may stay alone,
 * and no pair has weight 0.
 *
 * Edmonds' blossoms with dual variables, grown from all lonely nodes at once, in O(n^3) (Z. Galil:
 * Efficient algorithms for finding maximum matching in graphs, 1986, section 3). Whole numbers
 * only, so that the answer is exact and the same everywhere. */
#ifndef ORR_PLANNER_FINDER_MATCHING_H
#define ORR_PLANNER_FINDER_MATCHING_H

#include "core/core.h"

#define MATCHING_NONE UINT32_MAX /* the mate of who stays alone */

/* Weights are below: sums of two and of two duals then fit 64 bits. */
#define MATCHING_MAX_WEIGHT ((uint64_t)1 << 60)

enum { MATCHING_MAX_NODES = 1 << 14 };

/* A matching and the proof that none weighs more (the duals of the linear program, doubled). With
 * u_i = node_dual[i] >= 0 and z_B = dual of blossom B > 0:
 *
 * - u_i + u_j + 2 x (sum of z_B over all B that hold both) >= 2 x weight(i, j), for all i and j;
 *   equal for pairs;
 * - u_i = 0 for who stays alone;
 * - B has an odd number of members, of which all but one are paired within B. */
struct matching {
    uint32_t *mate;      /* [nodes]; MATCHING_NONE: alone */
    uint64_t *node_dual; /* [nodes] */
    uint32_t blossoms;
    struct matching_blossom {
        uint64_t dual;
        uint32_t members, *member;
    } * blossom; /* [blossoms], in no particular order; each within another or apart from it */
};

/* The matching of weight[nodes * nodes], symmetric; the diagonal is not read. The arrays of `out`
 * are the arena's, and what the search needs besides (some 6 x nodes^2 bytes).
 * Deterministic; which of several matchings of equal weight is found is not specified.
 * Errors: too many nodes, weights too large or not symmetric, memory. O(nodes^3). */
enum orr_status orr_matching_prove(struct orr_arena *arena, uint32_t nodes, const uint64_t *weight,
                                   struct matching *out, struct orr_diag *diag);

/* The same without the proof: mate[nodes]. `scratch` may be forgotten afterwards. */
enum orr_status orr_matching_max_weight(struct orr_arena *scratch, uint32_t nodes,
                                        const uint64_t *weight, uint32_t *mate,
                                        struct orr_diag *diag);

#endif
