/* The state of a matching in the making.
 *
 * A *knot* is a node of the graph (0 .. nodes - 1) or a blossom (from `nodes` on): an odd ring of
 * knots, one of which, the base, is paired outside of it or alone; the others are paired along the
 * ring. A knot that lies in no other is on *top*. Trees of knots on top grow from those that are
 * alone, over edges without slack: *outer* knots lie at even distances from the root, *inner* ones
 * at odd distances, each paired with the outer one behind it.
 *
 * Slack of an edge between nodes that are not in one blossom: u_i + u_j - 2 w_ij. It is kept, not
 * worked out again, where it decides what happens next:
 * - of every node that is not outer, the edge of least slack to an outer one (`near`),
 * - of every outer knot on top, the edge of least slack to another outer one (`meet`).
 * To renew these when a knot turns outer takes O(nodes), since every blossom knows for every node
 * outside which of its own members is nearest (`reach`); that stays true while all members move
 * alike, and within greater blossoms they do. So does a ring of k knots that becomes a blossom in
 * O(k x nodes), and an augmentation O(nodes^2) in all. */
#ifndef ORR_PLANNER_FINDER_MATCHING_PRIVATE_H
#define ORR_PLANNER_FINDER_MATCHING_PRIVATE_H

#include "planner/finder/matching.h"

#define NO_SLACK INT64_MAX /* there is no edge */

enum matching_label { MATCHING_UNREACHED, MATCHING_OUTER, MATCHING_INNER };

/* An edge of the graph, seen from one of its ends. */
struct pseudonode_edge {
    uint32_t from, to;
};

struct pseudonode {
    uint32_t parent;      /* the blossom it lies in; MATCHING_NONE: on top */
    uint32_t base;        /* node that is paired outside, or alone */
    uint32_t first, last; /* of the chain of its nodes */

    /* Of a blossom. */
    bool used;
    uint32_t base_child;
    uint32_t *reach; /* [nodes] its member nearest to a node outside; MATCHING_NONE: no edge */
    int64_t dual;    /* z */

    /* In the ring that it lies in: neighbours, and the edge to the next. */
    uint32_t next, prev;
    struct pseudonode_edge link;

    /* On top. */
    enum matching_label label;    /* unreached: also who lies in another */
    struct pseudonode_edge entry; /* inner: from the outer knot before it */
    struct pseudonode_edge meet;  /* outer: edge of least slack to another outer one */
    int64_t meet_slack;
    uint64_t mark; /* of the last search for a common ancestor that came by */
};

struct matcher {
    struct orr_arena *arena;
    uint32_t nodes,
        pseudonodes; /* room for all: nodes, and blossoms of 3 nodes or more within others */
    const uint64_t *weight;
    uint32_t *mate;  /* [nodes] */
    int64_t *dual;   /* [nodes] u */
    uint32_t *top;   /* [nodes] knot on top that a node lies in */
    uint32_t *chain; /* [nodes] the next node of a knot */
    uint8_t *label;  /* [nodes] enum matching_label, of `top` */
    uint32_t *near;  /* [nodes] outer node; MATCHING_NONE: none */
    int64_t *near_slack;
    struct pseudonode *pseudonode; /* [knots] */
    struct pseudonode_edge *stack; /* [knots] knots and their new bases */
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

/* The child of `blossom` that holds the node. */
uint32_t orr_pseudonode_child(const struct matcher *matcher, uint32_t blossom, uint32_t node);

/* The edge from a child of a ring to the one after or before it. */
struct pseudonode_edge orr_pseudonode_step(const struct matcher *matcher, uint32_t pseudonode,
                                           bool forward, uint32_t *to);

/* Whether the way of even length from a child to the base goes forward along the ring. */
bool orr_pseudonode_even_path(const struct matcher *matcher, uint32_t blossom, uint32_t child);

/* A knot on top turns outer, inner, or what else. O(nodes); O(its nodes). */
void orr_pseudonode_outer(struct matcher *matcher, uint32_t pseudonode);
void orr_pseudonode_label(struct matcher *matcher, uint32_t pseudonode, enum matching_label as);
void orr_pseudonode_inner(struct matcher *matcher, uint32_t pseudonode,
                          struct pseudonode_edge entry);

/* An edge without slack between two outer knots of one tree closes a ring, which becomes a blossom.
 * `ancestor` is where the ways to the root meet. false: memory is out. */
bool orr_blossom_close(struct matcher *matcher, struct pseudonode_edge edge, uint32_t ancestor);

/* A blossom on top without a dual is opened: its children are on top. Where it was inner, those on
 * the way through it are labelled. */
void orr_blossom_open(struct matcher *matcher, uint32_t blossom);

/* The node becomes the base of the knot: pairs along the rings change. O(nodes). */
void orr_pseudonode_rebase(struct matcher *matcher, uint32_t pseudonode, uint32_t node);

#endif
