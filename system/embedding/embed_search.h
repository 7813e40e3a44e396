/* Shared by the tree searches. */
#ifndef ORR_SYSTEM_EMBEDDING_EMBED_SEARCH_H
#define ORR_SYSTEM_EMBEDDING_EMBED_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"
#include "system/embedding/embed_private.h"
#include "system/embedding/embedding.h"

struct orr_arena;
struct orr_diag;

/* A tree search, and its best trees so far. */
struct embed_tree_search {
    struct embed_finder finder;
    const struct sys_tree_search *options;
    struct orr_arena *arena, *scratch; /* scratch: reset for each candidate */
    uint32_t *uses;                    /* [links], all 0 */
    bool *inner;                       /* [n] */
    uint32_t *best;                    /* [trees * n] parents */
    bool found, fewest;
    struct embed_cost cost;
    uint32_t depth, shared_inner;
    struct orr_diag *diag;
};

/* Evaluates candidate trees (parents by tree and member) and keeps them if they are the best so
 * far. Trees with an edge without a path are skipped. `steps`: limit of the path assignment. Error:
 * memory. (embed_search.c) */
enum orr_status orr_embed_try(struct embed_tree_search *search, const uint32_t *parent,
                              uint32_t steps);

/* Searches trees of the DBT shape: exhaustively up to EMBED_EXACT_MEMBERS, else from the ranks in
 * order. (embed_dbt.c, embed_dbt_exact.c) */
enum orr_status orr_embed_search_dbt(struct embed_tree_search *search);
enum orr_status orr_embed_search_dbt_exact(struct embed_tree_search *search);

/* Searches trees of any shape over direct links; none if these do not connect all members.
 * (embed_any_shape.c) */
enum orr_status orr_embed_search_any_shape(struct embed_tree_search *search);

/* Parents of the DBT shape with member_at[i] at label i. */
void orr_embed_label(uint32_t n, const uint32_t *dbt, const uint32_t *member_at, uint32_t *parent);

/* Order of parents: < 0 if the first is smaller; the root's entry is the smallest. */
int orr_embed_compare_parents(const uint32_t *a, const uint32_t *b, size_t count);

/* ---- forests (embed_forest.c, embed_forest_depth.c) ---- */

/* A duplex link of two members; one for each parallel link. */
struct embed_duplex_link {
    uint32_t a, b;
    uint32_t owner; /* tree that uses it; EMBED_NO_TREE: none */
};

enum { EMBED_NO_TREE = SYS_MAX_TREES };
#define EMBED_NO_DUPLEX_LINK UINT32_MAX

/* Trees on the edges of the member multigraph. */
struct embed_forest {
    uint32_t n, trees, edges;
    struct embed_duplex_link *edge;
    uint32_t *first, *at; /* edges of a member: at[first[i]..first[i + 1]-1] */
    uint32_t *parent;     /* [trees * n], as are the next two; SYS_NO_PARENT for roots */
    uint32_t *by;         /* edge to the parent; EMBED_NO_DUPLEX_LINK: shared */
    uint32_t *level;      /* UINT32_MAX: not in the tree */
    uint32_t *queue;      /* [max(n, bonds)] */
    uint32_t *cause;      /* [edges] edge that replaces it in its tree */
    uint32_t *trial;      /* [4 * n] */
};

static inline uint32_t embed_other_end(const struct embed_duplex_link *edge, uint32_t end)
{
    return edge->a == end ? edge->b : edge->a;
}

/* How many links two members have both ways, of those that count. */
uint32_t orr_embed_lanes(const struct sys_embed *embed, uint32_t a, uint32_t b);

/* The bonds of the members, of a pair no more than there are trees. False: memory is out. */
bool orr_embed_forest_open(struct embed_forest *forest, const struct sys_embed *embed,
                           uint32_t trees, struct orr_arena *arena);

/* Whether the edges connect all members. */
bool orr_embed_forest_joins(struct embed_forest *forest);

/* Grows trees from random roots with the minimum number of shared edges, and roots them in their
 * centers. The edges must connect all members. */
void orr_embed_forest_grow(struct embed_forest *forest, struct orr_rng *rng);

/* Adds all edges possible by exchanges (matroid union). (embed_matroid_union.c) */
void orr_embed_forest_unite(struct embed_forest *forest);

/* Reduces depth by exchanging edges until a local optimum. (embed_forest_flatten.c) */
void orr_embed_forest_flatten(struct embed_forest *forest);

/* ---- rings (disjoint_rings.c, closed_rings.c, hamiltonian_exact.c, hamiltonian_search.c) ---- */

/* Hamiltonian cycles, `n` members each from 0 on; the owners of edges say which. */
struct embed_cycles {
    struct embed_forest edges;
    uint32_t max;    /* upper bound of the number of cycles */
    uint32_t cycles; /* found */
    uint32_t *order; /* [most * n] */
    bool complete;   /* proven that there are no more */
    uint64_t steps;  /* that a search may take still */
    struct orr_arena *arena;
};

/* Find edge-disjoint Hamiltonian cycles. False: no memory. */
bool orr_embed_cycles_exact(struct embed_cycles *cycles);
bool orr_embed_cycles_search(struct embed_cycles *cycles, uint64_t seed);
/* Those of a product of rings and full meshes, else none. */
bool orr_embed_cycles_closed(const struct sys_embed *embed, struct embed_cycles *cycles);

#endif
