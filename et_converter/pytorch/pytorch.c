/* Converter of PyTorch execution traces, with Kineto profiles of the same run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "core/time.h"
#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"
#include "et_converter/profile_files.h"
#include "et_converter/pytorch/et_kineto_link.h"
#include "et_converter/pytorch/json_scan.h"
#include "et_converter/pytorch/kineto.h"
#include "et_converter/pytorch/profile_scan.h"
#include "et_converter/pytorch/profile_trace.h"
#include "et_converter/pytorch/pytorch_private.h"
#include "et_converter/pytorch/pytorch_trace.h"
#include "et_converter/pytorch/steps.h"
#include "workload/trace/trace_builder.h"

static enum orr_status check_job(const struct conv_job *job, struct orr_diag *diag)
{
    if (job->et == NULL) {
        return job->ranks == 0 || (job->kineto != NULL && strstr(job->kineto, "{rank}") != NULL)
                   ? ORR_OK
                   : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                   "--npus goes with {rank} in the path of --kineto; profiles say "
                                   "themselves which ranks they are of");
    }
    if (job->step != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--step is for profiles without --et; `orrery trace cut` cuts a step "
                             "out of traces");
    }
    const bool many = strstr(job->et, "{rank}") != NULL;
    const bool many_kineto = job->kineto != NULL && strstr(job->kineto, "{rank}") != NULL;
    if (job->missing == CONV_MISSING_REPLAY && job->kineto == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--missing-ranks replay takes recorded times: --kineto is missing");
    }
    if (job->ranks > 1 && !many) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--et %s: expected {rank} in the path, for %" PRIu32 " ranks", job->et,
                             job->ranks);
    }
    if (many && job->ranks == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--et %s has {rank} in it: --npus N is missing", job->et);
    }
    if (job->kineto != NULL && many != many_kineto) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--kineto %s: expected {rank} in the path %s", job->kineto,
                             many ? "as in that of --et" : "only if it is in that of --et");
    }
    return ORR_OK;
}

/* ---- a rank ---- */

struct rank_work {
    struct conversion *conversion;
    struct orr_arena *arena;
    struct orr_strings strings;
    struct pt_trace trace;
    struct kt_trace kineto;
    struct pt_link link;
    struct pt_timeline timeline;
    struct pt_graph graph;
    uint32_t rank, file;
    uint32_t given; /* the rank whose file it is; another than rank: a copy for a missing rank */
    bool timed;
};

static enum orr_status read_trace(struct rank_work *work)
{
    const struct conv_job *job = work->conversion->job;
    struct orr_diag *diag = work->conversion->diag;
    const struct js_source file = {.path = orr_pytorch_path_of(work->arena, job->et, work->file),
                                   .progress = &job->progress};
    if (file.path == NULL) {
        return orr_diag_no_memory(diag, "paths");
    }
    const enum orr_status status =
        orr_pytorch_trace_read(work->arena, &work->strings, &file, &work->trace, diag);
    if (status != ORR_OK) {
        orr_conf_name_wrong(file.path, "an execution trace of PyTorch", diag);
        return status;
    }
    return orr_pytorch_check_rank(work->conversion, &work->trace, work->given);
}

/* Groups that only the profile knows are checked, too. */
static enum orr_status read_profile(struct rank_work *work)
{
    const struct conv_job *job = work->conversion->job;
    struct orr_diag *diag = work->conversion->diag;
    const struct js_source file = {.path =
                                       orr_pytorch_path_of(work->arena, job->kineto, work->file),
                                   .progress = &job->progress};
    if (file.path == NULL) {
        return orr_diag_no_memory(diag, "paths");
    }
    enum orr_status status = orr_kineto_trace_read(&work->trace, &file, &work->kineto, diag);
    if (status != ORR_OK) {
        orr_conf_name_wrong(file.path, "a profile or timeline of events (Kineto, Perfetto)", diag);
        return status;
    }
    status = orr_pytorch_check_rank(work->conversion, &work->trace, work->given);
    return status == ORR_OK ? orr_pytorch_link(&work->trace, &work->kineto, &work->link, diag)
                            : status;
}

