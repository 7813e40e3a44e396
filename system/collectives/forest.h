/* Trees for the algorithm forest: one out-tree from every rank, or from one, for each variant
 * (network/bounds/spanning_forest.h finds them). */
#ifndef ORR_SYSTEM_COLLECTIVES_FOREST_H
#define ORR_SYSTEM_COLLECTIVES_FOREST_H

#include <stdbool.h>
#include <stdint.h>

struct orr_arena;

/* A message up or down a tree. */
struct coll_forest_send {
    uint32_t block; /* the tree's root */
    uint32_t peer, peer_recv, need;
};
struct coll_forest_recv {
    uint32_t block, peer;
};

/* The messages of all ranks in one direction. Rank r of variant u has the sends from first_send[u n
 * + r] to before the next one's, and likewise its receives. */
struct coll_forest_part {
    uint32_t units;                          /* variants; 0: the part is not there */
    const uint32_t *first_send, *first_recv; /* [units * n + 1] */
    const struct coll_forest_send *send;
    const struct coll_forest_recv *recv;
    const uint32_t *own; /* [units * n] receives after which a rank has its own block */
};

struct coll_forest {
    uint32_t n, root;               /* root: of a broadcast */
    struct coll_forest_part gather; /* from the roots: all-gather, broadcast */
    struct coll_forest_part reduce; /* towards the roots: reduce-scatter */
};

/* Trees by parents: tree t belongs to root t / units, or to `root` if there is one root only. */
struct coll_forest_trees {
    uint32_t n, roots, root, units;
    const uint32_t *parent; /* [roots * units * n]; UINT32_MAX of the root */
    bool reduces;           /* messages go to the roots */
};

/* Orders the messages of all ranks: a rank's by how far from the root (from the leaves, if the part
 * reduces), then by root, so that none waits for a later one. False: no memory. O(units roots n
 * log n). */
bool orr_coll_forest_part(const struct coll_forest_trees *trees, struct orr_arena *arena,
                          struct coll_forest_part *out);

/* Variants after which a collective has used all trees: the least common multiple of the units of
 * its parts. */
uint32_t orr_coll_forest_variants(const struct coll_forest *forest);

#endif
