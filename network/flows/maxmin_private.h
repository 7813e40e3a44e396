/* What the max-min problem is made of: maxmin.c works on it, maxmin_heap.c orders
 * its levels, maxmin_store.c keeps it. */
#ifndef ORR_NETWORK_FLOWS_MAXMIN_PRIVATE_H
#define ORR_NETWORK_FLOWS_MAXMIN_PRIVATE_H

#include "network/flows/maxmin.h"

struct flow {
    const uint32_t *path;
    uint32_t *at; /* [hops]: its place among the flows of each link */
    double weight, bound, rate, level;
    uint32_t hops;
    uint32_t bottleneck;
    uint32_t seen; /* the solution in which it joined S */
    uint32_t room : 30;
    bool alive : 1, filled : 1;
};

struct link {
    double capacity;
    double load;    /* sum of the rates; while S is filled of the flows outside of S, and */
    double used;    /* of those of S whose level is found */
    double weights; /* of flows of S whose level still rises */
    double level;   /* of the flows that it holds */
    struct maxmin_entry *entry;
    uint32_t count, room;
    uint32_t held;           /* flows whose bottleneck it is */
    uint32_t seen;           /* the solution in which it was touched */
    uint32_t inside, rising; /* flows of S, and those whose level still rises */
    uint32_t place;          /* in the heap of links; MAXMIN_NONE: not there */
    bool watched;            /* holds flows outside of S, and the level has not come to theirs */
    bool pending;            /* its place in the heap has to be found anew */
};

/* In a heap: something happens at a level to a link, or to a flow. */
struct item {
    double level;
    uint32_t what;
};

struct item_heap {
    struct item *item;
    size_t count, room;
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
    struct list pending;                /* links */
    struct item_heap link_heap, bounds; /* of links, and of flows of S with a bound */
    double sweep;                       /* the level that the solution has come to */
    size_t rising, watched;             /* flows of S, and links */
    uint32_t solution;
    bool failed; /* memory */
};

/* Asks for a flow of the entries that will be looked at soon: there may be a million, in no order.
 */
static inline void expect_flow(const struct maxmin *problem, const struct link *link,
                               uint32_t entry)
{
    enum { AHEAD = 8 };
    if (entry + AHEAD < link->count) {
        __builtin_prefetch(&problem->flow[link->entry[entry + AHEAD].flow]);
    }
}

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

/* Puts a link into the heap, or moves it towards the top; takes the top out, or moves it down. */
void orr_maxmin_link_at(struct maxmin *problem, uint32_t link, double level);
void orr_maxmin_top_link_at(struct maxmin *problem, double level);
void orr_maxmin_top_link_out(struct maxmin *problem);

/* Flows of S by the level at which they are at their bound. */
void orr_maxmin_bound_at(struct maxmin *problem, uint32_t flow, double level);
void orr_maxmin_top_bound_out(struct maxmin *problem);

/* A handle with room for the places of `hops` links; MAXMIN_NONE when memory is out. */
uint32_t orr_maxmin_handle(struct maxmin *problem, uint32_t hops);

/* Makes room for one more flow on a link. */
bool orr_maxmin_link_room(struct link *link);

#endif
