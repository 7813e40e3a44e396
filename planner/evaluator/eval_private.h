/* What the files of the evaluator share. Times are seconds in doubles, from the start of the
 * iteration; bytes are doubles as well. */
#ifndef ORR_PLANNER_EVALUATOR_EVAL_PRIVATE_H
#define ORR_PLANNER_EVALUATOR_EVAL_PRIVATE_H

#include <math.h>
#include <string.h>

#include "planner/evaluator/evaluator.h"

#define EVAL_NEVER INFINITY
#define EVAL_NONE UINT32_MAX

/* Of two numbers; without fmax's calls. */
static inline double eval_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double eval_min(double a, double b)
{
    return a < b ? a : b;
}

/* A growing array on the heap. */
struct eval_array {
    void *items;
    size_t count, alloc;
};

void *orr_eval_grow(struct eval_array *array, size_t count, size_t size);

/* Room for `count` items of `size` bytes, NULL when memory is out. What was there stays. */
static inline void *orr_eval_reserve(struct eval_array *array, size_t count, size_t size)
{
    return count <= array->alloc && array->items != NULL ? array->items
                                                         : orr_eval_grow(array, count, size);
}

/* ---- ways (eval_routes.c) ---- */

/* The way of what one device sends another. */
struct eval_route {
    uint32_t first, hops; /* into eval_routes.link; hops 0: not asked for yet */
    double start, tail;   /* the handshake; the latency behind the last byte */
};

struct eval_routes {
    struct orr_arena *arena;
    struct net_router *router;
    const struct net_graph *graph;
    struct net_flow_model model;
    uint32_t devices;
    uint32_t links;         /* the graph's; behind them hosts, where these are limited */
    uint32_t *step;         /* links of a step of a ring and the hosts that it passes */
    uint32_t variants;      /* of a pair of devices, where each flow chooses */
    bool ring_links;        /* steps of rings keep to the links between their ends */
    uint32_t over_link;     /* the answer of orr_eval_step */
    struct eval_route *way; /* [variants * devices * devices] */
    struct eval_array link; /* of the ways; the first ones each of the graph */
    double *capacity;       /* [links], bytes a second */
};

/* Those of the graph alone. */
static inline uint32_t eval_graph_hops(const struct eval_routes *ways, const uint32_t *link,
                                       uint32_t hops)
{
    while (hops > 0 && link[hops - 1] >= ways->graph->links) {
        hops--;
    }
    return hops;
}

/* How many ways of a pair of devices there are: more than one where each flow chooses. O(paths). */
uint32_t orr_eval_variants(const struct net_graph *graph, const struct net_route_options *routes);

/* Finds one that was not asked for yet; NULL: there is none, or memory is out. */
const struct eval_route *orr_eval_find_route(struct eval_routes *ways, uint32_t from, uint32_t to,
                                             uint32_t of);

/* The way of a pair, by whose turn it is among those of the pair; NULL as above. */
static inline const struct eval_route *eval_route_of(struct eval_routes *ways, uint32_t from,
                                                     uint32_t to, uint32_t variant)
{
    const uint32_t of = ways->variants == 1 ? 0 : variant % ways->variants;
    const size_t pair = (size_t)from * ways->devices + to;
    const struct eval_route *way = &ways->way[pair * ways->variants + of];
    return way->hops != 0 ? way : orr_eval_find_route(ways, from, to, of);
}

/* The handshake and the tail of a way over these links (out: hops given). */
void orr_eval_time_route(const struct eval_routes *ways, const uint32_t *link,
                         struct eval_route *way);

/* The links of a step of a ring between two devices: those that the ring gives it, or the one that
 * joins them, which is there until the next such question; hops 0: it goes as other messages do. */
struct net_route_links orr_eval_step(struct eval_routes *ways, uint32_t from, uint32_t to,
                                     const struct net_route_links *chosen);

static inline const uint32_t *eval_route_links(const struct eval_routes *ways,
                                               const struct eval_route *way)
{
    return (const uint32_t *)ways->link.items + way->first;
}

/* On the wire: of whole packets, at least one. */
static inline double eval_wire_bytes(const struct eval_routes *ways, uint64_t bytes)
{
    const uint64_t packet = ways->model.packet_bytes;
    return packet == 0
               ? (double)bytes
               : (double)(bytes / packet + (bytes % packet != 0 || bytes == 0)) * (double)packet;
}

/* ---- what was set (eval_set.c) ---- */

struct eval_op {
    struct eval_array device; /* uint32_t, each once, ascending */
    struct eval_array times;  /* uint32_t [devices]: parts on each */
    uint32_t parts;
    bool single;              /* no device has two */
    double seconds[2];        /* of a part, forward and backward */
    struct eval_array reduce; /* struct eval_gradient */
    struct eval_array load;   /* double [links]: their bytes, or empty: not asked for yet */
};

