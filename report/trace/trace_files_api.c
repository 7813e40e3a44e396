/* Comparing two traces, and cutting and scaling trace files, for programs; see
 * include/orrery/trace.h. */
#include "orrery/orrery.h"
#include "report/trace/trace_private.h"
#include "report/trace/trace_report.h"
#include "workload/trace/trace_compare.h"
#include "workload/trace/trace_cut_files.h"
#include "workload/trace/trace_scale.h"

/* ---- two traces ---- */

static enum orr_status compare(struct orr_arena *arena, struct orrery_trace *a,
                               const struct orrery_trace *b, struct orr_trace_comparison *all)
{
    struct orr_diag *diag = &a->object.diag;
    enum orr_status status = orr_trace_check_read(a, diag);
    if (status == ORR_OK) {
        status = orr_trace_check_read(b, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const struct orr_trace *const traces[2] = {a->trace, b->trace};
    return arena != NULL ? orr_trace_compare(arena, traces, all, diag)
                         : orr_diag_no_memory(diag, "the comparison of traces");
}

enum orrery_status orrery_trace_diff(struct orrery_trace *a, const struct orrery_trace *b,
                                     struct orrery_trace_difference *difference)
{
    if (a == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_trace_comparison all;
    struct orr_arena *arena = orr_arena_create();
    enum orr_status status = orr_check_caller_struct("orrery_trace_difference",
                                                     difference != NULL ? &difference->size : NULL,
                                                     sizeof *difference, &a->object.diag);
    if (status == ORR_OK && (status = compare(arena, a, b, &all)) == ORR_OK) {
        *difference = (struct orrery_trace_difference){.size = sizeof *difference,
                                                       .both = all.matched,
                                                       .only_a = all.only[0],
                                                       .only_b = all.only[1],
                                                       .edges_only_a = all.edges_only[0],
                                                       .edges_only_b = all.edges_only[1],
                                                       .differences = all.changes};
    }
    orr_arena_destroy(arena);
    return orr_object_finish(&a->object, status);
}

enum orrery_status orrery_trace_write_diff(struct orrery_trace *a, const struct orrery_trace *b,
                                           FILE *out, bool json, uint32_t rows)
{
    if (a == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_trace_comparison all;
    struct orr_arena *arena = orr_arena_create();
    const struct orr_diff_view view = {.json = json, .rows = orr_rows_of(rows)};
    enum orr_status status = compare(arena, a, b, &all);
    if (status == ORR_OK) {
        const struct orr_trace *const traces[2] = {a->trace, b->trace};
        status = orr_trace_print_diff(out, traces, &all, &view, &a->object.diag);
    }
    if (status == ORR_OK) {
        status = orr_check_written(out, &a->object.diag);
    }
    orr_arena_destroy(arena);
    return orr_object_finish(&a->object, status);
}

/* ---- files ---- */

enum orrery_status orrery_trace_write_steps(struct orrery_trace *trace, FILE *out, const char *in,
                                            const char *marker)
{
    if (trace == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &trace->object.diag;
    struct orr_arena *arena = orr_arena_create();
    enum orr_status status = orr_trace_check_path(in, "a trace or a prefix", diag);
    if (status == ORR_OK) {
        status = arena != NULL ? orr_trace_print_steps(out, arena, in, marker, diag)
                               : orr_diag_no_memory(diag, "a trace");
    }
    if (status == ORR_OK) {
        status = orr_check_written(out, diag);
    }
    orr_arena_destroy(arena);
    return orr_object_finish(&trace->object, status);
}

static enum orr_status check_cut(const struct orrery_trace_cut *cut, struct orr_diag *diag)
{
    enum orr_status status = orr_check_caller_struct(
        "orrery_trace_cut", cut != NULL ? &cut->size : NULL, sizeof *cut, diag);
    if (status == ORR_OK) {
        status = orr_trace_check_path(cut->in, "`in`, a trace or a prefix", diag);
    }
    if (status == ORR_OK) {
        status = orr_trace_check_path(cut->out, "`out`, a file or a prefix", diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    if ((cut->step == NULL) == (cut->from == NULL) || (cut->step != NULL && cut->to != NULL)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected what to cut out: `step`, or `from` with or without `to`");
    }
    return cut->marker == NULL || cut->step != NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "`marker` goes with `step`");
}

static enum orr_status cut_files(struct orrery_trace_cut *cut, struct orr_diag *diag)
{
    struct orr_cut_files files = {.in = cut->in,
                                  .out = cut->out,
                                  .cut = {.marker = cut->marker,
                                          .step = cut->step,
                                          .from = cut->from,
                                          .to = cut->to,
                                          .gzip = cut->gzip}};
    struct orr_cut_sum sum;
    orr_cut_files_find(&files);
    const enum orr_status status = orr_trace_cut_files(&files, &sum, diag);
    if (status != ORR_OK) {
        return status;
    }
    cut->ranks = files.ranks;
    cut->nodes = sum.nodes;
    cut->all_nodes = sum.of;
    cut->edges = sum.edges;
    cut->dropped = sum.dropped;
    if (cut->said == NULL) {
        return ORR_OK;
    }
    orr_trace_print_cut(cut->said, &files, &sum);
    return orr_check_written(cut->said, diag);
}

enum orrery_status orrery_trace_cut(struct orrery_trace *trace, struct orrery_trace_cut *cut)
{
    if (trace == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    const enum orr_status status = check_cut(cut, &trace->object.diag);
    return orr_object_finish(&trace->object,
                             status == ORR_OK ? cut_files(cut, &trace->object.diag) : status);
}

static enum orr_status check_scale(const struct orrery_trace_scale *scale, struct orr_diag *diag)
{
    enum orr_status status = orr_check_caller_struct(
        "orrery_trace_scale", scale != NULL ? &scale->size : NULL, sizeof *scale, diag);
    if (status == ORR_OK) {
        status = orr_trace_check_path(scale->in, "`in`, a prefix", diag);
    }
    if (status == ORR_OK) {
        status = orr_trace_check_path(scale->out, "`out`, a prefix", diag);
    }
    return status != ORR_OK || (scale->to >= 1 && scale->to <= INT32_MAX)
               ? status
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "`to`: expected a number of ranks from 1 to 2147483647, got %u",
                               scale->to);
}

static enum orr_status scale_files(struct orrery_trace_scale *scale, struct orr_diag *diag)
{
    struct orr_trace_scale job = {.prefix = scale->in,
                                  .out = scale->out,
                                  .from = scale->from,
                                  .to = scale->to,
                                  .gzip = scale->gzip};
    struct orr_trace_scale_result result;
    enum orr_status status = orr_trace_scale_ranks(&job, "`from`", diag);
    if (status == ORR_OK) {
        status = orr_trace_scale(&job, &result, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    scale->from = job.from;
    scale->nodes = result.nodes;
    if (scale->said == NULL) {
        return ORR_OK;
    }
    orr_trace_print_scale(scale->said, &job, &result);
    return orr_check_written(scale->said, diag);
}

enum orrery_status orrery_trace_scale(struct orrery_trace *trace, struct orrery_trace_scale *scale)
{
    if (trace == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    const enum orr_status status = check_scale(scale, &trace->object.diag);
    return orr_object_finish(&trace->object,
                             status == ORR_OK ? scale_files(scale, &trace->object.diag) : status);
}
