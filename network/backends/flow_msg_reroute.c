/* Messages of the flow backend where capacities change: those under way go around closed links with
 * the bytes that they have left, those that wait for their first link with all (docs/models.md,
 * section 4: Changing networks). Where no way is left they stay where they are. */
#include "network/backends/flow_private.h"

/* Another way, without closed links; false: there is none. */
static bool find_way(struct flow_net *net, const struct carried *carried,
                     struct net_route_links *out)
{
    const enum orr_status status = orr_link_net_path(&net->linked, &carried->msg, out);
    if (status == ORR_ERR_MEMORY) {
        orr_evq_stop(net->linked.base.queue, status);
    }
    return status == ORR_OK && !link_changes_any_closed(net->linked.changes, out->link, out->hops);
}

/* Whether it goes there already; ways are kept once. */
static bool is_way_of(const struct carried *carried, const struct net_route_links *way)
{
    return carried->way.link == way->link && carried->way.hops == way->hops;
}

static void count_way(struct flow_net *net, const struct net_route_links *way, uint64_t bytes,
                      bool more)
{
    for (uint32_t h = 0; h < way->hops; h++) {
        uint64_t *sum = &net->linked.link_bytes[way->link[h]];
        *sum = more ? orr_capped_sum(*sum, bytes) : *sum - (bytes < *sum ? bytes : *sum);
    }
}

/* A flow's: what it has left goes over other links. */
static bool find_around(void *context, uint64_t cookie, double bytes, struct net_route_links *out)
{
    struct flow_net *net = context;
    struct carried *carried = carried_at(net, (uint32_t)cookie);
    if (!find_way(net, carried, out) || is_way_of(carried, out)) {
        return false;
    }
    const uint64_t whole = carried->msg.bytes;
    const uint64_t left = bytes < (double)whole ? (uint64_t)bytes : whole;
    count_way(net, &carried->way, left, false);
    count_way(net, out, left, true);
    carried->way = *out;
    if (net->first != NULL) {
        net->first[carried->first_link].in_flight--;
        orr_flow_look_later(net, carried->msg.src.rank, carried->first_link);
        net->first[out->link[0]].in_flight++;
    }
    carried->first_link = out->link[0];
    return true;
}

/* Puts those that wait for the link into the lines of the first links that they have now. */
static void move_line(struct flow_net *net, uint32_t link)
{
    uint32_t line = net->first[link].waiting;
    net->first[link].waiting = PORT_NONE;
    while (line != PORT_NONE) {
        const uint32_t item = line;
        const uint32_t handle = (uint32_t)net->waiting.items[item].cookie;
        struct carried *carried = carried_at(net, handle);
        line = port_heap_pop(&net->waiting, item);
        port_slab_free(&net->waiting, item);
        struct net_route_links way;
        if ((net->around.all ||
             link_changes_any_closed(net->linked.changes, carried->way.link, carried->way.hops)) &&
            find_way(net, carried, &way)) {
            carried->way = way;
            carried->first_link = way.link[0];
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
        if (net->first[link].waiting != PORT_NONE) {
            move_line(net, link);
        }
    }
    /* Controllers act when the NPUs have had their events of the round. */
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

static void take_left(void *context, uint64_t cookie, double bytes)
{
    carried_at(context, (uint32_t)cookie)->left = bytes;
}

void orr_flow_waiting(struct net *base, net_waiting_fn visit, void *context)
{
    struct flow_net *net = (struct flow_net *)base;
    for (uint32_t handle = 0; handle < net->messages.used; handle++) {
        carried_at(net, handle)->left = (double)carried_at(net, handle)->msg.bytes;
    }
    orr_net_flows_visit(net->flows, take_left, net);
    for (uint32_t handle = 0; handle < net->messages.used; handle++) {
        const struct carried *carried = carried_at(net, handle);
        if (carried->live) {
            visit(context, carried->msg.src.rank, carried->msg.dst.rank, carried->left);
        }
    }
}
