/* Max-min fair shares without weights: state shared by fair_flows.c (flows and their completions),
 * fair_shares.c (the solver), fair_bottlenecks.c (bottleneck groups) and fair_completions.c
 * (completion heaps).
 *
 * A flow class is the flows of one path, which always have equal rates. A full link is the
 * bottleneck of the classes that have no lower level elsewhere: they are its group, and each flow
 * of the group has the link's level as its rate. So a group needs one level and one clock:
 * `served`, the bytes that each of its flows received since the group started. A flow ends when
 * `served` + its class's offset reaches the target fixed at its start. The classes of a group wait
 * in a heap by the value of `served` at their first completion. A change of levels changes nothing
 * in the classes.
 *
 * A group also has a row: how many of its flows cross each link. With it the solver removes a group
 * from all links, and adds it with another level, at a cost of the links, not of the flows. */
#ifndef ORR_NETWORK_FLOWS_FAIR_PRIVATE_H
#define ORR_NETWORK_FLOWS_FAIR_PRIVATE_H

#include "network/flows/flows_private.h"

#define FAIR_NONE UINT32_MAX
/* Relative difference below which levels and sums are equal: far above rounding. */
#define FAIR_SAME 1e-11

/* The flows of one path. Numbered by when the path was first used. */
struct fair_flow_class {
    double offset;    /* bytes served to each flow, minus `served` of the holder */
    uint32_t path;    /* index in flow_paths */
    uint32_t flows;   /* sum of their weights; 0: none now */
    uint32_t records; /* how many they are */
    uint32_t holder;  /* its bottleneck link; FAIR_NONE: none yet */
    uint32_t top;     /* record of the flow that completes first */
    uint32_t version; /* of its valid completion entry */
    uint32_t mark;    /* last visit, in lists with duplicates */
};

/* The state of a link's group in a solution. */
enum fair_state {
    FAIR_IDLE,    /* no group, or its level is confirmed */
    FAIR_WATCHED, /* has its previous level, which the sweep has not reached */
    FAIR_CALLED,  /* will join the rising set */
    FAIR_RISING,  /* its level rises with the sweep */
    FAIR_STOPPED  /* it has a new level */
};

/* The part of a link that the solver uses: one cache line. */
struct fair_link {
    double capacity;   /* bytes/s */
    double free;       /* the capacity minus the rates of all flows that do not rise */
    double level;      /* rate of each flow of its group */
    double above;      /* upper bound of the levels of its other flows */
    uint32_t flows;    /* on the link; a flow that crosses it n times counts n times */
    uint32_t rising;   /* rising flows */
    uint32_t inside;   /* flows that rise or have risen in this solution */
    uint32_t visited;  /* last solution that used it */
    uint32_t held;     /* classes of its group */
    uint32_t position; /* in the heap of links; FAIR_NONE: not in it */
    enum fair_state state;
    float slack; /* sums that differ by less are equal */
};
_Static_assert(sizeof(struct fair_link) == 64, "a cache line");

/* The number of a group's flows that cross a link. */
struct fair_pair {
    uint32_t link, flows;
};

/* The links that flows of a group cross, unordered. */
struct fair_row {
    struct fair_pair *pair;
    uint32_t *slot; /* index: see fair_bottlenecks.c */
    uint32_t count, alloc, slots;
};

/* The first completion of a class, as a value of its group's `served`. */
struct fair_completion {
    double served;
    uint32_t class, version;
};

/* The other part of a link: its bottleneck group. */
struct fair_bottleneck {
    double served; /* bytes of each flow of the group, at `since` */
    sim_time since;
    struct fair_row row;
    struct fair_completion *end; /* heap, with stale entries */
    uint32_t *on;                /* classes over the link; with stale ones and duplicates */
    uint32_t ends, end_alloc;
    uint32_t listed, on_alloc;
    uint32_t classes; /* over the link now, counted by hops */
    uint32_t changed; /* last solution that changed its level or members */
    bool dirty;       /* the link is in the list of dirty links */
};