/* An all-reduce: in a ring, or in each of several side by side. */
struct eval_gradient {
    struct eval_ring_set *set;
    double bytes;   /* of a flow of a round, on the wire */
    double payload; /* and without what fills packets up */
    double rounds;
    double inner;
    uint32_t next_stage; /* which of the operator's goes on when it is over; 0: none */
    bool follows;        /* it goes on so, and does not begin by itself */
};

/* An edge in one direction: number 2 * edge + pass. */
struct eval_item {
    bool known;              /* what follows is worked out */
    bool aligned;            /* all within the same devices */
    bool equal;              /* all transfers have the same bytes */
    double bytes, start;     /* of each; the least handshake */
    double extra;            /* the most latency beyond that, to the end of the tail */
    uint32_t hops;           /* of all transfers */
    struct eval_array due;   /* uint32_t [devices]: what a device waits for */
    struct eval_array flows; /* float [links], or empty: not asked for yet */
};

struct eval_sending {
    struct eval_array transfer; /* struct eval_transfer, between devices */
    struct eval_array local;    /* uint32_t, devices that have both ends */
    struct eval_item pass[2];
    struct eval_array load; /* double [links]: bytes of both passes, or empty: not asked for yet */
};

/* ---- rings (eval_rings.c) ---- */

#define EVAL_MAX_CAPACITY 1e30 /* bytes a second: links without a bound */

struct eval_ring {
    struct eval_ring_set *set; /* that it is of */
    uint32_t links;            /* used */
    uint32_t *link;            /* [links] */
    double *load;              /* [links]: flows of a round */
    double *narrow;  /* [links]: what a flow counts: the narrowest's part of its capacity */
    double max;      /* flows, so counted, on the link that has most, on average */
    double latency;  /* of a round */
    double capacity; /* of its narrowest link */
    /* of a run */
    uint32_t first_class;
    uint32_t active;     /* all-reduces under way */
    double transmitting; /* of these, on the links and not waiting for a latency, on average */
    double shared;       /* what a flow shares its link with, itself counted */
    double bytes_per_s;  /* bytes a second of all, where one flow of a round passes */
    double competing;    /* most flows of others, so counted, on a link of it */
};

/* Members that are several of each group, in its order (eval_reduce.holders): the rings of those of
 * equal places taken together, or what those of a group send each other at once. */
struct eval_holders {
    uint32_t count; /* 1: one ring of all */
    bool exchange;
};

/* Rings that an all-reduce of some members goes around, side by side. While the same happens on all
 * of them, the first, the slowest, stands for all. Those that share links go around together and
 * are one here. */
struct eval_ring_set {
    uint64_t hash;
    struct eval_ring_set *next_in_bucket; /* the next in its bucket */
    struct eval_ring_set *older, *newer;  /* among those that nobody uses */
    uint32_t users;                       /* all-reduces that were set */
    size_t bytes;                         /* of memory */
    struct eval_holders holders;
    bool split;
    uint32_t members, rings;
    float *load;     /* [links]: of all rings; NULL: not asked for yet */
    uint32_t shares; /* of the bytes: as many rings as the graph has, those that share links too */
    const uint32_t *member;
    struct eval_ring ring[];
};

/* The sets that are known: those that all-reduces use, and of the others those that were used last,
 * as a search often comes back to them. */
struct eval_ring_sets {
    struct eval_ring_set **bucket;         /* [buckets], by hash */
    uint32_t buckets, count;               /* buckets: a power of two */
    struct eval_ring_set *oldest, *newest; /* of those that nobody uses */
    size_t bytes, unused_bytes;            /* of all, of these */
};

/* All-reduces of equal bytes in a ring, which do rounds equally fast. */
struct eval_class {
    struct eval_ring *ring;
    uint32_t next;           /* of the ring: those that are under way */
    uint32_t op, next_stage; /* op: that goes on with its gradient `then`; 0: none does */
    double bytes, rounds;
    double clock, rate; /* rounds since the first, rounds a second */
    uint32_t active, done;
    struct eval_array ends; /* double: by the clock, in order */
};

/* ---- a run ---- */

enum eval_event_kind {
    EVAL_READY,
    EVAL_DONE,
    EVAL_JOIN,
    EVAL_ARRIVE,
    EVAL_POOL_ARRIVES,
    EVAL_REDUCE
};

#define EVAL_ALL_DEVICES UINT32_MAX

/* Some devices of a unit, in evaluator.set; count EVAL_ALL_DEVICES: all. */
struct eval_cohort {
    uint32_t first, count;
};

struct eval_event {
    double time;
    uint64_t order;
    uint32_t kind, index;
    struct eval_cohort cohort;
};

