/* Nodes and links of a graph that are out of order: see graph_read_private.h. */
#include <stdlib.h>
#include <string.h>

#include "network/graph_read_private.h"

/* The dash of "FROM-TO"; names may have dashes too. NULL: there is none. */
static const char *find_dash(const struct graph_reader *reader, const char *text)
{
    const char *dash = strchr(text, '-');
    for (; dash != NULL && reader->names != 0; dash = strchr(dash + 1, '-')) {
        const struct named key = {
            .name = orr_arena_strndup(reader->arena, text, (size_t)(dash - text))};
        if (key.name != NULL &&
            bsearch(&key, reader->named, reader->names, sizeof key, graph_read_by_name) != NULL) {
            break;
        }
    }
    return dash;
}

/* Takes out the links of a node (`two` == `one`), or those between two. */
static size_t take_out(struct net_graph_builder *builder, uint32_t one, uint32_t two)
{
    size_t kept = 0;
    for (size_t i = 0; i < builder->links; i++) {
        const struct net_link link = builder->link[i];
        const bool from = link.from == one || link.from == two;
        const bool to = link.to == one || link.to == two;
        builder->link[kept] = link;
        kept += (one == two ? from || to : from && to) ? 0 : 1;
    }
    const size_t out = builder->links - kept;
    builder->links = kept;
    return out;
}

enum orr_status graph_read_pair(const struct graph_reader *reader, const struct orr_conf *at,
                                const char *text, uint32_t *one, uint32_t *two)
{
    const char *dash = find_dash(reader, text);
    const size_t length = dash == NULL ? strlen(text) : (size_t)(dash - text);
    const char *first = orr_arena_strndup(reader->arena, text, length);
    const enum orr_status status = first == NULL
                                       ? orr_diag_no_memory(reader->diag, "a link of the network")
                                       : graph_read_node(reader, at, first, one);
    *two = *one;
    return status == ORR_OK && dash != NULL ? graph_read_node(reader, at, dash + 1, two) : status;
}

/* A failed node takes its links with it; a failed link goes both ways. */
static enum orr_status fail_one(struct graph_reader *reader, const struct orr_conf *at,
                                const char *text)
{
    uint32_t one = 0, two = 0;
    const enum orr_status status = graph_read_pair(reader, at, text, &one, &two);
    return status == ORR_OK && take_out(&reader->builder, one, two) == 0
               ? graph_read_fail(reader, at, "expected a node with links, or a link that there is",
                                 text)
               : status;
}

enum orr_status graph_read_failures(struct graph_reader *reader,
                                    const struct net_graph_source *source, struct net_graph *graph)
{
    const char *const *failure = source->failures.values;
    const struct net_graph whole = *graph;
    enum orr_status status = ORR_OK;
    if (source->failures.count == 0) {
        return ORR_OK;
    }
    net_graph_begin(&reader->builder, reader->arena, whole.npus, whole.nodes - whole.npus);
    reader->builder.name = whole.name;
    for (uint32_t i = 0; i < whole.links; i++) {
        net_graph_link(&reader->builder, &whole.link[i]);
    }
    for (size_t i = 0; i < source->failures.count && status == ORR_OK; i++) {
        status = fail_one(reader, source->failures_at->item[i], failure[i]);
    }
    if (status == ORR_OK) {
        status = net_graph_end(&reader->builder, graph, reader->diag);
        graph->failed_links = whole.links - graph->links;
        graph->servers = whole.servers;
        graph->dims = whole.dims;
        graph->dim = whole.dim;
        graph->first_in_dims = whole.first_in_dims;
        graph->rings = whole.rings;
        graph->ring = whole.ring;
    }
    return status;
}
