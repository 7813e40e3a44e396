/* What the searches of trees share. */
#ifndef ORR_SYSTEM_EMBEDDING_EMBED_SEARCH_H
#define ORR_SYSTEM_EMBEDDING_EMBED_SEARCH_H

#include "system/embedding/embed_private.h"

/* Trees that are sought, and the best so far. */
struct embed_tree_search {
    struct embed_finder finder;
    const struct sys_tree_search *options;
    struct orr_arena *arena, *scratch; /* scratch: forgotten by each trial */
    uint32_t *uses;                    /* [links], all 0 */
    bool *inner;                       /* [n] */
    uint32_t *best;                    /* [trees * n] parents */
    bool found, fewest;
    struct embed_cost cost;
    uint32_t depth, shared_inner;
    struct orr_diag *diag;
};

/* Tries trees (parents by tree and member): the best so far, or not. Trees that have no way are not
 * tried. `steps`: of the search for their ways. Error: memory. (embed_search.c) */
enum orr_status orr_embed_try(struct embed_tree_search *search, const uint32_t *parent,
                              uint32_t steps);

/* Trees of the usual shape: all of them up to EMBED_EXACT_MEMBERS, else those of its ranks in
 * order. (embed_dbt.c, embed_dbt_exact.c) */
enum orr_status orr_embed_search_dbt(struct embed_tree_search *search);
enum orr_status orr_embed_search_dbt_exact(struct embed_tree_search *search);

/* Trees of any shape, by direct links; none where these do not join all members.
 * (embed_any_shape.c) */
enum orr_status orr_embed_search_any_shape(struct embed_tree_search *search);

/* Parents as the usual shape has them for members in an order: place[i] is the member at label i.
 */
void orr_embed_label(uint32_t n, const uint32_t *dbt, const uint32_t *member_at, uint32_t *parent);

/* < 0: the first comes before; the root's entry counts as the least. */
int orr_embed_compare_parents(const uint32_t *a, const uint32_t *b, size_t count);

/* ---- forests (embed_forest.c, embed_forest_depth.c) ---- */

/* A pair of members with links both ways; one for each of the parallel ones. */
struct embed_duplex_link {
    uint32_t a, b;
    uint32_t owner; /* the tree that uses it; EMBED_NO_TREE: none */
};

enum { EMBED_NO_TREE = SYS_MAX_TREES };
#define EMBED_NO_DUPLEX_LINK UINT32_MAX

/* Trees that grow on bonds. */
struct embed_forest {
    uint32_t n, trees, edges;
    struct embed_duplex_link *edge;
    uint32_t *first, *at; /* bonds of a member: at[first[i]..first[i + 1]-1] */
    uint32_t *parent;     /* [trees * n], as are the next two; of roots SYS_NO_PARENT */
    uint32_t *by;         /* the bond to the parent; EMBED_NO_DUPLEX_LINK: none of its own */
    uint32_t *level;      /* UINT32_MAX: not in the tree */
    uint32_t *queue;      /* [max(n, bonds)] */
    uint32_t *cause;      /* [bonds] which bond it makes room for */
    uint32_t *trial;      /* [4 * n] */
};

static inline uint32_t embed_other_end(const struct embed_duplex_link *edge, uint32_t end)
{
    return edge->a == end ? edge->b : edge->a;
}

/* The bonds of the members, of a pair no more than there are trees. False: memory is out. */
bool orr_embed_forest_open(struct embed_forest *forest, const struct sys_embed *embed,
                           uint32_t trees, struct orr_arena *arena);

/* Whether the bonds join all members. */
bool orr_embed_forest_joins(struct embed_forest *forest);

/* Grows trees from random roots, with as few shared bonds as there can be, and roots them in their
 * middle. The bonds join all members. */
void orr_embed_forest_grow(struct embed_forest *forest, struct orr_rng *rng);

/* Adds by exchanges all bonds that still can be used. (embed_matroid_union.c) */
void orr_embed_forest_unite(struct embed_forest *forest);

/* Makes the trees less deep by exchanging bonds, until nothing helps. (embed_forest_flatten.c) */
void orr_embed_forest_flatten(struct embed_forest *forest);

/* ---- rings (disjoint_rings.c, hamiltonian_exact.c, hamiltonian_search.c) ---- */

/* Circles of members on bonds, each `n` members from 0 on; the bonds' owners say which. */
struct embed_cycles {
    struct embed_forest edges;
    uint32_t max;    /* circles that there can be at most */
    uint32_t cycles; /* found */
    uint32_t *order; /* [most * n] */
    bool complete;   /* proven that there are no more */
    struct orr_arena *arena;
};

/* Finds circles. False: memory is out. */
bool orr_embed_cycles_exact(struct embed_cycles *cycles);
bool orr_embed_cycles_search(struct embed_cycles *cycles, uint64_t seed);

#endif
