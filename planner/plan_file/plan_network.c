/* Writes a planned topology as the network of a platform; see plan_write.h. */
#include <inttypes.h>

#include "core/units.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "planner/plan_file/plan_job.h"
#include "planner/plan_file/plan_write.h"
#include "report/pictures/pictures.h"

/* ---- links ---- */

static bool same_kind(const struct net_link *a, const struct net_link *b)
{
    return a->count == b->count && a->latency_ps == b->latency_ps &&
           orr_same_speed(a->bytes_per_s, b->bytes_per_s);
}

/* Whether there is an equal link in the other direction. */
static bool has_link_back(const struct net_graph *graph, const struct net_link *link)
{
    const uint32_t back = orr_net_graph_find(graph, link->to, link->from);
    return back != NET_NO_LINK && same_kind(link, &graph->link[back]);
}

static void write_link(FILE *out, const struct net_graph *graph, uint32_t index)
{
    const struct net_link *link = &graph->link[index], *base = &graph->link[0];
    const bool both = has_link_back(graph, link);
    char text[ORR_FORMAT_BYTES];
    if (both && link->from > link->to) {
        return;
    }
    (void)fprintf(out, "      - {from: %" PRIu32 ", to: %" PRIu32, link->from, link->to);
    if (link->count > 1) {
        (void)fprintf(out, ", count: %" PRIu32, link->count);
    }
    if (!orr_same_speed(link->bytes_per_s, base->bytes_per_s)) {
        (void)fprintf(out, ", bandwidth: %s", orr_exact_bandwidth(link->bytes_per_s, text));
    }
    if (link->latency_ps != base->latency_ps) {
        (void)fprintf(out, ", latency: %s", orr_exact_time(link->latency_ps, text));
    }
    (void)fputs(both ? "}\n" : ", one_way: true}\n", out);
}

static void write_links(FILE *out, const struct net_graph *graph)
{
    char text[ORR_FORMAT_BYTES];
    (void)fprintf(out, "    npus: %" PRIu32 "\n", graph->npus);
    if (graph->nodes > graph->npus) {
        (void)fprintf(out, "    switches: %" PRIu32 "\n", graph->nodes - graph->npus);
    }
    if (graph->links != 0) {
        (void)fprintf(out, "    bandwidth: %s\n",
                      orr_exact_bandwidth(graph->link[0].bytes_per_s, text));
        (void)fprintf(out, "    latency: %s\n    links:\n",
                      orr_exact_time(graph->link[0].latency_ps, text));
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        write_link(out, graph, i);
    }
}

/* ---- paths ---- */

/* Sum of the chances of a pair's paths, by which they are normalized. */
static double all_chances(const struct net_graph *graph, uint32_t first, uint32_t *end)
{
    const struct net_path *path = graph->path;
    double sum = 0;
    for (*end = first; *end < graph->paths && path[*end].from == path[first].from &&
                       path[*end].to == path[first].to;
         ++*end) {
        sum += path[*end].chance;
    }
    return sum;
}

static void write_path(FILE *out, const struct net_graph *graph, const struct net_path *path,
                       double share)
{
    (void)fprintf(out, "      - {from: %" PRIu32 ", to: %" PRIu32, path->from, path->to);
    if (share < 1) {
        (void)fprintf(out, ", chance: %.17g", share);
    }
    (void)fprintf(out, ", nodes: [%" PRIu32, path->from);
    for (uint32_t h = 0; h < path->hops; h++) {
        (void)fprintf(out, ", %" PRIu32, graph->link[graph->path_link[path->first_link + h]].to);
    }
    (void)fputs("]}\n", out);
}

static void write_paths(FILE *out, const struct net_graph *graph)
{
    if (graph->paths != 0) {
        (void)fputs("    routes:\n", out);
    }
    for (uint32_t first = 0, end = 0; first < graph->paths; first = end) {
        const double sum = all_chances(graph, first, &end);
        for (uint32_t i = first; i < end; i++) {
            const bool alone = end - first == 1 || !(sum > 0);
            write_path(out, graph, &graph->path[i], alone ? 1 : graph->path[i].chance / sum);
        }
    }
}

/* ---- rings ---- */

static void write_list(FILE *out, const char *key, const uint32_t *value, uint32_t count)
{
    (void)fprintf(out, "%s: [", key);
    for (uint32_t i = 0; i < count; i++) {
        (void)fprintf(out, i > 0 ? ", %" PRIu32 : "%" PRIu32, value[i]);
    }
    (void)fputs("]}\n", out);
}

/* Writes the nodes of each step. A step without a path takes the direct link, which exists in such
 * rings. */
static void write_steps(FILE *out, const struct net_graph *graph, const struct net_ring *ring)
{
    (void)fputs("steps: [", out);
    for (uint32_t i = 0; i < ring->npus; i++) {
        const struct net_route_links *way = &graph->way[ring->way - 1 + i];
        (void)fprintf(out, i > 0 ? ", %" PRIu32 : "%" PRIu32, ring->member[i]);
        for (uint32_t h = 0; h < way->hops; h++) {
            (void)fprintf(out, " %" PRIu32, graph->link[way->link[h]].to);
        }
    }
    (void)fputs("]}\n", out);
}

static void write_ring(FILE *out, const struct net_graph *graph, const struct net_ring *ring)
{
    (void)fputs("      - {", out);
    if (ring->member != NULL && ring->way != 0) {
        write_steps(out, graph, ring);
    } else if (ring->member != NULL) {
        write_list(out, "members", ring->member, ring->npus);
    } else if (ring->order != NULL) {
        (void)fprintf(out, "npus: %" PRIu32 ", ", ring->npus);
        write_list(out, "order", ring->order, ring->npus);
    } else {
        (void)fprintf(out, "npus: %" PRIu32 ", jumps: [%" PRId32 "]}\n", ring->npus, ring->jump);
    }
}

void orr_plan_write_network(FILE *out, const struct net_graph *graph,
                            const struct net_route_options *routes)
{
    (void)fputs("network:\n  graph:\n", out);
    write_links(out, graph);
    write_paths(out, graph);
    if (graph->totient != 0) {
        (void)fprintf(out, "    rings: totient:%" PRIu32 "\n", graph->totient);
    } else if (graph->rings != 0) {
        (void)fputs("    rings:\n", out);
    } else if (graph->ring_choice != NET_RINGS_AUTO) {
        (void)fputs("    rings: own\n", out);
    }
    for (uint32_t i = 0; graph->totient == 0 && i < graph->rings; i++) {
        write_ring(out, graph, &graph->ring[i]);
    }
    const struct net_routing *routing = net_routing_of(routes);
    if (routing->by_table && graph->paths == 0) {
        routing = orr_net_routing_for(NET_ROUTES_SHORTEST);
    }
    (void)fprintf(out, "  routing: %s\n", routing->name);
    if (routing->counts_paths && routes->paths != 0) {
        (void)fprintf(out, "  paths: %" PRIu32 "\n", routes->paths);
    }
    if (routes->seed != 1) {
        (void)fprintf(out, "  seed: %" PRIu64 "\n", routes->seed);
    }
    (void)fputs("  backend: flow\n  shares: maxmin\n", out);
}
