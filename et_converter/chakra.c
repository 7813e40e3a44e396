/* Execution traces of Chakra, rewritten in the current layout. */
#include "et_converter/converter.h"
#include "et_converter/output.h"

static enum orr_status convert_file(const char *path, uint32_t rank, struct conv_output *output,
                                    struct conv_report *report, struct orr_diag *diag)
{
    const struct orr_trace *trace = NULL;
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    enum orr_status status = orr_et_read_file(arena, path, &trace, diag);
    if (status == ORR_OK) {
        status = conv_output_trace(output, rank, 1, trace, diag);
    }
    if (status == ORR_OK) {
        const struct conv_rank in = {
            .rank = rank, .nodes_in = trace->nodes, .matched = trace->nodes};
        status = conv_report_trace(report, trace, &in, 1, diag);
    }
    orr_arena_destroy(arena);
    return status;
}

enum orr_status orr_convert_chakra(const struct conv_job *job, struct conv_report *report,
                                   struct orr_diag *diag)
{
    struct conv_output *output;
    enum orr_status status = conv_output_create(&output, job->out, job->gzip, diag);
    for (size_t i = 0; i < job->file_count && status == ORR_OK; i++) {
        status = convert_file(job->files[i], (uint32_t)i, output, report, diag);
    }
    if (status == ORR_OK) {
        status = conv_output_finish(output, diag);
    }
    conv_output_destroy(output);
    return status;
}
