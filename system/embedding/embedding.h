/* Embeddings: paths for the edges of trees and rings on the links of a graph, such that no two
 * share a link (docs/models.md, section 5: Embeddings). Pure functions over a graph: no events, no
 * state. C-Cube (HPCA 2023), section V-B: detours over other NPUs, and one of several parallel
 * links for each of two trees.
 *
 * Members are positions 0..n-1; `npu` maps them to NPUs of the graph. */
#ifndef ORR_SYSTEM_EMBEDDING_EMBEDDING_H
#define ORR_SYSTEM_EMBEDDING_EMBEDDING_H

#include <stdbool.h>
#include <stdint.h>

#include "network/channel.h"

struct net_graph;
struct net_ring;
struct orr_arena;
struct orr_diag;

#define SYS_NO_PARENT UINT32_MAX
#define SYS_NO_CHANNEL UINT32_MAX

enum { SYS_MAX_TREES = 64 };

/* ---- trees ---- */

struct sys_tree {
    uint32_t n, root;
    const uint32_t *parent; /* [n]; SYS_NO_PARENT of the root alone */
};

/* Initializes a tree by the parents of its members; does not copy them. Errors, prefixed by `what`:
 * no root or two, a parent that is no member, a cycle. O(n). */
enum orr_status orr_sys_tree_make(struct sys_tree *out, uint32_t n, const uint32_t *parent,
                                  const char *what, struct orr_diag *diag);

/* Level: edges from a member up to the root; depth: maximum over all members. O(depth), O(n depth).
 */
uint32_t orr_sys_tree_level(const struct sys_tree *tree, uint32_t member);
uint32_t orr_sys_tree_depth(const struct sys_tree *tree);

/* Number of members that are inner nodes or the root of both trees. `inner`: scratch for n. O(n).
 */
uint32_t orr_sys_trees_shared_inner(const struct sys_tree *a, const struct sys_tree *b,
                                    bool *inner);

/* Parents of double_binary_tree's variant 1: a root with one child, below which is an in-order
 * binary tree. The DBT shape of tree searches. O(n). */
void orr_sys_tree_double_binary(uint32_t n, uint32_t *parent);

/* ---- paths ---- */

/* Paths of edges between NPUs without a link: over other NPUs, or through switches if there is no
 * such path (ON); through switches only (OFF). */
enum sys_detours { SYS_DETOURS_ON, SYS_DETOURS_OFF };

/* A user path: from one NPU to another over others, and back. */
struct sys_detour {
    uint32_t from, to;
    uint32_t count;
    const uint32_t *over; /* [count] nodes */
};

/* Parameters of an embedding. */
struct sys_embed {
    const struct net_graph *graph;
    uint32_t n;
    const uint32_t *npu; /* [n]; NULL: the NPUs 0..n-1 */
    enum sys_detours detours;
    uint32_t max_between;           /* maximum NPUs between the ends of a path; 0: 1 */
    bool around;                    /* detours are candidates also for NPUs with a link */
    bool strict;                    /* a link used twice is an error */
    const struct sys_detour *given; /* [givens] user paths */
    uint32_t givens;
    double min_bytes_per_s; /* of rings: slower links are none */
    uint64_t steps;         /* of a search of rings; 0: as many as it likes */
};

/* The edge of a channel: from the child up to its parent, or down. */
struct sys_edge {
    uint32_t tree, child;
    bool down;
};

/* A lane (one of parallel links) that several edges use. */
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
    const struct sys_shared *shared; /* [shares] lanes with more than one edge */
    uint32_t conflicts;              /* edges on shared lanes beyond the first */
    uint32_t detours;                /* edges over other NPUs; both directions count once */
    uint32_t between;                /* NPUs that they pass */
    uint32_t switched;               /* edges through switches; both directions count once */
    uint32_t depth;                  /* hops from the root to the farthest member */
    uint32_t shared_inner;           /* members that are inner nodes of two trees */
    bool fewest; /* proven: no other paths of these trees (after a search: no other trees of the
                    shape) have fewer conflicts */
};