/* A unit is an operator in a pass: 2 * op + pass. */
struct eval_unit {
    uint32_t due;   /* of what it waits for, not there as a whole */
    uint32_t parts; /* that are not done */
    bool split;     /* its devices count for themselves */
};

struct eval_flow {
    double left, rate, finish; /* bytes, bytes a second, when at that */
    double extra;              /* latency beyond that */
    const uint32_t *link;
    uint32_t hops, item, to;
};

/* An item's transfers from some devices. */
struct eval_pooled {
    uint32_t item;
    struct eval_cohort from;
};

/* Transfers that started at once with the same bytes. */
struct eval_pool {
    struct eval_array flows; /* float [links]: how many */
    struct eval_array left;  /* float [links]: bytes that each of these has left there */
    struct eval_array pooled;
    double finish, extra;
    bool active, taken; /* taken: until it has arrived */
};

/* An all-reduce that waits for the end of its members: how many of them have not done all. */
struct eval_deferred {
    uint32_t op, gradient, members;
};

struct evaluator {
    struct eval_setup setup;
    struct orr_arena *arena;
    struct eval_routes ways;
    struct eval_edge *edge;
    uint32_t *first_out, *out; /* [ops + 1]; edges by their producers */
    uint32_t *first_in, *in;   /* and by their consumers */
    struct eval_op *op;
    struct eval_sending *sending;
    uint32_t *owner;                /* [ops] whose weights they use */
    struct eval_array reduce;       /* struct eval_gradient: scratch of what is set */
    const struct eval_sized *sized; /* rings for groups of a size, that are made */
    struct eval_array chosen;       /* const struct net_ring *: scratch */
    struct eval_ring_sets sets;
    /* of a run */
    bool failed;              /* memory is out, or there is no way */
    double now, since;        /* since: shares were worked out */
    double computed, reduced; /* the last end of either */
    uint64_t order;
    struct eval_array heap, set; /* struct eval_event, uint32_t */
    struct eval_event front;     /* before all of the heap; time EVAL_NEVER: none is */
    struct eval_unit *unit;      /* [2 * ops] */
    uint32_t *due;               /* [2 * ops * devices], of units that are split */
    bool *arrived;               /* [2 * edges]: as a whole */
    bool *passed;                /* [2 * ops]: forward passes done as a whole, at their backward */
    uint32_t left;               /* parts that are not done */
    uint32_t *users;             /* [ops] that use its weights and have not given all gradients */
    /* with setup.reduce_at_end: parts of each device that are not done; all-reduces (struct
     * eval_deferred); and which of these each device is a member of, from deferred_first[device] on
     */
    struct eval_array deferred_parts, deferred_reduce, deferred_first, deferred_list;
    bool even; /* all devices are free from `level` on */
    double level;
    double *free;                 /* [devices] */
    uint8_t *mark;                /* [devices] scratch */
    double *ends;                 /* [devices] scratch */
    uint32_t *scratch;            /* [devices] */
    struct eval_array flow, pool; /* struct eval_flow, struct eval_pool */
    struct eval_array joining;    /* struct eval_pooled, in this instant */
    uint32_t pools;               /* active ones */
    uint32_t in_flight;           /* these and flows */
    double next_end;              /* of a flow or pool */
    double *count;                /* [links] flows of transfers */
    double *share;                /* [links] what of the link each of these has */
    float *drain_s;               /* [links] scratch */
    double *link_flows;           /* [links] scratch */
    double *used;                 /* [links] bytes a second of all-reduces */
    struct eval_array classes;    /* struct eval_class, those used among the first */
    uint32_t classes_used;
    uint32_t reducing;      /* all-reduces under way */
    struct eval_array busy; /* struct eval_ring *: rings that have some */
    double next_round_end;
    bool changed; /* shares are to be worked out */
};

static inline struct eval_class *eval_class_at(const struct evaluator *evaluator, uint32_t index)
{
    return (struct eval_class *)evaluator->classes.items + index;
}

/* Rings that have all-reduces under way. */
static inline struct eval_ring **eval_busy(const struct evaluator *evaluator)
{
    return evaluator->busy.items;
}

/* The rings that a busy one stands for. */
static inline uint32_t eval_rings_represented(const struct eval_ring *ring)
{
    return ring->set->split ? 1 : ring->set->rings;
}

static inline struct eval_flow *eval_flow_at(const struct evaluator *evaluator, uint32_t index)
{
    return (struct eval_flow *)evaluator->flow.items + index;
}

static inline struct eval_pool *eval_pool_at(const struct evaluator *evaluator, uint32_t index)
{
    return (struct eval_pool *)evaluator->pool.items + index;
}

