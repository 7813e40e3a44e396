/* Rerouting of the flow backend's messages if capacities change (docs/models.md, section 4:
 * Changing networks). Messages in flight avoid closed links with their remaining bytes, messages
 * queued at their first link with all bytes. Without another path a message stays. */
#include "network/backends/flow_private.h"

/* Finds another path without closed links; false: there is none. */
static bool find_path(struct flow_net *net, const struct flow_msg *flow_msg,
                      struct net_route_links *out)
{
    const enum orr_status status = orr_link_net_path(&net->linked, &flow_msg->msg, out);
    if (status == ORR_ERR_MEMORY) {
        orr_evq_stop(net->linked.base.queue, status);
    }
    return status == ORR_OK && !link_capacity_any_closed(net->linked.changes, out->link, out->hops);
}

/* Whether the message has this path already; equal paths are one object. */
static bool is_path_of(const struct flow_msg *flow_msg, const struct net_route_links *route)
{
    return flow_msg->route.link == route->link && flow_msg->route.hops == route->hops;
}

static void count_path(struct flow_net *net, const struct net_route_links *route, uint64_t bytes,
                       bool more)
{
    for (uint32_t h = 0; h < route->hops; h++) {
        uint64_t *sum = &net->linked.link_bytes[route->link[h]];
        *sum = more ? orr_capped_sum(*sum, bytes) : *sum - (bytes < *sum ? bytes : *sum);
    }
}

/* Finds a flow's new path, for its remaining bytes. */
static bool find_around(void *context, uint64_t cookie, double bytes, struct net_route_links *out)
{
    struct flow_net *net = context;
    struct flow_msg *flow_msg = flow_msg_at(net, (uint32_t)cookie);
    if (!find_path(net, flow_msg, out) || is_path_of(flow_msg, out)) {
        return false;
    }
    const uint64_t whole = flow_msg->msg.bytes;
    const uint64_t left = bytes < (double)whole ? (uint64_t)bytes : whole;
    count_path(net, &flow_msg->route, left, false);
    count_path(net, out, left, true);
    flow_msg->route = *out;
    if (net->first != NULL) {
        orr_flow_leave_link(net, flow_msg->first_link, (uint32_t)cookie);
        orr_flow_enter_link(net, out->link[0], (uint32_t)cookie);
        orr_flow_mark_dirty(net, flow_msg->msg.src.rank, out->link[0]);
    }
    flow_msg->first_link = out->link[0];
    return true;
}

/* Moves the messages queued at a link to the queues of their new first links. */
static void reroute_queue(struct flow_net *net, uint32_t link)
{
    struct port_line line = net->first[link].line;
    net->first[link].line = (struct port_line){.waiting = PORT_NONE};
    for (uint32_t item = port_line_pop(&net->waiting, &line); item != PORT_NONE;
         item = port_line_pop(&net->waiting, &line)) {
        const uint32_t handle = (uint32_t)net->waiting.items[item].cookie;
        struct flow_msg *flow_msg = flow_msg_at(net, handle);
        port_slab_free(&net->waiting, item);
        struct net_route_links route;
        if ((net->around.all || link_capacity_any_closed(net->linked.changes, flow_msg->route.link,
                                                         flow_msg->route.hops)) &&
            find_path(net, flow_msg, &route)) {
            flow_msg->route = route;
            flow_msg->first_link = route.link[0];
        }
        orr_flow_wait_for_link(net, handle);
    }
}

static void reroute(struct flow_net *net, bool shortest)
{
    net->around = (struct net_flows_around){.closed = net->linked.changes->closed,
                                            .all = shortest,
                                            .find = find_around,
                                            .context = net};
    orr_net_flows_reroute(net->flows, &net->around);
    for (uint32_t link = 0; net->first != NULL && link < net->linked.links; link++) {
        if (net->first[link].line.waiting != PORT_NONE) {
            reroute_queue(net, link);
        }
    }
    /* Controllers act after the NPUs' events of the round. */
    for (uint32_t npu = 0; net->first != NULL && npu < net->linked.slots; npu++) {
        orr_flow_on_flush(net, npu);
    }
}

void orr_flow_set_capacities(struct net *base, const struct net_batch *batch)
{
    struct flow_net *net = (struct flow_net *)base;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct net_capacity *capacity = &batch->capacity[i];
        const double together = capacity->bytes_per_s * capacity->lanes;
        orr_link_capacity_set(&net->linked, capacity);
        orr_net_flows_set_capacity(net->flows, capacity->link, together);
    }
    if (batch->reroutes && orr_link_capacity_reroute(&net->linked)) {
        reroute(net, batch->shortest);
    }
}

static void set_left(void *context, uint64_t cookie, double bytes)
{
    flow_msg_at(context, (uint32_t)cookie)->left = bytes;
}

void orr_flow_waiting(struct net *base, net_waiting_fn visit, void *context)
{
    struct flow_net *net = (struct flow_net *)base;
    for (uint32_t handle = 0; handle < net->messages.used; handle++) {
        flow_msg_at(net, handle)->left = (double)flow_msg_at(net, handle)->msg.bytes;
    }
    orr_net_flows_visit(net->flows, set_left, net);
    for (uint32_t handle = 0; handle < net->messages.used; handle++) {
        const struct flow_msg *flow_msg = flow_msg_at(net, handle);
        if (flow_msg->live) {
            visit(context, flow_msg->msg.src.rank, flow_msg->msg.dst.rank, flow_msg->left);
        }
    }
}
