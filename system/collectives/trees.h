/* Trees that are given, rank by rank, for collectives that go along them. */
#ifndef ORR_SYSTEM_COLLECTIVES_TREES_H
#define ORR_SYSTEM_COLLECTIVES_TREES_H

#include "core/core.h"
#include "system/collectives/program.h"

#define COLL_NO_PARENT UINT32_MAX

struct coll_tree {
    uint32_t root;
    const uint32_t *parent; /* [n]; COLL_NO_PARENT of the root */
    /* The rest follows from the parents. Children of rank r: child[first[r]] to child[first[r + 1]
     * - 1], ascending; `place` says which of them a rank is. Ranks from enter[r] to leave[r] - 1,
     * in an order of their own, are r and those below it. */
    const uint32_t *first, *child, *child_index, *enter, *leave;
    /* [n] by child: the network's channel to the parent and the one from it, 1 + index; NULL: by
     * routes. */
    const uint32_t *up, *down;
};

struct coll_trees {
    uint32_t n, trees;
    const struct coll_tree *tree; /* [trees], taken by the chunks in turns */
};

/* Fills what follows from the parents of a tree of n ranks, which has one root and no circle.
 * False: memory is out. O(n). */
bool orr_coll_tree_fill(struct coll_tree *tree, uint32_t n, struct orr_arena *arena);

#endif
