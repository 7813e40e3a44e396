/* Failed nodes and links of a graph, and the notation of nodes and links ("NODE", "FROM-TO"): see
 * graph_read_private.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/units.h"
#include "network/graph.h"
#include "network/read/graph_read_private.h"

/* ---- "NODE" and "FROM-TO" ---- */

/* Finds the node with this name or number; false if there is none. */
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

/* Number of ways to parse the text as one node (returned twice) or as FROM-TO. Names may contain
 * dashes, so every dash is tried; 1 is unambiguous. */
static unsigned find_pair(const struct graph_reader *reader, const char *text, size_t length,
                          uint32_t *one, uint32_t *two)
{
    unsigned readings = 0;
    if (find_node(reader, text, length, one)) {
        *two = *one;
        return 1;
    }
    for (size_t dash = 0; dash < length; dash++) {
        uint32_t from = 0, to = 0;
        if (text[dash] == '-' && find_node(reader, text, dash, &from) &&
            find_node(reader, text + dash + 1, length - dash - 1, &to)) {
            *one = from;
            *two = to;
            readings += from != to ? 1 : 2;
        }
    }
    return readings;
}

static enum orr_status fail_pair(const struct graph_reader *reader, const struct orr_conf *at,
                                 const char *text, unsigned readings, bool same)
{
    if (readings == 0) {
        const struct orr_location place = orr_conf_location(at);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a node, 0 to %" PRIu32 "%s, or a link as FROM-TO, got "
                             "\"%s\"",
                             at->path, reader->nodes - 1, reader->names != 0 ? " or a name" : "",
                             text);
    }
    return orr_graph_read_fail(reader, at,
                               same ? "expected a link between two nodes"
                                    : "expected an unambiguous link (names contain dashes); "
                                      "rename a node",
                               text);
}

enum orr_status orr_graph_read_pair(const struct graph_reader *reader, const struct orr_conf *at,
                                    const char *text, uint32_t *one, uint32_t *two)
{
    const unsigned readings = find_pair(reader, text, strlen(text), one, two);
    return readings == 1 ? ORR_OK
                         : fail_pair(reader, at, text, readings, readings == 2 && *one == *two);
}

/* ---- failures ---- */

/* Failed parts of a graph. */
struct failed {
    const struct net_graph *graph;
    bool *node;
    uint32_t *links; /* [links]: failed links of each record */
};

/* Fails `count` links of the record, or all if 0; false if fewer are left. */
static bool fail_link(const struct failed *failed, uint32_t from, uint32_t to, uint32_t count)
{
    const uint32_t link = orr_net_graph_find(failed->graph, from, to);
    const uint32_t left =
        link != NET_NO_LINK ? failed->graph->link[link].count - failed->links[link] : 0;
    const uint32_t lost = count != 0 ? count : left;
    if (left == 0 || lost > left) {
        return false;
    }
    failed->links[link] += lost;
    return true;
}

/* Parses the suffix of "0-1/2" (2 parallel links) and sets *length to the bytes before it; 0: no
 * suffix, all links. */
static uint32_t links_of(const struct graph_reader *reader, const char *text, size_t *length)
{
    const char *slash = strrchr(text, '/');
    uint32_t one, two;
    int64_t count = 0;
    *length = strlen(text);
    if (slash == NULL || find_pair(reader, text, *length, &one, &two) != 0 ||
        !orr_parse_integer(slash + 1, &count) || count < 1 || count > NET_MAX_PARALLEL) {
        return 0;
    }
    *length = (size_t)(slash - text);
    return (uint32_t)count;
}

/* A failed node also fails its links; a failed link fails in both directions. */
static enum orr_status fail_one(const struct graph_reader *reader, const struct failed *failed,
                                const struct orr_conf *at, const char *text)
{
    uint32_t one = 0, two = 0;
    size_t length = 0;
    const uint32_t count = links_of(reader, text, &length);
    const unsigned readings = find_pair(reader, text, length, &one, &two);
    if (readings != 1) {
        return fail_pair(reader, at, text, readings, readings == 2 && one == two);
    }
    bool exists = one == two && !failed->node[one] && count == 0;
    if (one == two) {
        failed->node[one] = true;
    } else {
        exists = fail_link(failed, one, two, count);
        exists = fail_link(failed, two, one, count) || exists;
    }
    return exists ? ORR_OK
                  : orr_graph_read_fail(reader, at,
                                        count != 0 ? "expected at most the number of parallel links"
                                                   : "expected a working node or an existing link",
                                        text);
}

/* Stores the original records that lost links in the graph; false if memory is out. */
static bool list_failed(const struct graph_reader *reader, const struct failed *failed,
                        struct net_graph *graph)
{
    const struct net_graph *intact = failed->graph;
    struct net_link *lost = orr_arena_array(reader->arena, (size_t)intact->links + 1, sizeof *lost);
    uint32_t count = 0;
    for (uint32_t i = 0; lost != NULL && i < intact->links; i++) {
        if (failed->links[i] != 0) {
            lost[count++] = intact->link[i];
        }
    }
    graph->failed_links = count;
    graph->failed_link = lost;
    return lost != NULL;
}

static enum orr_status rebuild(struct graph_reader *reader, const struct failed *failed,
                               struct net_graph *graph)
{
    const struct net_graph intact = *graph;
    orr_net_graph_begin(&reader->builder, reader->arena, intact.npus, intact.nodes - intact.npus);
    reader->builder.name = intact.name;
    for (uint32_t i = 0; i < intact.links; i++) {
        struct net_link link = intact.link[i];
        if (failed->node[link.from] || failed->node[link.to]) {
            failed->links[i] = link.count;
        }
        link.count -= failed->links[i];
        if (link.count != 0) {
            orr_net_graph_link(&reader->builder, &link);
        }
    }
    const enum orr_status status = orr_net_graph_end(&reader->builder, graph, reader->diag);
    graph->servers = intact.servers;
    graph->logical = intact.logical;
    graph->dims = intact.dims;
    graph->dim = intact.dim;
    graph->first_in_dims = intact.first_in_dims;
    graph->rings = intact.rings;
    graph->ring = intact.ring;
    return status != ORR_OK || list_failed(reader, failed, graph)
               ? status
               : orr_diag_no_memory(reader->diag, "failures of the network");
}

enum orr_status orr_graph_read_failures(struct graph_reader *reader,
                                        const struct net_graph_source *source,
                                        struct net_graph *graph)
{
    const char *const *failure = source->failures.values;
    const struct net_graph intact = *graph;
    const struct failed failed = {
        .graph = &intact,
        .node = orr_arena_array(reader->arena, (size_t)intact.nodes + 1, sizeof(bool)),
        .links = orr_arena_array(reader->arena, (size_t)intact.links + 1, sizeof(uint32_t))};
    enum orr_status status = failed.node != NULL && failed.links != NULL
                                 ? ORR_OK
                                 : orr_diag_no_memory(reader->diag, "failures of the network");
    for (size_t i = 0; i < source->failures.count && status == ORR_OK; i++) {
        status = fail_one(reader, &failed, source->failures_at->item[i], failure[i]);
    }
    return status == ORR_OK && source->failures.count != 0 ? rebuild(reader, &failed, graph)
                                                           : status;
}
