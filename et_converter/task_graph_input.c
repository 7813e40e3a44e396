/* Task graph files of any form; see task_graph_input.h. */
#include "et_converter/task_graph_input.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "et_converter/flexflow/flexflow_fbuf.h"
#include "et_converter/flexflow/flexflow_source.h"
#include "et_converter/flexflow/flexflow_write.h"
#include "et_converter/input_bytes.h"
#include "workload/taskgraph/tg_file.h"

static enum orr_status read(struct orr_arena *arena, const struct conv_source *source,
                            struct conv_task_graph *out, struct orr_diag *diag)
{
    const struct tg_bytes native = {
        .name = source->name, .data = source->data, .count = source->count};
    const struct flexflow_bytes bytes = {
        .name = source->name, .data = source->data, .count = source->count};
    enum tg_form form;
    return orr_tg_is_file(source->data, source->count, &form)
               ? orr_tg_read(arena, &native, &out->graph, diag)
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

enum orr_status orr_convert_file_network(const struct conv_task_graph *graph,
                                         struct orr_arena *arena, struct net_link_kind kind,
                                         struct net_graph *out, struct orr_diag *diag)
{
    if (graph->network.make != NULL) {
        return graph->network.make(graph->network.context, arena, kind, out, diag);
    }
    const char *file = graph->graph.file;
    const struct orr_location place = orr_location_file(file != NULL ? file : "");
    return orr_diag_fail(diag, ORR_ERR_INPUT, file != NULL ? &place : NULL,
                         "the task graph has no network of its own: expected one of a platform, or "
                         "a fabric such as fat-tree");
}

/* ---- writing ---- */

enum conv_task_graph_form orr_convert_task_graph_form(const char *path, const char **wrong)
{
    static const char *const ends[] = {".otg", ".json", ".fbuf"};
    const char *end = strrchr(path, '.');
    unsigned form = 0;
    *wrong = NULL;
    while (end != NULL && form < 3 && strcasecmp(end, ends[form]) != 0) {
        form++;
    }
    if (end == NULL || form == 3) {
        *wrong = "--output: expected a file that ends in .otg, .json or .fbuf, got ";
        form = 0;
    }
    return (enum conv_task_graph_form)form;
}

static enum orr_status write_fbuf(const struct conv_task_graph *graph,
                                  const struct conv_task_graph_output *output,
                                  struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(output->path);
    uint64_t inexact = 0;
    const enum orr_status status =
        orr_flexflow_write(&graph->graph, output->link_bytes_per_s, output->path, &inexact, diag);
    if (status == ORR_OK && inexact != 0) {
        orr_diag_warn(diag, &place,
                      "%" PRIu64 " times are rounded to 24 bits: the format has milliseconds as "
                      "floats",
                      inexact);
    }
    return status;
}

enum orr_status orr_convert_write_task_graph(const struct conv_task_graph *graph,
                                             const struct conv_task_graph_output *output,
                                             struct orr_diag *diag)
{
    if (output->form == CONV_FBUF) {
        return write_fbuf(graph, output, diag);
    }
    const enum orr_status status = orr_tg_write_file(
        &graph->graph, output->form == CONV_OTG ? TG_BINARY : TG_JSON, output->path, diag);
    if (status == ORR_OK && graph->network.make != NULL) {
        const struct orr_location place = orr_location_file(output->path);
        orr_diag_warn(
            diag, &place,
            "the network of the task graph is not in it; `orrery convert flexflow` writes "
            "that as a file of its own");
    }
    return status;
}
