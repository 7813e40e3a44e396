/* Equal shares: what equal_flows.c (flows and their ends), equal_shares.c (the solution),
 * equal_groups.c (who is held where) and equal_ends.c (who ends first) share.
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
#ifndef ORR_NETWORK_FLOWS_EQUAL_PRIVATE_H
#define ORR_NETWORK_FLOWS_EQUAL_PRIVATE_H

#include "network/flows/flows_private.h"

#define EQUAL_NONE UINT32_MAX
/* Levels and sums that differ by less, of themselves, are the same: far above rounding. */
#define EQUAL_SAME 1e-11

/* The flows of one path. Numbered by when the path was first used. */
struct equal_stream {
    double offset;    /* bytes that each flow has, less `served` of the holder */
    uint32_t path;    /* of flow_paths */
    uint32_t flows;   /* 0: none at present */
    uint32_t holder;  /* the link whose group it is in; EQUAL_NONE: none yet */
    uint32_t top;     /* record of the flow that ends first */
    uint32_t version; /* of its entry among the ends of the group; others are old */
    uint32_t mark;    /* seen already, in lists where it may stand twice */
};

/* What happens to the group of a link in a solution. */
enum equal_state {
    EQUAL_IDLE,    /* there is none, or its level has been confirmed */
    EQUAL_WATCHED, /* has the level of before; the sweep has not come there */
    EQUAL_CALLED,  /* it is about to rise */
    EQUAL_RISING,  /* its level rises with the sweep */
    EQUAL_STOPPED  /* it has a new level */
};

/* What solutions look at: a cache line. */
struct equal_link {
    double capacity; /* bytes/s */
    double free;     /* the capacity less the rates of all flows on it that do not rise */
    double level;    /* rate of each flow that it holds */
    double above;    /* no flow on it of another group has a higher level */
    uint32_t flows;  /* on it; one that takes it n times counts n times */
    uint32_t rising; /* of them */
    uint32_t inside; /* those that rise or have risen in this solution */
    uint32_t seen;   /* the solution in which it was touched */
    uint32_t held;   /* streams of its group */
    uint32_t place;  /* in the heap of links; EQUAL_NONE: not there */
    enum equal_state state;
    float slack; /* sums that differ by less are the same */
};
_Static_assert(sizeof(struct equal_link) == 64, "a cache line");

/* How many flows of a group go over a link. */
struct equal_pair {
    uint32_t link, flows;
};

/* The links that flows of a group go over, in no order. */
struct equal_row {
    struct equal_pair *pair;
    uint32_t *slot; /* index: see equal_groups.c */
    uint32_t count, room, slots;
};

/* When a stream of a group has a flow that ends, in `served` of the group. */
struct equal_end {
    double served;
    uint32_t stream, version;
};

/* The rest of a link. */
struct equal_group {
    double served; /* bytes of each flow of the group, at `since` */
    sim_time since;
    struct equal_row row;
    struct equal_end *end; /* heap, with old entries */
    uint32_t *on;          /* streams over the link; some are gone or there twice */
    uint32_t ends, end_room;
    uint32_t listed, on_room;
    uint32_t streams; /* over the link at present, by hops */
    uint32_t changed; /* the solution in which its level or its members changed */
    bool dirty;       /* the link is in the list of those */
};

/* In the heap of links: at that level something happens. */
struct equal_item {
    double level;
    uint32_t link;
};

struct equal_flows {
    struct equal_link *link;
    struct equal_group *group; /* [links] */
    struct equal_stream *stream;
    struct equal_item *heap; /* [links] */
    uint32_t *touched;       /* [links] in this solution */
    uint32_t *called;        /* [links] whose groups are about to rise */
    uint32_t *changed;       /* [links] groups with another level or other streams */
    uint32_t *ending;        /* streams */
    uint64_t *live;          /* a bit of each stream: it has flows, or had some */
    uint32_t *fresh, *dirty; /* streams without a holder, and links: since the last solution */
    struct due_heap due;     /* links by the next end in their group */
    uint32_t links, streams, heap_count, touched_count, changed_count, called_count;
    size_t stream_room, ending_count, ending_room;
    size_t fresh_count, fresh_room, dirty_count, dirty_room;
    uint32_t solution, marks;
    uint32_t watched; /* links */
    uint32_t rising;  /* groups, and streams by themselves */
    double sweep;     /* the level that the solution has come to */
    double horizon;   /* links that no group waits for are in the heap if they are full below */
    bool failed;      /* memory */
};

static inline struct equal_flows *equal_of(const struct net_flows *flows)
{
    return flows->equal;
}

/* What is left of greater sums is rounding. */
static inline void equal_set_live(struct equal_flows *equal, uint32_t stream)
{
    equal->live[stream / 64] |= UINT64_C(1) << stream % 64;
}

static inline void equal_set_capacity(struct equal_link *link, double bytes_per_s)
{
    const float slack = (float)(bytes_per_s * EQUAL_SAME);
    link->free += bytes_per_s - link->capacity;
    link->capacity = bytes_per_s;
    link->slack = slack > link->slack ? slack : link->slack;
}

static inline struct net_route_links equal_path(const struct net_flows *flows,
                                                const struct equal_stream *stream)
{
    return flow_path_links(&flows->paths, flow_path_at(&flows->paths, stream->path));
}

/* What each flow of a stream has got. */
static inline double equal_served(const struct equal_flows *equal,
                                  const struct equal_stream *stream)
{
    return stream->holder == EQUAL_NONE ? stream->offset
                                        : stream->offset + equal->group[stream->holder].served;
}

/* ---- equal_groups.c ---- */

/* The link is looked at in the next solution; it has room in the list. */
static inline void equal_soil(struct equal_flows *equal, uint32_t link)
{
    if (!equal->group[link].dirty) {
        equal->group[link].dirty = true;
        equal->dirty[equal->dirty_count++] = link;
    }
}

/* Makes room for `count` items and some more. */
bool orr_equal_room(struct equal_flows *equal, uint32_t **list, size_t *room, size_t count);

/* Brings what a group has served up to date. */
void orr_equal_advance(struct net_flows *flows, uint32_t link);

/* So many more flows of the stream, which has a holder or none, on the links of its path; and so
 * many fewer. Rates are those before the solution to come. O(hops). */
void orr_equal_add(struct net_flows *flows, uint32_t stream, uint32_t count);
void orr_equal_take(struct net_flows *flows, uint32_t stream, uint32_t count);

/* The link holds the stream from now on; no link does. Both leave sums of rates alone. O(hops). */
void orr_equal_hold(struct net_flows *flows, uint32_t stream, uint32_t link);
void orr_equal_let_go(struct net_flows *flows, uint32_t stream);

/* ---- equal_shares.c ---- */

/* Works out the levels of what has changed; equal->changed are the groups with another level or
 * other streams. */
void orr_equal_solve(struct net_flows *flows);

/* ---- equal_ends.c ---- */

/* The stream has another first end. O(log streams). */
void orr_equal_end_at(struct net_flows *flows, uint32_t stream);
/* The first end in a group; NULL: there is none. */
const struct equal_end *orr_equal_first_end(struct equal_flows *equal, uint32_t link);
void orr_equal_end_out(struct equal_flows *equal, uint32_t link);

#endif
