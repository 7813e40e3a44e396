/* Graphs from files: the keys `graph`, `failures` and `changes` of a network section
 * (docs/file-formats.md).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "network/graph_read_private.h"

struct graph_section {
    int64_t npus, switches;
    struct orr_conf_list names, links, routes, rings;
};

struct link_section {
    const char *from, *to;
    int64_t count;
    double bandwidth;
    sim_time latency;
    bool one_way;
};

struct ring_section {
    int64_t npus;
    struct orr_conf_list jumps;
};

struct network_section {
    const struct orr_conf *graph;
    struct orr_conf_list failures, changes;
};

static const struct orr_key network_keys[] = {
    {.name = "graph",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct network_section, graph),
     .required = true,
     .example = "graph: {npus: 2, links: [{from: 0, to: 1, bandwidth: 12.5 GB/s}]}",
     .doc = "NPUs, switches and links"},
    {.name = "failures",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct network_section, failures),
     .list = true,
     .doc = "nodes, and links as FROM-TO, that are out of order"},
    {.name = "changes",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct network_section, changes),
     .list = true,
     .doc = "bandwidths of links from a time on"},
};

static const struct orr_key graph_keys[] = {
    {.name = "npus",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct graph_section, npus),
     .required = true,
     .low = 1,
     .high = NET_MAX_NODES / 2,
     .example = "npus: 16",
     .doc = "nodes 0 and on"},
    {.name = "switches",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct graph_section, switches),
     .high = NET_MAX_NODES / 2,
     .fallback = "0",
     .doc = "the nodes behind the NPUs"},
    {.name = "names",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct graph_section, names),
     .list = true,
     .doc = "of all nodes, NPUs first, to be used instead of numbers"},
    {.name = "links",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct graph_section, links),
     .list = true,
     .doc = "links"},
    {.name = "routes",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct graph_section, routes),
     .list = true,
     .doc = "paths that are taken instead of the shortest"},
    {.name = "rings",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct graph_section, rings),
     .list = true,
     .doc = "rings of all-reduces"},
};

static const struct orr_key link_keys[] = {
    {.name = "from",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct link_section, from),
     .required = true,
     .example = "from: 0",
     .doc = "node"},
    {.name = "to",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct link_section, to),
     .required = true,
     .example = "to: 16",
     .doc = "node"},
    {.name = "count",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct link_section, count),
     .low = 1,
     .high = 1 << 20,
     .fallback = "1",
     .doc = "links side by side"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct link_section, bandwidth),
     .absent = "as given for all links",
     .doc = "of one of them, one way"},
    {.name = "latency",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct link_section, latency),
     .absent = "as given for all links",
     .doc = "of one of them"},
    {.name = "one_way",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct link_section, one_way),
     .fallback = "false",
     .doc = "only from `from` to `to`"},
};

static const struct orr_key ring_keys[] = {
    {.name = "npus",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct ring_section, npus),
     .required = true,
     .low = 2,
     .high = NET_MAX_NODES,
     .example = "npus: 16",
     .doc = "NPUs of a group"},
    {.name = "jumps",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct ring_section, jumps),
     .required = true,
     .list = true,
     .least = 1,
     .low = -NET_MAX_NODES,
     .high = NET_MAX_NODES,
     .example = "jumps: [1]",
     .doc = "places that a step around the ring adds, over as many links"},
};

/* ---- nodes ---- */

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct named *)left)->name, ((const struct named *)right)->name);
}

enum orr_status graph_read_fail(const struct graph_reader *reader, const struct orr_conf *at,
                                const char *problem, const char *got)
{
    const struct orr_place place = orr_conf_place(at);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place, "%s: %s, got \"%s\"", at->path,
                         problem, got);
}

static enum orr_status read_names(struct graph_reader *reader, const struct orr_conf *map,
                                  const struct graph_section *section)
{
    const char *const *names = section->names.values;
    if (section->names.count == 0) {
        return ORR_OK;
    }
    const struct orr_conf *at = orr_conf_get(map, "names");
    if (section->names.count != reader->nodes) {
        const struct orr_place place = orr_conf_place(at);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a name for each of the %" PRIu32 " nodes, got %zu",
                             at->path, reader->nodes, section->names.count);
    }
    reader->named = orr_arena_array(reader->arena, reader->nodes, sizeof *reader->named);
    if (reader->named == NULL) {
        return orr_diag_no_memory(reader->diag, "the graph of the network");
    }
    for (uint32_t i = 0; i < reader->nodes; i++) {
        reader->named[i] = (struct named){.name = names[i], .node = i};
    }
    qsort(reader->named, reader->nodes, sizeof *reader->named, by_name);
    for (uint32_t i = 1; i < reader->nodes; i++) {
        if (by_name(&reader->named[i - 1], &reader->named[i]) == 0) {
            return graph_read_fail(reader, at, "expected a name of its own for each node",
                                   reader->named[i].name);
        }
    }
    reader->names = reader->nodes;
    reader->builder.name = names;
    return ORR_OK;
}

