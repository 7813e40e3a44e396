/* Report of a conversion; see conversion_report.h. */
#include "et_converter/conversion_report.h"

#include "core/arena.h"
#include "workload/trace/trace_query.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { EXAMPLE_BYTES = 256, GROUP_BYTES = 160 };

void orr_convert_report_init(struct conv_report *report, struct orr_arena *arena)
{
    *report = (struct conv_report){.arena = arena, .complete = true};
}

enum orr_status orr_convert_report_check(const struct conv_report *report, struct orr_diag *diag)
{
    return report->complete ? ORR_OK : orr_diag_no_memory(diag, "the report of a conversion");
}

struct conv_rank *orr_convert_report_rank(struct conv_report *report, uint32_t rank)
{
    struct conv_rank **grown = orr_arena_grow(report->arena, report->rank, &report->rank_capacity,
                                              report->ranks + 1, sizeof(struct conv_rank *));
    struct conv_rank *row = orr_arena_alloc(report->arena, sizeof *row);
    if (grown == NULL || row == NULL) {
        report->complete = false;
        return NULL;
    }
    row->rank = rank;
    report->rank = grown;
    report->rank[report->ranks++] = row;
    return row;
}

/* ---- traffic ---- */

static bool is_same(const struct conv_traffic *a, const struct conv_traffic *b)
{
    return a->kind == b->kind && (a->kind != ORR_NODE_COLL || a->comm == b->comm) &&
           strcmp(a->group, b->group) == 0;
}

void orr_convert_report_recorded(struct conv_report *report, const struct conv_recorded *recorded)
{
    struct conv_recorded *grown =
        orr_arena_grow(report->arena, report->recorded, &report->recorded_capacity,
                       report->recordeds + 1, sizeof *grown);
    const char *group = orr_arena_strdup(report->arena, recorded->group);
    if (grown == NULL || group == NULL) {
        report->complete = false;
        return;
    }
    report->recorded = grown;
    grown[report->recordeds] = *recorded;
    grown[report->recordeds++].group = group;
}

void orr_convert_report_traffic(struct conv_report *report, const struct conv_traffic *traffic)
{
    for (size_t i = report->traffics; i-- > 0;) {
        if (is_same(&report->traffic[i], traffic)) {
            report->traffic[i].count += traffic->count;
            report->traffic[i].bytes += traffic->bytes;
            return;
        }
    }
    struct conv_traffic *grown =
        orr_arena_grow(report->arena, report->traffic, &report->traffic_capacity,
                       report->traffics + 1, sizeof *grown);
    const char *group = orr_arena_strdup(report->arena, traffic->group);
    if (grown == NULL || group == NULL) {
        report->complete = false;
        return;
    }
    report->traffic = grown;
    grown[report->traffics] = *traffic;
    grown[report->traffics++].group = group;
}

/* "dims 0,2" of a mask. */
static const char *dims_text(const struct orr_node_extra *extra, char text[GROUP_BYTES])
{
    size_t used = (size_t)snprintf(text, GROUP_BYTES, "dims");
    for (unsigned d = 0; d < extra->involved_dims; d++) {
        if ((extra->involved_mask >> d & 1) != 0 && used < GROUP_BYTES) {
            used +=
                (size_t)snprintf(text + used, GROUP_BYTES - used, "%s%u", used == 4 ? " " : ",", d);
        }
    }
    return text;
}

static const char *group_of(const struct orr_trace *trace, const struct orr_node *node,
                            char text[GROUP_BYTES])
{
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    if (node->kind != ORR_NODE_COLL) {
        return "";
    }
    if (node->group != 0) {
        return trace->groups[node->group - 1];
    }
    return extra != NULL && extra->has_involved_dim ? dims_text(extra, text) : "";
}

static bool communicates(const struct orr_node *node)
{
    return node->kind == ORR_NODE_COLL || node->kind == ORR_NODE_SEND ||
           node->kind == ORR_NODE_RECV;
}

/* ---- traces ---- */

static void count_node(struct conv_report *report, const struct orr_trace *trace,
                       const struct orr_node *node, uint32_t ranks, struct conv_rank *row)
{
    char text[GROUP_BYTES];
    row->by_kind[node->kind]++;
    if (node->kind == ORR_NODE_COMP) {
        const bool cpu = (node->flags & ORR_NODE_IS_CPU) != 0;
        *(cpu ? &row->cpu_ps : &row->compute_ps) += (int64_t)node->duration_ps;
        row->operations += node->amount;
    }
    if (communicates(node)) {
        const struct conv_traffic traffic = {.kind = node->kind,
                                             .comm = node->comm,
                                             .group = group_of(trace, node, text),
                                             .count = ranks,
                                             .bytes = node->amount * ranks};
        row->communication_bytes += node->amount;
        orr_convert_report_traffic(report, &traffic);
    }
}

enum orr_status orr_convert_report_trace(struct conv_report *report, const struct orr_trace *trace,
                                         const struct conv_rank *in, uint32_t count,
                                         struct orr_diag *diag)
{
    struct orr_trace_summary summary;
    struct conv_rank row = {.rank = 0};
    struct orr_arena *scratch = orr_arena_create();
    if (scratch == NULL) {
        return orr_diag_no_memory(diag, "the report of a conversion");
    }
    const enum orr_status status = orr_trace_summarize(scratch, trace, &summary, diag);
    orr_arena_destroy(scratch);
    if (status != ORR_OK) {
        return status;
    }
    if (in != NULL) {
        row = *in;
    }
    row.nodes_out = trace->nodes;
    row.critical_path_ps = (int64_t)summary.critical_duration_ps;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        count_node(report, trace, &trace->node[i], count, &row);
    }
    const uint32_t first = row.rank;
    for (uint32_t i = 0; i < count && report->complete; i++) {
        struct conv_rank *copy = orr_convert_report_rank(report, first + i);
        if (copy != NULL) {
            row.rank = first + i;
            *copy = row;
        }
    }
    return orr_convert_report_check(report, diag);
}

/* ---- notes ---- */

static struct conv_note *find_note(struct conv_report *report, const char *finding)
{
    for (size_t i = 0; i < report->notes; i++) {
        if (strcmp(report->note[i].finding, finding) == 0) {
            return &report->note[i];
        }
    }
    struct conv_note *grown = orr_arena_grow(report->arena, report->note, &report->note_capacity,
                                             report->notes + 1, sizeof *grown);
    const char *copy = orr_arena_strdup(report->arena, finding);
    if (grown == NULL || copy == NULL) {
        report->complete = false;
        return NULL;
    }
    report->note = grown;
    grown[report->notes] = (struct conv_note){.finding = copy};
    return &grown[report->notes++];
}

void orr_convert_report_note(struct conv_report *report, const char *finding, const char *example,
                             ...)
{
    struct conv_note *note = find_note(report, finding);
    if (note == NULL) {
        return;
    }
    note->count++;
    if (note->examples == CONV_EXAMPLES) {
        return;
    }
    char text[EXAMPLE_BYTES];
    va_list arguments;
    va_start(arguments, example);
    (void)vsnprintf(text, sizeof text, example, arguments);
    va_end(arguments);
    const char *copy = orr_arena_strdup(report->arena, text);
    if (copy == NULL) {
        report->complete = false;
        return;
    }
    if (text[0] != '\0') {
        note->example[note->examples++] = copy;
    }
}
