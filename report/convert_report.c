/* The report of a conversion; see convert_report.h. */
#include "report/convert_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "et_converter/conversion_report.h"
#include "et_converter/trace_output.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_query.h"

enum { TEXT = ORR_FORMAT_BYTES, MAX_ROWS = 24 };

/* ---- text ---- */

struct totals {
    uint64_t by_kind[ORR_NODE_KINDS], nodes_in, nodes_out, matched, unmatched;
    const struct conv_rank *longest;       /* critical path */
    const struct conv_rank *busiest, *cpu; /* most compute, most CPU time */
};

static void add_rank(struct totals *totals, const struct conv_rank *rank)
{
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        totals->by_kind[kind] += rank->by_kind[kind];
    }
    totals->nodes_in += rank->nodes_in;
    totals->nodes_out += rank->nodes_out;
    totals->matched += rank->matched;
    totals->unmatched += rank->unmatched;
    if (rank->critical_path_ps > totals->longest->critical_path_ps) {
        totals->longest = rank;
    }
    if (rank->compute_ps > totals->busiest->compute_ps) {
        totals->busiest = rank;
    }
    if (rank->cpu_ps > totals->cpu->cpu_ps) {
        totals->cpu = rank;
    }
}

static void print_nodes(FILE *out, const struct totals *totals, size_t ranks)
{
    orr_print(out,
              "%zu rank%s: %" PRIu64 " node%s read, %" PRIu64 " matched, %" PRIu64 " not; %" PRIu64
              " node%s written\n",
              ranks, orr_plural(ranks), totals->nodes_in, orr_plural(totals->nodes_in),
              totals->matched, totals->unmatched, totals->nodes_out, orr_plural(totals->nodes_out));
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        if (totals->by_kind[kind] != 0) {
            orr_print(out, "  %-16s %12" PRIu64 "\n", orr_node_kind_name(kind),
                      totals->by_kind[kind]);
        }
    }
}

static const char *traffic_kind(const struct conv_traffic *traffic)
{
    return traffic->kind == ORR_NODE_COLL ? orr_trace_comm_name(traffic->comm)
                                          : orr_node_kind_name(traffic->kind);
}

static void print_traffic(FILE *out, const struct conv_report *report)
{
    if (report->traffics == 0) {
        return;
    }
    orr_print(out, "%-18s %-16s %12s %12s\n", "communication", "group", "count", "bytes");
    for (size_t i = 0; i < report->traffics && i < MAX_ROWS; i++) {
        const struct conv_traffic *traffic = &report->traffic[i];
        const bool collective = traffic->kind == ORR_NODE_COLL;
        char bytes[TEXT];
        orr_print(out, "  %-16s %-16s %12" PRIu64 " %12s\n", traffic_kind(traffic),
                  traffic->group[0] != '\0' ? traffic->group
                  : collective              ? "all"
                                            : "",
                  traffic->count, orr_format_bytes(traffic->bytes, bytes, sizeof bytes));
    }
    if (report->traffics > MAX_ROWS) {
        orr_print(out, "  ... and %zu more; --report has all\n", report->traffics - MAX_ROWS);
    }
}

/* Times of the collectives in the recorded run, to compare with a simulation. */
static void print_recorded(FILE *out, const struct conv_report *report)
{
    if (report->recordeds > 0) {
        orr_print(out, "%-18s %-16s %12s %12s %12s %12s\n", "recorded", "group", "count", "bytes",
                  "median", "fastest");
    }
    for (size_t i = 0; i < report->recordeds && i < MAX_ROWS; i++) {
        const struct conv_recorded *recorded = &report->recorded[i];
        char bytes[TEXT], median[TEXT], fastest[TEXT];
        orr_print(out, "  %-16s %-16s %12" PRIu64 " %12s %12s %12s\n",
                  orr_trace_comm_name(recorded->comm),
                  recorded->group[0] != '\0' ? recorded->group : "all", recorded->count,
                  orr_format_bytes(recorded->bytes, bytes, sizeof bytes),
                  orr_format_time(recorded->median_ps, median, sizeof median),
                  orr_format_time(recorded->fastest_ps, fastest, sizeof fastest));
    }
    if (report->recordeds > MAX_ROWS) {
        orr_print(out, "  ... and %zu more; --report has all\n", report->recordeds - MAX_ROWS);
    }
}

static void print_time(FILE *out, const char *what, int64_t ps, uint32_t rank)
{
    char text[TEXT];
    orr_print(out, "%-18s %s (rank %" PRIu32 ")\n", what, orr_format_time(ps, text, sizeof text),
              rank);
}

static void print_notes(FILE *out, const struct conv_report *report)
{
    for (size_t i = 0; i < report->notes; i++) {
        const struct conv_note *note = &report->note[i];
        orr_print(out, "note: %s: %" PRIu64 "\n", note->finding, note->count);
        for (unsigned e = 0; e < note->examples; e++) {
            orr_print(out, "  e.g. %s\n", note->example[e]);
        }
    }
}

void orr_convert_print(FILE *out, const struct conv_report *report)
{
    if (report->ranks > 0) {
        const struct conv_rank *first = report->rank[0];
        struct totals totals = {.longest = first, .busiest = first, .cpu = first};
        for (size_t i = 0; i < report->ranks; i++) {
            add_rank(&totals, report->rank[i]);
        }
        print_nodes(out, &totals, report->ranks);
        print_traffic(out, report);
        print_recorded(out, report);
        print_time(out, "compute time", totals.busiest->compute_ps, totals.busiest->rank);
        if (totals.cpu->cpu_ps > 0) {
            print_time(out, "CPU time", totals.cpu->cpu_ps, totals.cpu->rank);
        }
        print_time(out, "critical path", totals.longest->critical_path_ps, totals.longest->rank);
    }
    print_notes(out, report);
}