/* Without an execution trace the operators of the profile are those of the trace. */
static enum orr_status read_alone(struct rank_work *work)
{
    const struct conversion *conversion = work->conversion;
    const struct profile_reading reading = {
        .source = {.path = conversion->profile[work->file], .progress = &conversion->job->progress},
        .step = conversion->step};
    work->trace.arena = work->arena;
    work->trace.strings = &work->strings;
    const enum orr_status status = orr_profile_trace_read(&reading, &work->trace, &work->kineto,
                                                          &work->link, conversion->diag);
    return status == ORR_OK ? orr_pytorch_check_rank(conversion, &work->trace, work->given)
                            : status;
}

static enum orr_status read_inputs(struct rank_work *work)
{
    struct orr_diag *diag = work->conversion->diag;
    const bool alone = work->conversion->profile != NULL;
    work->timed = alone || work->conversion->job->kineto != NULL;
    orr_strings_init(&work->strings, work->arena);
    if (alone) {
        const enum orr_status read = read_alone(work);
        return read == ORR_OK ? orr_pytorch_timeline_build(&work->trace, &work->kineto, &work->link,
                                                           &work->timeline, diag)
                              : read;
    }
    enum orr_status status = read_trace(work);
    if (status == ORR_OK && work->timed) {
        status = read_profile(work);
    }
    if (status != ORR_OK) {
        return status;
    }
    return work->timed ? orr_pytorch_timeline_build(&work->trace, &work->kineto, &work->link,
                                                    &work->timeline, diag)
                       : orr_pytorch_untimed_build(&work->trace, &work->timeline, diag);
}

static void note_trace(const struct rank_work *work)
{
    const struct pt_trace *trace = &work->trace;
    struct conv_report *report = work->conversion->report;
    if (trace->unknown_schema) {
        orr_convert_report_note(report, "unknown schemas, read like the known ones", "%s: %s",
                                trace->path, trace->schema);
    }
    if (!trace->finished) {
        orr_convert_report_note(report, "traces without an end: the observer was not stopped", "%s",
                                trace->path);
    }
    if (trace->ignored > 0) {
        orr_convert_report_note(report,
                                "files with other bytes around the JSON, which were ignored",
                                "%s: %" PRIu64 " bytes", trace->path, trace->ignored);
    }
}

static void note_link(const struct rank_work *work)
{
    const struct pt_trace *trace = &work->trace;
    struct conv_report *report = work->conversion->report;
    for (uint32_t n = 0; n < trace->nodes; n++) {
        if (!trace->node[n].is_label && work->link.op[n] == PT_NONE) {
            orr_convert_report_note(report, "operators without an event in the profile: duration 0",
                                    "rank %" PRIu32 ": node %" PRIu64 " (%s)", work->rank,
                                    trace->node[n].id, trace->strings->text[trace->node[n].name]);
        }
    }
    if (work->timeline.contradicted > 0) {
        orr_convert_report_note(report, "waits that the recorded times contradict: left out",
                                "rank %" PRIu32 ": %" PRIu32, work->rank,
                                work->timeline.contradicted);
    }
    if (work->timeline.without_launch > 0) {
        orr_convert_report_note(report,
                                "work on the GPU whose launch is not in the profile: left out",
                                "rank %" PRIu32 ": %" PRIu32 " kernels and copies", work->rank,
                                work->timeline.without_launch);
    }
    uint32_t others = 0;
    for (uint32_t w = 0; w < work->kineto.works; w++) {
        others += work->kineto.work[w].is_comm && !work->kineto.work[w].is_nccl ? 1 : 0;
    }
    if (others > 0) {
        orr_convert_report_note(report,
                                "kernels of other libraries that communicate (no sizes are "
                                "recorded): take their recorded time",
                                "rank %" PRIu32 ": %" PRIu32, work->rank, others);
    }
    if (work->timeline.outside > 0 || work->timeline.works_outside > 0) {
        orr_convert_report_note(
            report, "the profile is longer than the trace: the rest was left out",
            "rank %" PRIu32 ": %" PRIu32 " operators, %" PRIu32 " kernels and copies", work->rank,
            work->timeline.outside, work->timeline.works_outside);
    }
}

