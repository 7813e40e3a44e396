/* What the files of the room share. */
#ifndef ORR_SYSTEM_EMBEDDING_EMBED_PRIVATE_H
#define ORR_SYSTEM_EMBEDDING_EMBED_PRIVATE_H

#include "system/embedding/embedding.h"

enum { EMBED_EXACT_MEMBERS = 8, EMBED_MAX_PATHS = 256 };

/* A way from one NPU to another: link records. */
struct embed_path {
    const uint32_t *link; /* [hops] */
    uint32_t hops;
    uint32_t between; /* NPUs on it */
};

struct embed_paths {
    struct embed_path *path; /* [count], those over fewer NPUs first */
    uint32_t count;
};

/* Finds ways; some room that all calls share. */
struct embed_edge;
struct embed_finder {
    const struct sys_embed *embed;
    struct orr_arena *arena;
    struct net_reverse reverse;
    uint16_t *hops;             /* [nodes]: through switches, to the one that is sought */
    uint32_t *queue;            /* [nodes] */
    bool *visited;              /* [nodes] */
    struct embed_edge *of_pair; /* [n * n] kept; NULL: not kept; .choice NULL: not known yet */
};

/* `keep`: the choices of each pair of members are worked out once. (embed_paths.c) */
enum orr_status orr_embed_finder_open(struct embed_finder *finder, const struct sys_embed *embed,
                                      bool keep, struct orr_arena *arena, struct orr_diag *diag);

/* All ways between two members that the rules allow, at most EMBED_MAX_PATHS; none: count 0. */
enum orr_status orr_embed_find_paths(struct embed_finder *finder, uint32_t from, uint32_t to,
                                     struct embed_paths *out, struct orr_diag *diag);

/* The NPU of a member. */
static inline uint32_t embed_npu(const struct sys_embed *embed, uint32_t member)
{
    return embed->npu != NULL ? embed->npu[member] : member;
}

/* The given way of two NPUs, and whether it is theirs backwards; NULL: none. */
const struct sys_detour *orr_embed_user_path(const struct sys_embed *embed, uint32_t from,
                                             uint32_t to, bool *backwards);

/* Refuses given ways over what is no NPU or has no link. (embed_user_paths.c) */
enum orr_status orr_embed_check_user_paths(const struct sys_embed *embed, struct orr_diag *diag);

/* The given way of two NPUs that have one; false: memory is out. */
bool orr_embed_resolve_user_path(const struct sys_embed *embed, uint32_t from, uint32_t to,
                                 struct orr_arena *arena, struct embed_path *out);

/* A choice of an edge: up and down. */
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

/* Edges that choose among their ways; `uses` counts how many use each link record. */
struct embed_task {
    const struct net_graph *graph;
    struct embed_edge *edge; /* [edges] */
    uint32_t edges;
    uint32_t *uses; /* [links], all 0; all 0 again afterwards */
    uint32_t steps; /* of the search, at most */
};

/* Picks a way of each edge: the fewest conflicts, then the fewest NPUs between. `fewest`: it is
 * proven. Memory of the arena. (embed_assign.c) */
enum orr_status orr_embed_assign(struct embed_task *task, struct orr_arena *arena,
                                 struct embed_cost *cost, bool *fewest, struct orr_diag *diag);

/* The choices of a tree's edge; count 0: there is none. (embed.c) */
enum orr_status orr_embed_choices(struct embed_finder *finder, uint32_t child, uint32_t parent,
                                  struct embed_edge *out, struct orr_diag *diag);

/* Whether the members are NPUs of the graph. (embed.c) */
enum orr_status orr_embed_check_members(const struct sys_embed *embed, struct orr_diag *diag);

/* Checks what is asked for, and opens the finder. (embed.c) */
enum orr_status orr_embed_open(struct embed_finder *finder, const struct sys_embed *embed,
                               bool keep, struct orr_arena *arena, struct orr_diag *diag);

/* The edges of trees with their choices: trees x (n - 1), by tree and child. Errors: one without a
 * way. */
enum orr_status orr_embed_edges(struct embed_finder *finder, const struct sys_tree *tree,
                                uint32_t trees, struct embed_edge *edge, struct orr_diag *diag);

/* As orr_sys_embed; `n` and `trees` of the result are set. */
enum orr_status orr_embed_trees(struct embed_finder *finder, const struct sys_tree *tree,
                                struct sys_trees *out, struct orr_diag *diag);

#endif