static inline struct eval_item *eval_item_at(const struct evaluator *evaluator, uint32_t item)
{
    return &evaluator->sending[item / 2].pass[item % 2];
}

static inline const struct eval_transfer *eval_transfers(const struct evaluator *evaluator,
                                                         uint32_t item, size_t *count)
{
    *count = evaluator->sending[item / 2].transfer.count;
    return evaluator->sending[item / 2].transfer.items;
}

/* The unit that an item goes to. */
static inline uint32_t eval_target(const struct evaluator *evaluator, uint32_t item)
{
    const struct eval_edge *edge = &evaluator->edge[item / 2];
    return item % 2 == 0 ? 2 * edge->to : 2 * edge->from + 1;
}

/* The seconds that a link needs for all that is set (eval_min.c); 0 where memory is out. */
double orr_eval_lower_bound(struct evaluator *evaluator);

/* Memory is out, or there is no way: the run ends. */
static inline void eval_fail(struct evaluator *evaluator)
{
    evaluator->failed = true;
}

/* ---- eval_items.c ---- */

/* Works out what an edge is in a pass. */
void orr_eval_compute_item(struct evaluator *evaluator, uint32_t item);
/* Whether a device is in the cohort: mark[device] while it is marked. */
void orr_eval_mark(struct evaluator *evaluator, struct eval_cohort cohort, uint8_t value);
/* Its flows on each link, float [links]; NULL: failed. */
const float *orr_eval_item_flows(struct evaluator *evaluator, uint32_t item);
const struct eval_route *orr_eval_item_route(struct evaluator *evaluator, uint32_t item,
                                             const struct eval_transfer *transfer, uint32_t *to);

/* ---- eval_rings.c ---- */

/* The rings of members, measured; NULL: memory is out, or there is no way. */
struct eval_ring_set *orr_eval_measure_rings(struct evaluator *evaluator, const uint32_t *member,
                                             uint32_t members, struct eval_holders holders);
void orr_eval_free_rings(struct eval_ring_set *set);

/* ---- eval_ring_sets.c ---- */

/* The rings of members, for one who uses them until they are given back. NULL: as above. */
struct eval_ring_set *orr_eval_rings_of(struct evaluator *evaluator, const uint32_t *member,
                                        uint32_t members, struct eval_holders holders);
/* Not during a run. */
void orr_eval_release_rings(struct evaluator *evaluator, struct eval_ring_set *set);
void orr_eval_free_sets(struct evaluator *evaluator);

/* ---- eval_heap.c ---- */

void orr_eval_post(struct evaluator *evaluator, const struct eval_event *event);
/* Takes the next event away. There is one. */
struct eval_event orr_eval_pop_event(struct evaluator *evaluator);
/* Its time, or never. */
static inline double eval_next_time(const struct evaluator *evaluator)
{
    const struct eval_event *heap = evaluator->heap.items;
    return evaluator->front.time != EVAL_NEVER ? evaluator->front.time
           : evaluator->heap.count == 0        ? EVAL_NEVER
                                               : heap->time;
}

/* ---- eval_rounds.c: all-reduces under way ---- */

/* Everything under way goes on to `now`, before something changes. */
void orr_eval_settle(struct evaluator *evaluator);
void orr_eval_rounds_begin(struct evaluator *evaluator);
/* The rings know nothing of the run any more. */
void orr_eval_rounds_forget(struct evaluator *evaluator);
void orr_eval_reduce(struct evaluator *evaluator, uint32_t op, uint32_t gradient);
/* Rates of all-reduces and, where transfers are under way, what these leave of each link. */
void orr_eval_rounds_share(struct evaluator *evaluator);
/* Clocks go on to `now`; those that are at their end are over. */
void orr_eval_rounds_settle(struct evaluator *evaluator);
void orr_eval_rounds_end(struct evaluator *evaluator);

/* ---- eval_residual.c: what they leave ---- */

/* evaluator->others: flows of transfers and of rings, on average, on each link. */
void orr_eval_count_flows(struct evaluator *evaluator);
/* evaluator->share: what each transfer has of a link; of links without any it is no number.
 * one_set: one ring is busy at most. */
void orr_eval_residual_capacity(struct evaluator *evaluator, bool one_set);

/* ---- eval_flows.c: transfers under way ---- */

void orr_eval_flows_begin(struct evaluator *evaluator);
/* evaluator->joining begin. */
void orr_eval_join(struct evaluator *evaluator);
void orr_eval_flows_settle(struct evaluator *evaluator);
void orr_eval_flows_share(struct evaluator *evaluator);
/* Until when flows end in one step. */
double orr_eval_flows_until(const struct evaluator *evaluator);
/* Takes those away that end by `until`, and posts their arrivals. */
void orr_eval_flows_end(struct evaluator *evaluator, double until);

#endif
