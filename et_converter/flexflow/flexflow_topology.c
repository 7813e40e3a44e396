/* Network of a task graph, checked and as YAML; see flexflow_topology.h and docs/file-formats.md.
 * Nodes are numbered as in the graph: the servers, one NPU each, then the switches. */
#include "et_converter/flexflow/flexflow_topology.h"

#include "core/diag.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- checks ---- */

static enum orr_status fail(const struct flexflow_graph *graph, const char *what, size_t index,
                            uint64_t node, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(graph->file);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s[%zu]: expected one of the %" PRIu32 " servers and %" PRIu32
                         " switches, got node %" PRIu64,
                         what, index, graph->servers, graph->switches, node);
}

static enum orr_status check_connections(const struct flexflow_graph *graph, uint64_t nodes,
                                         struct orr_diag *diag)
{
    for (size_t i = 0; i < graph->connections; i++) {
        const struct flexflow_connection *at = &graph->connection[i];
        if (at->from >= nodes || at->to >= nodes) {
            return fail(graph, "conn", i, at->from >= nodes ? at->from : at->to, diag);
        }
        if (at->count == 0) {
            const struct orr_location place = orr_location_file(graph->file);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "conn[%zu].nconn: expected at least one link, got 0", i);
        }
    }
    return ORR_OK;
}

static enum orr_status check_paths(const struct flexflow_graph *graph, uint64_t nodes,
                                   struct orr_diag *diag)
{
    for (size_t i = 0; i < graph->paths; i++) {
        const struct flexflow_path *path = &graph->path[i];
        for (uint64_t h = 0; h < path->hops; h++) {
            if (graph->hop[path->first_hop + h] >= nodes) {
                return fail(graph, "paths", i, graph->hop[path->first_hop + h], diag);
            }
        }
        const bool joins = path->hops != 0 && graph->hop[path->first_hop] == path->from &&
                           graph->hop[path->first_hop + path->hops - 1] == path->to;
        if (!joins) {
            const struct orr_location place = orr_location_file(graph->file);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "paths[%zu]: expected nodes from %" PRIu32 " to %" PRIu32
                                 ", both included, got others",
                                 i, path->from, path->to);
        }
    }
    return ORR_OK;
}

enum orr_status orr_flexflow_topology_check(const struct flexflow_graph *graph,
                                            struct orr_diag *diag)
{
    const uint64_t nodes = (uint64_t)graph->servers + graph->switches;
    const enum orr_status status = check_connections(graph, nodes, diag);
    return status == ORR_OK ? check_paths(graph, nodes, diag) : status;
}

/* ---- writing ---- */

static void write_links(FILE *out, const struct flexflow_graph *graph)
{
    (void)fprintf(out, "    links:%s\n", graph->connections == 0 ? " []" : "");
    for (size_t i = 0; i < graph->connections; i++) {
        const struct flexflow_connection *at = &graph->connection[i];
        (void)fprintf(out, "      - {from: %" PRIu32 ", to: %" PRIu32 ", count: %" PRIu32, at->from,
                      at->to, at->count);
        if (graph->link_bytes_per_ms > 0) {
            (void)fprintf(out, ", bandwidth: %.9g GB/s", graph->link_bytes_per_ms / 1e6);
        }
        (void)fputs("}\n", out);
    }
}

/* Omits the routes without links that files have from each server to itself. */
static void write_routes(FILE *out, const struct flexflow_graph *graph)
{
    size_t first = 0;
    while (first < graph->paths && graph->path[first].from == graph->path[first].to) {
        first++;
    }
    (void)fprintf(out, "    routes:%s\n", first == graph->paths ? " []" : "");
    for (size_t i = first; i < graph->paths; i++) {
        const struct flexflow_path *path = &graph->path[i];
        if (path->from == path->to) {
            continue;
        }
        (void)fprintf(out, "      - {from: %" PRIu32 ", to: %" PRIu32 ", chance: %.9g, nodes: [",
                      path->from, path->to, (double)path->chance);
        for (uint64_t h = 0; h < path->hops; h++) {
            (void)fprintf(out, "%s%" PRIu32, h == 0 ? "" : ", ", graph->hop[path->first_hop + h]);
        }
        (void)fputs("]}\n", out);
    }
}

static void write_rings(FILE *out, const struct flexflow_graph *graph)
{
    (void)fprintf(out, "    rings:%s\n", graph->rings == 0 ? " []" : "");
    for (size_t i = 0; i < graph->rings; i++) {
        const struct flexflow_ring *ring = &graph->ring[i];
        (void)fprintf(out, "      - {npus: %" PRIu64 ", jumps: [", ring->servers);
        for (uint64_t j = 0; j < ring->jumps; j++) {
            (void)fprintf(out, "%s%" PRId32, j == 0 ? "" : ", ", graph->jump[ring->first_jump + j]);
        }
        (void)fputs("]}\n", out);
    }
}

enum orr_status orr_flexflow_topology_write(const struct flexflow_graph *graph, const char *path,
                                            struct orr_diag *diag)
{
    FILE *out = fopen(path, "wb");
    if (out != NULL) {
        (void)fprintf(
            out,
            "# Written by orrery convert: the network of a task graph. Nodes are the NPUs "
            "from 0 on,\n# then the switches.\nnetwork:\n  graph:\n    npus: %" PRIu32
            "\n    switches: %" PRIu32 "\n",
            graph->servers, graph->switches);
        write_links(out, graph);
        write_routes(out, graph);
        write_rings(out, graph);
    }
    const bool written = out != NULL && ferror(out) == 0;
    if ((out == NULL || fclose(out) == 0) && written) {
        return ORR_OK;
    }
    const struct orr_location place = orr_location_file(path);
    return orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be written: %s", strerror(errno));
}
