/* Bounds of collectives as JSON. */
#include <jansson.h>

#include "network/graph.h"
#include "report/json_text.h"
#include "report/pictures/pictures.h"
#include "report/topology/bound_report.h"

static json_t *cut_of(const struct orr_bound *bound, const struct net_cut *cut, bool reversed)
{
    const struct net_graph *graph = &bound->view->graph;
    json_t *npus = json_array(), *switches = json_array();
    char name[NET_NODE_BYTES];
    if (cut->npus == 0) {
        json_decref(npus);
        json_decref(switches);
        return json_null();
    }
    for (uint32_t n = 0; n < graph->nodes; n++) {
        if (cut->side[n]) {
            (void)json_array_append_new(n < graph->npus ? npus : switches,
                                        n < graph->npus
                                            ? json_integer((json_int_t)n)
                                            : orr_json_text(orr_net_node_name(graph, n, name)));
        }
    }
    return json_pack("{s:o, s:o, s:s, s:f}", "npus", npus, "switches", switches, "direction",
                     reversed ? "in" : "out", "bandwidth_bytes_per_s", cut->bytes_per_s);
}

bool orr_bound_json(FILE *out, const struct orr_bound *bound)
{
    const struct orr_bound_request *request = &bound->request;
    json_t *root =
        json_pack("{s:o, s:s, s:I, s:I, s:I, s:o, s:o}", "graph", orr_json_text(bound->view->name),
                  "collective", orr_coll_kind_name(request->kind), "npus",
                  (json_int_t)bound->view->graph.npus, "bytes", (json_int_t)request->bytes,
                  "bound_ps", (json_int_t)bound->bound_ps, "optimum_ps",
                  bound->optimum_ps == ORR_NO_OPTIMUM ? json_null()
                                                      : json_integer((json_int_t)bound->optimum_ps),
                  "cut", cut_of(bound, &bound->cut, orr_bound_is_reversed(bound)));
    if (root != NULL && request->kind == COLL_ALL_REDUCE) {
        (void)json_object_set_new(root, "reduce_scatter_cut", cut_of(bound, &bound->reduce, true));
    }
    if (root != NULL && request->kind == COLL_ALL_TO_ALL) {
        (void)json_object_set_new(root, "reached_ps", json_integer((json_int_t)bound->reached_ps));
        (void)json_object_set_new(root, "cut_ps", json_integer((json_int_t)bound->cut_ps));
    }
    if (root != NULL && request->kind == COLL_BROADCAST) {
        (void)json_object_set_new(root, "root", json_integer((json_int_t)request->root));
    }
    return orr_json_write_and_free(root, out) == 0;
}
