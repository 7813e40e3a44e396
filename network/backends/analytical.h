/* State of the analytical backend, shared by analytical.c (messages to neighbours),
 * analytical_wire.c (messages on the wire), analytical_transit.c (messages that
 * pass other NPUs), analytical_ingress.c (ingress ports of NPUs) and analytical_trains.c (trains of
 * equal messages as one event). */
#ifndef ORR_NETWORK_BACKENDS_ANALYTICAL_H
#define ORR_NETWORK_BACKENDS_ANALYTICAL_H

#include "core/evq.h"
#include "core/slab.h"
#include "network/backends/ports.h"
#include "network/net_backend.h"

struct net_msg;
struct net_route;
struct orr_arena;
struct orr_causes;
struct orr_divisor;

extern const struct net_ops orr_net_analytical;

enum {
    EVENT_ARRIVAL = ORR_EVENT_NETWORK,
    EVENT_PORT,
    EVENT_TRAIN_END,
    EVENT_HEAD,
    EVENT_ENTRY,
    EVENT_TAIL,
    EVENT_PORT_FREE
};

/* A port-free event comes after the deliveries of its round: its label is above all others, with
 * the port number in the low bits. */
#define PORT_FREE_LABEL (UINT64_C(1) << 63)

struct dim_state {
    uint32_t first_port;  /* within an NPU's ports */
    uint32_t ports;       /* per NPU */
    uint32_t stride;      /* of ranks */
    uint32_t direct_hops; /* messages of this many hops, in this dimension only, occupy only the
                             sender's port */
    struct ingress *ingress_ports;        /* [slots], or NULL */
    struct ingress_cause *ingress_causes; /* [slots]; NULL: not kept */
    double port_bytes_per_s;
    sim_time overhead_ps; /* of a message, in addition to its bytes */
    uint64_t known_bytes; /* the size of the last message, and its service time */
    sim_time known_ps;
    uint64_t uncounted; /* messages of that size to neighbours, not yet in `stats` */
    struct net_dim_stats stats;
};

/* An ingress port (analytical_ingress.c): its time is used in [begin, free), partly before
 * `before`, and not in between. */
struct ingress {
    sim_time before, begin, free;
    uint32_t stream;  /* of all that it is taking in; PORT_SHARED: of several */
    uint32_t backlog; /* of them, the list of struct backlog */
};

/* When a stream's messages have been taken in. */
struct backlog {
    sim_time free;
    uint32_t stream, next;
};

/* The causes of an ingress port's busy time until `before` and until `free`. */
struct ingress_cause {
    orr_cause before, free;
};

struct analytical {
    struct net base;
    uint32_t slots, ports_per_npu;
    bool shares; /* contention at all ports of the path, not only at senders */
    struct dim_state *dim;
    struct orr_divisor *by;    /* [dims], their NPUs */
    struct port *ports;        /* [slots * ports_per_npu] */
    struct port_train *trains; /* [slots * ports_per_npu]; NULL: no NPU sends to its own class */
    uint32_t *dirty;           /* [slots], heads of lists of ports */
    struct port_slab slab;
    uint32_t first_stream; /* the first message's; NET_MAX_STREAM: none yet */
    sim_time cuts_after; /* when the first message of another came: what starts later can be cut */
    uint32_t *
        heads; /* [slots] heaps of message heads that enter in this round; NULL: no ingress ports */
    struct orr_slab backlog;     /* struct backlog, of analytical_ingress.c */
    struct orr_slab transit_msg; /* struct passing, of analytical_transit.c */
    struct orr_causes *causes;   /* NULL: not kept */
    orr_cause *freed;            /* [slots * ports_per_npu] cause of a port's last release */
};

static inline void analytical_mark_dirty(struct analytical *net, uint32_t npu, uint32_t index)
{
    struct port *port = &net->ports[index];
    if (!port->dirty) {
        port->dirty = true;
        port->next_dirty = net->dirty[npu];
        net->dirty[npu] = index;
    }
}

/* Whether a message that starts at `time` can be cut. Before, no port can have had two streams; the
 * instant is the same in a folded network. */
static inline bool analytical_cuts(const struct analytical *net, sim_time time)
{
    return time > net->cuts_after;
}

/* The port is free again from `time` on; of a message that is not cut. */
static inline void analytical_post_free(struct analytical *net, uint32_t npu, uint32_t index,
                                        sim_time time, uint64_t source_cookie)
{
    const struct orr_event event = {.label = PORT_FREE_LABEL | index,
                                    .cookie = source_cookie,
                                    .entity = npu,
                                    .kind = EVENT_PORT_FREE};
    orr_evq_post(net->base.queue, time, &event);
}

/* ---- analytical.c ---- */
/* An item for a message that will wait at a port, for the caller to fill; NULL: out of memory, and
 * the run is stopped. */