static enum orr_status report_rank(struct rank_work *work)
{
    struct conv_rank in = {.rank = work->conversion->lone ? 0 : work->rank,
                           .nodes_in = work->trace.operators,
                           .matched = work->timed ? work->link.matched : work->trace.operators};
    in.unmatched = in.nodes_in - in.matched;
    if (work->timed) {
        in.start_ps = orr_time_mul(ORR_PS_PER_NS, (uint64_t)work->graph.delay_ns);
        in.recorded_ps = orr_time_mul(ORR_PS_PER_NS,
                                      (uint64_t)(work->timeline.last_ns - work->timeline.first_ns));
    }
    note_trace(work);
    if (work->timed) {
        note_link(work);
    } else {
        orr_convert_report_note(
            work->conversion->report,
            "ranks without a profile: operators on the GPU have operations and bytes "
            "from their shapes and no duration, for a roofline (compute.peak)",
            "rank %" PRIu32, work->rank);
    }
    return orr_convert_report_trace(work->conversion->report, work->graph.out, &in, 1,
                                    work->conversion->diag);
}

/* Adds the collectives of a single rank that is the whole job, so that the trace can be scaled to
 * more ranks. */
static enum orr_status add_single_rank(struct rank_work *work, const struct pt_group_use *group)
{
    struct conv_report *report = work->conversion->report;
    struct pt_single_rank_count count;
    const enum orr_status status = orr_pytorch_add_single_rank(&work->trace, group, &work->timeline,
                                                               &count, work->conversion->diag);
    if (status == ORR_OK && count.kept > 0) {
        orr_convert_report_note(
            report,
            "collectives of a single-rank job, without a kernel in the profile: kept, "
            "with duration 0",
            "rank %" PRIu32 ": %" PRIu32, work->rank, count.kept);
    }
    if (status == ORR_OK && count.idle > 0) {
        orr_convert_report_note(report, "collectives of groups of one rank among several: left out",
                                "rank %" PRIu32 ": %" PRIu32, work->rank, count.idle);
    }
    return status;
}

/* Whether all that the trace communicates is collectives of all ranks, so that it can be the trace
 * of each of them. */
static bool is_for_all(const struct pt_trace *trace, const struct pt_group_use *group)
{
    for (uint32_t c = 0; c < trace->comms; c++) {
        const struct pt_comm *comm = &trace->comm[c];
        const struct pt_group_use *use =
            &group[comm->group < trace->groups ? comm->group : trace->groups];
        if (comm->kind == PT_SEND || comm->kind == PT_RECV ||
            (comm->kind == PT_COLLECTIVE && !use->idle && use->name != NULL)) {
            return false;
        }
    }
    return true;
}

static void note_one_of_several(const struct rank_work *work, const struct pt_group_use *group,
                                uint32_t world)
{
    const char *finding =
        is_for_all(&work->trace, group)
            ? "a trace of one rank of several: the others are not converted, and all NPUs do what "
              "it does"
            : "a trace of one rank of several does not run as it is, because groups and messages "
              "are those of one rank: give all files ({rank} and --npus), or stand in for the "
              "others with --missing-ranks copy or replay";
    orr_convert_report_note(work->conversion->report, finding, "%s: of %" PRIu32 " ranks",
                            work->trace.path, world);
}

