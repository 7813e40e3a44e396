/* Fuzz target of text workloads: any bytes give a model or an error with its place, and a model
 * that fits a platform gives traces of which every collective is that of the layers' words. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"
#include "et_converter/text/text.h"
#include "et_converter/trace_output.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_LAYERS = 2000 };

static void check_trace(const struct text_job *job, const struct orr_trace *trace)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        ORR_ASSERT(node->kind == ORR_NODE_COMP || node->kind == ORR_NODE_COLL ||
                   node->kind == ORR_NODE_METADATA);
        ORR_ASSERT(node->kind != ORR_NODE_COLL || node->amount > 0);
        ORR_ASSERT(node->group <= orr_convert_output_groups(job->output));
    }
}

static void make_traces(struct orr_arena *arena, struct text_job *job)
{
    static const uint32_t ranks[] = {0, 5};
    const struct orr_trace *trace = NULL;
    for (size_t i = 0; i < 2; i++) {
        struct orr_diag diag;
        orr_diag_init(&diag);
        const enum orr_status status = orr_text_trace(arena, job, ranks[i], &trace, &diag);
        ORR_ASSERT(status == ORR_OK);
        check_trace(job, trace);
    }
}

static void fit(struct orr_arena *arena, const struct text_model *model)
{
    static const struct net_dim dim[] = {{.npus = 4}, {.npus = 1}, {.npus = 6}};
    const struct net_config platform = {.dims = 3, .dim = dim};
    const struct conv_job conv = {.platform = &platform, .passes = 2};
    struct conv_report report;
    struct text_job job;
    struct orr_diag diag;
    orr_diag_init(&diag);
    orr_convert_report_init(&report, arena);
    if (orr_text_assign_groups(model, &conv, &job, &diag) != ORR_OK) {
        ORR_ASSERT(diag.status == ORR_ERR_INPUT && diag.message[0] != '\0');
        return;
    }
    orr_text_add_notes(&job, &report);
    if (orr_convert_output_create(&job.output, "unused", false, NULL) == ORR_OK) {
        make_traces(arena, &job);
    }
    orr_convert_output_destroy(job.output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct orr_et_bytes bytes = {.name = "input", .data = data, .count = size};
    struct text_model model;
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    if (orr_text_read(arena, &bytes, &model, &diag) != ORR_OK) {
        ORR_ASSERT(diag.status == ORR_ERR_INPUT && diag.message[0] != '\0');
        ORR_ASSERT(diag.place.kind == ORR_LOCATION_TEXT && diag.place.line >= 1);
    } else if (model.layers <= MAX_LAYERS) {
        fit(arena, &model);
    }
    orr_arena_destroy(arena);
    return 0;
}
