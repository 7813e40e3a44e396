/* orrery model show, dot and check: a model without a strategy. */
#include <stdio.h>

#include "cli/model/model_command.h"
#include "cli/options.h"
#include "cli/write_output.h"
#include "orrery/model.h"

struct view {
    struct orrery_op_graph *graph;
    enum orrery_op_graph_view how;
};

static int write_view(FILE *out, const void *context)
{
    const struct view *view = context;
    return orr_print_api_error(orrery_op_graph_write(view->graph, out, view->how),
                               orrery_op_graph_error(view->graph));
}

static int show(const struct orr_model_arguments *arguments, enum orrery_op_graph_view how)
{
    struct orrery_op_graph *graph = orrery_op_graph_new();
    const struct orrery_op_graph_input input = {
        ORRERY_SIZED(orrery_op_graph_input), .path = arguments->file,
        .batch = arguments->batch,           .devices = arguments->devices,
        .profile = arguments->profile,       .platform = arguments->platform,
        .set = arguments->set.text,          .set_count = arguments->set.count};
    orrery_op_graph_on_warning(graph, orr_print_warning, NULL);
    enum orrery_status status =
        graph != NULL ? orrery_op_graph_read(graph, &input) : ORRERY_ERROR_MEMORY;
    int result = orr_print_api_error(status, orrery_op_graph_error(graph));
    if (status == ORRERY_OK) {
        const struct view as_text = {graph, how}, as_json = {graph, ORRERY_OP_GRAPH_JSON};
        result =
            orr_write_json_or_text(arguments->json, write_view, &as_json, write_view, &as_text);
    }
    orrery_op_graph_free(graph);
    return result;
}

int orr_model_show_command(const struct orr_model_arguments *arguments)
{
    return show(arguments, ORRERY_OP_GRAPH_SHOW);
}

int orr_model_dot_command(const struct orr_model_arguments *arguments)
{
    return show(arguments, ORRERY_OP_GRAPH_DOT);
}

int orr_model_check_command(const struct orr_model_arguments *arguments)
{
    return show(arguments, ORRERY_OP_GRAPH_CHECK);
}
