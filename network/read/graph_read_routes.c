/* User-defined routes of a graph: see graph_read_private.h. */
#include <stdlib.h>

#include "core/arena.h"
#include "core/conf/conf_read.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/read/graph_read_private.h"

struct route_section {
    const char *from, *to;
    double chance;
    struct orr_conf_list nodes;
};

static const struct orr_key route_keys[] = {
    {.name = "from",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct route_section, from),
     .required = true,
     .example = "from: 0",
     .doc = "first node"},
    {.name = "to",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct route_section, to),
     .required = true,
     .example = "to: 1",
     .doc = "last node"},
    {.name = "chance",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct route_section, chance),
     .high = 1000,
     .default_text = "1",
     .doc = "weight among the paths of the same two nodes"},
    {.name = "nodes",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct route_section, nodes),
     .required = true,
     .list = true,
     .example = "nodes: [0, 1]",
     .doc = "the nodes passed, with both ends"},
};

const struct orr_key_table orr_graph_route_table = {"a route", route_keys,
                                                    sizeof route_keys / sizeof *route_keys, NULL};

struct routes {
    const struct net_graph *graph;
    struct net_path *path;
    uint32_t *link;
    size_t paths, links, path_alloc, link_alloc;
    bool broken; /* the current route contains a failed link */
};

static enum orr_status add_hop(struct graph_reader *reader, struct routes *routes, uint32_t link)
{
    uint32_t *grown = orr_arena_grow(reader->arena, routes->link, &routes->link_alloc,
                                     routes->links + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(reader->diag, "the network's paths");
    }
    routes->link = grown;
    routes->link[routes->links++] = link;
    return ORR_OK;
}

/* Adds the links between consecutive nodes of a route. */
static enum orr_status add_hops(struct graph_reader *reader, const struct orr_conf *map,
                                const struct route_section *section, struct routes *routes,
                                uint32_t ends[2])
{
    const char *const *nodes = section->nodes.values;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; status == ORR_OK && i < section->nodes.count; i++) {
        const uint32_t before = ends[1];
        status = orr_graph_read_node(reader, map, nodes[i], &ends[1]);
        if (i == 0) {
            ends[0] = ends[1];
        } else if (status == ORR_OK) {
            const uint32_t link = orr_net_graph_find(routes->graph, before, ends[1]);
            routes->broken |= link == NET_NO_LINK;
            status = link == NET_NO_LINK && routes->graph->failed_links == 0
                         ? orr_graph_read_fail(
                               reader, map, "expected a link to each node of the route", nodes[i])
                         : add_hop(reader, routes, link);
        }
    }
    return status;
}

static enum orr_status add_path(struct graph_reader *reader, struct routes *routes,
                                const struct net_path *path)
{
    struct net_path *grown = orr_arena_grow(reader->arena, routes->path, &routes->path_alloc,
                                            routes->paths + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(reader->diag, "the network's paths");
    }
    routes->path = grown;
    routes->path[routes->paths++] = *path;
    return ORR_OK;
}

/* Reads a route; one over a failed link is dropped. */
static enum orr_status read_route(struct graph_reader *reader, const struct orr_conf *map,
                                  struct routes *routes)
{
    struct route_section section = {0};
    struct net_path path = {.first_link = (uint32_t)routes->links};
    uint32_t ends[2] = {0, 0};
    enum orr_status status =
        orr_conf_read(map, "a route", KEYS(route_keys), &section, reader->diag);
    routes->broken = false;
    if (status == ORR_OK) {
        status = orr_graph_read_node(reader, map, section.from, &path.from);
    }
    if (status == ORR_OK) {
        status = orr_graph_read_node(reader, map, section.to, &path.to);
    }
    if (status == ORR_OK) {
        status = add_hops(reader, map, &section, routes, ends);
    }
    if (status != ORR_OK) {
        return status;
    }
    if (path.from == path.to) {
        return orr_graph_read_fail(reader, map, "expected a route from one node to another",
                                   section.to);
    }
    if (section.nodes.count < 2 || ends[0] != path.from || ends[1] != path.to) {
        return orr_graph_read_fail(
            reader, map, "expected nodes from one end to the other, over at least one link",
            section.from);
    }
    path.chance = section.chance;
    path.hops = (uint32_t)routes->links - path.first_link;
    return routes->broken ? ORR_OK : add_path(reader, routes, &path);
}

enum orr_status orr_graph_read_routes(struct graph_reader *reader, const struct orr_conf_list *list,
                                      struct net_graph *graph)
{
    const struct orr_conf *const *listed = list->values;
    struct routes routes = {.graph = graph};
    enum orr_status status = ORR_OK;
    if (list->count == 0) {
        return ORR_OK; /* a graph built elsewhere may have routes already */
    }
    for (size_t i = 0; i < list->count && status == ORR_OK; i++) {
        status = read_route(reader, listed[i], &routes);
    }
    orr_net_graph_set_paths(graph, routes.path, (uint32_t)routes.paths, routes.link);
    return status;
}