/* The groups and their ranks; a copy's are those of the missing rank. */
static enum orr_status place_groups(struct rank_work *work, struct pt_group_use **group)
{
    struct conversion *conversion = work->conversion;
    const uint32_t world =
        orr_pytorch_world_of(conversion, &work->trace, work->timed ? &work->kineto : NULL);
    const bool part = conversion->many || conversion->missing != PT_MISSING_REFUSED;
    enum orr_status status = part ? orr_pytorch_grow(conversion, world) : ORR_OK;
    if (status == ORR_OK && part) {
        status = orr_pytorch_check_world(conversion, orr_pytorch_size_of_all(&work->trace),
                                         "its process group \"0\"");
    }
    if (status == ORR_OK && work->given != work->rank) {
        status = orr_pytorch_become(conversion, &work->trace, work->given, work->rank);
    } else if (status == ORR_OK && part) {
        status = orr_pytorch_keep_groups(conversion, &work->trace, work->rank);
    }
    if (status == ORR_OK) {
        status = orr_pytorch_use_groups(conversion, &work->trace, work->rank, world, group);
    }
    if (status == ORR_OK && conversion->lone && world > 1) {
        orr_convert_report_note(
            conversion->report,
            "one rank of several: its communication takes its recorded time, with the waiting for "
            "other ranks in it; what the others do, and what another network would change, cannot "
            "be told without their profiles",
            "%s: rank %" PRIu32 " of %" PRIu32, work->trace.path, work->given, world);
    }
    if (status == ORR_OK && !part && world > 1) {
        note_one_of_several(work, *group, world);
    }
    return status;
}

/* How much later the rank begins than the first one. */
static int64_t delay_of(const struct rank_work *work)
{
    struct conversion *conversion = work->conversion;
    if (conversion->start_ns == NULL || conversion->profile != NULL) {
        return conversion->start_ns != NULL ? conversion->start_ns[work->file] : 0;
    }
    conversion->first_ns = conversion->has_first ? conversion->first_ns : work->timeline.first_ns;
    conversion->has_first = true;
    return conversion->start_ns[work->file] + work->timeline.first_ns - conversion->first_ns;
}

static enum orr_status write_rank(struct rank_work *work)
{
    struct conversion *conversion = work->conversion;
    struct pt_group_use *group;
    enum orr_status status = place_groups(work, &group);
    if (status != ORR_OK) {
        return status;
    }
    status = add_single_rank(work, group);
    if (status != ORR_OK) {
        return status;
    }
    if (conversion->profile != NULL) {
        orr_profile_mark_lone(conversion, &work->trace, &work->kineto, group, work->given);
    }
    const int64_t delay_ns = delay_of(work);
    work->graph = (struct pt_graph){.delay_ns = delay_ns > 0 ? delay_ns : 0,
                                    .trace = &work->trace,
                                    .kineto = work->timed ? &work->kineto : NULL,
                                    .timeline = &work->timeline,
                                    .group = group,
                                    .report = conversion->report};
    status = orr_pytorch_graph_build(&work->graph, conversion->diag);
    if (status == ORR_OK) {
        status = orr_pytorch_compare_ranks(conversion, &work->graph, work->rank);
    }
    if (status == ORR_OK) {
        status = orr_convert_output_trace(conversion->output, conversion->lone ? 0 : work->rank, 1,
                                          work->graph.out, conversion->diag);
    }
    return status == ORR_OK ? report_rank(work) : status;
}

/* Converts the file of rank `given` to the trace of `rank`. */
static enum orr_status convert_rank(struct conversion *conversion, uint32_t rank, uint32_t given)
{
    struct rank_work work = {.conversion = conversion,
                             .arena = orr_arena_create(),
                             .rank = rank,
                             .given = given,
                             .file = conversion->file_of[given]};
    if (work.arena == NULL) {
        return orr_diag_no_memory(conversion->diag, "a PyTorch trace");
    }
    enum orr_status status = read_inputs(&work);
    if (status == ORR_OK) {
        status = write_rank(&work);
    }
    orr_arena_destroy(work.arena);
    return status;
}

/* ---- all ranks ---- */

