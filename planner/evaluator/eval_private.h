/* Types and functions shared by the files of the evaluator. Times are seconds and bytes are counted
 * in doubles; times begin with the iteration. */
#ifndef ORR_PLANNER_EVALUATOR_EVAL_PRIVATE_H
#define ORR_PLANNER_EVALUATOR_EVAL_PRIVATE_H

#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "planner/evaluator/evaluator.h"

struct eval_sized;
struct net_route_options;
struct net_router;
struct orr_arena;

#define EVAL_NEVER INFINITY
#define EVAL_NONE UINT32_MAX

/* Maximum and minimum of two numbers; inline, because fmax and fmin are calls. */
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

/* Reserves storage for `count` items of `size` bytes and keeps the present items. Returns the
 * items; NULL: memory is out. */
static inline void *orr_eval_reserve(struct eval_array *array, size_t count, size_t size)
{
    return orr_heap_reserve(&array->items, &array->alloc, count != 0 ? count : 1, size)
               ? array->items
               : NULL;
}

/* ---- routes (eval_routes.c) ---- */

/* The route from one device to another. */
struct eval_route {
    uint32_t first, hops; /* into eval_routes.link; hops 0: not looked up yet */
    double start, tail;   /* handshake; latency after the last byte */
};

struct eval_routes {
    struct orr_arena *arena;
    struct net_router *router;
    const struct net_graph *graph;
    struct net_flow_model model;
    uint32_t devices;
    uint32_t links;     /* those of the graph, then one for each host if forwarding has a limit */
    uint32_t *step;     /* scratch: links of a ring step and the hosts that forward it */
    uint32_t variants;  /* routes of a pair of devices; more than 1 if each flow chooses */
    bool ring_links;    /* a ring step takes the direct link of its two devices */
    uint32_t over_link; /* storage of the result of orr_eval_step */
    struct eval_route *way; /* [variants * devices * devices] */
    struct eval_array link; /* links of all routes; in a route hosts come last */
    double *capacity;       /* [links], bytes a second */
};

/* Hops without the hosts at the end. */
static inline uint32_t eval_graph_hops(const struct eval_routes *ways, const uint32_t *link,
                                       uint32_t hops)
{
    while (hops > 0 && link[hops - 1] >= ways->graph->links) {
        hops--;
    }
    return hops;
}

/* Number of routes of a pair of devices: more than 1 if each flow chooses a path. O(paths). */
uint32_t orr_eval_variants(const struct net_graph *graph, const struct net_route_options *routes);

/* Looks up a route for the first time. NULL: there is no path, or memory is out. */
const struct eval_route *orr_eval_find_route(struct eval_routes *ways, uint32_t from, uint32_t to,
                                             uint32_t of);

/* The route of a pair; `variant` modulo the number of variants selects one of them. NULL as
 * above. */
static inline const struct eval_route *eval_route_of(struct eval_routes *ways, uint32_t from,
                                                     uint32_t to, uint32_t variant)
{
    const uint32_t of = ways->variants == 1 ? 0 : variant % ways->variants;
    const size_t pair = (size_t)from * ways->devices + to;
    const struct eval_route *way = &ways->way[pair * ways->variants + of];
    return way->hops != 0 ? way : orr_eval_find_route(ways, from, to, of);
}

/* Sets start and tail of a route over these links; its hops must be set. */
void orr_eval_time_route(const struct eval_routes *ways, const uint32_t *link,
                         struct eval_route *way);

/* The links of a ring step between two devices: the path that the ring defines, or the direct link,
 * which is valid until the next call; hops 0: the step is routed as other messages are. */
struct net_route_links orr_eval_step(struct eval_routes *ways, uint32_t from, uint32_t to,
                                     const struct net_route_links *chosen);

static inline const uint32_t *eval_route_links(const struct eval_routes *ways,
                                               const struct eval_route *way)
{
    return (const uint32_t *)ways->link.items + way->first;
}

/* Bytes on the wire: whole packets, at least one. */
static inline double eval_wire_bytes(const struct eval_routes *ways, uint64_t bytes)
{
    const uint64_t packet = ways->model.packet_bytes;
    return packet == 0
               ? (double)bytes
               : (double)(bytes / packet + (bytes % packet != 0 || bytes == 0)) * (double)packet;
}

/* ---- the job (eval_set.c) ---- */

