/* Graphs from the keys `graph`, `failures` and `changes` of a network section
 * (docs/file-formats.md). A graph is a list of links, a fabric, a file in DOT, or the network of
 * the workload. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "network/allocation.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_metrics.h"
#include "network/read/graph_read_private.h"
#include "network/route_options.h"

struct graph_section {
    int64_t npus, switches;
    const char *fabric, *file;
    double bandwidth;
    sim_time latency;
    unsigned latency_of;
    struct orr_conf_list names, links, routes, rings;
};

struct link_section {
    const char *from, *to;
    int64_t count;
    double bandwidth;
    sim_time latency;
    bool one_way;
};

static const struct orr_key_table link_table;

enum { LATENCY_OF_LINK, LATENCY_OF_PATH };
static const char *const latencies[] = {"link", "way", NULL};

static const struct orr_key graph_keys[] = {
    {.name = "npus",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct graph_section, npus),
     .low = 1,
     .high = NET_MAX_NODES / 2,
     .absent = "as the file says",
     .example = "npus: 2",
     .doc = "nodes 0 and on"},
    {.name = "fabric",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct graph_section, fabric),
     .absent = "the links given",
     .example = "fabric: full-mesh",
     .doc = "a builder of graphs, as --fabric of orrery run takes it: fat-tree:8, torus:4x4, ..."},
    {.name = "file",
     .type = ORR_KEY_TEXT,
     .path = true,
     .offset = offsetof(struct graph_section, file),
     .absent = "the links given",
     .example = "file: cluster.dot",
     .doc = "a graph in DOT, relative to this file"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct graph_section, bandwidth),
     .absent = "each link has its own",
     .example = "bandwidth: 12.5 GB/s",
     .doc = "of every link that has none of its own, one way"},
    {.name = "latency",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct graph_section, latency),
     .absent = "each link has its own, or none",
     .doc = "of every link that has none of its own"},
    {.name = "latency_of",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct graph_section, latency_of),
     .choices = latencies,
     .default_text = "link",
     .output_if_given = true,
     .doc = "what the latency of a fabric is of: link: each link; way: each path, where switches "
            "connect all NPUs: the first and the last link have half of it each, others none"},
    {.name = "switches",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct graph_section, switches),
     .high = NET_MAX_NODES / 2,
     .default_text = "0",
     .doc = "nodes after the NPUs"},
    {.name = "names",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct graph_section, names),
     .list = true,
     .example = "names: [a, b]",
     .doc = "of all nodes, NPUs first, to be used instead of numbers"},
    {.name = "links",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct graph_section, links),
     .list = true,
     .table = &link_table,
     .example = "links: [{from: 0, to: 1}]",
     .doc = "links"},
    {.name = "routes",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct graph_section, routes),
     .list = true,
     .table = &orr_graph_route_table,
     .example = "routes: [{from: 0, to: 1, nodes: [0, 1]}]",
     .doc = "paths that are taken instead of the shortest"},
    {.name = "rings",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct graph_section, rings),
     .list = true,
     .table = &orr_graph_ring_table,
     .example = "rings: [{npus: 2, jumps: [1]}]",
     .absent = "auto",
     .output_if_given = true,
     .list_text = "auto, auto:4, own, totient:4",
     .doc = "rings of all-reduces; they replace a fabric's rings of the same size. auto: of a "
            "fabric that has none, for each group those that are found on links among its members, "
            "no link in two of them; auto:R: R of them, which a group of all NPUs must have. own: "
            "one ring, in the group's own order. totient:R: R rings for groups of any "
            "size, by TotientPerms and SelectPermutations"},
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
     .example = "to: 1",
     .doc = "node"},
    {.name = "count",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct link_section, count),
     .low = 1,
     .high = 1 << 20,
     .default_text = "1",
     .doc = "parallel links"},
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
     .default_text = "false",
     .doc = "only from `from` to `to`"},
};

static const char *const sources[] = {"file", "npus", NULL};
static const struct orr_key_table link_table = {"a link", link_keys,
                                                sizeof link_keys / sizeof *link_keys, NULL};
const struct orr_key_table orr_net_graph_key_table = {
    "a graph", graph_keys, sizeof graph_keys / sizeof *graph_keys, sources};

/* ---- links ---- */

