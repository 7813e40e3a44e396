/* Fuzz target of PyTorch traces: a trace, and behind a zero byte the profile beside it. Any bytes
 * give execution traces or an error with its place; the nodes of a trace never wait for themselves.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/strings.h"
#include "et_converter/conversion_report.h"
#include "et_converter/pytorch/et_kineto_link.h"
#include "et_converter/pytorch/json_scan.h"
#include "et_converter/pytorch/kineto.h"
#include "et_converter/pytorch/pytorch_graph.h"
#include "et_converter/pytorch/pytorch_trace.h"
#include "et_converter/pytorch/steps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    struct orr_arena *arena;
    struct orr_strings strings;
    struct pt_trace trace;
    struct kt_trace kineto;
    struct pt_link link;
    struct pt_timeline timeline;
    struct orr_diag diag;
};

static bool told(struct input *input, enum orr_status status)
{
    ORR_ASSERT(status == ORR_OK || (status == ORR_ERR_INPUT && input->diag.message[0] != '\0'));
    return status == ORR_OK;
}

static void build(struct input *input, const struct kt_trace *kineto)
{
    struct conv_report report;
    orr_convert_report_init(&report, input->arena);
    struct pt_group_use *group =
        orr_arena_array(input->arena, (size_t)input->trace.groups + 1, sizeof *group);
    for (uint32_t g = 0; g <= input->trace.groups; g++) {
        group[g].size = g < input->trace.groups ? input->trace.group[g].size : 8;
    }
    struct pt_graph graph = {.trace = &input->trace,
                             .kineto = kineto,
                             .timeline = &input->timeline,
                             .group = group,
                             .report = &report};
    ORR_ASSERT(orr_pytorch_graph_build(&graph, &input->diag) == ORR_OK);
    ORR_ASSERT(graph.out->nodes >= input->timeline.steps);
    for (uint32_t i = 0; i < graph.out->nodes; i++) {
        ORR_ASSERT(graph.out->node[i].duration_ps <= INT64_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input *input = orr_heap_calloc(1, sizeof *input);
    input->arena = orr_arena_create();
    orr_diag_init(&input->diag);
    orr_strings_init(&input->strings, input->arena);
    const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t first = end != NULL ? (size_t)(end - data) : size;
    const struct js_source et = {
        .path = "et", .data = first > 0 ? data : (const uint8_t *)" ", .bytes = first};
    if (told(input, orr_pytorch_trace_read(input->arena, &input->strings, &et, &input->trace,
                                           &input->diag))) {
        const struct js_source profile = {.path = "kineto", .data = end, .bytes = size - first};
        if (end == NULL) {
            ORR_ASSERT(orr_pytorch_untimed_build(&input->trace, &input->timeline, &input->diag) ==
                       ORR_OK);
            build(input, NULL);
        } else if (told(input, orr_kineto_trace_read(&input->trace, &profile, &input->kineto,
                                                     &input->diag)) &&
                   told(input, orr_pytorch_link(&input->trace, &input->kineto, &input->link,
                                                &input->diag))) {
            ORR_ASSERT(orr_pytorch_timeline_build(&input->trace, &input->kineto, &input->link,
                                                  &input->timeline, &input->diag) == ORR_OK);
            build(input, &input->kineto);
        }
    }
    orr_arena_destroy(input->arena);
    orr_heap_free(input);
    return 0;
}