enum orr_status graph_read_node(const struct graph_reader *reader, const struct orr_conf *at,
                                const char *text, uint32_t *out)
{
    const struct named key = {.name = text};
    const struct named *named =
        reader->names == 0 ? NULL
                           : bsearch(&key, reader->named, reader->names, sizeof *named, by_name);
    int64_t number = 0;
    if (named != NULL) {
        *out = named->node;
    } else if (orr_parse_integer(text, &number) && number >= 0 && number < reader->nodes) {
        *out = (uint32_t)number;
    } else {
        const struct orr_place place = orr_conf_place(at);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a node, 0 to %" PRIu32 "%s, got \"%s\"", at->path,
                             reader->nodes - 1, reader->names != 0 ? " or a name" : "", text);
    }
    return ORR_OK;
}

/* ---- links and rings ---- */

static enum orr_status read_link(struct graph_reader *reader, const struct orr_conf *map)
{
    struct link_section section = {.bandwidth = reader->kind.bytes_per_s,
                                   .latency = reader->kind.latency_ps};
    uint32_t from = 0, to = 0;
    enum orr_status status = orr_conf_read(map, "a link", KEYS(link_keys), &section, reader->diag);
    if (status == ORR_OK) {
        status = graph_read_node(reader, map, section.from, &from);
    }
    if (status == ORR_OK) {
        status = graph_read_node(reader, map, section.to, &to);
    }
    if (status != ORR_OK) {
        return status;
    }
    if (from == to) {
        return graph_read_fail(reader, map, "expected a link between two nodes", section.to);
    }
    if (!(section.bandwidth > 0)) {
        return graph_read_fail(reader, map, "expected a bandwidth, such as bandwidth: 12.5 GB/s",
                               "none");
    }
    const struct net_link link = {.from = from,
                                  .to = to,
                                  .count = (uint32_t)section.count,
                                  .bytes_per_s = section.bandwidth,
                                  .latency_ps = section.latency};
    net_graph_link(&reader->builder, &link);
    if (!section.one_way) {
        const struct net_link back = {.from = to,
                                      .to = from,
                                      .count = link.count,
                                      .bytes_per_s = link.bytes_per_s,
                                      .latency_ps = link.latency_ps};
        net_graph_link(&reader->builder, &back);
    }
    return ORR_OK;
}

static enum orr_status read_ring(struct graph_reader *reader, const struct orr_conf *map)
{
    struct ring_section section = {0};
    const enum orr_status status =
        orr_conf_read(map, "a ring", KEYS(ring_keys), &section, reader->diag);
    const int64_t *jumps = section.jumps.values;
    int64_t jump = 0;
    for (size_t i = 0; status == ORR_OK && i < section.jumps.count; i++) {
        jump += jumps[i];
    }
    if (status == ORR_OK) {
        net_graph_ring(&reader->builder, (uint32_t)section.npus, (int32_t)(jump % section.npus));
    }
    return status;
}

/* The dash of "FROM-TO"; names may have dashes too. NULL: there is none. */
static const char *find_dash(const struct graph_reader *reader, const char *text)
{
    const char *dash = strchr(text, '-');
    for (; dash != NULL && reader->names != 0; dash = strchr(dash + 1, '-')) {
        const struct named key = {
            .name = orr_arena_strndup(reader->arena, text, (size_t)(dash - text))};
        if (key.name != NULL &&
            bsearch(&key, reader->named, reader->names, sizeof key, by_name) != NULL) {
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

/* ---- the section ---- */

static enum orr_status read_all(struct graph_reader *reader, const struct network_section *network,
                                const struct graph_section *section, struct net_graph *graph)
{
    const struct orr_conf *const *link = section->links.values;
    const struct orr_conf *const *ring = section->rings.values;
    const char *const *failure = network->failures.values;
    enum orr_status status = read_names(reader, network->graph, section);
    for (size_t i = 0; i < section->links.count && status == ORR_OK; i++) {
        status = read_link(reader, link[i]);
    }
    for (size_t i = 0; i < section->rings.count && status == ORR_OK; i++) {
        status = read_ring(reader, ring[i]);
    }
    const size_t whole = reader->builder.links;
    for (size_t i = 0; i < network->failures.count && status == ORR_OK; i++) {
        status = fail_one(reader, network->graph, failure[i]);
    }
    const size_t failed = whole - reader->builder.links;
    if (status == ORR_OK) {
        status = net_graph_end(&reader->builder, graph, reader->diag);
        graph->failed_links = (uint32_t)failed;
    }
    if (status == ORR_OK) {
        status = graph_read_changes(reader, &network->changes, graph);
    }
    return status == ORR_OK ? graph_read_routes(reader, &section->routes, graph) : status;
}

enum orr_status net_graph_read(struct orr_arena *arena, const struct orr_conf *map,
                               struct net_link_kind kind, struct net_graph *graph,
                               struct orr_diag *diag)
{
    struct graph_reader reader = {.arena = arena, .diag = diag, .kind = kind};
    struct network_section network = {0};
    struct graph_section section = {0};
    enum orr_status status =
        orr_conf_read(map, "a network section with a graph", KEYS(network_keys), &network, diag);
    if (status == ORR_OK) {
        status = orr_conf_read(network.graph, "a graph", KEYS(graph_keys), &section, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    reader.nodes = (uint32_t)(section.npus + section.switches);
    net_graph_begin(&reader.builder, arena, (uint32_t)section.npus, (uint32_t)section.switches);
    return read_all(&reader, &network, &section, graph);
}