struct eval_op {
    struct eval_array device; /* uint32_t, each once, ascending */
    struct eval_array times;  /* uint32_t [devices]: parts on each */
    uint32_t parts;
    bool single;              /* no device has two */
    double seconds[2];        /* of a part, forward and backward */
    struct eval_array reduce; /* struct eval_gradient */
    struct eval_array load; /* double [links]: bytes of the all-reduces; empty: not computed yet */
};

/* A stage of an all-reduce, in one ring or in several concurrent rings. */
struct eval_gradient {
    struct eval_ring_set *set;
    double bytes;   /* of a flow in a round, on the wire */
    double payload; /* the same without the padding of packets */
    double rounds;
    double inner;
    uint32_t next_stage; /* index of the stage that starts after this one; 0: none */
    bool follows;        /* it starts after another stage, not by itself */
};

/* An edge in one direction: number 2 * edge + pass. */
struct eval_item {
    bool known;              /* the fields below are computed */
    bool aligned;            /* both operators have the same devices and nothing is transferred */
    bool equal;              /* all transfers have the same bytes */
    double bytes, start;     /* of each; the minimum handshake */
    double extra;            /* maximum of start + tail, minus the minimum handshake */
    uint32_t hops;           /* of all transfers */
    struct eval_array due;   /* uint32_t [devices]: transfers that a device waits for */
    struct eval_array flows; /* float [links]; empty: not computed yet */
};

struct eval_sending {
    struct eval_array transfer; /* struct eval_transfer, between devices */
    struct eval_array local;    /* uint32_t, devices that have both ends */
    struct eval_item pass[2];
    struct eval_array load; /* double [links]: bytes of both passes; empty: not computed yet */
};

/* ---- rings (eval_rings.c) ---- */

#define EVAL_MAX_CAPACITY 1e30 /* bytes a second: links without a bound */

struct eval_ring {
    struct eval_ring_set *set; /* that it is of */
    uint32_t links;            /* used */
    uint32_t *link;            /* [links] */
    double *load;              /* [links]: flows of a round */
    double *narrow;            /* [links]: weight of a flow: narrowest capacity / this one */
    double max;                /* weighted flows on the most loaded link, mean over the draws */
    double latency;            /* of a round */
    double capacity;           /* of its narrowest link */
    /* of a run */
    uint32_t first_class;
    uint32_t active;     /* all-reduces in progress */
    double transmitting; /* mean number of them that transmit, and do not wait for a latency */
    double shared;       /* N: flows that share the narrowest link, this flow included */
    double bytes_per_s;  /* sum over the all-reduces, where one flow of a round passes */
    double competing;    /* maximum over its links of the weighted flows of others */
};

/* Groups with several members each (eval_reduce.holders). Without `exchange`: one ring through the
 * first members of all groups, one through the second members, and so on. With `exchange`: the
 * members of each group send each other at once. */
struct eval_holders {
    uint32_t count; /* 1: one ring of all */
    bool exchange;
};

/* The concurrent rings of an all-reduce. While all rings have the same load, the first one, which
 * is the slowest, represents all of them. Rings that share links are merged into one. */
struct eval_ring_set {
    uint64_t hash;
    struct eval_ring_set *next_in_bucket; /* the next in its bucket */
    struct eval_ring_set *older, *newer;  /* list of unused sets */
    uint32_t users;                       /* all-reduces that refer to the set */
    size_t bytes;                         /* of memory */
    struct eval_holders holders;
    bool split;
    uint32_t members, rings;
    float *load;     /* [links]: sum over the rings; NULL: not computed yet */
    uint32_t shares; /* number of rings before merging, among which the bytes are divided */
    const uint32_t *member;
    struct eval_ring ring[];
};

/* Cache of ring sets: those in use, and of the unused ones the most recently used, because a search
 * often returns to them. */
struct eval_ring_sets {
    struct eval_ring_set **bucket;         /* [buckets], by hash */
    uint32_t buckets, count;               /* buckets: a power of two */
    struct eval_ring_set *oldest, *newest; /* of the unused sets */
    size_t bytes, unused_bytes;            /* of all sets, of the unused ones */
};

