/* Data structures of the max-min solver: maxmin.c solves, maxmin_heap.c has the heaps of levels,
 * maxmin_store.c the storage. */
#ifndef ORR_NETWORK_FLOWS_MAXMIN_PRIVATE_H
#define ORR_NETWORK_FLOWS_MAXMIN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arena.h"
#include "network/flows/maxmin.h"

struct orr_arena;

/* One cache line, because many flows are used in random order. */
struct flow {
    const uint32_t *path;
    double weight, bound; /* of each member, as the rate */
    double rate, level;
    uint32_t hops;
    uint32_t bottleneck;
    uint32_t visited;         /* last solution in which it joined S */
    uint32_t members;         /* 0: unused */
    uint32_t joined, stopped; /* members in S, and those with a fixed level */
};

struct member {
    uint32_t *at;     /* [hops]: its position in each link's entries */
    uint32_t flow;    /* MAXMIN_NONE: unused */
    uint32_t visited; /* last solution that started with it in S */
    uint32_t alloc;   /* length of `at` */
};

/* The part of a link that the solver uses: one cache line. */
struct link {
    double capacity;
    double load;    /* sum of the rates; during a solution, of flows outside S */
    double used;    /* sum of the rates of flows of S with a fixed level */
    double weights; /* sum of the weights of rising flows */
    double level;   /* of the flows whose bottleneck it is */
    uint32_t count;
    uint32_t inside, rising; /* members in S, and rising ones */
    uint32_t visited;        /* last solution that used it */
    uint32_t held;           /* members with this bottleneck */
    bool watched; /* is the bottleneck of flows outside S, whose level the sweep has not reached */
    bool pending; /* its heap position is to be updated */
    bool dirty;   /* in the list of dirty links */
};

/* The members on a link. */
struct entries {
    struct maxmin_entry *entry; /* [count of the link] */
    uint32_t alloc;
};

/* A heap entry: the level of the next event of a link or a flow. */
struct item {
    double level;
    uint32_t id;
};

struct item_heap {
    struct item *item;
    size_t count, alloc;
};

/* Members of a flow that are at their bound at that level. */
struct bound {
    double level;
    uint32_t flow, members;
};

struct list {
    uint32_t *item;
    size_t count, alloc;
};

struct maxmin {
    struct orr_arena *arena;
    struct flow *flow;
    struct member *member;
    struct link *link;       /* aligned to cache lines, in `link_storage` */
    struct entries *entries; /* [links] */
    uint32_t *position;      /* [links] in the heap of links; MAXMIN_NONE: not in it */
    void *link_storage;
    uint32_t links;
    size_t flows, flow_alloc;
    size_t members, member_alloc;
    struct list unused, unused_members;   /* free numbers of flows, and of members */
    struct list new_members, dirty_links; /* since the last solution; with duplicates of members */
    struct list part, touched;            /* the flows of S, and their links */
    struct list pending;                  /* links */
    struct item_heap link_heap, bounds;   /* of links, and of members in S with a bound */
    struct bound *coming;                 /* bounds not yet in their heap, */
    size_t coming_count, coming_alloc;    /* because most solutions never need one */
    double min_coming;
    double sweep;           /* the present level of the sweep */
    size_t rising, watched; /* rising members, and watched links */
    uint32_t solution;
    bool failed; /* out of memory */
};

static inline bool push(struct list *list, uint32_t value)
{
    if (list->count == list->alloc) {
        const size_t alloc = list->alloc == 0 ? 64 : list->alloc * 2;
        uint32_t *grown = orr_heap_realloc(list->item, alloc * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->item = grown;
        list->alloc = alloc;
    }
    list->item[list->count++] = value;
    return true;
}

/* Inserts a link into the heap, or moves it up; removes the top, or moves it down. */
void orr_maxmin_link_at(struct maxmin *problem, uint32_t link, double level);
void orr_maxmin_top_link_at(struct maxmin *problem, double level);
void orr_maxmin_top_link_out(struct maxmin *problem);

/* Heap of members in S by the level at which they are at their bound. bound_is_next: the first of
 * them precedes the top link. */
void orr_maxmin_bound_at(struct maxmin *problem, uint32_t flow, uint32_t members, double level);
bool orr_maxmin_bound_is_next(struct maxmin *problem);
void orr_maxmin_top_bound_out(struct maxmin *problem);

/* A new flow without members; MAXMIN_NONE: out of memory. */
uint32_t orr_maxmin_new_flow(struct maxmin *problem);

/* A new member with `hops` positions; MAXMIN_NONE: out of memory. */
uint32_t orr_maxmin_new_member(struct maxmin *problem, uint32_t hops);

/* Grows a link's entries by so many. */
bool orr_maxmin_reserve_entries(struct maxmin *problem, uint32_t link, uint32_t entries);

#endif
