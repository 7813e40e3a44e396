/* State of the analytical backend, shared by analytical.c (messages to neighbours, one by one),
 * analytical_transit.c (messages that pass other NPUs), analytical_ingress.c (where messages enter
 * an NPU) and analytical_trains.c (trains of equal messages as one event). */
#ifndef ORR_NETWORK_BACKENDS_ANALYTICAL_H
#define ORR_NETWORK_BACKENDS_ANALYTICAL_H

#include "network/backends/ports.h"
#include "network/network.h"

extern const struct net_ops orr_net_analytical;

enum {
    EVENT_ARRIVAL = ORR_EVENT_NETWORK,
    EVENT_PORT_FREE,
    EVENT_TRAIN_END,
    EVENT_HEAD,
    EVENT_ENTRY
};

/* A port-free event comes after the deliveries of its round; its label is above all others, with
 * the port below. */
#define PORT_FREE_LABEL (UINT64_C(1) << 63)

struct dim_state {
    uint32_t first_port;           /* within an NPU's ports */
    uint32_t ports;                /* per NPU */
    uint32_t stride;               /* of ranks */
    uint32_t direct_hops;          /* messages of that many in this dimension alone pass nobody */
    struct ingress *ingress_ports; /* [slots], or NULL */
    struct ingress_cause *ingress_causes; /* likewise; NULL: not kept */
    double port_bytes_per_s;
    sim_time overhead_ps; /* of a message, beside its bytes */
    uint64_t known_bytes; /* the size of the last message, and what it takes */
    sim_time known_ps;
    uint64_t uncounted; /* messages of that size to neighbours that the stats do not know yet */
    struct net_dim_stats stats;
};

/* Where messages enter an NPU (analytical_ingress.c): its time is taken from begin to free, some of
 * it up to `before`, and none in between. */
struct ingress {
    sim_time before, begin, free;
};

/* What an ingress port is busy with until `before` and `free`. */
struct ingress_cause {
    orr_cause before, free;
};

struct analytical {
    struct net base;
    uint32_t slots, ports_per_npu;
    bool shares; /* not only the ports of senders */
    struct dim_state *dim;
    struct orr_divisor *by;    /* [dims], their NPUs */
    struct port *ports;        /* [slots * ports_per_npu] */
    struct port_train *trains; /* the same; NULL: no NPU sends to its own class */
    uint32_t *dirty;           /* [slots], heads of lists of ports */
    struct port_slab slab;
    uint32_t *heads; /* [slots], heaps of heads that enter in this round; no ingress_ports: NULL */
    struct orr_slab transit_msg; /* struct passing, of analytical_transit.c */
    struct orr_causes *causes;   /* NULL: not kept */
    orr_cause *freed;            /* [slots * ports_per_npu], of a port's last release */
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

/* The port is free again from then on; `passes`: from a message of another NPU, or one that has
 * told of its departure. */
static inline void analytical_post_free(struct analytical *net, uint32_t npu, uint32_t index,
                                        sim_time time, uint64_t source_cookie, bool passes)
{
    const struct orr_event event = {.label = PORT_FREE_LABEL | index,
                                    .cookie = source_cookie,
                                    .entity = npu,
                                    .kind = EVENT_PORT_FREE,
                                    .aux = passes};
    orr_evq_post(net->base.queue, time, &event);
}

/* ---- analytical.c ---- */
/* A place for a message that is to wait at a port, which the caller fills; NULL: memory is out, and
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
/* Makes a size the dimension's known one. */
void orr_analytical_learn(struct dim_state *dim, uint64_t bytes);
/* Puts it in the line of the port by which the route leaves `from`. */
void orr_analytical_enqueue(struct analytical *net, uint32_t item, uint32_t from,
                            const struct net_route *route, bool backwards);
/* How long a message of so many bytes occupies a port of the dimension. Most have the size of the
 * one before. */
static inline sim_time analytical_service(struct dim_state *dim, uint64_t bytes)
{
    if (dim->known_bytes != bytes) {
        orr_analytical_learn(dim, bytes);
    }
    return dim->known_ps;
}
/* Whether a route goes against a ring's direction. */
bool orr_analytical_is_backward(const struct net_dim *dim, const struct net_route *route,
                                bool backwards);
/* Makes current what the start of a waiting message comes from, up to now, until it leaves. */
orr_cause orr_analytical_enter_start(struct analytical *net, uint32_t index, uint32_t item,
                                     unsigned part);

/* ---- analytical_transit.c ---- */
void orr_analytical_transit_init(struct analytical *net, struct orr_arena *arena);
/* A message that has more than one port to pass. */
void orr_analytical_begin_transit(struct analytical *net, const struct net_msg *msg,
                                  const struct net_route *route);
/* The port is idle, and the message of the item, which it gives back, takes it. */
void orr_analytical_start_hop(struct analytical *net, uint32_t npu, uint32_t index, uint32_t item);
void orr_analytical_on_head(void *context, const struct orr_event *event);
/* The heads that have come to the NPU in this round enter it. */
void orr_analytical_enter_heads(struct analytical *net, uint32_t npu);

/* ---- analytical_ingress.c ---- */
/* False: memory is out. */
bool orr_analytical_ingress_init(struct analytical *net, struct orr_arena *arena);
/* The message of an item, which it gives back, has its tail at the NPU at `time`. */
void orr_analytical_post_entry(struct analytical *net, uint32_t npu, unsigned dim, uint32_t item,
                               sim_time time);
void orr_analytical_on_entry(void *context, const struct orr_event *event);
/* The same where there may be trains. */
void orr_analytical_on_entry_folded(void *context, const struct orr_event *event);
/* A message's head is at the NPU now: when it has been taken in. The dimension has an ingress port.
 */
sim_time orr_analytical_ingress_admit(struct analytical *net, uint32_t npu, unsigned dim,
                                      sim_time service);
/* What a message that was admitted last comes from, which is then; the caller's. */
orr_cause orr_analytical_ingress_cause(const struct analytical *net, uint32_t npu, unsigned dim,
                                       sim_time taken_in);
/* Whether nothing that has entered holds up a message whose head comes at `head`. */
bool orr_analytical_ingress_is_quiet(struct analytical *net, uint32_t npu, unsigned dim,
                                     sim_time head);
/* The first messages of a train have been taken in. */
void orr_analytical_ingress_add_train(struct analytical *net, uint32_t npu,
                                      const struct port_train *train, uint32_t count);

/* ---- analytical_trains.c ---- */
/* Makes the message that starts the first of a train, when its sender knows of one. */
bool orr_analytical_start_train(struct analytical *net, uint32_t npu, uint32_t index,
                                const struct port_msg *msg);
/* Somebody else has a message for a port that is in a train. */
void orr_analytical_interrupt_train(struct analytical *net, uint32_t index);
/* A message with that label enters the NPU, whose port is in a train. */
void orr_analytical_enter_during_train(struct analytical *net, uint32_t index, uint64_t label);
void orr_analytical_on_train_end(void *context, const struct orr_event *event);

#endif
