/* Converter of ASTRA-sim 1.0 text workloads; see text.h. */
#include "et_converter/text/text.h"

#include "core/arena.h"
#include "et_converter/conversion_report.h"
#include "et_converter/input_bytes.h"

enum { MAX_BYTES = 1 << 30, MAX_NODES = 100000000 };

/* Converts `count` ranks from `first` on, which share a trace. */
static enum orr_status convert_ranks(const struct text_job *job, uint32_t first, uint32_t count,
                                     struct conv_report *report, struct orr_diag *diag)
{
    const struct orr_trace *trace = NULL;
    const struct conv_rank in = {
        .rank = first, .nodes_in = job->model->layers, .matched = job->model->layers};
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    enum orr_status status = orr_text_trace(arena, job, first, &trace, diag);
    if (status == ORR_OK) {
        status = orr_convert_output_trace(job->output, first, count, trace, diag);
    }
    if (status == ORR_OK) {
        status = orr_convert_report_trace(report, trace, &in, count, diag);
    }
    orr_arena_destroy(arena);
    return status;
}

static enum orr_status convert_all(const struct conv_job *conv, struct text_job *job,
                                   struct conv_report *report, struct orr_diag *diag)
{
    enum orr_status status = orr_convert_output_create(&job->output, conv->out, conv->gzip, diag);
    if (status == ORR_OK && !job->grouped) {
        status = convert_ranks(job, 0, job->npus, report, diag);
    }
    for (uint32_t rank = 0; rank < job->npus && job->grouped && status == ORR_OK; rank++) {
        status = convert_ranks(job, rank, 1, report, diag);
    }
    if (status == ORR_OK) {
        status = orr_convert_output_finish(job->output, diag);
    }
    orr_convert_output_destroy(job->output);
    return status;
}

static enum orr_status convert(struct orr_arena *arena, const struct conv_job *conv,
                               const struct conv_source *source, struct conv_report *report,
                               struct orr_diag *diag)
{
    struct text_model model;
    struct text_job job;
    const struct orr_et_bytes bytes = {source->name, source->data, source->count};
    enum orr_status status = orr_text_read(arena, &bytes, &model, diag);
    if (status == ORR_OK) {
        status = orr_text_assign_groups(&model, conv, &job, diag);
    }
    if (status == ORR_OK && (uint64_t)model.layers * job.passes > MAX_NODES) {
        const struct orr_location place = orr_location_file(source->name);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "layers times passes: expected at most %d, got %llu", MAX_NODES,
                             (unsigned long long)model.layers * job.passes);
    }
    if (status == ORR_OK) {
        orr_text_add_notes(&job, report);
        status = convert_all(conv, &job, report, diag);
    }
    return status;
}

enum orr_status orr_convert_text(const struct conv_job *conv, struct conv_report *report,
                                 struct orr_diag *diag)
{
    struct conv_source source;
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "a text workload");
    }
    enum orr_status status =
        orr_convert_source_read(&source, conv->files[0], MAX_BYTES, &conv->progress, diag);
    if (status == ORR_OK) {
        status = convert(arena, conv, &source, report, diag);
    }
    orr_convert_source_free(&source);
    orr_arena_destroy(arena);
    return status;
}

const struct orr_converter orr_converter_text = {
    .name = "text",
    .summary = "ASTRA-sim 1.0 text workload: layers with times and collectives",
    .reads = "a text workload of ASTRA-sim 1.0",
    .options = CONV_NEEDS_PLATFORM | CONV_PASSES,
    .max_files = 1,
    .run = orr_convert_text};
