/* orrery convert pytorch: execution traces of PyTorch, with Kineto profiles beside them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "et_converter/converter.h"
#include "et_converter/output.h"
#include "et_converter/pytorch/graph.h"

/* The communication of the first rank that used a group, which the others must repeat. */
struct sequence {
    const char *group; /* NULL: all ranks */
    struct pt_traffic *traffic;
    uint32_t count, rank;
};

struct conversion {
    const struct conv_job *job;
    struct conv_report *report;
    struct conv_output *output;
    struct orr_arena *arena; /* what is kept over all ranks */
    struct sequence *sequence;
    int64_t *start_ns; /* [ranks]: of the profiles, by the clock of rank 0; NULL: none */
    int64_t first_ns;  /* what rank 0 leaves out at its start */
    uint32_t sequences, ranks;
    size_t sequence_capacity;
    struct orr_diag *diag;
};

/* ---- paths ---- */

/* The template with each {rank} replaced; in the arena. */
static const char *path_of(struct orr_arena *arena, const char *template, uint32_t rank)
{
    static const char mark[] = "{rank}";
    const char *path = "";
    for (const char *at; path != NULL && (at = strstr(template, mark)) != NULL;
         template = at + sizeof mark - 1) {
        path =
            orr_arena_printf(arena, "%s%.*s%" PRIu32, path, (int)(at - template), template, rank);
    }
    return path != NULL ? orr_arena_printf(arena, "%s%s", path, template) : NULL;
}

static enum orr_status check_job(const struct conv_job *job, struct orr_diag *diag)
{
    const bool many = strstr(job->et, "{rank}") != NULL;
    const bool many_kineto = job->kineto != NULL && strstr(job->kineto, "{rank}") != NULL;
    if (job->ranks > 1 && !many) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--et %s: expected {rank} in the path, for %" PRIu32 " ranks", job->et,
                             job->ranks);
    }
    if (many && job->ranks == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--et %s has {rank} in it: --ranks N is missing", job->et);
    }
    if (job->kineto != NULL && many != many_kineto) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--kineto %s: expected {rank} in the path %s", job->kineto,
                             many ? "as in that of --et" : "only if it is in that of --et");
    }
    return ORR_OK;
}

/* ---- groups ---- */

static uint32_t world_of(const struct conversion *conversion, const struct pt_trace *trace,
                         const struct kt_trace *kineto)
{
    uint32_t world = conversion->ranks;
    for (uint32_t g = 0; g < trace->groups; g++) {
        world = trace->group[g].size > world ? trace->group[g].size : world;
        for (uint32_t i = 0; i < trace->group[g].ranks; i++) {
            const uint32_t rank = trace->group[g].rank[i];
            world = rank >= world ? rank + 1 : world;
        }
    }
    if (kineto != NULL && kineto->world > (int64_t)world && kineto->world <= INT32_MAX) {
        world = (uint32_t)kineto->world;
    }
    return world;
}

/* Ranks 0, 1, ... of all: such a group has no name. */
static bool is_all(const struct pt_group *group, uint32_t world)
{
    bool all = group->ranks == world;
    for (uint32_t i = 0; all && i < world; i++) {
        all = group->rank[i] == i;
    }
    return all;
}

/* A group of which only the size is known: those that are side by side, as tensor-parallel groups
 * are by custom. */
static enum orr_status guess_group(struct conversion *conversion, const struct pt_group *group,
                                   uint32_t rank, struct pt_group_use *use, struct orr_arena *arena)
{
    uint32_t *ranks = orr_arena_array(arena, group->size, sizeof *ranks);
    for (uint32_t i = 0; ranks != NULL && i < group->size; i++) {
        ranks[i] = rank / group->size * group->size + i;
    }
    if (ranks == NULL) {
        return orr_diag_no_memory(conversion->diag, "process groups");
    }
    conv_report_note(
        conversion->report, "process groups whose ranks are not told, taken to be side by side",
        "rank %" PRIu32 ", group %s of %" PRIu32 " ranks", rank, group->key, group->size);
    use->rank = ranks;
    return conv_output_group(conversion->output, ranks, group->size, &use->name, conversion->diag);
}

