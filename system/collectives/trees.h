/* User trees (or trees found by search) for collectives along them. */
#ifndef ORR_SYSTEM_COLLECTIVES_TREES_H
#define ORR_SYSTEM_COLLECTIVES_TREES_H

#include "system/collectives/program.h"

struct orr_arena;

#define COLL_NO_PARENT UINT32_MAX

struct coll_tree {
    uint32_t root;
    const uint32_t *parent; /* [n]; COLL_NO_PARENT of the root */
    /* Derived from the parents. Children of rank r: child[first[r]] to child[first[r + 1] - 1],
     * ascending; child_index: index among the siblings. Preorder: ranks with numbers enter[r] to
     * leave[r] - 1 are r and its descendants. */
    const uint32_t *first, *child, *child_index, *enter, *leave;
    /* [n] by child: network channel (1 + index) to the parent, and from it; NULL: by routes. */
    const uint32_t *up, *down;
};

struct coll_trees {
    uint32_t n, trees;
    const struct coll_tree *tree; /* [trees]; chunks alternate between them */
};

/* Computes the derived fields of a tree of n ranks with one root and no cycle. False: no memory.
 * O(n). */
bool orr_coll_tree_fill(struct coll_tree *tree, uint32_t n, struct orr_arena *arena);

#endif
