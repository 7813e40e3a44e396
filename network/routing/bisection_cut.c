/* The least cut between given halves: see bisection.h. All NPUs of a half are one node; igraph
 * finds the maximum flow through the switches between the two. */
#include <igraph.h>

#include "network/routing/bisection.h"

enum { SOURCE, SINK, FIRST_SWITCH };

static igraph_integer_t node_of(const struct bisection *all, uint32_t node, uint8_t from)
{
    if (node >= all->graph->npus) {
        return (igraph_integer_t)(node - all->graph->npus) + FIRST_SWITCH;
    }
    return all->half[node] == from ? SOURCE : SINK;
}

static igraph_error_t fill(const struct bisection *all, uint8_t from, igraph_vector_int_t *ends,
                           igraph_vector_t *capacity)
{
    igraph_error_t error = IGRAPH_SUCCESS;
    for (uint32_t i = 0; i < all->graph->links && error == IGRAPH_SUCCESS; i++) {
        const struct net_link *link = &all->graph->link[i];
        const igraph_integer_t a = node_of(all, link->from, from), b = node_of(all, link->to, from);
        if (a == b || a == SINK || b == SOURCE) {
            continue; /* of no use to the flow */
        }
        error = igraph_vector_int_push_back(ends, a);
        if (error == IGRAPH_SUCCESS) {
            error = igraph_vector_int_push_back(ends, b);
        }
        if (error == IGRAPH_SUCCESS) {
            error = igraph_vector_push_back(capacity, net_link_capacity(link));
        }
    }
    return error;
}

static igraph_error_t find_flow(const struct bisection *all, const igraph_vector_int_t *ends,
                                const igraph_vector_t *capacity, double *out)
{
    igraph_t graph;
    const igraph_integer_t nodes = FIRST_SWITCH + all->graph->nodes - all->graph->npus;
    igraph_error_t error = igraph_create(&graph, ends, nodes, IGRAPH_DIRECTED);
    if (error == IGRAPH_SUCCESS) {
        error = igraph_maxflow_value(&graph, out, SOURCE, SINK, capacity, NULL);
        igraph_destroy(&graph);
    }
    return error;
}

static igraph_error_t flow_from(const struct bisection *all, uint8_t from, double *out)
{
    igraph_vector_int_t ends;
    igraph_vector_t capacity;
    igraph_error_t error = igraph_vector_int_init(&ends, 0);
    if (error != IGRAPH_SUCCESS) {
        return error;
    }
    error = igraph_vector_init(&capacity, 0);
    if (error == IGRAPH_SUCCESS) {
        error = fill(all, from, &ends, &capacity);
        if (error == IGRAPH_SUCCESS) {
            error = find_flow(all, &ends, &capacity, out);
        }
        igraph_vector_destroy(&capacity);
    }
    igraph_vector_int_destroy(&ends);
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

enum orr_status bisection_cut(const struct bisection *all, double *bytes_per_s)
{
    double sum[2] = {0, 0};
    igraph_error_t error = IGRAPH_SUCCESS;
    if (all->graph->nodes == all->graph->npus) {
        add_up(all, sum);
    } else {
        orr_library_lock();
        igraph_error_handler_t *errors = igraph_set_error_handler(igraph_error_handler_ignore);
        for (uint8_t from = 0; from < 2 && error == IGRAPH_SUCCESS; from++) {
            error = flow_from(all, from, &sum[from]);
        }
        (void)igraph_set_error_handler(errors);
        orr_library_unlock();
    }
    *bytes_per_s = sum[0] < sum[1] ? sum[0] : sum[1];
    return error == IGRAPH_SUCCESS ? ORR_OK : ORR_ERR_MEMORY;
}
