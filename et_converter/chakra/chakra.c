/* Converter of Chakra execution traces, of any layout, to the current layout. */
#include <inttypes.h>

#include "core/arena.h"
#include "et_converter/chakra/chakra_legacy.h"
#include "et_converter/conversion_report.h"
#include "et_converter/file_ranks.h"
#include "et_converter/input_bytes.h"
#include "et_converter/trace_output.h"

enum { MAX_BYTES = 1 << 30 };

static void note_legacy(enum chakra_layout layout, const char *path, struct conv_report *report)
{
    if (layout == CHAKRA_0_0_1) {
        orr_convert_report_note(
            report, "files of layout 0.0.1, whose times are taken as cycles of 1 ns", "%s", path);
        return;
    }
    orr_convert_report_note(report, "files of layout 0.0.3, whose times are taken as microseconds",
                            "%s", path);
    if (layout == CHAKRA_0_0_3_SUPPOSED) {
        orr_convert_report_note(
            report,
            "files assumed to be of layout 0.0.3, because no field of their nodes "
            "distinguishes it from 0.0.1",
            "%s", path);
    }
}

struct conversion {
    const struct conv_job *job;
    struct conv_output *output;
    struct conv_report *report;
    struct orr_diag *diag;
};

static enum orr_status read_legacy(const struct conversion *to, struct orr_arena *arena,
                                   const char *path, const struct orr_trace **trace)
{
    struct conv_source source;
    enum orr_status status =
        orr_convert_source_read(&source, path, MAX_BYTES, &to->job->progress, to->diag);
    if (status == ORR_OK) {
        const struct orr_et_bytes bytes = {path, source.data, source.count};
        const enum chakra_layout layout = orr_chakra_layout_of(&bytes);
        note_legacy(layout, path, to->report);
        status = orr_chakra_legacy_read(arena, &bytes, layout, trace, to->diag);
    }
    orr_convert_source_free(&source);
    return status;
}

/* Reports groups that the trace names without defining them: the trace does not have their
 * ranks. */
static void note_groups(const struct orr_trace *trace, struct conv_report *report)
{
    bool defined = false;
    for (uint32_t i = 0; i < trace->extra_count; i++) {
        defined = defined || trace->extras[i].inputs_values != NULL;
    }
    for (uint32_t g = 0; g < trace->group_count && !defined; g++) {
        const char *name = trace->groups[g];
        if (name[0] != '\0' && (name[0] != '0' || name[1] != '\0')) {
            orr_convert_report_note(report,
                                    "communicator groups named but not defined by the traces; the "
                                    "workload must define them",
                                    "\"%s\"", name);
        }
    }
}

static enum orr_status convert_trace(const struct conversion *to, struct orr_arena *arena,
                                     const char *path, uint32_t rank)
{
    const struct orr_trace *trace = NULL;
    unsigned char first[CHAKRA_PEEK_BYTES];
    const size_t count = orr_convert_source_peek(path, first, sizeof first);
    enum orr_status status = orr_chakra_is_legacy(first, count)
                                 ? read_legacy(to, arena, path, &trace)
                                 : orr_et_read_file(arena, path, &trace, to->diag);
    if (status == ORR_OK) {
        note_groups(trace, to->report);
        status = orr_convert_output_trace(to->output, rank, 1, trace, to->diag);
    }
    if (status == ORR_OK) {
        const struct conv_rank in = {
            .rank = rank, .nodes_in = trace->nodes, .matched = trace->nodes};
        status = orr_convert_report_trace(to->report, trace, &in, 1, to->diag);
    }
    return status;
}

static enum orr_status convert_all(struct conversion *to, const uint32_t *ranks)
{
    const struct conv_job *job = to->job;
    enum orr_status status = orr_convert_output_create(&to->output, job->out, job->gzip, to->diag);
    for (size_t i = 0; i < job->file_count && status == ORR_OK; i++) {
        struct orr_arena *arena = orr_arena_create();
        status = arena != NULL ? convert_trace(to, arena, job->files[i], ranks[i])
                               : orr_diag_no_memory(to->diag, "a trace");
        orr_arena_destroy(arena);
    }
    if (status == ORR_OK) {
        status = orr_convert_output_finish(to->output, to->diag);
    }
    orr_convert_output_destroy(to->output);
    return status;
}

enum orr_status orr_convert_chakra(const struct conv_job *job, struct conv_report *report,
                                   struct orr_diag *diag)
{
    uint32_t *ranks = orr_heap_calloc(job->file_count, sizeof *ranks);
    if (ranks == NULL) {
        return orr_diag_no_memory(diag, "ranks");
    }
    enum orr_status status = orr_convert_ranks_of_files(job, ranks, report, diag);
    if (status == ORR_OK) {
        struct conversion to = {.job = job, .report = report, .diag = diag};
        status = convert_all(&to, ranks);
    }
    orr_heap_free(ranks);
    return status;
}

const struct orr_converter orr_converter_chakra = {
    .name = "chakra",
    .summary = "execution traces of Chakra: current, JSON, and versions 0.0.1 and 0.0.3",
    .reads = "an execution trace",
    .max_files = SIZE_MAX,
    .run = orr_convert_chakra};
