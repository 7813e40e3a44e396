/* Routes between devices, looked up once (docs/models.md, section 3: Routes). If each flow chooses
 * among several routes, a pair of devices has FLOW_VARIANTS of them, which the edges of the model
 * take in turn. */
#include "network/route_options.h"
#include "network/routing/routing.h"
#include "planner/evaluator/eval_private.h"

enum { FLOW_VARIANTS = 4 }; /* routes of a pair of devices if each flow chooses */

/* The same formulas as in flow_paths.c. */
void orr_eval_time_route(const struct eval_routes *ways, const uint32_t *over,
                         struct eval_route *way)
{
    const double packet = (double)ways->model.packet_bytes;
    const double setup = (double)ways->model.start_bytes;
    double first = 0;
    way->start = (double)ways->model.start_ps * 1e-12;
    way->tail = 0;
    const struct net_route_links graph_path = {.link = over,
                                               .hops = eval_graph_hops(ways, over, way->hops)};
    for (uint32_t h = 0; h < graph_path.hops; h++) {
        const struct net_link *link = &ways->graph->link[over[h]];
        const bool passes = net_passes_host(ways->graph, &graph_path, h);
        const sim_time forward_ps = passes ? ways->model.forward_ps : 0;
        const double latency = (double)(link->latency_ps + forward_ps) * 1e-12;
        way->start += setup == 0 ? 0 : latency + setup / link->bytes_per_s;
        way->tail += latency + packet / link->bytes_per_s;
        first = fmax(first, packet / link->bytes_per_s);
    }
    way->tail -= first;
}

/* Copies the links of a path and the hosts that forward it, if forwarding has a limit
 * (flow_paths.h), to `out`, which holds twice the hops. Returns their number. */
static uint32_t copy_route(const struct eval_routes *ways, const struct net_route_links *way,
                           uint32_t *out)
{
    const struct net_graph *graph = ways->graph;
    uint32_t hops = way->hops;
    memcpy(out, way->link, way->hops * sizeof *out);
    for (uint32_t h = 0; h < way->hops && ways->links > graph->links; h++) {
        if (net_passes_host(graph, way, h)) {
            out[hops++] = graph->links + graph->link[way->link[h]].to;
        }
    }
    return hops;
}

static bool compute_route(struct eval_routes *ways, uint32_t from, uint32_t to, uint32_t variant,
                          struct eval_route *way)
{
    const uint64_t key = (((uint64_t)from * ways->devices + to) * ways->variants + variant) *
                         UINT64_C(0x9e3779b97f4a7c15);
    /* paths of a table are chosen in proportion to their chances */
    const double share = (variant + 0.5) / ways->variants;
    struct net_route_links links;
    if (!orr_net_router_share(ways->router, from, to, share, &links) &&
        (orr_net_router_path(ways->router, from, to, key, &links) != ORR_OK || links.hops == 0)) {
        return false;
    }
    const size_t max = ways->link.count + 2 * (size_t)links.hops;
    uint32_t *alloc = orr_eval_reserve(&ways->link, max, sizeof *alloc);
    if (alloc == NULL) {
        return false;
    }
    const uint32_t hops = copy_route(ways, &links, alloc + ways->link.count);
    *way = (struct eval_route){.first = (uint32_t)ways->link.count, .hops = hops};
    ways->link.count += hops;
    orr_eval_time_route(ways, eval_route_links(ways, way), way);
    return true;
}

const struct eval_route *orr_eval_find_route(struct eval_routes *ways, uint32_t from, uint32_t to,
                                             uint32_t of)
{
    const size_t pair = (size_t)from * ways->devices + to;
    struct eval_route *way = &ways->way[pair * ways->variants + of];
    return compute_route(ways, from, to, of, way) ? way : NULL;
}

struct net_route_links orr_eval_step(struct eval_routes *ways, uint32_t from, uint32_t to,
                                     const struct net_route_links *chosen)
{
    if (chosen != NULL && ways->step != NULL) {
        return (struct net_route_links){.link = ways->step,
                                        .hops = copy_route(ways, chosen, ways->step)};
    }
    if (chosen != NULL) {
        return *chosen;
    }
    ways->over_link = ways->ring_links ? orr_net_graph_find(ways->graph, from, to) : NET_NO_LINK;
    return (struct net_route_links){.link = &ways->over_link,
                                    .hops = ways->over_link != NET_NO_LINK ? 1 : 0};
}

/* Whether flows between the same two NPUs may take different routes. */
static bool each_flow_chooses(const struct net_graph *graph, const struct net_routing *routing)
{
    bool several = routing->spreads;
    for (uint32_t i = 1; routing->by_table && !several && i < graph->paths; i++) {
        several = graph->path[i - 1].from == graph->path[i].from &&
                  graph->path[i - 1].to == graph->path[i].to;
    }
    return several;
}

uint32_t orr_eval_variants(const struct net_graph *graph, const struct net_route_options *routes)
{
    return each_flow_chooses(graph, net_routing_of(routes)) ? FLOW_VARIANTS : 1;
}