/* All-reduces of equal bytes in a ring; they advance at the same rate. */
struct eval_class {
    struct eval_ring *ring;
    uint32_t next;           /* next class of the ring with active all-reduces */
    uint32_t op, next_stage; /* op: continues with its stage `next_stage`; 0: none */
    double bytes, rounds;
    double clock, rate; /* rounds since the class began, rounds a second */
    uint32_t active, done;
    struct eval_array ends; /* double: values of `clock` at which all-reduces end, ascending */
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

/* Devices of a unit, a range of evaluator.set; count EVAL_ALL_DEVICES: all of them. */
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
    uint32_t due;   /* inputs that have not arrived for all devices */
    uint32_t parts; /* not computed yet */
    bool split;     /* each device counts its own inputs */
};

struct eval_flow {
    double left, rate, finish; /* bytes left, bytes a second, time of the end at that rate */
    double extra;              /* latency after the last byte */
    const uint32_t *link;
    uint32_t hops, item, to;
};

/* An item's transfers from some devices. */
struct eval_pooled {
    uint32_t item;
    struct eval_cohort from;
};

/* A pool: transfers of equal bytes that started at once. */
struct eval_pool {
    struct eval_array flows; /* float [links]: number of flows */
    struct eval_array left;  /* float [links]: bytes left of each flow */
    struct eval_array pooled;
    double finish, extra;
    bool active, taken; /* taken: until its arrival is handled */
};

/* A deferred all-reduce: number of members that have parts left to compute. */
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
    uint32_t *owner;                /* [ops] the operator whose weights it uses */
    struct eval_array reduce;       /* struct eval_gradient: scratch of orr_eval_set_reduces */
    const struct eval_sized *sized; /* list of the rings by group size that were generated */
    struct eval_array chosen;       /* const struct net_ring *: scratch */
    struct eval_ring_sets sets;
    /* of a run */
    bool failed;              /* memory is out, or two devices have no path */
    double now, since;        /* since: time of the last settlement */
    double computed, reduced; /* last end of a part, of an all-reduce */
    uint64_t order;
    struct eval_array heap, set; /* struct eval_event, uint32_t */
    struct eval_event front;     /* earlier than all events of the heap; time EVAL_NEVER: none */
    struct eval_unit *unit;      /* [2 * ops] */
    uint32_t *due;               /* [2 * ops * devices], of units that are split */
    bool *arrived;               /* [2 * edges]: for all devices at once */
    bool *passed;    /* [2 * ops], at the backward unit: all devices have done the forward pass */
    uint32_t left;   /* parts that are not done */
    uint32_t *users; /* [ops] operators with its weights whose gradients are not complete */
    /* With setup.reduce_at_end: parts left of each device; the all-reduces (struct eval_deferred);
     * and the all-reduces of device d, deferred_list[deferred_first[d]] on. */
    struct eval_array deferred_parts, deferred_reduce, deferred_first, deferred_list;
    bool even; /* all devices become free at `level` */
    double level;
    double *free;                 /* [devices] */
    uint8_t *mark;                /* [devices] scratch */
    double *ends;                 /* [devices] scratch */
    uint32_t *scratch;            /* [devices] */
    struct eval_array flow, pool; /* struct eval_flow, struct eval_pool */
    struct eval_array joining;    /* struct eval_pooled: items that start in this instant */
    uint32_t pools;               /* active ones */
    uint32_t in_flight;           /* these and flows */
    double next_end;              /* of a flow or pool */
    double *count;                /* [links] flows of transfers */
    double *share;                /* [links] rate of each of these flows */
    float *drain_s;               /* [links] scratch */
    double *link_flows;           /* [links] scratch */
    double *used;                 /* [links] bytes a second that all-reduces take */
    struct eval_array classes;    /* struct eval_class; the first classes_used are in use */
    uint32_t classes_used;
    uint32_t reducing;      /* all-reduces in progress */
    struct eval_array busy; /* struct eval_ring *: rings with active all-reduces */
    double next_round_end;
    bool changed; /* the shares must be recomputed */
};

static inline struct eval_class *eval_class_at(const struct evaluator *evaluator, uint32_t index)
{
    return (struct eval_class *)evaluator->classes.items + index;
}

/* Rings with active all-reduces. */
static inline struct eval_ring **eval_busy(const struct evaluator *evaluator)
{
    return evaluator->busy.items;
}

/* Number of rings that an active ring represents, itself included. */
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

/* The unit that receives an item. */
static inline uint32_t eval_target(const struct evaluator *evaluator, uint32_t item)
{
    const struct eval_edge *edge = &evaluator->edge[item / 2];
    return item % 2 == 0 ? 2 * edge->to : 2 * edge->from + 1;
}

