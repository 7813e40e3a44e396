/* Links, paths and statistics shared by the backends that model links; see link_net.h. */
#include "core/evq.h"
#include "core/fold.h"
#include "network/backends/link_capacity.h"
#include "network/coordinates.h"
#include "network/flows/flow_paths.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/graph_rotation.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/net_message.h"
#include "network/net_metrics.h"
#include "network/ring_links.h"
#include "network/route_options.h"
#include "network/routing/ring_detour.h"
#include "network/routing/routing.h"
#include "network/topology/block_links.h"

uint64_t orr_link_net_links(const struct net_config *config)
{
    struct link_dim dim[NET_MAX_DIMS];
    return config->graph != NULL ? config->graph->links : orr_link_dims_init(dim, config);
}

static enum orr_status init_fold(struct link_net *linked, struct orr_diag *diag)
{
    const struct net_config *config = linked->base.config;
    if (config->fold == NULL || config->fold->none) {
        return ORR_OK;
    }
    uint32_t *representative =
        orr_arena_array(linked->arena, linked->links, sizeof *representative);
    const enum orr_status status =
        representative != NULL
            ? orr_net_graph_representatives(config->graph, config->fold, representative)
            : ORR_ERR_MEMORY;
    ORR_ASSERT(status != ORR_ERR_INPUT); /* the fold is one of this graph */
    linked->representative = representative;
    return status == ORR_OK ? ORR_OK : orr_diag_no_memory(diag, "the links of the network");
}