void orr_convert_print_files(FILE *out, const struct conv_report *report, const char *prefix,
                             bool gzip)
{
    uint32_t first = report->ranks > 0 ? report->rank[0]->rank : 0, last = first;
    for (size_t i = 0; i < report->ranks; i++) {
        first = report->rank[i]->rank < first ? report->rank[i]->rank : first;
        last = report->rank[i]->rank > last ? report->rank[i]->rank : last;
    }
    const char *path = orr_convert_path_of_rank(report->arena, prefix, gzip, first);
    const char *groups = orr_convert_path_of_groups(report->arena, prefix);
    orr_print(out, "wrote %s", path != NULL ? path : prefix);
    if (report->ranks > 1) {
        path = orr_convert_path_of_rank(report->arena, prefix, gzip, last);
        orr_print(out, " to %s", path != NULL ? path : prefix);
    }
    orr_print(out, " and %s\n", groups != NULL ? groups : prefix);
}

/* ---- JSON ---- */

static void set_count(json_t *object, const char *key, uint64_t value)
{
    const json_int_t max = INT64_MAX;
    (void)json_object_set_new(object, key,
                              json_integer(value > (uint64_t)max ? max : (json_int_t)value));
}

static json_t *rank_json(const struct conv_rank *rank)
{
    json_t *object = json_object(), *kinds = json_object();
    const uint64_t *nodes = rank->by_kind;
    set_count(object, "rank", rank->rank);
    set_count(object, "nodes_in", rank->nodes_in);
    set_count(object, "nodes_out", rank->nodes_out);
    set_count(object, "compute", nodes[ORR_NODE_COMP]);
    set_count(object, "collectives", nodes[ORR_NODE_COLL]);
    set_count(object, "point_to_point", nodes[ORR_NODE_SEND] + nodes[ORR_NODE_RECV]);
    set_count(object, "communication_bytes", rank->communication_bytes);
    set_count(object, "matched", rank->matched);
    set_count(object, "unmatched", rank->unmatched);
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        if (nodes[kind] != 0) {
            set_count(kinds, orr_node_kind_name(kind), nodes[kind]);
        }
    }
    (void)json_object_set_new(object, "nodes", kinds);
    set_count(object, "operations", rank->operations);
    set_count(object, "compute_ps", (uint64_t)rank->compute_ps);
    set_count(object, "cpu_ps", (uint64_t)rank->cpu_ps);
    set_count(object, "critical_path_ps", (uint64_t)rank->critical_path_ps);
    if (rank->recorded_ps > 0) {
        set_count(object, "start_ps", (uint64_t)rank->start_ps);
        set_count(object, "recorded_ps", (uint64_t)rank->recorded_ps);
    }
    return object;
}

static json_t *traffic_json(const struct conv_traffic *traffic)
{
    json_t *object = json_object();
    (void)json_object_set_new(object, "kind", json_string(traffic_kind(traffic)));
    (void)json_object_set_new(object, "group", orr_json_text(traffic->group));
    set_count(object, "count", traffic->count);
    set_count(object, "bytes", traffic->bytes);
    return object;
}

static json_t *recorded_json(const struct conv_recorded *recorded)
{
    json_t *object = json_object();
    (void)json_object_set_new(object, "kind", json_string(orr_trace_comm_name(recorded->comm)));
    (void)json_object_set_new(object, "group", orr_json_text(recorded->group));
    set_count(object, "count", recorded->count);
    set_count(object, "bytes", recorded->bytes);
    set_count(object, "median_ps", (uint64_t)recorded->median_ps);
    set_count(object, "fastest_ps", (uint64_t)recorded->fastest_ps);
    return object;
}

static json_t *note_json(const struct conv_note *note)
{
    json_t *object = json_object(), *examples = json_array();
    (void)json_object_set_new(object, "finding", orr_json_text(note->finding));
    set_count(object, "count", note->count);
    for (unsigned i = 0; i < note->examples; i++) {
        (void)json_array_append_new(examples, orr_json_text(note->example[i]));
    }
    (void)json_object_set_new(object, "examples", examples);
    return object;
}

int orr_convert_json(FILE *out, const void *context)
{
    const struct conv_report *report = context;
    json_t *root = json_object(), *ranks = json_array(), *traffic = json_array(),
           *recorded = json_array(), *notes = json_array();
    for (size_t i = 0; i < report->ranks; i++) {
        (void)json_array_append_new(ranks, rank_json(report->rank[i]));
    }
    for (size_t i = 0; i < report->traffics; i++) {
        (void)json_array_append_new(traffic, traffic_json(&report->traffic[i]));
    }
    for (size_t i = 0; i < report->recordeds; i++) {
        (void)json_array_append_new(recorded, recorded_json(&report->recorded[i]));
    }
    for (size_t i = 0; i < report->notes; i++) {
        (void)json_array_append_new(notes, note_json(&report->note[i]));
    }
    (void)json_object_set_new(root, "ranks", ranks);
    (void)json_object_set_new(root, "communication", traffic);
    if (report->recordeds > 0) {
        (void)json_object_set_new(root, "recorded", recorded);
    } else {
        json_decref(recorded);
    }
    (void)json_object_set_new(root, "notes", notes);
    const int failed = orr_json_write(root, out, JSON_INDENT(2)) != 0 || fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}