/* Embeds given trees with the fewest conflicts, then over the fewest NPUs, then the first in the
 * order of nodes. Lanes of a link are assigned to its edges in the order of trees and members. The
 * result belongs to the arena and refers to the trees' parents. Errors: a disconnected graph,
 * naming its parts; an edge without a path; an invalid user path; strict: the shared links, by
 * name; memory. O(edges x paths), and a search of bounded steps if edges have several paths. */
enum orr_status orr_sys_embed(const struct sys_embed *embed, const struct sys_tree *tree,
                              uint32_t trees, struct orr_arena *arena, struct sys_trees *out,
                              struct orr_diag *diag);

/* Shapes of a tree search; members may be at any node of the shape. */
enum sys_shape {
    SYS_SHAPE_ANY, /* DBT shape, or any shape if that needs detours or conflicts and another is
                      better */
    SYS_SHAPE_DOUBLE_BINARY, /* shape of orr_sys_tree_double_binary */
    SYS_SHAPE_FREE           /* any number of children */
};
struct sys_tree_search {
    uint32_t trees; /* 1 to SYS_MAX_TREES */
    enum sys_shape shape;
    uint64_t seed; /* seed of the search beyond 8 members */
};

/* Finds trees with the fewest conflicts, then over the fewest NPUs, then with the fewest members
 * that are inner nodes of two, then the smallest depth, then the first by parents (the root first).
 * Exhaustive for the DBT shape up to 8 members. Trees of any shape always have the fewest conflicts
 * (matroid union) and the smallest depth found. Errors: none found; as orr_sys_embed. */
enum orr_status orr_sys_search_trees(const struct sys_embed *embed,
                                     const struct sys_tree_search *search, struct orr_arena *arena,
                                     struct sys_trees *out, struct orr_diag *diag);

/* ---- rings ---- */

/* Rings through all members by direct links, each in one direction. */
struct sys_rings {
    uint32_t n, rings;
    const uint32_t *npu;   /* [n] */
    const uint32_t *order; /* [rings * n] members; ring 2 i + 1 is ring 2 i reversed */
    uint32_t links;        /* directed links among the members, parallel ones each */
    uint32_t unused;       /* of these, in no ring */
    bool max;              /* proven maximum without sharing links */
};

/* As many rings as go without using a link twice, at most 2 SYS_MAX_TREES, each from the first
 * member on and followed by itself backwards: of all that there are up to 8 members; beyond, those
 * of products of rings and full meshes in closed form, others by a seeded search. Two members have
 * a ring for each of their links, a single one has none. Only links that go both ways count.
 * Errors: memory. */
enum orr_status orr_sys_find_rings(const struct sys_embed *embed, uint64_t seed,
                                   struct orr_arena *arena, struct sys_rings *out,
                                   struct orr_diag *diag);

/* What all-reduces of a group go around (network.graph.rings: auto). */
struct sys_group_rings {
    uint32_t rings; /* 0: one, in the group's own order */
    const struct net_ring *ring;
};

/* A group that the graph has no rings for. */
struct sys_ring_group {
    const struct net_graph *graph;
    uint32_t n;
    const uint32_t *npu; /* [n]; NULL: the NPUs 0..n-1 */
};

/* Rings with members on links that no other of them uses, those that have failed included; none
 * where the graph does not look for any, where there are none, or where one NPU's fastest link
 * carries more than all of them: of links that differ those rings are taken that carry most in all,
 * each at the speed of its slowest link. The same for the same group, whoever asks. Error: memory.
 * (auto_rings.c) */
enum orr_status orr_sys_group_rings(const struct sys_ring_group *group, struct orr_arena *arena,
                                    struct sys_group_rings *out, struct orr_diag *diag);

#endif