static enum orr_status init_graph(struct link_net *linked, struct orr_diag *diag)
{
    const struct net_config *config = linked->base.config;
    linked->links = config->graph->links;
    linked->ring_links = net_keeps_ring_links(config);
    linked->rest = config->graph;
    linked->link_bytes =
        orr_arena_array(linked->arena, (size_t)linked->links + 1, sizeof(uint64_t));
    orr_flow_paths_init(&linked->paths, config->graph, &(struct net_flow_model){0}, linked->arena,
                        false);
    if (linked->link_bytes == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    if (net_uses_detours(config)) {
        linked->ring_detour = orr_net_ring_detour_create(config->graph, linked->arena);
        if (linked->ring_detour == NULL) {
            return orr_diag_no_memory(diag, "the rings of the network");
        }
    }
    const enum orr_status status = init_fold(linked, diag);
    return status == ORR_OK ? orr_net_router_create(&linked->router, config->graph, &config->routes,
                                                    linked->arena, diag)
                            : status;
}

enum orr_status orr_link_net_init(struct link_net *linked, struct orr_arena *arena,
                                  struct orr_diag *diag)
{
    const struct net_config *config = linked->base.config;
    linked->arena = arena;
    linked->npus = orr_net_npus(config);
    linked->slots = config->fold != NULL ? config->fold->slots : linked->npus;
    linked->dim = orr_arena_array(arena, config->dims, sizeof *linked->dim);
    linked->stats = orr_arena_array(arena, config->dims, sizeof *linked->stats);
    if (linked->dim == NULL || linked->stats == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    if (config->graph != NULL) {
        return init_graph(linked, diag);
    }
    linked->links = (uint32_t)orr_link_dims_init(linked->dim, config);
    return ORR_OK;
}

void orr_link_net_destroy(struct net *net)
{
    orr_flow_paths_fini(&((struct link_net *)net)->paths);
}

unsigned orr_link_net_dim(const struct link_net *linked, uint32_t src, uint32_t dst)
{
    return linked->base.config->dims > 1 ? orr_net_route(linked->base.config, src, dst).dim : 0;
}

/* The router's key of a message: its own, independent of when it is sent, or the one it carries. */
static uint64_t key_of(const struct link_net *linked, const struct net_msg *msg)
{
    if (msg->keyed) {
        return msg->label;
    }
    if (msg->backwards && net_routing_of(&linked->base.config->routes)->by_dimension) {
        return NET_KEY_BACKWARDS;
    }
    return ((uint64_t)msg->src.rank << 32 | msg->dst.rank) ^
           msg->label * UINT64_C(0x9e3779b97f4a7c15);
}

/* The route of a ring step in the graph; hops 0: there is none, or it has failed. */
static struct net_route_links ring_step_route(struct link_net *linked, const struct net_msg *msg)
{
    const struct net_graph *graph = linked->base.config->graph;
    if (msg->channel != NET_LINK) {
        return graph->way[msg->channel - NET_RING_ROUTE];
    }
    linked->ring_link =
        linked->ring_links ? orr_net_graph_find(graph, msg->src.rank, msg->dst.rank) : NET_NO_LINK;
    return (struct net_route_links){.link = &linked->ring_link,
                                    .hops = linked->ring_link != NET_NO_LINK ? 1 : 0};
}

/* Whether a ring step has lost its route. */
static bool has_failed(const struct link_net *linked, const struct net_msg *msg)
{
    const struct net_graph *graph = linked->base.config->graph;
    return msg->channel != NET_LINK ||
           (orr_net_graph_failed(graph, msg->src.rank, msg->dst.rank) != NULL &&
            orr_net_graph_find(graph, msg->src.rank, msg->dst.rank) == NET_NO_LINK);
}

/* The detour of a ring step over links of no ring (network.ring_recovery: borrow); hops 0: there is
 * none, or detours are off. */
static struct net_route_links detour_of(struct link_net *linked, const struct net_msg *msg)
{
    struct net_route_links way = {.hops = 0};
    bool out_of_memory = false;
    if (linked->ring_detour != NULL && msg->channel >= NET_RING_ROUTE &&
        !orr_net_ring_detour_path(linked->ring_detour, msg->src.rank, msg->dst.rank, &way,
                                  &out_of_memory) &&
        out_of_memory) {
        orr_evq_stop(linked->base.queue, ORR_ERR_MEMORY);
    }
    return way;
}

/* The route of a ring step that does not use the routing. */
static struct net_route_links step_route(struct link_net *linked, const struct net_msg *msg)
{
    const struct net_route_links way = ring_step_route(linked, msg);
    return way.hops == 0 && linked->ring_detour != NULL && has_failed(linked, msg)
               ? detour_of(linked, msg)
               : way;
}

/* The route that the message names, else the routed one, which also replaces a failed one. */
static enum orr_status find_first(struct link_net *linked, const struct net_msg *msg,
                                  struct net_route_links *out)
{
    if (__builtin_expect(msg->channel >= NET_RING_ROUTE, 0)) {
        *out = step_route(linked, msg);
        if (out->hops != 0) {
            return ORR_OK;
        }
    }
    return orr_net_router_path(linked->router, msg->src.rank, msg->dst.rank, key_of(linked, msg),
                               out);
}

/* The route on intact links, or around closed ones; without such a detour, the route on intact
 * links. */
enum orr_status orr_link_net_find(struct link_net *linked, const struct net_msg *msg,
                                  struct net_route_links *out)
{
    const struct link_capacity *changes = linked->changes;
    const enum orr_status status = find_first(linked, msg, out);
    if (changes == NULL || changes->closed_links == 0 || status != ORR_OK ||
        !link_capacity_any_closed(changes, out->link, out->hops)) {
        return status;
    }
    struct net_route_links around = detour_of(linked, msg);
    if (around.hops != 0 || orr_net_router_path(changes->detours, msg->src.rank, msg->dst.rank,
                                                key_of(linked, msg), &around) == ORR_OK) {
        *out = around;
    }
    return ORR_OK;
}

/* Maps a route to the representatives of its links. */
static bool map_to_representatives(struct link_net *linked, struct net_route_links *links)
{
    uint32_t *grown = orr_arena_grow(linked->arena, linked->folded_route,
                                     &linked->folded_route_alloc, links->hops, sizeof *grown);
    for (uint32_t h = 0; grown != NULL && h < links->hops; h++) {
        grown[h] = linked->representative[links->link[h]];
    }
    linked->folded_route = grown;
    links->link = grown;
    return grown != NULL;
}

static enum orr_status keep(struct link_net *linked, struct net_route_links *links)
{
    if (linked->representative != NULL && !map_to_representatives(linked, links)) {
        return ORR_ERR_MEMORY;
    }
    const uint32_t index = orr_flow_paths_intern(&linked->paths, links);
    if (index == UINT32_MAX) {
        return ORR_ERR_MEMORY;
    }
    *links = flow_path_links(&linked->paths, flow_path_at(&linked->paths, index));
    return ORR_OK;
}

enum orr_status orr_link_net_path(struct link_net *linked, const struct net_msg *msg,
                                  struct net_route_links *out)
{
    const enum orr_status status = orr_link_net_find(linked, msg, out);
    if (status != ORR_OK) {
        orr_net_route_failed(linked->base.config->graph, msg->src.rank, msg->dst.rank, status,
                             linked->base.queue);
        return status;
    }
    return keep(linked, out);
}

bool orr_link_net_is_fixed(struct link_net *linked, const struct net_msg *msg)
{
    if (msg->channel >= NET_RING_ROUTE && step_route(linked, msg).hops != 0) {
        return true;
    }
    return !orr_net_router_depends_on_key(linked->router, msg->src.rank, msg->dst.rank);
}

bool orr_link_net_detour(struct link_net *linked, uint32_t from, const struct net_msg *msg,
                         struct net_route_links *out)
{
    enum orr_status status = orr_net_router_path(linked->changes->detours, from, msg->dst.rank,
                                                 key_of(linked, msg), out);
    status = status == ORR_OK ? keep(linked, out) : status;
    if (status == ORR_ERR_MEMORY) {
        orr_evq_stop(linked->base.queue, status);
    }
    return status == ORR_OK;
}

uint32_t orr_link_net_current_path(struct net *net, const struct net_msg *msg, uint32_t *link,
                                   uint32_t max)
{
    struct link_net *linked = (struct link_net *)net;
    struct net_route_links way = {.hops = 0};
    if (linked->router == NULL || orr_link_net_find(linked, msg, &way) != ORR_OK) {
        return 0;
    }
    for (uint32_t h = 0; h < way.hops && h < max; h++) {
        link[h] = way.link[h];
    }
    return way.hops;
}

static sim_time graph_latency(const struct link_net *linked, uint32_t src, uint32_t dst)
{
    struct net_route_links links;
    sim_time sum = 0;
    if (orr_net_router_path(linked->router, src, dst, 0, &links) != ORR_OK) {
        return ORR_TIME_MAX;
    }
    for (uint32_t h = 0; h < links.hops; h++) {
        sum = orr_time_add(sum, linked->base.config->graph->link[links.link[h]].latency_ps);
    }
    return sum;
}

sim_time orr_link_net_latency(const struct net *net, uint32_t src, uint32_t dst)
{
    const struct link_net *linked = (const struct link_net *)net;
    return linked->router != NULL ? graph_latency(linked, src, dst)
                                  : orr_net_path_latency(net->config, src, dst);
}

void orr_link_net_stats(const struct net *net, struct net_dim_stats *stats)
{
    const struct link_net *linked = (const struct link_net *)net;
    const uint32_t each = linked->npus / linked->slots;
    for (unsigned d = 0; d < linked->base.config->dims; d++) {
        const struct net_dim_stats *counted = &linked->stats[d];
        stats[d].messages = counted->messages * each;
        stats[d].bytes = counted->bytes * each;
        stats[d].busy_ps = counted->busy_ps * each;
        stats[d].servers = linked->router != NULL
                               ? linked->links
                               : orr_net_servers(linked->base.config, d, linked->dim[d].links);
    }
}

uint64_t orr_link_net_link_bytes(const struct net *net, uint32_t link)
{
    const struct link_net *linked = (const struct link_net *)net;
    return linked->link_bytes[linked->representative != NULL ? linked->representative[link] : link];
}

void orr_link_net_post_arrival(struct link_net *linked, const struct net_msg *msg, uint16_t kind,
                               sim_time time, uint8_t part)
{
    const struct orr_event event = {.label = msg->label,
                                    .cookie = msg->cookie,
                                    .entity = net_slot(linked->base.config, msg->dst).slot,
                                    .kind = kind,
                                    .part = part};
    orr_evq_post(linked->base.queue, time, &event);
}

void orr_link_net_on_arrival(void *context, const struct orr_event *event)
{
    const struct net_listener *listener = &((struct link_net *)context)->base.listener;
    listener->delivered(listener->context, orr_slot(event->entity), event->label, event->cookie);
}

bool orr_link_net_is_passed(const struct net_config *config, unsigned dim)
{
    (void)config;
    (void)dim;
    return true;
}

enum orr_status orr_link_net_as_graph(const struct link_net *linked, struct net_graph *graph,
                                      struct orr_diag *diag)
{
    const struct net_config *config = linked->base.config;
    const struct link_dim *dim = linked->dim;
    const uint32_t links = linked->links;
    struct net_link *link = orr_arena_array(linked->arena, (size_t)links + 1, sizeof *link);
    if (link == NULL) {
        return orr_diag_no_memory(diag, "the links of the network");
    }
    for (unsigned d = 0; d < config->dims; d++) {
        const uint32_t end = d + 1 < config->dims ? dim[d + 1].first_link : links;
        for (uint32_t i = dim[d].first_link; i < end; i++) {
            link[i] = (struct net_link){.count = 1,
                                        .bytes_per_s = dim[d].bytes_per_s,
                                        .latency_ps = config->dim[d].latency_ps};
        }
    }
    *graph = (struct net_graph){.links = links, .link = link};
    return ORR_OK;
}
