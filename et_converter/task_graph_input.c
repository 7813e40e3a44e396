/* See task_graph_input.h. */
#include "et_converter/task_graph_input.h"

#include "et_converter/flexflow/flexflow_source.h"
#include "et_converter/source.h"

enum orr_status orr_convert_read_task_graph(struct orr_arena *arena, const char *path,
                                            struct conv_task_graph *out, struct orr_diag *diag)
{
    struct conv_source source = {.data = NULL};
    const struct conv_progress silent = {.show = NULL};
    enum orr_status status = orr_convert_source_read(&source, path, INT32_MAX, &silent, diag);
    *out = (struct conv_task_graph){.network = {.make = NULL}};
    if (status == ORR_OK) {
        const struct flexflow_bytes bytes = {
            .name = path, .data = source.data, .count = source.count};
        status = orr_flexflow_source(arena, &bytes, out, diag);
    }
    orr_convert_source_free(&source);
    return status;
}

enum orr_status orr_convert_own_network(const struct conv_task_graph *graph,
                                        struct orr_arena *arena, struct net_link_kind kind,
                                        struct net_graph *out, struct orr_diag *diag)
{
    if (graph->network.make != NULL) {
        return graph->network.make(graph->network.context, arena, kind, out, diag);
    }
    const char *file = graph->graph.file;
    const struct orr_place place = orr_place_file(file != NULL ? file : "");
    return orr_diag_fail(diag, ORR_ERR_INPUT, file != NULL ? &place : NULL,
                         "the task graph has no network of its own: expected one of a platform, or "
                         "a fabric such as fat-tree");
}