static inline struct port_msg *analytical_new_waiting(struct analytical *net, uint32_t *item)
{
    *item = port_slab_new(&net->slab);
    if (*item == PORT_NONE) {
        orr_evq_stop(net->base.queue, ORR_ERR_MEMORY);
        return NULL;
    }
    return &net->slab.items[*item];
}
/* Sets the dimension's known message size, and its service time. */
void orr_analytical_learn(struct dim_state *dim, uint64_t bytes);
/* Queues the item of the message at the port by which the route leaves `from`. */
void orr_analytical_enqueue(struct analytical *net, uint32_t item, uint32_t from,
                            const struct net_route *route, const struct net_msg *msg);
/* Service time: how long a message occupies a port of the dimension. Cached, because successive
 * messages often have equal sizes. */
static inline sim_time analytical_service(struct dim_state *dim, uint64_t bytes)
{
    if (dim->known_bytes != bytes) {
        orr_analytical_learn(dim, bytes);
    }
    return dim->known_ps;
}
/* Enters the cause of the start of a waiting message, up to now; the caller leaves it. */
orr_cause orr_analytical_enter_start(struct analytical *net, uint32_t index, uint32_t item,
                                     unsigned part);

/* The message on the port's wire has left. `reports`: its sender is told. */
void orr_analytical_free_port(struct analytical *net, const struct orr_event *event,
                              uint64_t source_cookie, bool reports);

/* ---- analytical_wire.c ---- */
/* Starts sending to a neighbour. */
void orr_analytical_start_direct(struct analytical *net, uint32_t npu, uint32_t index,
                                 uint32_t item);
/* Posts the events of a message to a neighbour that leaves the port at `until`. */
void orr_analytical_send_item(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item);
/* Likewise of one hop of a message, without its arrival. `passes`: it came from another NPU. */
void orr_analytical_send_hop(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item,
                             bool passes);
/* Cuts the message on the wire of a shared port if another stream has its turn. Returns whether the
 * port is free. */
bool orr_analytical_cut(struct analytical *net, uint32_t npu, uint32_t index);
void orr_analytical_on_tail(void *context, const struct orr_event *event);
void orr_analytical_on_port(void *context, const struct orr_event *event);

/* ---- analytical_transit.c ---- */
void orr_analytical_transit_init(struct analytical *net, struct orr_arena *arena);
/* Sends a message that occupies more than one port. */
void orr_analytical_begin_transit(struct analytical *net, const struct net_msg *msg,
                                  const struct net_route *route);
/* What is left of a message that was cut in a hop waits as this item. */
void orr_analytical_cut_hop(struct analytical *net, uint32_t item);
/* Starts the item's message on the idle port. */
void orr_analytical_start_hop(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item);
void orr_analytical_on_head(void *context, const struct orr_event *event);
/* Lets the heads that reached the NPU in this round enter it. */
void orr_analytical_enter_heads(struct analytical *net, uint32_t npu);

/* ---- analytical_ingress.c ---- */
/* False: out of memory. */
bool orr_analytical_ingress_init(struct analytical *net, struct orr_arena *arena);
/* Posts the entry of an item's message, whose tail reaches the NPU at `time`, and frees the item.
 */
void orr_analytical_post_entry(struct analytical *net, uint32_t npu, unsigned dim, uint32_t item,
                               sim_time time);
void orr_analytical_on_entry(void *context, const struct orr_event *event);
/* The same if there can be trains. */
void orr_analytical_on_entry_folded(void *context, const struct orr_event *event);
/* A message arrives in a dimension with an ingress port; `receive_part`: one that is delivered
 * to nobody. */
struct received {
    sim_time service_ps;
    uint64_t cookie;
    uint32_t stream;
};
void orr_analytical_receive(struct analytical *net, const struct orr_event *event,
                            const struct received *msg);
void orr_analytical_receive_part(struct analytical *net, const struct orr_event *event,
                                 sim_time service, uint32_t stream);
/* A message's head is at the NPU now: returns when the message is received. The dimension has an
 * ingress port. */
sim_time orr_analytical_ingress_admit(struct analytical *net, uint32_t npu, unsigned dim,
                                      sim_time service, uint32_t stream);
/* The cause of the last admitted message, at the time it is received; the caller owns it. */
orr_cause orr_analytical_ingress_cause(const struct analytical *net, uint32_t npu, unsigned dim,
                                       sim_time taken_in);
/* Whether no entered message delays one whose head arrives at `head`. */
bool orr_analytical_ingress_is_quiet(struct analytical *net, uint32_t npu, unsigned dim,
                                     sim_time head);
/* Accounts for the first `count` messages of a train as received. */
void orr_analytical_ingress_add_train(struct analytical *net, uint32_t npu,
                                      const struct port_train *train, uint32_t count);

/* ---- analytical_trains.c ---- */
/* Makes the starting message the first of a train, if its sender knows of one. */
bool orr_analytical_start_train(struct analytical *net, uint32_t npu, uint32_t index,
                                uint32_t item);
/* Interrupts the train of a port, because another message wants the port. */
void orr_analytical_interrupt_train(struct analytical *net, uint32_t index);
/* A message with this label enters the NPU, whose port is in a train. */
void orr_analytical_enter_during_train(struct analytical *net, uint32_t index, uint64_t label);
void orr_analytical_on_train_end(void *context, const struct orr_event *event);

#endif
