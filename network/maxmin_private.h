/* What the max-min problem is made of: maxmin.c works on it, maxmin_store.c keeps it. */
#ifndef ORR_NETWORK_MAXMIN_PRIVATE_H
#define ORR_NETWORK_MAXMIN_PRIVATE_H

#include "network/maxmin.h"

struct flow {
    const uint32_t *path;
    uint32_t *at; /* [hops]: its place among the flows of each link */
    uint32_t hops, room;
    double weight, bound, rate, level;
    uint32_t bottleneck;
    uint32_t seen; /* the solution in which it joined S */
    bool alive, filled;
};

struct link {
    double capacity;
    struct maxmin_entry *entry;
    uint32_t count, room;
    uint32_t seen;   /* the solution in which it was touched */
    uint32_t rising; /* flows of S whose level still rises */
    double left;     /* capacity for these, and the sum of their weights */
    double weights;
    double load;   /* sum of the rates */
    uint32_t held; /* flows whose bottleneck it is, and their level */
    double level;
    double highest, lowest; /* levels of flows of S; `lowest` of those that it holds */
};

/* In the heap: a link that would be full at this level, or (from `links` on) a flow at its bound.
 */
struct item {
    double level;
    uint32_t what;
};

struct list {
    uint32_t *item;
    size_t count, room;
};

struct maxmin {
    struct orr_arena *arena;
    struct flow *flow;
    struct link *link;
    uint32_t links;
    size_t flows, flow_room;
    struct list unused;                 /* handles */
    struct list new_flows, dirty_links; /* since the last solution; may repeat */
    struct list part, touched;          /* S, and the links of its flows */
    struct item *heap;
    size_t heap_count, heap_room;
    uint32_t solution;
    bool failed; /* memory */
};

static inline bool push(struct list *list, uint32_t value)
{
    if (list->count == list->room) {
        const size_t room = list->room == 0 ? 64 : list->room * 2;
        uint32_t *grown = orr_heap_realloc(list->item, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->item = grown;
        list->room = room;
    }
    list->item[list->count++] = value;
    return true;
}

/* A handle with room for the places of `hops` links; MAXMIN_NONE when memory is out. */
uint32_t maxmin_handle(struct maxmin *problem, uint32_t hops);

/* Makes room for one more flow on a link. */
bool maxmin_link_room(struct link *link);

#endif