static enum orr_status read_link(struct graph_reader *reader, const struct orr_conf *map)
{
    struct link_section section = {.bandwidth = reader->kind.bytes_per_s,
                                   .latency = reader->kind.latency_ps};
    uint32_t from = 0, to = 0;
    enum orr_status status = orr_conf_read(map, "a link", KEYS(link_keys), &section, reader->diag);
    if (status == ORR_OK) {
        status = orr_graph_read_node(reader, map, section.from, &from);
    }
    if (status == ORR_OK) {
        status = orr_graph_read_node(reader, map, section.to, &to);
    }
    if (status != ORR_OK) {
        return status;
    }
    if (from == to) {
        return orr_graph_read_fail(reader, map, "expected a link between two nodes", section.to);
    }
    if (!(section.bandwidth > 0)) {
        return orr_graph_read_fail(reader, map,
                                   "expected a bandwidth, such as bandwidth: 12.5 GB/s", "none");
    }
    const struct net_link link = {.from = from,
                                  .to = to,
                                  .count = (uint32_t)section.count,
                                  .bytes_per_s = section.bandwidth,
                                  .latency_ps = section.latency};
    orr_net_graph_link(&reader->builder, &link);
    if (!section.one_way) {
        const struct net_link back = {.from = to,
                                      .to = from,
                                      .count = link.count,
                                      .bytes_per_s = link.bytes_per_s,
                                      .latency_ps = link.latency_ps};
        orr_net_graph_link(&reader->builder, &back);
    }
    return ORR_OK;
}

/* ---- the section ---- */

/* Reads a graph given as a list of links. */
static enum orr_status read_listed(struct graph_reader *reader, const struct orr_conf *map,
                                   const struct graph_section *section, struct net_graph *graph)
{
    const struct orr_conf *const *link = section->links.values;
    const uint32_t npus = (uint32_t)section->npus;
    reader->nodes = npus + (uint32_t)section->switches;
    orr_net_graph_begin(&reader->builder, reader->arena, npus, (uint32_t)section->switches);
    enum orr_status status = orr_graph_read_names(
        reader, map, (const char *const *)section->names.values, section->names.count);
    for (size_t i = 0; i < section->links.count && status == ORR_OK; i++) {
        status = read_link(reader, link[i]);
    }
    return status == ORR_OK ? orr_net_graph_end(&reader->builder, graph, reader->diag) : status;
}

/* Takes over the node names of a graph that was built or read elsewhere. */
static enum orr_status read_made_names(struct graph_reader *reader, const struct orr_conf *map,
                                       const struct net_graph *graph)
{
    reader->nodes = graph->nodes;
    return graph->name != NULL ? orr_graph_read_names(reader, map, graph->name, graph->nodes)
                               : ORR_OK;
}

/* Splits the latency of a path over its first and last link, which are links of NPUs; the first
 * gets the odd picosecond. All other links get 0. */
static enum orr_status split_path_latency(struct graph_reader *reader, const struct orr_conf *map,
                                          struct net_graph *graph)
{
    const sim_time path_ps = reader->kind.latency_ps;
    struct net_link *link = orr_arena_array(reader->arena, graph->links, sizeof *link);
    if (link == NULL) {
        return orr_diag_no_memory(reader->diag, "the links of the network");
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        const bool first = graph->link[i].from < graph->npus,
                   last = graph->link[i].to < graph->npus;
        if (first && last) {
            return orr_graph_read_fail(reader, orr_conf_get(map, "latency_of"),
                                       "expected link, because NPUs are linked directly",
                                       latencies[LATENCY_OF_PATH]);
        }
        link[i] = graph->link[i];
        link[i].latency_ps = first ? path_ps - path_ps / 2 : last ? path_ps / 2 : 0;
    }
    graph->link = link;
    return ORR_OK;
}