static enum orr_status use_group(struct conversion *conversion, const struct pt_group *group,
                                 uint32_t rank, uint32_t world, struct pt_group_use *use,
                                 struct orr_arena *arena)
{
    *use = (struct pt_group_use){.size = group->size != 0 ? group->size : world};
    if (use->size == 1 || (group->ranks == 0 && use->size == world) || is_all(group, world)) {
        return ORR_OK;
    }
    if (group->ranks == 0) {
        return guess_group(conversion, group, rank, use, arena);
    }
    use->rank = group->rank;
    return conv_output_group(conversion->output, group->rank, group->ranks, &use->name,
                             conversion->diag);
}

static enum orr_status use_groups(struct conversion *conversion, const struct pt_trace *trace,
                                  uint32_t rank, uint32_t world, struct pt_group_use **out)
{
    struct pt_group_use *use =
        orr_arena_array(trace->arena, (size_t)trace->groups + 1, sizeof *use);
    enum orr_status status =
        use != NULL ? ORR_OK : orr_diag_no_memory(conversion->diag, "process groups");
    for (uint32_t g = 0; g < trace->groups && status == ORR_OK; g++) {
        status = use_group(conversion, &trace->group[g], rank, world, &use[g], trace->arena);
    }
    if (status == ORR_OK) {
        use[trace->groups] = (struct pt_group_use){.size = world};
    }
    *out = use;
    return status;
}

/* ---- the same order on all ranks ---- */