/* The lower bound of the iteration time in seconds (eval_lower_bound.c); 0 if memory is out. */
double orr_eval_lower_bound(struct evaluator *evaluator);

/* Memory is out, or two devices have no path: the run ends. */
static inline void eval_fail(struct evaluator *evaluator)
{
    evaluator->failed = true;
}

/* ---- eval_items.c ---- */

/* Computes the fields of an item. */
void orr_eval_compute_item(struct evaluator *evaluator, uint32_t item);
/* Sets mark[device] of the cohort's devices. */
void orr_eval_mark(struct evaluator *evaluator, struct eval_cohort cohort, uint8_t value);
/* The flows of an item on each link, float [links]; NULL: failed. */
const float *orr_eval_item_flows(struct evaluator *evaluator, uint32_t item);
const struct eval_route *orr_eval_item_route(struct evaluator *evaluator, uint32_t item,
                                             const struct eval_transfer *transfer, uint32_t *to);

/* ---- eval_rings.c ---- */

/* Creates the ring set of the members with its loads and latencies. NULL: memory is out, or two
 * members have no path. */
struct eval_ring_set *orr_eval_measure_rings(struct evaluator *evaluator, const uint32_t *member,
                                             uint32_t members, struct eval_holders holders);
void orr_eval_free_rings(struct eval_ring_set *set);

/* ---- eval_ring_sets.c ---- */

/* The ring set of the members, from the cache or new; adds a user. NULL: as above. */
struct eval_ring_set *orr_eval_rings_of(struct evaluator *evaluator, const uint32_t *member,
                                        uint32_t members, struct eval_holders holders);
/* Removes a user; not during a run. */
void orr_eval_release_rings(struct evaluator *evaluator, struct eval_ring_set *set);
void orr_eval_free_sets(struct evaluator *evaluator);

/* ---- eval_heap.c ---- */

void orr_eval_post(struct evaluator *evaluator, const struct eval_event *event);
/* Removes and returns the next event; there must be one. */
struct eval_event orr_eval_pop_event(struct evaluator *evaluator);
/* Time of the next event, or EVAL_NEVER. */
static inline double eval_next_time(const struct evaluator *evaluator)
{
    const struct eval_event *heap = evaluator->heap.items;
    return evaluator->front.time != EVAL_NEVER ? evaluator->front.time
           : evaluator->heap.count == 0        ? EVAL_NEVER
                                               : heap->time;
}

/* ---- eval_rounds.c: all-reduces in progress ---- */

/* Advances all-reduces and transfers to `now`, before a change. */
void orr_eval_settle(struct evaluator *evaluator);
void orr_eval_rounds_begin(struct evaluator *evaluator);
/* Clears the state of the run from the rings. */
void orr_eval_rounds_forget(struct evaluator *evaluator);
void orr_eval_reduce(struct evaluator *evaluator, uint32_t op, uint32_t gradient);
/* Computes the rates of all-reduces and, if there are transfers, the capacity left for these. */
void orr_eval_rounds_share(struct evaluator *evaluator);
/* Advances the clocks to `now`; orr_eval_rounds_end ends the all-reduces that are complete. */
void orr_eval_rounds_settle(struct evaluator *evaluator);
void orr_eval_rounds_end(struct evaluator *evaluator);

/* ---- eval_residual.c: residual capacity ---- */

/* Sets evaluator->link_flows: mean number of flows of transfers and rings on each link. */
void orr_eval_count_flows(struct evaluator *evaluator);
/* Sets evaluator->share[link], the rate of each transfer on the link (NaN if it has none), from the
 * capacity that rings leave. one_set: at most one ring is active. */
void orr_eval_residual_capacity(struct evaluator *evaluator, bool one_set);

/* ---- eval_flows.c: transfers in flight ---- */

void orr_eval_flows_begin(struct evaluator *evaluator);
/* Starts the transfers of evaluator->joining. */
void orr_eval_join(struct evaluator *evaluator);
void orr_eval_flows_settle(struct evaluator *evaluator);
void orr_eval_flows_share(struct evaluator *evaluator);
/* Time up to which flows end in one step. */
double orr_eval_flows_until(const struct evaluator *evaluator);
/* Ends the flows and pools that finish by `until` and posts their arrivals. */
void orr_eval_flows_end(struct evaluator *evaluator, double until);

#endif