/* latency_of: way requires a fabric: only its links all have the same latency. */
static enum orr_status check_latency(const struct graph_reader *reader, const struct orr_conf *map,
                                     const struct graph_section *section)
{
    const bool built = section->fabric != NULL && strcmp(section->fabric, "graph") != 0;
    return section->latency_of == LATENCY_OF_LINK || built
               ? ORR_OK
               : orr_graph_read_fail(reader, orr_conf_get(map, "latency_of"),
                                     "expected link, because the graph is not a fabric",
                                     latencies[LATENCY_OF_PATH]);
}

static enum orr_status build_fabric(struct graph_reader *reader, const struct orr_conf *map,
                                    const struct graph_section *section, struct net_graph *graph,
                                    const struct net_routing **routing)
{
    if (!(reader->kind.bytes_per_s > 0)) {
        reader->kind.bytes_per_s = reader->own->kind.bytes_per_s;
    }
    const struct net_fabric fabric = {.text = section->fabric,
                                      .npus = section->npus != 0 ? (uint32_t)section->npus
                                                                 : reader->own->npus,
                                      .kind = reader->kind,
                                      .seed = reader->seed};
    const struct orr_conf *at = orr_conf_get(map, "fabric");
    if (!(reader->kind.bytes_per_s > 0)) {
        return orr_graph_read_fail(reader, at,
                                   "expected the key \"bandwidth\" as well, such as bandwidth: "
                                   "12.5 GB/s",
                                   "none");
    }
    const enum orr_status status =
        orr_net_build_fabric(&fabric, reader->arena, graph, routing, reader->diag);
    if (status == ORR_ERR_INPUT) {
        reader->diag->place = orr_conf_location(at);
    }
    if (status == ORR_OK && section->latency_of == LATENCY_OF_PATH &&
        split_path_latency(reader, map, graph) != ORR_OK) {
        return reader->diag->status;
    }
    return status == ORR_OK ? read_made_names(reader, map, graph) : status;
}

/* Builds the network that the workload brings (fabric: graph). */
static enum orr_status make_workload_graph(struct graph_reader *reader, const struct orr_conf *map,
                                           struct net_link_kind link_kind, struct net_graph *graph)
{
    const struct net_workload_graph *own = reader->own;
    const struct orr_conf *at = orr_conf_get(map, "fabric");
    if (own->make == NULL) {
        return orr_graph_read_fail(reader, at,
                                   "expected a builder of graphs, or a workload with a "
                                   "network of its own",
                                   "graph without one");
    }
    link_kind.latency_ps =
        orr_conf_get(map, "latency") != NULL ? link_kind.latency_ps : own->kind.latency_ps;
    const enum orr_status status =
        own->make(own->context, reader->arena, link_kind, graph, reader->diag);
    return status == ORR_OK ? read_made_names(reader, map, graph) : status;
}

static enum orr_status read_file(struct graph_reader *reader, const struct orr_conf *map,
                                 struct net_graph *graph)
{
    const struct orr_conf *at = orr_conf_get(map, "file");
    const char *path = orr_conf_resolve_path(reader->arena, at);
    if (path == NULL) {
        return orr_diag_no_memory(reader->diag, "the graph of the network");
    }
    const enum orr_status status =
        orr_net_graph_read_dot(reader->arena, path, reader->kind, graph, reader->diag);
    return status == ORR_OK ? read_made_names(reader, map, graph) : status;
}

/* Fails if a fabric or a file is combined with keys that list a graph. */
static enum orr_status check_source(const struct graph_reader *reader, const struct orr_conf *map,
                                    const struct graph_section *section)
{
    static const char *const of_links[] = {"npus", "fabric", "switches", "names", "links"};
    const size_t first = section->file != NULL ? 0 : 2;
    const bool counted = section->npus != 0 || (section->fabric != NULL && reader->own->npus != 0);
    if (!counted && section->file == NULL) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s: a graph needs the key \"npus\" (nodes 0 and on), such as npus: "
                             "16, with links or a fabric; or \"file\"",
                             map->path);
    }
    if (section->file == NULL && section->fabric == NULL) {
        return ORR_OK;
    }
    for (size_t i = first; i < sizeof of_links / sizeof *of_links; i++) {
        const struct orr_conf *extra = orr_conf_get(map, of_links[i]);
        if (extra != NULL) {
            const struct orr_location place = orr_conf_key_location(extra);
            return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                                 "%s: the %s gives the graph already; remove one of the two",
                                 extra->path, section->file != NULL ? "file" : "fabric");
        }
    }
    return ORR_OK;
}