/* A missing rank whose part in communication is replayed does nothing. */
static enum orr_status write_nothing(struct conversion *conversion, uint32_t rank)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_trace_builder *builder = arena != NULL ? orr_trace_builder_create(arena) : NULL;
    const struct orr_trace *trace = NULL;
    enum orr_status status = ORR_OK;
    if (builder == NULL) {
        status = orr_diag_no_memory(conversion->diag, "a trace");
    } else {
        (void)orr_trace_builder_add_metadata(builder, "a missing rank", NULL);
        status = orr_trace_builder_finish(builder, &trace, conversion->diag);
    }
    if (status == ORR_OK) {
        status = orr_convert_output_trace(conversion->output, rank, 1, trace, conversion->diag);
    }
    if (status == ORR_OK) {
        const struct conv_rank in = {.rank = rank};
        status = orr_convert_report_trace(conversion->report, trace, &in, 1, conversion->diag);
    }
    orr_trace_builder_destroy(builder);
    orr_arena_destroy(arena);
    return status;
}

static enum orr_status stand_in(struct conversion *conversion, uint32_t rank)
{
    uint32_t given;
    if (conversion->missing == PT_MISSING_REPLAY) {
        orr_convert_report_note(conversion->report,
                                "missing ranks: what they take part in takes its recorded time",
                                "rank %" PRIu32, rank);
        return write_nothing(conversion, rank);
    }
    const enum orr_status status = orr_pytorch_nearest(conversion, rank, &given);
    if (status != ORR_OK) {
        return status;
    }
    orr_convert_report_note(conversion->report, "missing ranks: copies of the nearest ranks",
                            "rank %" PRIu32 ": of rank %" PRIu32, rank, given);
    return convert_rank(conversion, rank, given);
}

static enum orr_status convert_all(struct conversion *conversion)
{
    enum orr_status status = ORR_OK;
    for (uint32_t rank = 0; rank < conversion->ranks && status == ORR_OK; rank++) {
        if (conversion->file_of[rank] != PT_NONE) {
            status = convert_rank(conversion, rank, rank);
        }
    }
    for (uint32_t rank = 0; rank < conversion->ranks && status == ORR_OK && !conversion->lone;
         rank++) {
        if (conversion->file_of[rank] == PT_NONE) {
            status = stand_in(conversion, rank);
        }
    }
    return status;
}

enum orr_status orr_convert_pytorch(const struct conv_job *job, struct conv_report *report,
                                    struct orr_diag *diag)
{
    struct conversion conversion = {.job = job,
                                    .report = report,
                                    .arena = report->arena,
                                    .files = job->ranks > 0 ? job->ranks : 1,
                                    .many = job->ranks > 0,
                                    .missing = (enum pt_missing)job->missing,
                                    .diag = diag};
    conversion.placed = conversion.files > 1 || job->missing != CONV_MISSING_REFUSED ||
                        (job->et != NULL && strstr(job->et, "{rank}") != NULL);
    enum orr_status status = check_job(job, diag);
    if (status == ORR_OK && job->et == NULL) {
        status = orr_profile_list(&conversion);
    }
    if (status == ORR_OK) {
        status = orr_convert_output_create(&conversion.output, job->out, job->gzip, diag);
    }
    if (status == ORR_OK) {
        status = conversion.profile != NULL ? orr_profile_scan(&conversion)
                                            : orr_pytorch_read_clocks(&conversion);
    }
    if (status == ORR_OK) {
        status = orr_pytorch_place_files(&conversion);
    }
    if (status == ORR_OK) {
        status = convert_all(&conversion);
    }
    if (status == ORR_OK && (job->kineto != NULL || conversion.profile != NULL)) {
        status = orr_pytorch_report_recorded(&conversion);
    }
    if (status == ORR_OK) {
        status = orr_convert_output_finish(conversion.output, diag);
    }
    orr_convert_output_destroy(conversion.output);
    return status;
}

const struct orr_converter orr_converter_pytorch = {
    .name = "pytorch",
    .summary =
        "execution traces of PyTorch, with Kineto profiles of the same run; or profiles alone",
    .alone = "an execution trace of PyTorch",
    .options = CONV_TRACES,
    .run = orr_convert_pytorch};
