/* Minimum cut between given halves: see bisection.h. The NPUs of each half are contracted to one
 * node; igraph computes the maximum flow through the switches between them. */
#include "network/graph.h"
#include "network/routing/bisection.h"

enum { SOURCE, SINK, FIRST_SWITCH };

static igraph_integer_t node_of(const struct bisection *all, uint32_t node, uint8_t from)
{
    if (node >= all->graph->npus) {
        return (igraph_integer_t)(node - all->graph->npus) + FIRST_SWITCH;
    }
    return all->half[node] == from ? SOURCE : SINK;
}

/* Lists the links that a flow from one half to the other may use; returns their number. */
static igraph_integer_t fill(const struct bisection *all, uint8_t from)
{
    igraph_integer_t count = 0;
    for (uint32_t i = 0; i < all->graph->links; i++) {
        const struct net_link *link = &all->graph->link[i];
        const igraph_integer_t a = node_of(all, link->from, from);
        const igraph_integer_t b = node_of(all, link->to, from);
        if (a != b && a != SINK && b != SOURCE) {
            all->ends[2 * count] = a;
            all->ends[2 * count + 1] = b;
            all->capacity[count++] = net_link_capacity(link);
        }
    }
    return count;
}

static igraph_error_t flow_from(const struct bisection *all, uint8_t from, double *out)
{
    const struct igraph_calls *igraph = &all->igraph;
    const igraph_integer_t nodes = FIRST_SWITCH + all->graph->nodes - all->graph->npus;
    const igraph_integer_t count = fill(all, from);
    igraph_vector_int_t ends;
    igraph_vector_t capacity;
    igraph_t graph;
    igraph_error_t error = igraph->create(
        &graph, igraph->vector_int_view(&ends, all->ends, 2 * count), nodes, IGRAPH_DIRECTED);
    if (error == IGRAPH_SUCCESS) {
        error = igraph->maxflow_value(&graph, out, SOURCE, SINK,
                                      igraph->vector_view(&capacity, all->capacity, count), NULL);
        igraph->destroy(&graph);
    }
    return error;
}

static void add_up(const struct bisection *all, double sum[2])
{
    for (uint32_t i = 0; i < all->graph->links; i++) {
        const struct net_link *link = &all->graph->link[i];
        const uint8_t from = all->half[link->from];
        sum[from] += from != all->half[link->to] ? net_link_capacity(link) : 0;
    }
}

enum orr_status orr_bisection_cut(const struct bisection *all, double *bytes_per_s)
{
    double sum[2] = {0, 0};
    igraph_error_t error = IGRAPH_SUCCESS;
    if (all->graph->nodes == all->graph->npus) {
        add_up(all, sum);
    } else {
        const struct igraph_handlers handlers = orr_igraph_calls_quiet(&all->igraph);
        for (uint8_t from = 0; from < 2 && error == IGRAPH_SUCCESS; from++) {
            error = flow_from(all, from, &sum[from]);
        }
        orr_igraph_calls_loud(&all->igraph, handlers);
    }
    *bytes_per_s = sum[0] < sum[1] ? sum[0] : sum[1];
    return error == IGRAPH_SUCCESS ? ORR_OK : ORR_ERR_MEMORY;
}
