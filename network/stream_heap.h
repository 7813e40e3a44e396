/* The streams of flows.c: a table of them, a heap by the time of their next event, and the heaps of
 * the flows of each. */
#ifndef ORR_NETWORK_STREAM_HEAP_H
#define ORR_NETWORK_STREAM_HEAP_H

#include "core/core.h"
#include "network/windows.h"

/* A flow: waiting to join, or in the heap of its stream (a pairing heap by `target`). */
struct flow_record {
    double bytes, target; /* ends when the stream has served this much */
    uint64_t cookie;
    uint32_t path;
    uint32_t child, sibling;
};

struct stream {
    uint32_t path;
    uint32_t share; /* in the max-min problem */
    uint32_t top;   /* the flow that ends first */
    uint32_t count; /* flows */
    double served;  /* bytes, of each flow, at `since` */
    double rate;    /* of each flow, bytes/ps */
    double weight;  /* as the shares were worked out with */
    sim_time since;
    double update_at; /* windows: served at the next update */
    struct net_window window;
    double window_before; /* packets, until it moved at `moved` */
    sim_time moved;
};

struct stream_due {
    sim_time next;
    uint32_t stream;
};

struct stream_heap {
    struct stream *stream;
    struct stream_due *heap; /* streams with a next event, the earliest first; four below each */
    uint32_t *place;         /* of each stream in the heap; UINT32_MAX: not there */
    sim_time *next;          /* of each; the heap may have an earlier one until it is at the top */
    uint32_t *unused;
    size_t count, heap_count, unused_count, room;
};

static inline struct stream *stream_at(const struct stream_heap *streams, uint32_t index)
{
    return &streams->stream[index];
}

static inline struct flow_record *stream_record(const struct orr_slab *records, uint32_t handle)
{
    return orr_slab_at(records, handle);
}

/* A stream with unspecified contents; UINT32_MAX when memory is out. May move the others. */
uint32_t stream_heap_new(struct stream_heap *streams);
void stream_heap_free(struct stream_heap *streams, uint32_t index);
void stream_heap_fini(struct stream_heap *streams);

/* Sets the time of a stream's next event; ORR_TIME_MAX: none. O(log streams). */
void stream_heap_set(struct stream_heap *streams, uint32_t index, sim_time next);

/* When the earliest is, ORR_TIME_MAX when there is none; and after that, which it is. */
sim_time stream_heap_next(struct stream_heap *streams);
uint32_t stream_heap_top(const struct stream_heap *streams);

/* Joins two heaps of flows (UINT32_MAX: empty); the heap without its top. O(1); O(log flows)
 * amortized. Equal targets: the one given first stays above. */
uint32_t stream_meld(const struct orr_slab *records, uint32_t first, uint32_t other);
uint32_t stream_pop(const struct orr_slab *records, uint32_t top);

#endif
