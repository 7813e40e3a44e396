/* orrery model show, dot and check: a model without a strategy. */
#include <stdio.h>

#include "cli/model/model_command.h"
#include "cli/options.h"
#include "orrery/model.h"

static int view(const struct orr_model_arguments *arguments, enum orrery_op_graph_view how)
{
    struct orrery_op_graph *graph = orrery_op_graph_new();
    const struct orrery_op_graph_input input = {ORRERY_SIZED(orrery_op_graph_input),
                                                .path = arguments->file,
                                                .batch = arguments->batch,
                                                .devices = arguments->devices,
                                                .profile = arguments->profile,
                                                .platform = arguments->platform,
                                                .set = arguments->set,
                                                .set_count = arguments->sets};
    orrery_op_graph_on_warning(graph, orr_print_warning, NULL);
    enum orrery_status status =
        graph != NULL ? orrery_op_graph_read(graph, &input) : ORRERY_ERROR_MEMORY;
    if (status == ORRERY_OK) {
        status = orrery_op_graph_write(graph, stdout, how);
    }
    const int result = orr_print_api_error(status, orrery_op_graph_error(graph));
    orrery_op_graph_free(graph);
    return result;
}

int orr_model_show_command(const struct orr_model_arguments *arguments)
{
    return view(arguments, arguments->json ? ORRERY_OP_GRAPH_JSON : ORRERY_OP_GRAPH_SHOW);
}

int orr_model_dot_command(const struct orr_model_arguments *arguments)
{
    return view(arguments, ORRERY_OP_GRAPH_DOT);
}

int orr_model_check_command(const struct orr_model_arguments *arguments)
{
    return view(arguments, ORRERY_OP_GRAPH_CHECK);
}
