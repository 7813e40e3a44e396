/* Ports of the analytical backend (docs/models.md, section 4): a port sends one message at a time
 * at its bandwidth, then the waiting message that is first by (order, label, shift). Waiting
 * messages are pairing heaps over one slab, so that a port costs a few words.
 *
 * Streams share a port by start-time fair queueing: each has a heap and a start tag; the minimum
 * tag is served, and moves on by the service time of its message. A port with messages of one
 * stream only needs no tags (`stream` is its number). When a second one comes, it gets a share
 * record (port_shares.c), until nothing waits any longer. */
#ifndef ORR_NETWORK_BACKENDS_PORTS_H
#define ORR_NETWORK_BACKENDS_PORTS_H

#include "core/cause.h"
#include "network/net_message.h"

struct net_config;
struct port_shares;

#define PORT_NONE UINT32_MAX
#define PORT_IN_TRANSIT INT64_C(-1)
#define PORT_REST INT64_C(-2)

#define PORT_SHARED NET_MAX_STREAM
#define PORT_UNUSED (NET_MAX_STREAM - 1)

/* The message on the wire of a port: how long it has been sent, and what is left of it; <= 0: there
 * is none. */
struct port_wire {
    sim_time sent_ps, ahead_ps;
};

/* The waiting messages of a port. */
struct port_line {
    uint32_t waiting; /* heap of messages, or PORT_NONE; of a shared port its share record */
    uint32_t stream;  /* of all these messages; PORT_SHARED: of several; PORT_UNUSED: no
                         message has come yet */
};

struct port {
    struct port_line line;
    sim_time until;      /* the last started message leaves */
    uint32_t next_dirty; /* list of the NPU's ports with work in its flush */
    uint32_t on_wire;    /* the item that is sent, if it can be cut; else PORT_NONE */
    bool sending;        /* a message is on the wire */
    bool dirty;
    bool in_train; /* the port sends a train of equal messages */
    uint8_t dim;
};

/* A message at a port: the fields of struct net_msg still needed. One cache line. */
struct port_msg {
    uint64_t order, label, cookie, source_cookie;
    sim_time service_ps; /* occupies the port */
    /* From leaving the port to arrival. PORT_IN_TRANSIT: another hop follows; PORT_REST: and the
     * head has left already. */
    sim_time flight_ps;
    uint32_t src, dst;       /* their shift breaks ties */
    uint32_t child, sibling; /* pairing heap; sibling also links the free list */
};

_Static_assert(sizeof(struct port_msg) == 64, "a message at a port is a cache line");

/* A train: equal messages that a port sends one after the other, message k at first_ps + k x
 * step_ps (service, flight and pause). All others are like the first, with labels that ascend by 1.
 */
struct port_train {
    struct port_msg msg;
    sim_time first_ps, step_ps;
    uint64_t bytes; /* of a message */
    uint32_t count;
    uint32_t
        serial; /* of the port's train; end events of earlier, interrupted trains are ignored */
    uint32_t dim, stream;
    bool noted; /* its ingress port is up to date */
};

/* Since when a message is at the port, and the cause of its coming there. */
struct port_wait {
    sim_time since;
    orr_cause cause;
};

struct port_slab {
    const struct net_config *config;
    struct port_msg *items;
    uint32_t *streams;       /* [capacity], parallel to the items */
    struct port_wait *waits; /* [capacity], parallel to the items; only if keep_waits */
    bool keep_waits;
    uint32_t used, capacity, free_head;
    struct port_shares *shares; /* NULL: no port is shared yet */
};

/* Adds a slot to the slab. */
uint32_t orr_port_slab_extend(struct port_slab *slab);
void orr_port_slab_fini(struct port_slab *slab);

/* A slot for a message; PORT_NONE: out of memory. */
static inline uint32_t port_slab_new(struct port_slab *slab)
{
    const uint32_t item = slab->free_head;
    if (item == PORT_NONE) {
        return orr_port_slab_extend(slab);
    }
    slab->free_head = slab->items[item].sibling;
    return item;
}

static inline void port_slab_free(struct port_slab *slab, uint32_t item)
{
    slab->items[item].sibling = slab->free_head;
    slab->free_head = item;
}

/* Whether item a is served before item b of the same stream. */
bool orr_port_before(const struct port_slab *slab, uint32_t a, uint32_t b);

/* Melds two heaps; returns the heap of a root's children. */
uint32_t orr_port_heap_meld(struct port_slab *slab, uint32_t a, uint32_t b);
uint32_t orr_port_heap_children(struct port_slab *slab, uint32_t root);

/* Adds an item to a heap / removes the first; both return the new root. O(1), O(log n) amortized.
 */
static inline uint32_t port_heap_push(struct port_slab *slab, uint32_t root, uint32_t item)
{
    slab->items[item].child = PORT_NONE;
    slab->items[item].sibling = PORT_NONE;
    return root == PORT_NONE ? item : orr_port_heap_meld(slab, root, item);
}

static inline uint32_t port_heap_pop(struct port_slab *slab, uint32_t root)
{
    return slab->items[root].child == PORT_NONE ? PORT_NONE : orr_port_heap_children(slab, root);
}

/* ---- port_shares.c ---- */
/* Queues a message of a stream that is not the line's. False: out of memory. */
bool orr_port_shares_push(struct port_slab *slab, struct port_line *line, uint32_t item,
                          uint32_t stream, const struct port_wire *wire);
/* Removes the message that is served next; PORT_NONE: none waits, and the line is no longer shared.
 */
uint32_t orr_port_shares_pop(struct port_slab *slab, struct port_line *line);
/* The message that orr_port_shares_pop would remove; PORT_NONE: none waits. */
uint32_t orr_port_shares_first(const struct port_slab *slab, const struct port_line *line);
/* In how much time the message on the wire has had its share, so that another stream has its turn;
 * <= 0: now; ORR_TIME_MAX: no other waits. The line is shared. */
sim_time orr_port_shares_cut_in(const struct port_slab *slab, const struct port_line *line,
                                sim_time ahead_ps);
/* Queues again what is left of the message on the wire. */
void orr_port_shares_return(struct port_slab *slab, struct port_line *line, uint32_t item);
/* The port is to look again at `time`. False: it does so before, anyway. */
bool orr_port_shares_wake(struct port_slab *slab, const struct port_line *line, sim_time now,
                          sim_time time);
/* Whether it is to look again now. */
bool orr_port_shares_wakes(const struct port_slab *slab, const struct port_line *line,
                           sim_time now);
void orr_port_shares_fini(struct port_slab *slab);

static inline bool port_line_push(struct port_slab *slab, struct port_line *line, uint32_t item,
                                  uint32_t stream, const struct port_wire *wire)
{
    if (__builtin_expect(line->stream != stream, 0)) {
        return orr_port_shares_push(slab, line, item, stream, wire);
    }
    line->waiting = port_heap_push(slab, line->waiting, item);
    return true;
}

/* The next message, or PORT_NONE. port_line_pop removes it; of none it ends the sharing. */
static inline uint32_t port_line_first(const struct port_slab *slab, const struct port_line *line)
{
    return __builtin_expect(line->stream == PORT_SHARED, 0) ? orr_port_shares_first(slab, line)
                                                            : line->waiting;
}

static inline uint32_t port_line_pop(struct port_slab *slab, struct port_line *line)
{
    const uint32_t item = line->waiting;
    if (__builtin_expect(line->stream == PORT_SHARED, 0)) {
        return orr_port_shares_pop(slab, line);
    }
    line->waiting = item != PORT_NONE ? port_heap_pop(slab, item) : PORT_NONE;
    return item;
}

#endif
