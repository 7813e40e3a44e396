/* Ports of the analytical backend (docs/models.md, section 4): a port sends one message at a time
 * at its bandwidth, then the waiting message that is first by (order, label, shift). Waiting
 * messages are pairing heaps over one slab, so that a port costs a few words. */
#ifndef ORR_NETWORK_BACKENDS_PORTS_H
#define ORR_NETWORK_BACKENDS_PORTS_H

#include "network/network.h"

#define PORT_NONE UINT32_MAX
#define PORT_IN_TRANSIT INT64_C(-1)

struct port {
    uint32_t waiting;    /* heap of messages, or PORT_NONE */
    uint32_t next_dirty; /* list of the NPU's ports with work in its flush */
    bool sending;        /* a message is on the wire; it is no longer in the slab */
    bool dirty;
    bool in_train; /* the port sends a train of equal messages */
    uint8_t dim;
};

/* A message at a port: the fields of struct net_msg still needed. One cache line. */
struct port_msg {
    uint64_t order, label, cookie, source_cookie;
    sim_time service_ps; /* occupies the port */
    sim_time flight_ps; /* from leaving the port to arrival; PORT_IN_TRANSIT: another hop follows */
    uint32_t src, dst;  /* their shift breaks ties */
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
    uint32_t dim;
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
    struct port_wait *waits; /* [capacity], parallel to the items; only if keep_waits */
    bool keep_waits;
    uint32_t used, capacity, free_head;
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

#endif