/* An entry of the heap of links: the level of the link's next event. */
struct fair_item {
    double level;
    uint32_t link;
};

struct fair_flows {
    struct fair_link *link;
    struct fair_bottleneck *group; /* [links] */
    struct fair_flow_class *class;
    struct fair_item *heap;  /* [links] */
    uint32_t *touched;       /* [links] used in this solution */
    uint32_t *called;        /* [links] whose groups will rise */
    uint32_t *changed;       /* [links] groups whose level or classes changed */
    uint32_t *ending;        /* classes */
    uint64_t *live;          /* a bit of each class: it has or had flows */
    uint32_t *fresh, *dirty; /* classes without a holder, and links, since the last solution */
    struct due_heap due;     /* links by the next completion of their group */
    uint32_t links, classes, heap_count, touched_count, changed_count, called_count;
    size_t class_alloc, ending_count, ending_alloc;
    size_t fresh_count, fresh_alloc, dirty_count, dirty_alloc;
    uint32_t solution, marks;
    uint32_t watched; /* links */
    uint32_t rising;  /* rising groups, and rising single classes */
    double sweep;     /* the present level of the sweep */
    double
        horizon; /* links without a group are in the heap only if they fill up below this level */
    bool failed; /* out of memory */
};

static inline struct fair_flows *fair_of(const struct net_flows *flows)
{
    return flows->fair;
}

/* The difference of larger sums can be rounding. */
static inline void fair_set_live(struct fair_flows *fair, uint32_t class)
{
    fair->live[class / 64] |= UINT64_C(1) << class % 64;
}

static inline void fair_set_capacity(struct fair_link *link, double bytes_per_s)
{
    const float slack = (float)(bytes_per_s * FAIR_SAME);
    link->free += bytes_per_s - link->capacity;
    link->capacity = bytes_per_s;
    link->slack = slack > link->slack ? slack : link->slack;
}

static inline struct net_route_links fair_path(const struct net_flows *flows,
                                               const struct fair_flow_class *class)
{
    return flow_path_links(&flows->paths, flow_path_at(&flows->paths, class->path));
}

/* Bytes served to each flow of a class. */
static inline double fair_served(const struct fair_flows *fair, const struct fair_flow_class *class)
{
    return class->holder == FAIR_NONE ? class->offset
                                      : class->offset + fair->group[class->holder].served;
}

/* ---- fair_bottlenecks.c ---- */

/* Marks a link for the next solution; the list has capacity for it. */
static inline void fair_mark_dirty(struct fair_flows *fair, uint32_t link)
{
    if (!fair->group[link].dirty) {
        fair->group[link].dirty = true;
        fair->dirty[fair->dirty_count++] = link;
    }
}

/* Grows a list to at least `count` items. */
bool orr_fair_reserve(struct fair_flows *fair, uint32_t **list, size_t *alloc, size_t count);

/* Advances the clock of a group to now. */
void orr_fair_advance(struct net_flows *flows, uint32_t link);

/* Adds, or subtracts, `count` flows of a class (with or without a holder) on the links of its path.
 * Uses the rates before the next solution. O(hops). */
void orr_fair_add(struct net_flows *flows, uint32_t class, uint32_t count);
void orr_fair_subtract(struct net_flows *flows, uint32_t class, uint32_t count);

/* Sets, or clears, the bottleneck of a class. Both leave sums of rates alone. O(hops). */
void orr_fair_hold(struct net_flows *flows, uint32_t class, uint32_t link);
void orr_fair_release(struct net_flows *flows, uint32_t class);

/* ---- fair_shares.c ---- */

/* Solves for the levels after changes; fair->changed are then the groups with another level or
 * other classes. */
void orr_fair_solve(struct net_flows *flows);

/* ---- fair_completions.c ---- */

/* Updates the first completion of a class. O(log classes). */
void orr_fair_end_at(struct net_flows *flows, uint32_t class);
/* The first completion of a group; NULL: none. */
const struct fair_completion *orr_fair_first_end(struct fair_flows *fair, uint32_t link);
void orr_fair_end_out(struct fair_flows *fair, uint32_t link);

#endif
