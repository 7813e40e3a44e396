/* See flexflow_source.h. */
#include "et_converter/flexflow/flexflow_source.h"

#include <string.h>

#include "et_converter/converter.h"
#include "et_converter/flexflow/flexflow_dot.h"
#include "et_converter/flexflow/flexflow_traces.h"
#include "et_converter/source.h"

/* Out of what the converter keeps, which goes with it. */
static enum orr_status take_groups(struct orr_arena *arena, const struct conv_output *output,
                                   struct flexflow_source *out, struct orr_diag *diag)
{
    out->groups = orr_convert_output_groups(output);
    struct flexflow_group *group = orr_arena_array(arena, out->groups, sizeof *group);
    bool kept = group != NULL;
    for (uint32_t i = 0; i < out->groups && kept; i++) {
        const uint32_t *ranks = orr_convert_output_group_ranks(output, i, &group[i].count);
        uint32_t *copy = orr_arena_array(arena, group[i].count, sizeof *copy);
        group[i].name = orr_arena_printf(arena, "%u", i + 1);
        group[i].ranks = copy;
        kept = copy != NULL && group[i].name != NULL;
        if (kept) {
            memcpy(copy, ranks, group[i].count * sizeof *copy);
        }
    }
    out->group = group;
    return kept ? ORR_OK : orr_diag_no_memory(diag, "the groups of a task graph");
}

static enum orr_status make_traces(struct orr_arena *arena, struct flexflow_source *out,
                                   struct conv_report *report, struct orr_diag *diag)
{
    struct flexflow_plan plan;
    struct flexflow_traces traces;
    struct conv_output *output = NULL;
    enum orr_status status = orr_flexflow_plan_make(&plan, &out->graph, arena, diag);
    if (status == ORR_OK) {
        status = orr_convert_output_create(&output, "", false, diag);
    }
    if (status == ORR_OK) {
        status = orr_flexflow_traces_make(&traces, &plan, arena, output, report, diag);
    }
    if (status == ORR_OK) {
        out->servers = plan.npus;
        out->trace = traces.trace;
        status = take_groups(arena, output, out, diag);
    }
    orr_convert_output_destroy(output);
    return status;
}

enum orr_status orr_flexflow_source_read(struct orr_arena *arena, const char *path,
                                         struct flexflow_source *out, struct orr_diag *diag)
{
    struct conv_source source = {.data = NULL};
    struct conv_report report;
    const struct conv_progress silent = {.show = NULL};
    enum orr_status status = orr_convert_source_read(&source, path, INT32_MAX, &silent, diag);
    if (status == ORR_OK) {
        const struct flexflow_bytes bytes = {
            .name = path, .data = source.data, .count = source.count};
        status = orr_flexflow_read(arena, &bytes, &out->graph, diag);
    }
    orr_convert_source_free(&source);
    orr_convert_report_init(&report, arena);
    return status == ORR_OK ? make_traces(arena, out, &report, diag) : status;
}
