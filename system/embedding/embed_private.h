/* Shared by the files of the room. */
#ifndef ORR_SYSTEM_EMBEDDING_EMBED_PRIVATE_H
#define ORR_SYSTEM_EMBEDDING_EMBED_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/routing/routing.h"
#include "system/embedding/embedding.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

enum { EMBED_EXACT_MEMBERS = 8, EMBED_MAX_PATHS = 256 };

/* A path from one NPU to another, as link records. */
struct embed_path {
    const uint32_t *link; /* [hops] */
    uint32_t hops;
    uint32_t between; /* NPUs between its ends */
};

struct embed_paths {
    struct embed_path *path; /* [count] ascending by NPUs between */
    uint32_t count;
};

/* Path finder, with storage that all calls share. */
struct embed_edge;
struct embed_finder {
    const struct sys_embed *embed;
    struct orr_arena *arena;
    struct net_reverse reverse;
    uint16_t *hops;             /* [nodes] hops through switches to the destination */
    uint32_t *queue;            /* [nodes] */
    bool *visited;              /* [nodes] */
    struct embed_edge *of_pair; /* [n * n] cache; NULL: no cache; .choice NULL: not computed yet */
};

/* Initializes. `keep`: caches the choices of each pair of members. (embed_paths.c) */
enum orr_status orr_embed_finder_open(struct embed_finder *finder, const struct sys_embed *embed,
                                      bool keep, struct orr_arena *arena, struct orr_diag *diag);

/* All allowed paths between two members, at most EMBED_MAX_PATHS; count 0: none. */
enum orr_status orr_embed_find_paths(struct embed_finder *finder, uint32_t from, uint32_t to,
                                     struct embed_paths *out, struct orr_diag *diag);

/* The NPU of a member. */
static inline uint32_t embed_npu(const struct sys_embed *embed, uint32_t member)
{
    return embed->npu != NULL ? embed->npu[member] : member;
}

/* The user path of two NPUs, and whether it is reversed; NULL: none. */
const struct sys_detour *orr_embed_user_path(const struct sys_embed *embed, uint32_t from,
                                             uint32_t to, bool *backwards);

/* Checks user paths: all nodes are NPUs and linked. (embed_user_paths.c) */
enum orr_status orr_embed_check_user_paths(const struct sys_embed *embed, struct orr_diag *diag);

/* Resolves the user path of two NPUs that have one to links; false: no memory. */
bool orr_embed_resolve_user_path(const struct sys_embed *embed, uint32_t from, uint32_t to,
                                 struct orr_arena *arena, struct embed_path *out);

/* A candidate of an edge: paths up and down. */
struct embed_choice {
    struct embed_path up, down;
};

struct embed_edge {
    uint32_t tree, child;
    const struct embed_choice *choice; /* [choices], >= 1 */
    uint32_t choices, picked;
};

struct embed_cost {
    uint32_t conflicts, between;
};

static inline bool embed_cheaper(struct embed_cost a, struct embed_cost b)
{
    return a.conflicts != b.conflicts ? a.conflicts < b.conflicts : a.between < b.between;
}

/* Assignment of paths to edges; `uses` counts the paths over each link record. */
struct embed_task {
    const struct net_graph *graph;
    struct embed_edge *edge; /* [edges] */
    uint32_t edges;
    uint32_t *uses; /* [links] all 0 before and after */
    uint32_t steps; /* maximum steps of the search */
};

/* Selects a path for each edge: minimum conflicts, then minimum NPUs between. `fewest`: proven
 * optimal. Memory of the arena. (embed_assign.c) */
enum orr_status orr_embed_assign(struct embed_task *task, struct orr_arena *arena,
                                 struct embed_cost *cost, bool *fewest, struct orr_diag *diag);

/* The candidates of a tree's edge; count 0: none. (embed_edge_paths.c) */
enum orr_status orr_embed_choices(struct embed_finder *finder, uint32_t child, uint32_t parent,
                                  struct embed_edge *out, struct orr_diag *diag);

/* Checks that the members are NPUs of the graph. (embed.c) */
enum orr_status orr_embed_check_members(const struct sys_embed *embed, struct orr_diag *diag);

/* Checks the request and initializes the finder. (embed.c) */
enum orr_status orr_embed_open(struct embed_finder *finder, const struct sys_embed *embed,
                               bool keep, struct orr_arena *arena, struct orr_diag *diag);

/* The edges of trees with their candidates: trees x (n - 1), by tree and child. Error: an edge
 * without a path. */
enum orr_status orr_embed_edges(struct embed_finder *finder, const struct sys_tree *tree,
                                uint32_t trees, struct embed_edge *edge, struct orr_diag *diag);

/* As orr_sys_embed; the caller sets `n` and `trees` of the result. */
enum orr_status orr_embed_trees(struct embed_finder *finder, const struct sys_tree *tree,
                                struct sys_trees *out, struct orr_diag *diag);

#endif