static int compare_times(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static struct sequence *sequence_of(struct conversion *conversion, const char *group)
{
    for (uint32_t i = 0; i < conversion->sequences; i++) {
        if (same_text(conversion->sequence[i].group, group)) {
            return &conversion->sequence[i];
        }
    }
    struct sequence *grown =
        orr_arena_grow(conversion->arena, conversion->sequence, &conversion->sequence_capacity,
                       (size_t)conversion->sequences + 1, sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    conversion->sequence = grown;
    grown[conversion->sequences] = (struct sequence){.group = group};
    return &grown[conversion->sequences++];
}

static uint32_t count_in(const struct pt_graph *graph, const char *group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->traffics; i++) {
        count +=
            graph->traffic[i].kind == ORR_NODE_COLL && same_text(graph->traffic[i].group, group);
    }
    return count;
}

static bool agree(const struct pt_traffic *a, const struct pt_traffic *b)
{
    return a->comm == b->comm && (a->bytes == b->bytes || a->comm == ORR_COMM_ALL_TO_ALL);
}

static const char *group_text(const char *group)
{
    return group != NULL ? group : "of all ranks";
}

/* Compares what the rank does in the group with what the first one did; the first rank's is kept.
 */
static bool compare_group(struct conversion *conversion, const struct pt_graph *graph,
                          uint32_t rank, const char *group)
{
    struct sequence *sequence = sequence_of(conversion, group);
    const uint32_t count = count_in(graph, group);
    const bool first = sequence != NULL && sequence->traffic == NULL;
    uint32_t at = 0;
    if (first) {
        sequence->traffic =
            orr_arena_array(conversion->arena, (size_t)count + 1, sizeof *sequence->traffic);
        sequence->count = count;
        sequence->rank = rank;
    }
    if (sequence == NULL || sequence->traffic == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->traffics; i++) {
        const struct pt_traffic *traffic = &graph->traffic[i];
        if (traffic->kind != ORR_NODE_COLL || !same_text(traffic->group, group)) {
            continue;
        }
        if (first) {
            sequence->traffic[at] = *traffic;
        } else if (at < sequence->count && agree(traffic, &sequence->traffic[at])) {
            struct pt_traffic *kept = &sequence->traffic[at];
            kept->recorded_ps =
                traffic->recorded_ps < kept->recorded_ps ? traffic->recorded_ps : kept->recorded_ps;
        } else if (at < sequence->count) {
            conv_report_note(conversion->report, "ranks that disagree on the order of collectives",
                             "group %s, collective %" PRIu32 ": %s of %" PRIu64
                             " B on rank %" PRIu32 ", but %s of %" PRIu64 " B on rank %" PRIu32,
                             group_text(group), at, orr_trace_comm_name(sequence->traffic[at].comm),
                             sequence->traffic[at].bytes, sequence->rank,
                             orr_trace_comm_name(traffic->comm), traffic->bytes, rank);
            return true;
        }
        at++;
    }
    if (at != sequence->count) {
        conv_report_note(conversion->report, "ranks that disagree on the number of collectives",
                         "group %s: %" PRIu32 " on rank %" PRIu32 ", but %" PRIu32
                         " on rank %" PRIu32,
                         group_text(group), sequence->count, sequence->rank, at, rank);
    }
    return true;
}

static enum orr_status compare_ranks(struct conversion *conversion, const struct pt_graph *graph,
                                     uint32_t rank)
{
    bool complete = true;
    for (uint32_t i = 0; i < graph->traffics && complete; i++) {
        bool seen = graph->traffic[i].kind != ORR_NODE_COLL;
        for (uint32_t k = 0; k < i && !seen; k++) {
            seen = graph->traffic[k].kind == ORR_NODE_COLL &&
                   same_text(graph->traffic[k].group, graph->traffic[i].group);
        }
        if (!seen) {
            complete = compare_group(conversion, graph, rank, graph->traffic[i].group);
        }
    }
    return complete ? ORR_OK : orr_diag_no_memory(conversion->diag, "the order of collectives");
}

/* ---- what collectives took ---- */

/* Those of one kind and size as the one at `first`, which no earlier one is. */
static bool report_alike(struct conversion *conversion, const struct sequence *sequence,
                         uint32_t first)
{
    const struct pt_traffic *like = &sequence->traffic[first];
    int64_t *took_ps = orr_arena_array(conversion->arena, sequence->count, sizeof *took_ps);
    struct conv_recorded recorded = {.group = sequence->group != NULL ? sequence->group : "",
                                     .bytes = like->bytes,
                                     .comm = like->comm};
    for (uint32_t i = first; took_ps != NULL && i < sequence->count; i++) {
        struct pt_traffic *traffic = &sequence->traffic[i];
        if (traffic->comm == recorded.comm && traffic->bytes == recorded.bytes &&
            traffic->recorded_ps >= 0) {
            took_ps[recorded.count++] = traffic->recorded_ps;
            traffic->recorded_ps = -1;
        }
    }
    if (took_ps != NULL) {
        qsort(took_ps, recorded.count, sizeof *took_ps, compare_times);
        recorded.fastest_ps = took_ps[0];
        recorded.median_ps = took_ps[recorded.count / 2];
        conv_report_recorded(conversion->report, &recorded);
    }
    return took_ps != NULL;
}

static enum orr_status report_recorded(struct conversion *conversion)
{
    bool complete = true;
    for (uint32_t s = 0; s < conversion->sequences && complete; s++) {
        const struct sequence *sequence = &conversion->sequence[s];
        for (uint32_t i = 0; i < sequence->count && complete; i++) {
            if (sequence->traffic[i].recorded_ps >= 0) {
                complete = report_alike(conversion, sequence, i);
            }
        }
    }
    return complete ? ORR_OK : orr_diag_no_memory(conversion->diag, "a report");
}

/* ---- the clocks ---- */

/* How far the clock of one profile is ahead of another's, from the ends of their collectives, which
 * end on all ranks at once: the median. 0 when they do not have the same ones. */
static int64_t ahead_of(struct orr_arena *arena, const struct kt_clock *clock,
                        const struct kt_clock *first)
{
    int64_t *apart = orr_arena_array(arena, (size_t)clock->ends + 1, sizeof *apart);
    if (apart == NULL || clock->ends == 0 || clock->ends != first->ends) {
        return 0;
    }
    for (uint32_t i = 0; i < clock->ends; i++) {
        apart[i] = clock->end_ns[i] - first->end_ns[i];
    }
    qsort(apart, clock->ends, sizeof *apart, compare_times);
    return apart[clock->ends / 2];
}

/* Ranks of one machine have one clock; small differences are not its. */
enum { SAME_CLOCK_NS = 1000000 };

static enum orr_status read_clock(struct conversion *conversion, struct orr_arena *arena,
                                  uint32_t rank, struct kt_clock *first)
{
    struct kt_clock clock;
    const struct js_source file = {.path = path_of(arena, conversion->job->kineto, rank),
                                   .progress = &conversion->job->progress};
    const enum orr_status status = file.path != NULL
                                       ? kt_clock_read(arena, &file, &clock, conversion->diag)
                                       : orr_diag_no_memory(conversion->diag, "paths");
    if (status != ORR_OK) {
        return status;
    }
    if (rank == 0) {
        *first = clock;
    }
    int64_t ahead_ns = ahead_of(arena, &clock, first);
    if (ahead_ns > -SAME_CLOCK_NS && ahead_ns < SAME_CLOCK_NS) {
        ahead_ns = 0;
    } else {
        conv_report_note(
            conversion->report, "clocks of ranks that differ: set by the ends of their collectives",
            "rank %" PRIu32 " is %.3f ms ahead of rank 0", rank, (double)ahead_ns / 1e6);
    }
    conversion->start_ns[rank] = clock.origin_ns - ahead_ns;
    return ORR_OK;
}

/* When the ranks' profiles begin, from the earliest on. */
static enum orr_status read_clocks(struct conversion *conversion)
{
    if (conversion->job->kineto == NULL || conversion->ranks == 1) {
        return ORR_OK;
    }
    struct orr_arena *first_arena = orr_arena_create(), *arena = orr_arena_create();
    struct kt_clock first = {0};
    conversion->start_ns =
        orr_arena_array(conversion->arena, conversion->ranks, sizeof *conversion->start_ns);
    enum orr_status status = ORR_OK;
    if (first_arena == NULL || arena == NULL || conversion->start_ns == NULL) {
        status = orr_diag_no_memory(conversion->diag, "the clocks of ranks");
    }
    int64_t earliest = INT64_MAX;
    for (uint32_t rank = 0; rank < conversion->ranks && status == ORR_OK; rank++) {
        status = read_clock(conversion, rank == 0 ? first_arena : arena, rank, &first);
        const int64_t at = status == ORR_OK ? conversion->start_ns[rank] : INT64_MAX;
        earliest = at < earliest ? at : earliest;
        if (rank > 0) {
            orr_arena_reset(arena);
        }
    }
    for (uint32_t rank = 0; rank < conversion->ranks && status == ORR_OK; rank++) {
        conversion->start_ns[rank] -= earliest;
    }
    orr_arena_destroy(first_arena);
    orr_arena_destroy(arena);
    return status;
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
    uint32_t rank;
    bool timed;
};

static enum orr_status read_inputs(struct rank_work *work)
{
    const struct conv_job *job = work->conversion->job;
    struct orr_diag *diag = work->conversion->diag;
    const char *et = path_of(work->arena, job->et, work->rank);
    const char *kineto = job->kineto != NULL ? path_of(work->arena, job->kineto, work->rank) : NULL;
    work->timed = job->kineto != NULL;
    if (et == NULL || (work->timed && kineto == NULL)) {
        return orr_diag_no_memory(diag, "paths");
    }
    orr_strings_init(&work->strings, work->arena);
    const struct js_source et_file = {.path = et, .progress = &job->progress},
                           kineto_file = {.path = kineto, .progress = &job->progress};
    enum orr_status status =
        pt_trace_read(work->arena, &work->strings, &et_file, &work->trace, diag);
    if (status == ORR_OK && work->timed) {
        status = kt_trace_read(&work->trace, &kineto_file, &work->kineto, diag);
    }
    if (status == ORR_OK && work->timed) {
        status = pt_link(&work->trace, &work->kineto, &work->link, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    return work->timed
               ? pt_timeline_build(&work->trace, &work->kineto, &work->link, &work->timeline, diag)
               : pt_untimed_build(&work->trace, &work->timeline, diag);
}

static void note_trace(const struct rank_work *work)
{
    const struct pt_trace *trace = &work->trace;
    struct conv_report *report = work->conversion->report;
    if (trace->unknown_schema) {
        conv_report_note(report, "schemas that are not known, read as those that are", "%s: %s",
                         trace->path, trace->schema);
    }
    if (!trace->finished) {
        conv_report_note(report, "traces without an end: the observer was not stopped", "%s",
                         trace->path);
    }
    if (trace->ignored > 0) {
        conv_report_note(report, "files with more than JSON in them; the rest was passed over",
                         "%s: %" PRIu64 " bytes", trace->path, trace->ignored);
    }
}

static void note_link(const struct rank_work *work)
{
    const struct pt_trace *trace = &work->trace;
    struct conv_report *report = work->conversion->report;
    for (uint32_t n = 0; n < trace->nodes; n++) {
        if (!trace->node[n].is_label && work->link.op[n] == PT_NONE) {
            conv_report_note(report, "operators without an event in the profile: of no duration",
                             "rank %" PRIu32 ": node %" PRIu64 " (%s)", work->rank,
                             trace->node[n].id, trace->strings->text[trace->node[n].name]);
        }
    }
    if (work->timeline.denied > 0) {
        conv_report_note(report, "waits that the recorded times contradict: left out",
                         "rank %" PRIu32 ": %" PRIu32, work->rank, work->timeline.denied);
    }
    if (work->timeline.left_out > 0) {
        conv_report_note(report, "work on the GPU whose launch is not in the profile: left out",
                         "rank %" PRIu32 ": %" PRIu32 " kernels and copies", work->rank,
                         work->timeline.left_out);
    }
    if (work->timeline.outside > 0) {
        conv_report_note(report, "the profile is longer than the trace: the rest was left out",
                         "rank %" PRIu32 ": %" PRIu32 " operators", work->rank,
                         work->timeline.outside);
    }
}

static enum orr_status report_rank(struct rank_work *work)
{
    struct conv_rank in = {.rank = work->rank,
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
        conv_report_note(work->conversion->report,
                         "ranks without a profile: operators on the GPU have operations and bytes "
                         "from their shapes and no duration, for a roofline (compute.peak)",
                         "rank %" PRIu32, work->rank);
    }
    return conv_report_trace(work->conversion->report, work->graph.out, &in, 1,
                             work->conversion->diag);
}

static enum orr_status write_rank(struct rank_work *work)
{
    struct conversion *conversion = work->conversion;
    struct pt_group_use *group;
    const uint32_t world = world_of(conversion, &work->trace, work->timed ? &work->kineto : NULL);
    enum orr_status status = use_groups(conversion, &work->trace, work->rank, world, &group);
    if (status != ORR_OK) {
        return status;
    }
    int64_t delay_ns = 0;
    if (conversion->start_ns != NULL) {
        conversion->first_ns = work->rank == 0 ? work->timeline.first_ns : conversion->first_ns;
        delay_ns =
            conversion->start_ns[work->rank] + work->timeline.first_ns - conversion->first_ns;
    }
    work->graph = (struct pt_graph){.delay_ns = delay_ns > 0 ? delay_ns : 0,
                                    .trace = &work->trace,
                                    .kineto = work->timed ? &work->kineto : NULL,
                                    .timeline = &work->timeline,
                                    .group = group,
                                    .report = conversion->report};
    status = pt_graph_build(&work->graph, conversion->diag);
    if (status == ORR_OK) {
        status = compare_ranks(conversion, &work->graph, work->rank);
    }
    if (status == ORR_OK) {
        status =
            conv_output_trace(conversion->output, work->rank, 1, work->graph.out, conversion->diag);
    }
    return status == ORR_OK ? report_rank(work) : status;
}

static enum orr_status convert_rank(struct conversion *conversion, uint32_t rank)
{
    struct rank_work work = {.conversion = conversion, .arena = orr_arena_create(), .rank = rank};
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

enum orr_status orr_convert_pytorch(const struct conv_job *job, struct conv_report *report,
                                    struct orr_diag *diag)
{
    struct conversion conversion = {.job = job,
                                    .report = report,
                                    .arena = report->arena,
                                    .ranks = job->ranks > 0 ? job->ranks : 1,
                                    .diag = diag};
    enum orr_status status = check_job(job, diag);
    if (status == ORR_OK) {
        status = conv_output_create(&conversion.output, job->out, job->gzip, diag);
    }
    if (status == ORR_OK) {
        status = read_clocks(&conversion);
    }
    for (uint32_t rank = 0; rank < conversion.ranks && status == ORR_OK; rank++) {
        status = convert_rank(&conversion, rank);
    }
    if (status == ORR_OK && job->kineto != NULL) {
        status = report_recorded(&conversion);
    }
    if (status == ORR_OK) {
        status = conv_output_finish(conversion.output, diag);
    }
    conv_output_destroy(conversion.output);
    return status;
}
