/* Programs on a rooted tree: whole buffers go up, combined at each node, then down. An algorithm
 * defines the tree. Receives: the children in order, then the parent; sends: the parent, then the
 * children. A node sends up after all its children arrived, so nothing comes down to it earlier,
 * and receives may complete as they come. */
#ifndef ORR_SYSTEM_COLLECTIVES_TREE_PROGRAM_H
#define ORR_SYSTEM_COLLECTIVES_TREE_PROGRAM_H

#include "system/collectives/program.h"

struct coll_tree_node {
    bool has_parent;
    uint32_t parent;      /* rank */
    uint32_t child_index; /* which child of its parent */
    uint32_t children;    /* 0..2, or more with `more` */
    uint32_t child[2];    /* ranks */
    /* The i-th child of the rank, instead of `child`; NULL: these are all. */
    uint32_t (*more)(const struct coll_args *args, uint32_t rank, uint32_t i);
    uint32_t up, down; /* the channel to the parent, and from it; 0: by routes */
};

/* The node of `rank`. O(log n). */
typedef struct coll_tree_node (*coll_tree_fn)(const struct coll_args *args, uint32_t rank);

/* All-reduce, broadcast, reduce, barrier. */
bool orr_coll_tree_supports(enum coll_kind kind, uint32_t n);

uint32_t orr_coll_tree_sends(const struct coll_args *args, coll_tree_fn node);
uint32_t orr_coll_tree_recvs(const struct coll_args *args, coll_tree_fn node);
void orr_coll_tree_send(const struct coll_args *args, coll_tree_fn node, uint32_t k,
                        struct coll_send *out);
void orr_coll_tree_recv(const struct coll_args *args, coll_tree_fn node, uint32_t k,
                        struct coll_recv *out);
void orr_coll_tree_blocks(const struct coll_args *args, uint32_t k, coll_block_fn visit,
                          void *context);

/* Hops of the longest chain on a tree whose deepest node is `depth` edges below the root. */
uint32_t orr_coll_tree_steps(enum coll_kind kind, uint32_t depth);

#endif
