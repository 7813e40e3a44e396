/* What the max-min problem is made of: maxmin.c works on it, maxmin_heap.c orders
 * its levels, maxmin_store.c keeps it. */
#ifndef ORR_NETWORK_FLOWS_MAXMIN_PRIVATE_H
#define ORR_NETWORK_FLOWS_MAXMIN_PRIVATE_H

#include "network/flows/maxmin.h"

/* One cache line: of flows there are many, looked at in no order. */
struct flow {
    const uint32_t *path;
    double weight, bound; /* of each member, like the rate */
    double rate, level;
    uint32_t hops;
    uint32_t bottleneck;
    uint32_t visited;         /* the solution in which it joined S */
    uint32_t members;         /* 0: not in use */
    uint32_t joined, stopped; /* members in S, and those whose level is found */
};

struct member {
    uint32_t *at;     /* [hops]: its place among those of each link */
    uint32_t flow;    /* MAXMIN_NONE: not in use */
    uint32_t visited; /* the solution that it began in S */
    uint32_t alloc;   /* for places */
};

/* What solutions look at: a cache line. */
struct link {
    double capacity;
    double load;    /* sum of the rates; while S is filled of the flows outside of S, and */
    double used;    /* of those of S whose level is found */
    double weights; /* of flows of S whose level still rises */
    double level;   /* of the flows that it holds */
    uint32_t count;
    uint32_t inside, rising; /* members in S, and those whose level still rises */
    uint32_t visited;        /* the solution in which it was touched */
    uint32_t held;           /* members whose bottleneck it is */
    bool watched;            /* holds flows outside of S, and the level has not come to theirs */
    bool pending;            /* its place in the heap has to be found anew */
    bool dirty;              /* among the dirty links */
};

/* The members on a link. */
struct entries {
    struct maxmin_entry *entry; /* [count of the link] */
    uint32_t alloc;
};

/* In a heap: something happens at a level to a link, or to a flow. */
struct item {
    double level;
    uint32_t id;
};

struct item_heap {
    struct item *item;
    size_t count, alloc;
};

/* So many members of a flow, which are at their bound at that level. */
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
    struct link *link;       /* on lines, in `link_storage` */
    struct entries *entries; /* [links] */
    uint32_t *position;      /* [links] in the heap of links; MAXMIN_NONE: not there */
    void *link_storage;
    uint32_t links;
    size_t flows, flow_alloc;
    size_t members, member_alloc;
    struct list unused, unused_members;   /* flows, and members */
    struct list new_members, dirty_links; /* since the last solution; members may repeat */
    struct list part, touched;            /* S, and the links of its flows */
    struct list pending;                  /* links */
    struct item_heap link_heap, bounds;   /* of links, and of members in S with a bound */
    struct bound *coming;                 /* bounds that are not in their heap yet: */
    size_t coming_count, coming_alloc;    /* in most solutions none is ever asked for */
    double min_coming;
    double sweep;           /* the level that the solution has come to */
    size_t rising, watched; /* members in S, and links */
    uint32_t solution;
    bool failed; /* memory */
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

/* Puts a link into the heap, or moves it towards the top; takes the top out, or moves it down. */
void orr_maxmin_link_at(struct maxmin *problem, uint32_t link, double level);
void orr_maxmin_top_link_at(struct maxmin *problem, double level);
void orr_maxmin_top_link_out(struct maxmin *problem);

/* Members in S by the level at which they are at their bound. Whether the first of them comes
 * before the link at the top of its heap. */
void orr_maxmin_bound_at(struct maxmin *problem, uint32_t flow, uint32_t members, double level);
bool orr_maxmin_bound_is_next(struct maxmin *problem);
void orr_maxmin_top_bound_out(struct maxmin *problem);

/* A flow without members; MAXMIN_NONE when memory is out. */
uint32_t orr_maxmin_new_flow(struct maxmin *problem);

/* A member of a flow with room for the places of `hops` links; MAXMIN_NONE when memory is out. */
uint32_t orr_maxmin_new_member(struct maxmin *problem, uint32_t hops);

/* Makes room for so many more entries on a link. */
bool orr_maxmin_reserve_entries(struct maxmin *problem, uint32_t link, uint32_t entries);

#endif
