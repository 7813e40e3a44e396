/* Trees and rings on a network for programs; see include/orrery/topology.h. */
#include <string.h>

#include "core/arena.h"
#include "network/graph_build.h"
#include "network/net_config.h"
#include "orrery/orrery.h"
#include "report/topology/embedding_report.h"
#include "report/topology/topology_private.h"
#include "system/sys_config_read.h"

enum orr_status orr_topology_as_graph(struct orrery_topology *topology, struct orr_graph_view *view)
{
    struct net_config config = topology->topo.config;
    *view = topology->view;
    if (topology->graph) {
        return ORR_OK;
    }
    view->has_bandwidths = true;
    struct net_dim *dim = orr_arena_array(view->arena, config.dims, sizeof *dim);
    if (dim == NULL) {
        return orr_diag_no_memory(&topology->object.diag, "a graph");
    }
    memcpy(dim, config.dim, config.dims * sizeof *dim);
    for (unsigned d = 0; d < config.dims; d++) {
        double *speed = &dim[d].bandwidth_bytes_per_s;
        view->has_bandwidths = view->has_bandwidths && *speed > 0;
        *speed = *speed > 0 ? *speed : 1;
    }
    config.dim = dim;
    return orr_net_build_blocks(view->arena, &config, &view->graph, &topology->object.diag);
}

static bool is_known(const char *format)
{
    static const char *const formats[] = {"text", "json", "svg", "pdf", "png", "dot"};
    for (size_t i = 0; format != NULL && i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(format, formats[i]) == 0) {
            return true;
        }
    }
    return false;
}

static enum orr_status check(struct orrery_topology *topology,
                             const struct orrery_topology_embedding *embedding, const char *format)
{
    struct orr_diag *diag = &topology->object.diag;
    const enum orr_status status = orr_check_caller_struct(
        "orrery_topology_embedding", embedding != NULL ? &embedding->size : NULL, sizeof *embedding,
        diag);
    if (status != ORR_OK) {
        return status;
    }
    if (!is_known(format)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected the format text, json, svg, pdf, png or dot, got \"%s\"",
                             format != NULL ? format : "NULL");
    }
    return topology->read ? ORR_OK
                          : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "no network was read yet");
}

static enum orr_status write_embedding(struct orrery_topology *topology,
                                       const struct orrery_topology_embedding *request, FILE *out,
                                       const char *format)
{
    struct orr_diag *diag = &topology->object.diag;
    struct orr_graph_view view;
    struct orr_embedding embedding;
    enum orr_status status = check(topology, request, format);
    if (status != ORR_OK) {
        return status;
    }
    struct orr_embedding_options options = {.rings = request->rings,
                                            .trees = request->trees,
                                            .shape = request->shape,
                                            .detours = request->detours,
                                            .detour = request->detour,
                                            .given = request->detour_count,
                                            .ranks = request->ranks,
                                            .around = request->around,
                                            .strict = request->strict,
                                            .seed = request->seed != 0 ? request->seed : 1};
    const bool spans = orr_sys_trees_span_all(topology->system) && !topology->topo.config.shaped;
    if (!orr_embedding_of_platform(topology->system, &options, topology->object.arena) ||
        (!spans && !orr_embedding_members(topology->system, &topology->topo.config, &options,
                                          topology->object.arena))) {
        return orr_diag_no_memory(diag, "the trees of the platform");
    }
    status = orr_topology_as_graph(topology, &view);
    status = status == ORR_OK ? orr_embedding_make(&view, &options, &embedding, diag) : status;
    return status == ORR_OK ? orr_embedding_write(out, &embedding, format, diag) : status;
}

enum orrery_status orrery_topology_embed(struct orrery_topology *topology,
                                         const struct orrery_topology_embedding *embedding,
                                         FILE *out, const char *format)
{
    return topology == NULL ? ORRERY_ERROR_INPUT
                            : orr_object_finish(&topology->object,
                                                write_embedding(topology, embedding, out, format));
}