/* Reads the graph from exactly one source: links, fabric or file. */
static enum orr_status read_source(struct graph_reader *reader, const struct orr_conf *map,
                                   const struct graph_section *section, struct net_graph *graph,
                                   const struct net_routing **routing)
{
    enum orr_status status = check_source(reader, map, section);
    if (status == ORR_OK) {
        status = check_latency(reader, map, section);
    }
    if (status != ORR_OK) {
        return status;
    }
    if (section->file != NULL) {
        *routing = orr_net_routing_for(NET_ROUTES_SHORTEST);
        return read_file(reader, map, graph);
    }
    if (section->fabric != NULL && strcmp(section->fabric, "graph") == 0) {
        const struct net_link_kind link_kind = {.bytes_per_s = section->bandwidth,
                                                .latency_ps = section->latency};
        return make_workload_graph(reader, map, link_kind, graph);
    }
    return section->fabric != NULL ? build_fabric(reader, map, section, graph, routing)
                                   : read_listed(reader, map, section, graph);
}

/* Demand-aware circuits have no links yet that could fail or change. */
static enum orr_status check_no_changes(const struct graph_reader *reader,
                                        const struct net_graph_source *source,
                                        const struct net_graph *graph)
{
    const struct orr_conf *at =
        source->failures.count != 0 ? source->failures_at : source->changes_at;
    if (!orr_net_is_allocated(graph) ||
        (source->failures.count == 0 && source->changes.count == 0)) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(at);
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                         "%s: expected none: demand-aware circuits have no links before the run",
                         at->path);
}

enum orr_status orr_net_graph_read(struct orr_arena *arena, const struct net_graph_source *source,
                                   struct net_graph *graph, const struct net_routing **routing,
                                   struct orr_diag *diag)
{
    struct graph_reader reader = {
        .arena = arena, .diag = diag, .seed = source->seed, .own = &source->own};
    struct graph_section section = {0};
    const struct orr_conf *map = source->graph;
    enum orr_status status = orr_conf_read(map, "a graph", KEYS(graph_keys), &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    reader.kind = (struct net_link_kind){.bytes_per_s = section.bandwidth,
                                         .latency_ps = orr_conf_get(map, "latency") != NULL
                                                           ? section.latency
                                                           : source->own.kind.latency_ps};
    *routing = orr_net_routing_for(NET_ROUTES_BY_TABLE);
    status = read_source(&reader, map, &section, graph, routing);
    status = status == ORR_OK ? check_no_changes(&reader, source, graph) : status;
    if (status == ORR_OK) {
        status = orr_graph_read_failures(&reader, source, graph);
    }
    graph->reroutes = source->reroutes;
    if (status == ORR_OK && source->circuits != NULL) {
        status = orr_graph_read_circuits(&reader, source->circuits, graph);
        *routing =
            orr_net_is_allocated(graph) ? orr_net_routing_for(NET_ROUTES_SHORTEST) : *routing;
    }
    if (status == ORR_OK) {
        status = check_no_changes(&reader, source, graph);
    }
    if (status == ORR_OK) {
        graph->recovery = source->recovery;
        status = orr_graph_read_changes(&reader, &source->changes, graph);
    }
    if (status == ORR_OK) {
        status = orr_graph_read_routes(&reader, &section.routes, graph);
    }
    if (status == ORR_OK) {
        status = orr_graph_read_rings(&reader, orr_conf_get(map, "rings"), &section.rings, graph);
    }
    if (status == ORR_OK) {
        status = orr_net_graph_check_connected(graph, arena, diag);
    }
    if (status == ORR_OK && graph->reroutes && graph->changes != 0) {
        status = orr_graph_check_partition(&reader, graph, source->changes_at);
    }
    if (status == ORR_ERR_INPUT && diag->place.kind == ORR_LOCATION_NONE) {
        diag->place = orr_conf_location(map);
    }
    return status;
}
