/* Trees and rings laid on the links of a graph: which ways their edges take, so that no two of them
 * share one (docs/models.md, section 5: Embeddings). Pure functions over a graph: no events, no
 * state. The C-Cube paper (HPCA 2023), section V-B: detours over other NPUs, and one of several
 * parallel links for each of two trees.
 *
 * Members are positions 0..n-1; `npu` says which NPU of the graph each is. Part of system.h. */
#ifndef ORR_SYSTEM_EMBEDDING_EMBEDDING_H
#define ORR_SYSTEM_EMBEDDING_EMBEDDING_H

#include "core/core.h"
#include "network/network.h"

#define SYS_NO_PARENT UINT32_MAX
#define SYS_NO_CHANNEL UINT32_MAX

enum { SYS_MAX_TREES = 64 };

/* ---- trees ---- */

struct sys_tree {
    uint32_t n, root;
    const uint32_t *parent; /* [n]; SYS_NO_PARENT of the root alone */
};

/* A tree by the parents of its members, which it does not copy. Errors, `what` in front: no root or
 * two, a parent that is no member, a circle. O(n). */
enum orr_status orr_sys_tree_make(struct sys_tree *out, uint32_t n, const uint32_t *parent,
                                  const char *what, struct orr_diag *diag);

/* Edges from a member up to the root; and the most of all members. O(depth), O(n depth). */
uint32_t orr_sys_tree_level(const struct sys_tree *tree, uint32_t member);
uint32_t orr_sys_tree_depth(const struct sys_tree *tree);

/* Members that are inner nodes, or the root, of both trees. `inner` has room for n. O(n). */
uint32_t orr_sys_trees_shared_inner(const struct sys_tree *a, const struct sys_tree *b,
                                    bool *inner);

/* Parents of the tree that double_binary_tree has for variant 1: a root with one child, below which
 * is an in-order binary tree. The shape that searches look for. O(n). */
void orr_sys_tree_double_binary(uint32_t n, uint32_t *parent);

/* ---- ways ---- */

/* What the edges of two NPUs without a link between them do: they go over other NPUs, or, where the
 * graph has no such way, through switches; through switches only. */
enum sys_detours { SYS_DETOURS_ON, SYS_DETOURS_OFF };

/* A way that is given: from one NPU to another over these, and back. */
struct sys_detour {
    uint32_t from, to;
    uint32_t count;
    const uint32_t *over; /* [count] nodes */
};

/* What trees are laid on, and how. */
struct sys_embed {
    const struct net_graph *graph;
    uint32_t n;
    const uint32_t *npu; /* [n]; NULL: the NPUs 0..n-1 */
    enum sys_detours detours;
    uint32_t max_between; /* NPUs that a way goes over at most; 0: 1 */
    bool around;          /* detours of two NPUs that have a link as well, where others need it */
    bool strict;          /* what is used twice is an error */
    const struct sys_detour *given; /* [givens] */
    uint32_t givens;
};

/* Which edge of the trees a channel is: from the child up to its parent, or down. */
struct sys_edge {
    uint32_t tree, child;
    bool down;
};

/* A channel of the network, one of parallel links, that several edges use. */
struct sys_shared {
    struct net_hop hop;
    uint32_t edges;
};

/* Trees on a graph. */
struct sys_trees {
    uint32_t n, trees;
    const uint32_t *npu;         /* [n] */
    const struct sys_tree *tree; /* [trees] */
    uint32_t channels;           /* 2 (n - 1) trees */
    const struct net_channel *channel;
    const struct sys_edge *edge; /* [channels] */
    const uint32_t *up, *down;   /* [trees * n] index of channel, by tree * n + child */
    uint32_t shares;
    const struct sys_shared *shared; /* what more than one edge uses; [shares] */
    uint32_t conflicts;              /* edges there beyond the first */
    uint32_t detours;                /* edges, both ways one, that go over other NPUs */
    uint32_t between;                /* NPUs that they go over */
    uint32_t switched;               /* edges, both ways one, that go through switches */
    uint32_t depth;                  /* hops from the root to the farthest member */
    uint32_t shared_inner;           /* members that are inner nodes of two trees */
    bool fewest;                     /* proven that no other ways of these trees (after a search:
                                        no other trees of the shape) have fewer conflicts */
};

/* The ways of given trees: with the fewest conflicts, then over the fewest NPUs, then the first in
 * the order of nodes. Lanes of a link go to its edges in the order of trees and members. The result
 * is the arena's and refers to the trees' parents. Errors: a graph in pieces, which names the
 * parts; an edge without a way, or given one over what is no NPU, or has no link; strict: what is
 * shared, by name; memory. O(edges x ways) and a search of bounded steps where edges have several
 * ways. */
enum orr_status orr_sys_embed(const struct sys_embed *embed, const struct sys_tree *tree,
                              uint32_t trees, struct orr_arena *arena, struct sys_trees *out,
                              struct orr_diag *diag);

/* Trees that are sought: whose members may stand anywhere. */
enum sys_shape {
    SYS_SHAPE_ANY, /* the usual one; where that needs detours or conflicts, what is best */
    SYS_SHAPE_DOUBLE_BINARY, /* that of orr_sys_tree_double_binary */
    SYS_SHAPE_FREE           /* any number of children */
};
struct sys_tree_search {
    uint32_t trees; /* 1 to SYS_MAX_TREES */
    enum sys_shape shape;
    uint64_t seed; /* of what is tried beyond 8 members */
};

/* Finds trees with the fewest conflicts, then over the fewest NPUs, with the fewest members that
 * are inner nodes of two, the least depth, then the first by parents (the root first). Up to 8
 * members all trees of the usual shape are looked at; free ones have the fewest conflicts always
 * (matroid union), the least depth that was found. */
enum orr_status orr_sys_search_trees(const struct sys_embed *embed,
                                     const struct sys_tree_search *search, struct orr_arena *arena,
                                     struct sys_trees *out, struct orr_diag *diag);

/* ---- rings ---- */

/* Rings through all members by direct links, one way each. */
struct sys_rings {
    uint32_t n, rings;
    const uint32_t *npu;   /* [n] */
    const uint32_t *order; /* [rings * n] members; the second is the first one backwards, ... */
    uint32_t links;        /* among the members, one way, parallel ones each */
    uint32_t unused;       /* of these in no ring */
    bool max;              /* proven that there are no more without sharing links */
};

/* As many rings as go without using a link twice, at most 2 SYS_MAX_TREES, each from the first
 * member on and followed by itself backwards: of all that there are up to 8 members, by a seeded
 * search beyond. Two members have a ring for each of their links, a single one has none. Only links
 * that go both ways count. Errors: memory. */
enum orr_status orr_sys_find_rings(const struct sys_embed *embed, uint64_t seed,
                                   struct orr_arena *arena, struct sys_rings *out,
                                   struct orr_diag *diag);

#endif
