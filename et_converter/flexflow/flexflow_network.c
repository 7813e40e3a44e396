/* Network of a task graph's file; see flexflow_network.h. */
#include "et_converter/flexflow/flexflow_network.h"

#include <inttypes.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/flexflow/flexflow_topology.h"
#include "network/graph.h"
#include "network/graph_build.h"

static enum orr_status add_links(struct net_graph_builder *builder,
                                 const struct flexflow_graph *from, struct net_link_kind kind,
                                 struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(from->file);
    const double bytes_per_s =
        kind.bytes_per_s > 0 ? kind.bytes_per_s : from->link_bytes_per_ms * 1e3;
    if (from->connections == 0 || !(bytes_per_s > 0)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             from->connections == 0
                                 ? "the task graph has no network of its own (conn is empty)"
                                 : "the task graph has no bandwidth of its own (netbw is 0)");
    }
    for (size_t i = 0; i < from->connections; i++) {
        const struct flexflow_connection *at = &from->connection[i];
        if (at->from == at->to) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "conn[%zu]: expected a link between two nodes, got one from node "
                                 "%" PRIu32 " to itself",
                                 i, at->from);
        }
        const struct net_link link = {.from = at->from,
                                      .to = at->to,
                                      .count = at->count,
                                      .bytes_per_s = bytes_per_s,
                                      .latency_ps = kind.latency_ps};
        orr_net_graph_both(builder, &link);
    }
    for (size_t i = 0; i < from->rings; i++) {
        int64_t jump = 0;
        for (uint64_t j = 0; j < from->ring[i].jumps; j++) {
            jump += from->jump[from->ring[i].first_jump + j];
        }
        if (from->ring[i].servers != 0 && from->ring[i].servers <= from->servers) {
            (void)orr_net_graph_ring(builder, (uint32_t)from->ring[i].servers,
                                     (int32_t)(jump % (int64_t)from->ring[i].servers));
        }
    }
    return ORR_OK;
}

static enum orr_status find_path_links(const struct net_graph *graph,
                                       const struct flexflow_graph *from, size_t index,
                                       uint32_t *link, struct orr_diag *diag)
{
    const struct flexflow_path *path = &from->path[index];
    for (uint64_t h = 0; h + 1 < path->hops; h++) {
        const uint32_t *hop = from->hop + path->first_hop + h;
        link[h] = orr_net_graph_find(graph, hop[0], hop[1]);
        if (link[h] == NET_NO_LINK) {
            const struct orr_location place = orr_location_file(from->file);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "paths[%zu]: expected a path of links, got node %" PRIu32
                                 " before node %" PRIu32 " without a link between them",
                                 index, hop[0], hop[1]);
        }
    }
    return ORR_OK;
}

static enum orr_status add_paths(struct orr_arena *arena, const struct flexflow_graph *from,
                                 struct net_graph *out, struct orr_diag *diag)
{
    struct net_path *path = orr_arena_array(arena, from->paths + 1, sizeof *path);
    uint32_t *links = orr_arena_array(arena, from->hop_count + 1, sizeof *links);
    enum orr_status status =
        path != NULL && links != NULL ? ORR_OK : orr_diag_no_memory(diag, "the network's paths");
    uint32_t kept = 0, used = 0;
    for (size_t i = 0; i < from->paths && status == ORR_OK; i++) {
        const struct flexflow_path *at = &from->path[i];
        if (at->hops < 2) {
            continue;
        }
        status = find_path_links(out, from, i, links + used, diag);
        path[kept++] = (struct net_path){.from = at->from,
                                         .to = at->to,
                                         .chance = (double)at->chance,
                                         .first_link = used,
                                         .hops = (uint32_t)(at->hops - 1)};
        used += (uint32_t)(at->hops - 1);
    }
    orr_net_graph_set_paths(out, path, kept, links);
    return status;
}

enum orr_status orr_flexflow_network(struct orr_arena *arena, const struct flexflow_graph *from,
                                     struct net_link_kind kind, struct net_graph *out,
                                     struct orr_diag *diag)
{
    struct net_graph_builder builder;
    enum orr_status status = orr_flexflow_topology_check(from, diag);
    if (status != ORR_OK) {
        return status;
    }
    orr_net_graph_begin(&builder, arena, from->servers, from->switches);
    status = add_links(&builder, from, kind, diag);
    if (status == ORR_OK) {
        status = orr_net_graph_end(&builder, out, diag);
    }
    return status == ORR_OK ? add_paths(arena, from, out, diag) : status;
}
