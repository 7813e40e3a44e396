/* Nodes and links of a graph that are out of order, and how they are named: see
 * graph_read_private.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "network/read/graph_read_private.h"

/* ---- "NODE" and "FROM-TO" ---- */

/* The node that the first bytes of a text name, or that has their number; false: there is none. */
static bool find_node(const struct graph_reader *reader, const char *text, size_t length,
                      uint32_t *out)
{
    const struct named key = {.name = orr_arena_strndup(reader->arena, text, length)};
    if (key.name == NULL) {
        return false;
    }
    const struct named *named = reader->names == 0 ? NULL
                                                   : bsearch(&key, reader->named, reader->names,
                                                             sizeof *named, orr_graph_read_by_name);
    int64_t number = 0;
    if (named != NULL) {
        *out = named->node;
        return true;
    }
    if (!orr_parse_integer(key.name, &number) || number < 0 || number >= reader->nodes) {
        return false;
    }
    *out = (uint32_t)number;
    return true;
}

/* Names may have dashes too: every dash is tried. */
enum orr_status orr_graph_read_pair(const struct graph_reader *reader, const struct orr_conf *at,
                                    const char *text, uint32_t *one, uint32_t *two)
{
    unsigned ways = 0;
    if (find_node(reader, text, strlen(text), one)) {
        *two = *one;
        return ORR_OK;
    }
    for (const char *dash = strchr(text, '-'); dash != NULL; dash = strchr(dash + 1, '-')) {
        uint32_t from = 0, to = 0;
        if (find_node(reader, text, (size_t)(dash - text), &from) &&
            find_node(reader, dash + 1, strlen(dash + 1), &to)) {
            *one = from;
            *two = to;
            ways++;
        }
    }
    if (ways == 1 && *one != *two) {
        return ORR_OK;
    }
    if (ways == 0) {
        const struct orr_place place = orr_conf_place(at);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a node, 0 to %" PRIu32 "%s, or a link as FROM-TO, got "
                             "\"%s\"",
                             at->path, reader->nodes - 1, reader->names != 0 ? " or a name" : "",
                             text);
    }
    return orr_graph_read_fail(reader, at,
                               ways > 1
                                   ? "expected a link of which the dash is plain; rename a node"
                                   : "expected a link between two nodes",
                               text);
}

/* ---- failures ---- */

/* What is left out of a graph. */
struct failed {
    const struct net_graph *graph;
    bool *node, *link;
};

static bool fail_link(const struct failed *failed, uint32_t from, uint32_t to)
{
    const uint32_t link = orr_net_graph_find(failed->graph, from, to);
    const bool was_there = link != NET_NO_LINK && !failed->link[link];
    if (was_there) {
        failed->link[link] = true;
    }
    return was_there;
}

/* A failed node takes its links with it; a failed link goes both ways. */
static enum orr_status fail_one(const struct graph_reader *reader, const struct failed *failed,
                                const struct orr_conf *at, const char *text)
{
    uint32_t one = 0, two = 0;
    const enum orr_status status = orr_graph_read_pair(reader, at, text, &one, &two);
    if (status != ORR_OK) {
        return status;
    }
    bool there = one == two && !failed->node[one];
    if (one == two) {
        failed->node[one] = true;
    } else {
        there = fail_link(failed, one, two);
        there = fail_link(failed, two, one) || there;
    }
    return there ? ORR_OK
                 : orr_graph_read_fail(reader, at,
                                       "expected a node that works, or a link that there is", text);
}

static enum orr_status rebuild(struct graph_reader *reader, const struct failed *failed,
                               struct net_graph *graph)
{
    const struct net_graph whole = *graph;
    orr_net_graph_begin(&reader->builder, reader->arena, whole.npus, whole.nodes - whole.npus);
    reader->builder.name = whole.name;
    for (uint32_t i = 0; i < whole.links; i++) {
        const struct net_link *link = &whole.link[i];
        if (!failed->link[i] && !failed->node[link->from] && !failed->node[link->to]) {
            orr_net_graph_link(&reader->builder, link);
        }
    }
    const enum orr_status status = orr_net_graph_end(&reader->builder, graph, reader->diag);
    graph->failed_links = whole.links - graph->links;
    graph->servers = whole.servers;
    graph->logical = whole.logical;
    graph->dims = whole.dims;
    graph->dim = whole.dim;
    graph->first_in_dims = whole.first_in_dims;
    graph->rings = whole.rings;
    graph->ring = whole.ring;
    return status;
}

enum orr_status orr_graph_read_failures(struct graph_reader *reader,
                                        const struct net_graph_source *source,
                                        struct net_graph *graph)
{
    const char *const *failure = source->failures.values;
    const struct net_graph whole = *graph;
    const struct failed failed = {
        .graph = &whole,
        .node = orr_arena_array(reader->arena, (size_t)whole.nodes + 1, sizeof(bool)),
        .link = orr_arena_array(reader->arena, (size_t)whole.links + 1, sizeof(bool))};
    enum orr_status status = failed.node != NULL && failed.link != NULL
                                 ? ORR_OK
                                 : orr_diag_no_memory(reader->diag, "failures of the network");
    for (size_t i = 0; i < source->failures.count && status == ORR_OK; i++) {
        status = fail_one(reader, &failed, source->failures_at->item[i], failure[i]);
    }
    return status == ORR_OK && source->failures.count != 0 ? rebuild(reader, &failed, graph)
                                                           : status;
}
