/* See link_net.h. */
#include "network/backends/link_net.h"

static enum orr_status too_many(const struct net_config *config, uint64_t links,
                                struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "network: the %s backend holds at most %d links, and this network has "
                         "%.3g; use the %s backend",
                         config->backend, NET_MAX_LINKS, (double)links, net_analytical.name);
}

static enum orr_status init_graph(struct ways *ways, struct orr_diag *diag)
{
    const struct net_config *config = ways->base.config;
    ways->links = config->graph->links;
    ways->link_bytes = orr_arena_array(ways->arena, (size_t)ways->links + 1, sizeof(uint64_t));
    ways->paths = (struct flow_paths){.arena = ways->arena, .graph = config->graph};
    if (ways->link_bytes == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    return net_router_create(&ways->router, config->graph, &config->routes, ways->arena, diag);
}

enum orr_status ways_init(struct ways *ways, struct orr_arena *arena, struct orr_diag *diag)
{
    const struct net_config *config = ways->base.config;
    ways->arena = arena;
    ways->npus = net_npus(config);
    ways->slots = config->fold != NULL ? config->fold->slots : ways->npus;
    ways->dim = orr_arena_array(arena, config->dims, sizeof *ways->dim);
    ways->stats = orr_arena_array(arena, config->dims, sizeof *ways->stats);
    if (ways->dim == NULL || ways->stats == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    const uint64_t links =
        config->graph != NULL ? config->graph->links : link_dims_init(ways->dim, config);
    if (links > NET_MAX_LINKS) {
        return too_many(config, links, diag);
    }
    ways->links = (uint32_t)links;
    return config->graph != NULL ? init_graph(ways, diag) : ORR_OK;
}

void ways_destroy(struct net *net)
{
    flow_paths_fini(&((struct ways *)net)->paths);
}

unsigned ways_dim(const struct ways *ways, uint32_t src, uint32_t dst)
{
    return ways->base.config->dims > 1 ? net_route(ways->base.config, src, dst).dim : 0;
}

/* Every message goes its own way, whenever it is sent. */
static uint64_t key_of(const struct ways *ways, const struct net_msg *msg)
{
    if (msg->backwards && ways->base.config->routes.routing == NET_ROUTE_DIMENSIONS) {
        return NET_KEY_BACKWARDS;
    }
    return ((uint64_t)msg->src << 32 | msg->dst) ^ msg->label * UINT64_C(0x9e3779b97f4a7c15);
}

enum orr_status ways_path(struct ways *ways, const struct net_msg *msg, struct net_route_links *out)
{
    struct net_route_links links;
    const enum orr_status status =
        net_router_path(ways->router, msg->src, msg->dst, key_of(ways, msg), &links);
    if (status != ORR_OK) {
        net_route_failed(ways->base.config->graph, msg->src, msg->dst, status, ways->base.queue);
        return status;
    }
    const uint32_t index = flow_paths_intern(&ways->paths, &links);
    if (index == UINT32_MAX) {
        return ORR_ERR_MEMORY;
    }
    *out = (struct net_route_links){.link = ways->paths.path[index].link, .hops = links.hops};
    return ORR_OK;
}

static sim_time graph_latency(const struct ways *ways, uint32_t src, uint32_t dst)
{
    struct net_route_links links;
    sim_time sum = 0;
    if (net_router_path(ways->router, src, dst, 0, &links) != ORR_OK) {
        return ORR_TIME_MAX;
    }
    for (uint32_t h = 0; h < links.hops; h++) {
        sum = orr_time_add(sum, ways->base.config->graph->link[links.link[h]].latency_ps);
    }
    return sum;
}

sim_time ways_latency(const struct net *net, uint32_t src, uint32_t dst)
{
    const struct ways *ways = (const struct ways *)net;
    return ways->router != NULL ? graph_latency(ways, src, dst)
                                : net_way_latency(net->config, src, dst);
}

void ways_stats(const struct net *net, struct net_dim_stats *stats)
{
    const struct ways *ways = (const struct ways *)net;
    const uint32_t each = ways->npus / ways->slots;
    for (unsigned d = 0; d < ways->base.config->dims; d++) {
        const struct net_dim_stats *counted = &ways->stats[d];
        stats[d].messages = counted->messages * each;
        stats[d].bytes = counted->bytes * each;
        stats[d].busy_ps = counted->busy_ps * each;
        stats[d].servers =
            ways->router != NULL ? ways->links : (uint64_t)ways->npus * ways->dim[d].links;
    }
}

uint64_t ways_link_bytes(const struct net *net, uint32_t link)
{
    return ((const struct ways *)net)->link_bytes[link];
}

void ways_post_arrival(struct ways *ways, const struct net_msg *msg, uint16_t kind, sim_time time,
                       uint8_t part)
{
    const struct orr_event event = {.label = msg->label,
                                    .cookie = msg->cookie,
                                    .entity = net_slot(ways->base.config, msg->dst),
                                    .kind = kind,
                                    .part = part};
    orr_evq_post(ways->base.queue, time, &event);
}

void ways_on_arrival(void *context, const struct orr_event *event)
{
    const struct net_listener *listener = &((struct ways *)context)->base.listener;
    listener->delivered(listener->context, event->entity, event->label, event->cookie);
}
