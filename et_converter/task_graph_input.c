/* See task_graph_input.h. */
#include "et_converter/task_graph_input.h"

#include "et_converter/flexflow/flexflow_source.h"
#include "et_converter/source.h"

static enum orr_status read(struct orr_arena *arena, const struct conv_source *source,
                            struct conv_task_graph *out, struct orr_diag *diag)
{
    const struct tg_bytes own = {
        .name = source->name, .data = source->data, .count = source->count};
    const struct flexflow_bytes bytes = {
        .name = source->name, .data = source->data, .count = source->count};
    enum tg_form form;
    return orr_tg_is_file(source->data, source->count, &form)
               ? orr_tg_read(arena, &own, &out->graph, diag)
               : orr_flexflow_source(arena, &bytes, out, diag);
}

enum orr_status orr_convert_read_task_graph(struct orr_arena *arena, const char *path,
                                            struct conv_task_graph *out, struct orr_diag *diag)
{
    struct conv_source source = {.data = NULL};
    const struct conv_progress silent = {.show = NULL};
    enum orr_status status = orr_convert_source_read(&source, path, INT32_MAX, &silent, diag);
    *out = (struct conv_task_graph){.network = {.make = NULL}};
    if (status == ORR_OK) {
        status = read(arena, &source, out, diag);
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
