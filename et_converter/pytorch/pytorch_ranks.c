/* Checks and clocks over all ranks of a run: order of collectives, their recorded durations, clock
 * offsets; see pytorch_private.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "et_converter/conversion_report.h"
#include "et_converter/pytorch/json_scan.h"
#include "et_converter/pytorch/kineto.h"
#include "et_converter/pytorch/pytorch_private.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_query.h"

/* The template with each {rank} replaced; in the arena. */
const char *orr_pytorch_path_of(struct orr_arena *arena, const char *template, uint32_t rank)
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
    return a->comm == b->comm &&
           (a->bytes == b->bytes || a->comm == ORR_COMM_ALL_TO_ALL || (a->uneven && b->uneven));
}

static const char *group_text(const char *group)
{
    return group != NULL ? group : "of all ranks";
}

/* Compares the collectives of a rank in a group with those of the first rank, which are stored. */
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
            orr_convert_report_note(
                conversion->report, "ranks that disagree on the order of collectives",
                "group %s, collective %" PRIu32 ": %s of %" PRIu64 " B on rank %" PRIu32
                ", but %s of %" PRIu64 " B on rank %" PRIu32,
                group_text(group), at, orr_trace_comm_name(sequence->traffic[at].comm),
                sequence->traffic[at].bytes, sequence->rank, orr_trace_comm_name(traffic->comm),
                traffic->bytes, rank);
            return true;
        }
        at++;
    }
    if (at != sequence->count) {
        orr_convert_report_note(
            conversion->report, "ranks that disagree on the number of collectives",
            "group %s: %" PRIu32 " on rank %" PRIu32 ", but %" PRIu32 " on rank %" PRIu32,
            group_text(group), sequence->count, sequence->rank, at, rank);
    }
    return true;
}

enum orr_status orr_pytorch_compare_ranks(struct conversion *conversion,
                                          const struct pt_graph *graph, uint32_t rank)
{
    bool complete = true;
    for (uint32_t i = 0; i < graph->traffics && complete; i++) {
        bool is_known = graph->traffic[i].kind != ORR_NODE_COLL;
        for (uint32_t k = 0; k < i && !is_known; k++) {
            is_known = graph->traffic[k].kind == ORR_NODE_COLL &&
                       same_text(graph->traffic[k].group, graph->traffic[i].group);
        }
        if (!is_known) {
            complete = compare_group(conversion, graph, rank, graph->traffic[i].group);
        }
    }
    return complete ? ORR_OK : orr_diag_no_memory(conversion->diag, "the order of collectives");
}

/* ---- durations of collectives ---- */

/* Reports the collectives of the kind and size of the one at `first`, the first of its kind. */
static bool report_one_kind(struct conversion *conversion, const struct sequence *sequence,
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
        orr_convert_report_recorded(conversion->report, &recorded);
    }
    return took_ps != NULL;
}

enum orr_status orr_pytorch_report_recorded(struct conversion *conversion)
{
    bool complete = true;
    for (uint32_t s = 0; s < conversion->sequences && complete; s++) {
        const struct sequence *sequence = &conversion->sequence[s];
        for (uint32_t i = 0; i < sequence->count && complete; i++) {
            if (sequence->traffic[i].recorded_ps >= 0) {
                complete = report_one_kind(conversion, sequence, i);
            }
        }
    }
    return complete ? ORR_OK : orr_diag_no_memory(conversion->diag, "a report");
}

/* ---- the clocks ---- */

/* Offset of one profile's clock against another's: the median difference of the ends of their
 * collectives, which end on all ranks at once. 0 if the numbers of collectives differ. */
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

/* Smaller offsets are ignored: ranks of one machine share a clock. */
enum { SAME_CLOCK_NS = 1000000 };

static enum orr_status read_clock(struct conversion *conversion, struct orr_arena *arena,
                                  uint32_t file, struct kt_clock *first)
{
    struct kt_clock clock;
    const struct js_source source = {.path =
                                         orr_pytorch_path_of(arena, conversion->job->kineto, file),
                                     .progress = &conversion->job->progress};
    const enum orr_status status =
        source.path != NULL ? orr_kineto_clock_read(arena, &source, &clock, conversion->diag)
                            : orr_diag_no_memory(conversion->diag, "paths");
    if (status != ORR_OK) {
        orr_conf_name_wrong(source.path, "a profile or timeline of events (Kineto, Perfetto)",
                            conversion->diag);
        return status;
    }
    conversion->place[file] = clock.place;
    if (first->end_ns == NULL) {
        *first = clock;
    }
    int64_t ahead_ns = ahead_of(arena, &clock, first);
    if (ahead_ns > -SAME_CLOCK_NS && ahead_ns < SAME_CLOCK_NS) {
        ahead_ns = 0;
    } else {
        orr_convert_report_note(
            conversion->report, "clocks of ranks that differ: set by the ends of their collectives",
            "rank %" PRIu32 " is %.3f ms ahead of rank 0", file, (double)ahead_ns / 1e6);
    }
    conversion->start_ns[file] = clock.origin_ns - ahead_ns;
    return ORR_OK;
}

static bool allocate_clocks(struct conversion *conversion)
{
    conversion->start_ns =
        orr_arena_array(conversion->arena, conversion->files, sizeof *conversion->start_ns);
    conversion->place =
        orr_arena_array(conversion->arena, conversion->files, sizeof *conversion->place);
    for (uint32_t file = 0; conversion->place != NULL && file < conversion->files; file++) {
        conversion->place[file] = (struct kt_place){-1, -1};
    }
    return conversion->start_ns != NULL && conversion->place != NULL;
}

/* When the ranks' profiles begin, from the earliest on. */
enum orr_status orr_pytorch_read_clocks(struct conversion *conversion)
{
    if (!allocate_clocks(conversion)) {
        return orr_diag_no_memory(conversion->diag, "the clocks of ranks");
    }
    if (conversion->job->kineto == NULL || !conversion->placed) {
        conversion->start_ns = NULL;
        return ORR_OK;
    }
    struct orr_arena *first_arena = orr_arena_create(), *arena = orr_arena_create();
    struct kt_clock first = {0};
    enum orr_status status = ORR_OK;
    if (first_arena == NULL || arena == NULL) {
        status = orr_diag_no_memory(conversion->diag, "the clocks of ranks");
    }
    int64_t earliest = INT64_MAX;
    for (uint32_t file = 0; file < conversion->files && status == ORR_OK; file++) {
        if (!orr_pytorch_has_file(conversion, arena, file)) {
            continue;
        }
        status = read_clock(conversion, first.end_ns == NULL ? first_arena : arena, file, &first);
        const int64_t at = status == ORR_OK ? conversion->start_ns[file] : INT64_MAX;
        earliest = at < earliest ? at : earliest;
        orr_arena_reset(arena);
    }
    for (uint32_t file = 0; file < conversion->files && status == ORR_OK; file++) {
        conversion->start_ns[file] -= earliest;
    }
    orr_arena_destroy(first_arena);
    orr_arena_destroy(arena);
    return status;
}
