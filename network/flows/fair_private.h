/* Equal shares: what fair_flows.c (flows and their ends), fair_shares.c (the solution),
 * fair_bottlenecks.c (who is held where) and fair_completions.c (who ends first) share.
 *
 * A stream is the flows of one path, which always have the same rate. A link that is full holds
 * back the streams that have no lower level elsewhere: they are its group, and the rate of every
 * flow of the group is the level of the link. So a group needs one level and one clock: `served`,
 * the bytes that each of its flows has got since the group began. A flow is at its end when that,
 * and what its stream had before, reaches the number fixed at its start; the streams of a group
 * wait in a heap by what the group will have served by then. When levels change nothing of the
 * streams does.
 *
 * A group also knows its row: how many of its flows go over which link. With it the group is taken
 * from all links, and put back with another level, at the cost of the links, not of the flows. */
#ifndef ORR_NETWORK_FLOWS_FAIR_PRIVATE_H
#define ORR_NETWORK_FLOWS_FAIR_PRIVATE_H

#include "network/flows/flows_private.h"

#define FAIR_NONE UINT32_MAX
/* Levels and sums that differ by less, of themselves, are the same: far above rounding. */
#define FAIR_SAME 1e-11

/* The flows of one path. Numbered by when the path was first used. */
struct fair_flow_class {
    double offset;    /* bytes that each flow has, less `served` of the holder */
    uint32_t path;    /* of flow_paths */
    uint32_t flows;   /* 0: none at present */
    uint32_t holder;  /* the link whose group it is in; FAIR_NONE: none yet */
    uint32_t top;     /* record of the flow that ends first */
    uint32_t version; /* of its entry among the ends of the group; others are old */
    uint32_t mark;    /* seen already, in lists where it may stand twice */
};

/* What happens to the group of a link in a solution. */
enum fair_state {
    FAIR_IDLE,    /* there is none, or its level has been confirmed */
    FAIR_WATCHED, /* has the level of before; the sweep has not come there */
    FAIR_CALLED,  /* it is about to rise */
    FAIR_RISING,  /* its level rises with the sweep */
    FAIR_STOPPED  /* it has a new level */
};

/* What solutions look at: a cache line. */
struct fair_link {
    double capacity;   /* bytes/s */
    double free;       /* the capacity less the rates of all flows on it that do not rise */
    double level;      /* rate of each flow that it holds */
    double above;      /* no flow on it of another group has a higher level */
    uint32_t flows;    /* on it; one that takes it n times counts n times */
    uint32_t rising;   /* of them */
    uint32_t inside;   /* those that rise or have risen in this solution */
    uint32_t visited;  /* the solution in which it was touched */
    uint32_t held;     /* streams of its group */
    uint32_t position; /* in the heap of links; FAIR_NONE: not there */
    enum fair_state state;
    float slack; /* sums that differ by less are the same */
};
_Static_assert(sizeof(struct fair_link) == 64, "a cache line");

/* How many flows of a group go over a link. */
struct fair_pair {
    uint32_t link, flows;
};

/* The links that flows of a group go over, in no order. */
struct fair_row {
    struct fair_pair *pair;
    uint32_t *slot; /* index: see fair_bottlenecks.c */
    uint32_t count, alloc, slots;
};

/* When a stream of a group has a flow that ends, in `served` of the group. */
struct fair_completion {
    double served;
    uint32_t class, version;
};

/* The rest of a link. */
struct fair_bottleneck {
    double served; /* bytes of each flow of the group, at `since` */
    sim_time since;
    struct fair_row row;
    struct fair_completion *end; /* heap, with old entries */
    uint32_t *on;                /* streams over the link; some are gone or there twice */
    uint32_t ends, end_alloc;
    uint32_t listed, on_alloc;
    uint32_t classes; /* over the link at present, by hops */
    uint32_t changed; /* the solution in which its level or its members changed */
    bool dirty;       /* the link is in the list of those */
};

/* In the heap of links: at that level something happens. */
struct fair_item {
    double level;
    uint32_t link;
};

struct fair_flows {
    struct fair_link *link;
    struct fair_bottleneck *group; /* [links] */
    struct fair_flow_class *class;
    struct fair_item *heap;  /* [links] */
    uint32_t *touched;       /* [links] in this solution */
    uint32_t *called;        /* [links] whose groups are about to rise */
    uint32_t *changed;       /* [links] groups with another level or other streams */
    uint32_t *ending;        /* streams */
    uint64_t *live;          /* a bit of each stream: it has flows, or had some */
    uint32_t *fresh, *dirty; /* streams without a holder, and links: since the last solution */
    struct due_heap due;     /* links by the next end in their group */
    uint32_t links, classes, heap_count, touched_count, changed_count, called_count;
    size_t class_alloc, ending_count, ending_alloc;
    size_t fresh_count, fresh_alloc, dirty_count, dirty_alloc;
    uint32_t solution, marks;
    uint32_t watched; /* links */
    uint32_t rising;  /* groups, and streams by themselves */
    double sweep;     /* the level that the solution has come to */
    double horizon;   /* links that no group waits for are in the heap if they are full below */
    bool failed;      /* memory */
};

static inline struct fair_flows *fair_of(const struct net_flows *flows)
{
    return flows->fair;
}

/* What is left of greater sums is rounding. */
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

/* What each flow of a stream has got. */
static inline double fair_served(const struct fair_flows *fair, const struct fair_flow_class *class)
{
    return class->holder == FAIR_NONE ? class->offset
                                      : class->offset + fair->group[class->holder].served;
}

/* ---- fair_bottlenecks.c ---- */

/* The link is looked at in the next solution; it has room in the list. */
static inline void fair_mark_dirty(struct fair_flows *fair, uint32_t link)
{
    if (!fair->group[link].dirty) {
        fair->group[link].dirty = true;
        fair->dirty[fair->dirty_count++] = link;
    }
}

/* Makes room for `count` items and some more. */
bool orr_fair_reserve(struct fair_flows *fair, uint32_t **list, size_t *alloc, size_t count);

/* Brings what a group has served up to date. */
void orr_fair_advance(struct net_flows *flows, uint32_t link);

/* So many more flows of the stream, which has a holder or none, on the links of its path; and so
 * many fewer. Rates are those before the solution to come. O(hops). */
void orr_fair_add(struct net_flows *flows, uint32_t class, uint32_t count);
void orr_fair_subtract(struct net_flows *flows, uint32_t class, uint32_t count);

/* The link holds the stream from now on; no link does. Both leave sums of rates alone. O(hops). */
void orr_fair_hold(struct net_flows *flows, uint32_t class, uint32_t link);
void orr_fair_release(struct net_flows *flows, uint32_t class);

/* ---- fair_shares.c ---- */

/* Works out the levels of what has changed; equal->changed are the groups with another level or
 * other streams. */
void orr_fair_solve(struct net_flows *flows);

/* ---- fair_completions.c ---- */

/* The stream has another first end. O(log streams). */
void orr_fair_end_at(struct net_flows *flows, uint32_t class);
/* The first end in a group; NULL: there is none. */
const struct fair_completion *orr_fair_first_end(struct fair_flows *fair, uint32_t link);
void orr_fair_end_out(struct fair_flows *fair, uint32_t link);

#endif
