/* Shared by the files of forests. */
#ifndef ORR_NETWORK_BOUNDS_FOREST_PRIVATE_H
#define ORR_NETWORK_BOUNDS_FOREST_PRIVATE_H

#include "network/bounds/max_flow.h"
#include "network/bounds/spanning_forest.h"

#define FOREST_NO_ITEM UINT32_MAX

/* Units of capacity from a node to another, along a path of links. */
struct forest_item {
    uint64_t units;
    uint32_t next; /* of the same two nodes; FOREST_NO_ITEM: the last */
    struct net_forest_path path;
};

/* Capacities between nodes in units, while switches are removed and trees packed. */
struct forest_graph {
    uint32_t npus, nodes;
    uint64_t *capacity; /* [nodes * nodes] */
    uint32_t *item;     /* [nodes * nodes] the first item */
    struct forest_item *items;
    size_t item_count, item_alloc;
    uint32_t *hop;
    size_t hops, hop_alloc;
    uint64_t *demand;          /* [npus] units of trees that each NPU roots */
    uint64_t demands;          /* all of them */
    struct orr_arena *arena;   /* of the result */
    struct orr_arena *scratch; /* reset at will */
    struct orr_diag *diag;
};

static inline size_t forest_pair(const struct forest_graph *graph, uint32_t from, uint32_t to)
{
    return (size_t)from * graph->nodes + to;
}

/* Adds an item, whose path is `a` followed by `b`. False: memory. (forest_items.c) */
bool orr_forest_add_item(struct forest_graph *graph, size_t pair, uint64_t units,
                         struct net_forest_path a, struct net_forest_path b);

/* Takes up to `units` of the first item of a pair; returns how many, and their path. */
uint64_t orr_forest_take_item(struct forest_graph *graph, size_t pair, uint64_t units,
                              struct net_forest_path *path);

/* Removes all switches, so that all NPUs still receive all demands. (forest_split.c) */
enum orr_status orr_forest_split_switches(struct forest_graph *graph);

/* A tree with the weight of so many unit trees. */
struct forest_batch {
    uint32_t root, size; /* members so far */
    uint64_t units;
    uint32_t *parent; /* [npus] */
    uint32_t *member; /* [npus] in the order in which they joined */
    struct forest_batch *next;
};

/* Packs the trees; the list is in the arena. (forest_pack.c) */
enum orr_status orr_forest_pack(struct forest_graph *graph, struct forest_batch **out);

#endif
