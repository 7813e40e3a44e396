/* State of the blossom algorithm.
 *
 * A *pseudonode* is a vertex of the graph (0 .. nodes - 1) or a contracted blossom (from `nodes`
 * on): an odd cycle of pseudonodes. One of its vertices, the base, is matched outside of it or
 * exposed; the other children are matched along the cycle. A pseudonode without a parent is on
 * *top*. Alternating trees of top pseudonodes grow from the exposed ones over edges without slack:
 * *outer* pseudonodes have an even distance from the root, *inner* ones an odd distance; each inner
 * one is matched with the next outer one.
 *
 * Slack of an edge between vertices that are not in one blossom: u_i + u_j - 2 w_ij. It is stored
 * where it decides the next event:
 * - for every vertex that is not outer, the edge of minimum slack to an outer one (`near`),
 * - for every top outer pseudonode, the edge of minimum slack to another outer one (`meet`).
 * Updating these when a pseudonode becomes outer takes O(nodes), because every blossom stores for
 * every vertex outside its nearest member (`reach`). This stays valid while the duals of all
 * members change by the same amount, as they do within larger blossoms. Contracting a cycle of k
 * pseudonodes takes O(k x nodes), and all work between two augmentations O(nodes^2). */
#ifndef ORR_PLANNER_FINDER_MATCHING_PRIVATE_H
#define ORR_PLANNER_FINDER_MATCHING_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/finder/matching.h"

struct orr_arena;

#define NO_SLACK INT64_MAX /* there is no edge */

enum matching_label { MATCHING_UNREACHED, MATCHING_OUTER, MATCHING_INNER };

/* An edge of the graph, directed from one of its ends. */
struct pseudonode_edge {
    uint32_t from, to;
};

struct pseudonode {
    uint32_t parent;      /* the blossom that contains it; MATCHING_NONE: on top */
    uint32_t base;        /* vertex that is matched outside, or exposed */
    uint32_t first, last; /* ends of the list of its vertices */

    /* Of a blossom. */
    bool used;
    uint32_t base_child;
    uint32_t *reach; /* [nodes] member nearest to a vertex; MATCHING_NONE: no edge */
    int64_t dual;    /* z */

    /* In the cycle of its parent: neighbours, and the edge to the next. */
    uint32_t next, prev;
    struct pseudonode_edge link;

    /* On top. */
    enum matching_label label;    /* pseudonodes with a parent are unreached */
    struct pseudonode_edge entry; /* inner: edge from the previous outer pseudonode */
    struct pseudonode_edge meet;  /* outer: edge of minimum slack to another outer one */
    int64_t meet_slack;
    uint64_t mark; /* of the last search for a common ancestor that visited it */
};

struct matcher {
    struct orr_arena *arena;
    uint32_t nodes, pseudonodes; /* capacity: vertices, and blossoms of at least 3 children */
    const uint64_t *weight;
    uint32_t *mate;  /* [nodes] */
    int64_t *dual;   /* [nodes] u */
    uint32_t *top;   /* [nodes] top pseudonode of a vertex */
    uint32_t *chain; /* [nodes] the next vertex of a pseudonode */
    uint8_t *label;  /* [nodes] enum matching_label, of `top` */
    uint32_t *near;  /* [nodes] outer vertex; MATCHING_NONE: none */
    int64_t *near_slack;
    struct pseudonode *pseudonode; /* [pseudonodes] */
    struct pseudonode_edge *stack; /* [pseudonodes] pseudonodes and their new bases */
    int64_t *key;                  /* [nodes] scratch of a new blossom */
    uint64_t marks;
};

static inline uint64_t matcher_weight(const struct matcher *matcher, uint32_t i, uint32_t j)
{
    return matcher->weight[(size_t)i * matcher->nodes + j];
}

/* NO_SLACK: there is no edge. */
static inline int64_t matcher_slack(const struct matcher *matcher, uint32_t i, uint32_t j)
{
    const int64_t weight = (int64_t)matcher_weight(matcher, i, j);
    return weight == 0 ? NO_SLACK : matcher->dual[i] + matcher->dual[j] - 2 * weight;
}

/* The child of `blossom` that contains the vertex. */
uint32_t orr_pseudonode_child(const struct matcher *matcher, uint32_t blossom, uint32_t node);

/* The edge from a child of a cycle to the next or the previous one. */
struct pseudonode_edge orr_pseudonode_step(const struct matcher *matcher, uint32_t pseudonode,
                                           bool forward, uint32_t *to);

/* Whether the path of even length from a child to the base goes forward along the cycle. */
bool orr_pseudonode_even_path(const struct matcher *matcher, uint32_t blossom, uint32_t child);

/* Labels a top pseudonode: outer, O(nodes); any label, or inner, O(its vertices). */
void orr_pseudonode_outer(struct matcher *matcher, uint32_t pseudonode);
void orr_pseudonode_label(struct matcher *matcher, uint32_t pseudonode, enum matching_label as);
void orr_pseudonode_inner(struct matcher *matcher, uint32_t pseudonode,
                          struct pseudonode_edge entry);

/* Contracts the cycle that an edge without slack between two outer pseudonodes of a tree closes.
 * `ancestor` is their lowest common ancestor. false: memory is out. O(children x nodes). */
bool orr_blossom_close(struct matcher *matcher, struct pseudonode_edge edge, uint32_t ancestor);

/* Expands a top blossom with dual 0: its children become top pseudonodes. If it was inner, the
 * children on the alternating path through it are labelled. */
void orr_blossom_open(struct matcher *matcher, uint32_t blossom);

/* Makes the vertex the base of the pseudonode: the matching along its cycles changes. O(nodes). */
void orr_pseudonode_rebase(struct matcher *matcher, uint32_t pseudonode, uint32_t node);

#endif
