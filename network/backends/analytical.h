/* State of the analytical backend, shared by analytical.c (messages one by one) and
 * analytical_runs.c (runs of equal messages as one event). */
#ifndef ORR_NETWORK_BACKENDS_ANALYTICAL_H
#define ORR_NETWORK_BACKENDS_ANALYTICAL_H

#include "network/backends/ports.h"
#include "network/network.h"

enum { EVENT_ARRIVAL = ORR_EVENT_NETWORK, EVENT_PORT_FREE, EVENT_RUN_END };

/* A port-free event comes after the deliveries of its round; its label is above all others, with
 * the port below. */
#define PORT_FREE_LABEL (UINT64_C(1) << 63)

struct dim_state {
    uint32_t first_port; /* within an NPU's ports */
    uint32_t ports;      /* per NPU */
    double port_bytes_per_s;
    uint64_t known_bytes; /* the size of the last message, and what it takes */
    sim_time known_ps;
    struct net_dim_stats stats;
};

struct analytical {
    struct net base;
    uint32_t slots, ports_per_npu;
    struct dim_state *dim;
    struct orr_divisor *by; /* [dims], their NPUs */
    struct port *ports;     /* [slots * ports_per_npu] */
    struct port_run *runs;  /* the same; NULL: no NPU sends to its own class */
    uint32_t *dirty;        /* [slots], heads of lists of ports */
    struct port_slab slab;
    struct orr_causes *causes; /* NULL: not kept */
    orr_cause *freed;          /* [slots * ports_per_npu], of a port's last release */
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

static inline unsigned analytical_dim_of_port(const struct analytical *net, uint32_t index)
{
    const uint32_t port = index % net->ports_per_npu;
    unsigned d = net->base.config->dims - 1;
    while (net->dim[d].first_port > port) {
        d--;
    }
    return d;
}

static inline void analytical_post_free(struct analytical *net, uint32_t npu, uint32_t index,
                                        sim_time time, uint64_t source_cookie)
{
    const struct orr_event event = {.label = PORT_FREE_LABEL | index,
                                    .cookie = source_cookie,
                                    .entity = npu,
                                    .kind = EVENT_PORT_FREE};
    orr_evq_post(net->base.queue, time, &event);
}

/* ---- analytical_runs.c ---- */
/* Makes the message that starts the first of a run, when its sender knows of one. */
bool analytical_start_run(struct analytical *net, uint32_t npu, uint32_t index,
                          const struct port_msg *msg);
/* Somebody else has a message for a port that is in a run. */
void analytical_interrupt_run(struct analytical *net, uint32_t index);
void analytical_on_run_end(void *context, const struct orr_event *event);

#endif
