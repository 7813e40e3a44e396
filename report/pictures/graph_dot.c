/* Graphs as DOT; see graph_dot.h. */
#include "report/pictures/graph_dot.h"

#include "core/unconst.h"
#include "core/units.h"
#include "network/graph.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- numbers ---- */

const char *orr_exact_bandwidth(double bytes_per_s, char *text)
{
    static const struct {
        const char *unit;
        double bytes_per_s;
    } units[] = {{"Gb/s", 125e6}, {"GB/s", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double back = 0;
        (void)snprintf(text, ORR_FORMAT_BYTES, "%.12g %s", bytes_per_s / units[i].bytes_per_s,
                       units[i].unit);
        if (orr_parse_bandwidth(text, &back) && !(back < bytes_per_s) && !(back > bytes_per_s)) {
            return text;
        }
    }
    (void)snprintf(text, ORR_FORMAT_BYTES, "%.17g B/s", bytes_per_s);
    return text;
}

const char *orr_exact_time(sim_time ps, char *text)
{
    const bool us = ps % ORR_PS_PER_US == 0, ns = ps % ORR_PS_PER_NS == 0;
    (void)snprintf(text, ORR_FORMAT_BYTES, "%" PRId64 " %s",
                   us   ? ps / ORR_PS_PER_US
                   : ns ? ps / ORR_PS_PER_NS
                        : ps,
                   us   ? "us"
                   : ns ? "ns"
                        : "ps");
    return text;
}

/* ---- the graph ---- */

bool orr_same_speed(double a, double b)
{
    return !(a < b) && !(a > b);
}

static bool is_two_way(const struct net_graph *graph)
{
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const uint32_t other = orr_net_graph_find(graph, link->to, link->from);
        const struct net_link *back = other == NET_NO_LINK ? NULL : &graph->link[other];
        if (back == NULL || back->count != link->count || back->latency_ps != link->latency_ps ||
            !orr_same_speed(back->bytes_per_s, link->bytes_per_s)) {
            return false;
        }
    }
    return true;
}

/* Declares all attributes with their defaults. After its first drawing libgvc has defaults for
 * every graph. Empty values are not written. */
static bool declare(Agraph_t *dot)
{
    static const char *const defaults[][3] = {
        {"n", "kind", "npu"},           {"n", "shape", "circle"},    {"n", "style", "filled"},
        {"n", "fillcolor", "white"},    {"n", "fontcolor", "black"}, {"n", "fontname", "Helvetica"},
        {"n", "fontsize", "9"},         {"n", "margin", "0.03"},     {"n", "width", "0.36"},
        {"n", "height", "0.36"},        {"n", "label", ""},          {"e", "bandwidth", ""},
        {"e", "latency", ""},           {"e", "count", ""},          {"e", "label", ""},
        {"e", "fontname", "Helvetica"}, {"e", "fontsize", "8"},      {"e", "color", "#505a66"}};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        if (agattr(dot, defaults[i][0][0] == 'n' ? AGNODE : AGEDGE, orr_unconst(defaults[i][1]),
                   orr_unconst(defaults[i][2])) == NULL) {
            return false;
        }
    }
    return true;
}

static bool set(void *object, const char *name, const char *value)
{
    return agset(object, orr_unconst(name), orr_unconst(value)) == 0;
}

/* Adds all nodes in one subgraph, which DOT writes first, so that they appear in their order. */
static bool add_nodes(Agraph_t *dot, const struct net_graph *graph)
{
    Agraph_t *all = agsubg(dot, orr_unconst("nodes"), 1);
    for (uint32_t i = 0; i < graph->nodes; i++) {
        char text[NET_NODE_BYTES];
        Agnode_t *node = agnode(dot, orr_unconst(orr_net_node_name(graph, i, text)), 1);
        if (all == NULL || node == NULL || agsubnode(all, node, 1) == NULL) {
            return false;
        }
        const bool server = i < graph->npus + graph->servers;
        if (i >= graph->npus &&
            (!set(node, "kind", server ? "server" : "switch") || !set(node, "shape", "box") ||
             !set(node, "fillcolor", server ? "#1a936f" : "#1f6fb4") ||
             !set(node, "fontcolor", "white"))) {
            return false;
        }
    }
    return true;
}

static bool add_edge(Agraph_t *dot, const struct net_graph *graph, const struct net_link *link,
                     bool plain)
{
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES], text[ORR_FORMAT_BYTES];
    Agnode_t *tail = agnode(dot, orr_unconst(orr_net_node_name(graph, link->from, from)), 0);
    Agnode_t *head = agnode(dot, orr_unconst(orr_net_node_name(graph, link->to, to)), 0);
    Agedge_t *edge = tail == NULL || head == NULL ? NULL : agedge(dot, tail, head, NULL, 1);
    bool added = edge != NULL;
    if (added && !plain) {
        added = set(edge, "bandwidth", orr_exact_bandwidth(link->bytes_per_s, text)) &&
                set(edge, "latency", orr_exact_time(link->latency_ps, text));
    }
    if (added && link->count > 1) {
        (void)snprintf(text, sizeof text, "%" PRIu32, link->count);
        added = set(edge, "count", text);
        (void)snprintf(text, sizeof text, "x%" PRIu32, link->count);
        added = added && set(edge, "label", text);
    }
    return added;
}

Agraph_t *orr_graph_dot(const struct net_graph *graph, bool plain)
{
    const bool two_way = is_two_way(graph);
    Agraph_t *dot = agopen(orr_unconst("network"), two_way ? Agundirected : Agdirected, NULL);
    bool made = dot != NULL && declare(dot) && add_nodes(dot, graph);
    for (uint32_t i = 0; i < graph->links && made; i++) {
        if (!two_way || graph->link[i].from < graph->link[i].to) {
            made = add_edge(dot, graph, &graph->link[i], plain);
        }
    }
    if (!made && dot != NULL) {
        (void)agclose(dot);
    }
    return made ? dot : NULL;
}
