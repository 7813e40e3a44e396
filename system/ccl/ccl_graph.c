/* A library on a graph: the nodes of its NPUs, and the bandwidth of their links. A node is the NPUs
 * of a switch inside a server; or those joined by links between NPUs; or all at a single switch; or
 * those at a switch over the faster links of NPUs that have faster and slower ones (NVLink beside a
 * NIC); else each NPU is one. */
#include <math.h>
#include <stdio.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "core/union_find.h"
#include "core/units.h"
#include "network/graph.h"
#include "system/ccl/ccl_private.h"

/* How much faster a link is than another of an NPU to be of a node. */
#define FASTER 1.5

static double bytes_per_s_of(const struct net_link *link)
{
    return link->count * link->bytes_per_s;
}

/* ---- nodes ---- */

static bool has_direct_links(const struct net_graph *graph)
{
    for (uint32_t i = 0; i < graph->links; i++) {
        if (graph->link[i].from < graph->npus && graph->link[i].to < graph->npus) {
            return true;
        }
    }
    return false;
}

/* The bandwidth from which on links of NPUs are inside a node; INFINITY: all are alike. */
static double fast_from(const struct net_graph *graph)
{
    double min = INFINITY, max = 0;
    for (uint32_t i = 0; i < graph->links; i++) {
        if (graph->link[i].from < graph->npus) {
            min = fmin(min, bytes_per_s_of(&graph->link[i]));
            max = fmax(max, bytes_per_s_of(&graph->link[i]));
        }
    }
    return max > FASTER * min ? max / FASTER : INFINITY;
}

/* Marks the links that stay inside of a node. */
static void mark_inside(const struct net_graph *graph, bool *inside)
{
    const bool star = graph->servers == 0 && graph->nodes == graph->npus + 1;
    const bool direct = graph->servers == 0 && has_direct_links(graph);
    const double fast = star || direct || graph->servers > 0 ? INFINITY : fast_from(graph);
    const uint32_t end = graph->npus + graph->servers;
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const bool of_npu = link->from < graph->npus || link->to < graph->npus;
        inside[i] = star || (link->from < end && link->to < end) ||
                    (of_npu && bytes_per_s_of(link) >= fast);
    }
}

enum orr_status orr_sys_ccl_graph_nodes(struct orr_arena *arena, const struct net_graph *graph,
                                        struct sys_ccl *library, struct orr_diag *diag)
{
    uint32_t *parent = orr_arena_array(arena, graph->nodes, sizeof *parent);
    bool *inside = orr_arena_array(arena, (size_t)graph->links + 1, sizeof *inside);
    if (parent == NULL || inside == NULL) {
        return orr_diag_no_memory(diag, "the nodes of a graph");
    }
    mark_inside(graph, inside);
    orr_union_find_init(parent, graph->nodes);
    for (uint32_t i = 0; i < graph->links; i++) {
        if (inside[i]) {
            (void)orr_union_find_unite(parent, graph->link[i].from, graph->link[i].to);
        }
    }
    for (uint32_t i = 0; i < graph->nodes; i++) {
        parent[i] = orr_union_find_root(parent, i);
    }
    library->home = parent;
    library->inside = inside;
    return ORR_OK;
}

/* ---- bandwidths ---- */

/* Of an NPU's links inside its node, or of the others. */
static double links_of(const struct sys_ccl *library, const struct net_graph *graph, uint32_t npu,
                       bool inside)
{
    double sum = 0;
    for (uint32_t i = graph->first_out[npu]; i < graph->first_out[npu + 1]; i++) {
        sum += library->inside[i] == inside ? bytes_per_s_of(&graph->link[i]) : 0;
    }
    return sum;
}

/* What leaves a node by its switches, for each of its NPUs. */
static double shared_of(const struct sys_ccl *library, const struct net_graph *graph, uint32_t home)
{
    double sum = 0;
    uint32_t npus = 0;
    for (uint32_t i = 0; i < graph->npus; i++) {
        npus += library->home[i] == home ? 1 : 0;
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const bool leaves = !library->inside[i] && library->home[link->from] == home &&
                            library->home[link->to] != home;
        sum += leaves ? bytes_per_s_of(link) : 0;
    }
    return sum / npus;
}

static double outer_of(const struct sys_ccl *library, const struct net_graph *graph, uint32_t npu)
{
    const double own = links_of(library, graph, npu, false);
    return own > 0 ? own : shared_of(library, graph, library->home[npu]);
}

void orr_sys_ccl_graph_bandwidths(const struct sys_ccl *library, const struct net_graph *graph,
                                  const uint32_t *ranks, uint32_t count, struct sys_ccl_shape *out)
{
    out->inner_bytes_per_s = out->outer_bytes_per_s = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t npu = ranks != NULL ? ranks[i] : i;
        out->inner_bytes_per_s = fmin(out->inner_bytes_per_s, links_of(library, graph, npu, true));
        if (out->nodes > 1) {
            out->outer_bytes_per_s = fmin(out->outer_bytes_per_s, outer_of(library, graph, npu));
        }
    }
    if (out->max < 2) { /* no part has these links */
        out->inner_bytes_per_s = out->outer_bytes_per_s;
    }
    if (out->nodes < 2) {
        out->outer_bytes_per_s = out->inner_bytes_per_s;
    }
}

/* ---- what is said ---- */

bool orr_sys_ccl_graph_is_mesh(const struct net_graph *graph)
{
    return graph->servers == 0 && has_direct_links(graph);
}

void orr_sys_ccl_graph_note(const struct sys_ccl *library, const struct net_config *network,
                            const struct orr_conf *map, struct orr_diag *diag)
{
    struct sys_ccl_shape shape;
    char inner[64], outer[64], inside[128] = "", between[128] = "";
    if (orr_sys_ccl_shape_of_all(library, network, &shape, diag) != ORR_OK) {
        return;
    }
    const struct orr_location place = orr_conf_location(map);
    if (shape.max > 1) {
        (void)snprintf(inside, sizeof inside, ", %s of an NPU's links inside",
                       orr_format_bandwidth(shape.inner_bytes_per_s, inner, sizeof inner));
    }
    if (shape.nodes > 1) {
        (void)snprintf(between, sizeof between, ", %s of an NPU between them",
                       orr_format_bandwidth(shape.outer_bytes_per_s, outer, sizeof outer));
    }
    orr_diag_warn(diag, &place,
                  "%s on a graph takes %u node%s of %u NPU%s%s%s; its collectives take the time of "
                  "its cost model, and share no links with each other and with messages",
                  library->ops->name, shape.nodes, orr_plural(shape.nodes), shape.max,
                  orr_plural(shape.max), inside, between);
}
