/* The difference of two traces, as text and as JSON; see trace_report.h. */
#include <inttypes.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "report/trace/trace_format.h"
#include "report/trace/trace_report.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_compare.h"
#include "workload/trace/trace_match.h"
#include "workload/trace/trace_ops.h"
#include "workload/trace/trace_query.h"
#include "workload/trace/trace_stats.h"

enum { MAX_DEPS = 3 };

struct pair {
    const struct orr_trace *trace[2];
    struct orr_trace_comparison all;
};

static const char *const difference_names[ORR_DIFFERENCES] = {
    [ORR_DIFFERS_DURATION] = "duration",
    [ORR_DIFFERS_OPERATIONS] = "operations",
    [ORR_DIFFERS_BYTES] = "bytes",
    [ORR_DIFFERS_PEER] = "peer or tag",
    [ORR_DIFFERS_GROUP] = "group",
    [ORR_DIFFERS_OTHER] = "other attributes",
    [ORR_DIFFERS_DEPENDENCIES] = "dependencies"};

/* ---- totals ---- */

static void print_kinds(FILE *out, const struct pair *pair)
{
    orr_print(out, "\n%-16s %10s %10s %13s %13s %11s %11s\n", "kind", "nodes A", "nodes B",
              "time A", "time B", "bytes A", "bytes B");
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        const struct orr_trace_part *a = &pair->all.kind[0][kind], *b = &pair->all.kind[1][kind];
        char times[2][ORR_FORMAT_BYTES], bytes[2][ORR_FORMAT_BYTES];
        if (a->nodes + b->nodes != 0) {
            (void)fprintf(
                out, "%-16s %10" PRIu64 " %10" PRIu64 " %13s %13s %11s %11s\n",
                orr_node_kind_name(kind), a->nodes, b->nodes, orr_ps_text(a->duration_ps, times[0]),
                orr_ps_text(b->duration_ps, times[1]),
                orr_format_bytes(pair->all.sum[0].kind_bytes[kind], bytes[0], sizeof bytes[0]),
                orr_format_bytes(pair->all.sum[1].kind_bytes[kind], bytes[1], sizeof bytes[1]));
        }
    }
}

static void print_counts(FILE *out, const struct orr_trace_comparison *all)
{
    orr_print(out, "%" PRIu32 " node%s in both, %" PRIu32 " only in A, %" PRIu32 " only in B\n",
              all->matched, orr_plural(all->matched), all->only[0], all->only[1]);
    for (unsigned i = 0; i < ORR_DIFFERENCES; i++) {
        if (all->differ[i] != 0) {
            orr_print(out, "%" PRIu32 " in both differ in %s", all->differ[i], difference_names[i]);
            if (i == ORR_DIFFERS_DEPENDENCIES) {
                orr_print(out, ": %" PRIu32 " only in A, %" PRIu32 " only in B", all->edges_only[0],
                          all->edges_only[1]);
            }
            (void)fputc('\n', out);
        }
    }
}

/* ---- one node ---- */

static void print_node(FILE *out, const char *mark, const struct orr_node *node)
{
    orr_print(out, "%s %" PRIu64 " %s ", mark, node->id, orr_node_kind_name(node->kind));
    orr_print_short(out, node->name, ORR_MAX_NAME_BYTES);
}

static void print_values(FILE *out, const char *what, uint64_t a, uint64_t b)
{
    orr_print(out, "; %s %" PRIu64 " -> %" PRIu64, what, a, b);
}

static void print_lost(FILE *out, const struct pair *pair, unsigned side, uint32_t node)
{
    uint32_t lost[MAX_DEPS];
    const uint32_t count = orr_trace_lost_parents(&pair->all, side, node, lost, MAX_DEPS);
    for (uint32_t i = 0; i < count && i < MAX_DEPS; i++) {
        const struct orr_parents *parents = &pair->all.parents[side];
        const uint64_t bytes = orr_prefix_at(parents, orr_parents_find(parents, node, lost[i]));
        orr_print(out, "%s %" PRIu64,
                  i > 0       ? ","
                  : side == 0 ? "; only A after"
                              : "; only B after",
                  pair->trace[side]->node[lost[i]].id);
        if (bytes != 0) {
            orr_print(out, "[%" PRIu64 "]", bytes);
        }
    }
    if (count > MAX_DEPS) {
        orr_print(out, " and %" PRIu32 " more", count - MAX_DEPS);
    }
}

static bool differs(const struct orr_trace_change *change, enum orr_trace_difference difference)
{
    return (change->differs >> difference & 1) != 0;
}

static void print_attributes(FILE *out, const struct orr_trace_change *change,
                             const struct orr_node_spec *a, const struct orr_node_spec *b)
{
    char from[ORR_FORMAT_BYTES], to[ORR_FORMAT_BYTES];
    if (differs(change, ORR_DIFFERS_DURATION)) {
        orr_print(out, "; duration %s -> %s", orr_ps_text(a->duration_ps, from),
                  orr_ps_text(b->duration_ps, to));
    }
    if (differs(change, ORR_DIFFERS_OPERATIONS)) {
        print_values(out, "operations", a->num_ops, b->num_ops);
    }
    if (differs(change, ORR_DIFFERS_BYTES)) {
        print_values(out, "bytes", a->comm_bytes + a->tensor_bytes,
                     b->comm_bytes + b->tensor_bytes);
    }
    if (differs(change, ORR_DIFFERS_PEER)) {
        print_values(out, "peer", a->dst, b->dst);
        print_values(out, "tag", a->tag, b->tag);
    }
    if (differs(change, ORR_DIFFERS_GROUP)) {
        (void)fputs("; group ", out);
        orr_print_quoted(out, a->group != NULL ? a->group : "");
        (void)fputs(" -> ", out);
        orr_print_quoted(out, b->group != NULL ? b->group : "");
    }
    (void)fputs(differs(change, ORR_DIFFERS_OTHER) ? "; other attributes" : "", out);
}

static void print_change(FILE *out, const struct pair *pair, const struct orr_trace_change *change)
{
    if (change->b == ORR_NO_MATCH) {
        print_node(out, "-", &pair->trace[0]->node[change->a]);
    } else if (change->a == ORR_NO_MATCH) {
        print_node(out, "+", &pair->trace[1]->node[change->b]);
    } else {
        const struct orr_node_spec a = orr_trace_spec(pair->trace[0], change->a);
        const struct orr_node_spec b = orr_trace_spec(pair->trace[1], change->b);
        print_node(out, "~", &pair->trace[0]->node[change->a]);
        if (a.id != b.id) {
            orr_print(out, " (%" PRIu64 " in B)", b.id);
        }
        print_attributes(out, change, &a, &b);
        print_lost(out, pair, 0, change->a);
        print_lost(out, pair, 1, change->b);
    }
    (void)fputc('\n', out);
}

static void print_diff(FILE *out, const struct pair *pair, uint32_t max)
{
    const struct orr_trace_comparison *all = &pair->all;
    for (unsigned side = 0; side < 2; side++) {
        orr_print(out, "%c: %s, %" PRIu32 " node%s, %" PRIu32 " edge%s\n", side == 0 ? 'A' : 'B',
                  pair->trace[side]->path, pair->trace[side]->nodes,
                  orr_plural(pair->trace[side]->nodes), pair->trace[side]->edges,
                  orr_plural(pair->trace[side]->edges));
    }
    if (all->changes == 0) {
        (void)fputs("no difference\n", out);
        return;
    }
    print_counts(out, all);
    print_kinds(out, pair);
    (void)fputs("\n- only in A, + only in B, ~ in both\n", out);
    for (uint32_t i = 0; i < all->changes && i < max; i++) {
        print_change(out, pair, &all->change[i]);
    }
    if (all->changes > max) {
        orr_print(out, "and %" PRIu32 " more (--top 0 shows all)\n", all->changes - max);
    }
}

/* ---- JSON ---- */

static json_t *node_json(const struct orr_trace *trace, uint32_t index)
{
    const struct orr_node *node = &trace->node[index];
    json_t *json = json_object();
    orr_json_set_count(json, "id", node->id);
    orr_json_set_count(json, "duration_ps", node->duration_ps);
    orr_json_set_count(json, "operations", node->kind == ORR_NODE_COMP ? node->amount : 0);
    orr_json_set_count(json, "bytes", orr_node_bytes(node));
    return json;
}

static json_t *lost_json(const struct pair *pair, unsigned side, uint32_t node)
{
    uint32_t lost[64];
    uint32_t count = orr_trace_lost_parents(&pair->all, side, node, lost, 64);
    json_t *ids = json_array();
    count = count < 64 ? count : 64;
    for (uint32_t i = 0; i < count; i++) {
        (void)json_array_append_new(ids, orr_json_count(pair->trace[side]->node[lost[i]].id));
    }
    return ids;
}

static void add_differences(json_t *json, const struct pair *pair,
                            const struct orr_trace_change *change)
{
    json_t *names = json_array();
    for (unsigned i = 0; i < ORR_DIFFERENCES; i++) {
        if (differs(change, (enum orr_trace_difference)i)) {
            (void)json_array_append_new(names, json_string(difference_names[i]));
        }
    }
    (void)json_object_set_new(json, "differs", names);
    if (differs(change, ORR_DIFFERS_DEPENDENCIES)) {
        (void)json_object_set_new(json, "after_only_a", lost_json(pair, 0, change->a));
        (void)json_object_set_new(json, "after_only_b", lost_json(pair, 1, change->b));
    }
}

static json_t *change_json(const struct pair *pair, const struct orr_trace_change *change)
{
    const bool in_a = change->a != ORR_NO_MATCH, in_b = change->b != ORR_NO_MATCH;
    const struct orr_node *node =
        in_a ? &pair->trace[0]->node[change->a] : &pair->trace[1]->node[change->b];
    json_t *json = json_object();
    (void)json_object_set_new(json, "name", orr_json_text(node->name));
    (void)json_object_set_new(json, "kind", json_string(orr_node_kind_name(node->kind)));
    (void)json_object_set_new(json, "a", in_a ? node_json(pair->trace[0], change->a) : json_null());
    (void)json_object_set_new(json, "b", in_b ? node_json(pair->trace[1], change->b) : json_null());
    if (in_a && in_b) {
        add_differences(json, pair, change);
    }
    return json;
}

static json_t *side_json(const struct pair *pair, unsigned side)
{
    json_t *json = json_object(), *kinds = json_object();
    (void)json_object_set_new(json, "file", orr_json_text(pair->trace[side]->path));
    orr_json_set_count(json, "nodes", pair->trace[side]->nodes);
    orr_json_set_count(json, "edges", pair->trace[side]->edges);
    orr_json_set_count(json, "only", pair->all.only[side]);
    orr_json_set_count(json, "edges_only", pair->all.edges_only[side]);
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        if (pair->all.kind[side][kind].nodes != 0) {
            json_t *part = json_object();
            orr_json_set_count(part, "nodes", pair->all.kind[side][kind].nodes);
            orr_json_set_count(part, "duration_ps", pair->all.kind[side][kind].duration_ps);
            orr_json_set_count(part, "bytes", pair->all.sum[side].kind_bytes[kind]);
            (void)json_object_set_new(kinds, orr_node_kind_name(kind), part);
        }
    }
    (void)json_object_set_new(json, "kinds", kinds);
    return json;
}

static json_t *diff_json(const struct pair *pair, uint32_t max)
{
    json_t *json = json_object(), *differ = json_object(), *changes = json_array();
    (void)json_object_set_new(json, "same", json_boolean(pair->all.changes == 0));
    (void)json_object_set_new(json, "a", side_json(pair, 0));
    (void)json_object_set_new(json, "b", side_json(pair, 1));
    orr_json_set_count(json, "in_both", pair->all.matched);
    for (unsigned i = 0; i < ORR_DIFFERENCES; i++) {
        orr_json_set_count(differ, difference_names[i], pair->all.differ[i]);
    }
    (void)json_object_set_new(json, "differ", differ);
    orr_json_set_count(json, "differences", pair->all.changes);
    for (uint32_t i = 0; i < pair->all.changes && i < max; i++) {
        (void)json_array_append_new(changes, change_json(pair, &pair->all.change[i]));
    }
    (void)json_object_set_new(json, "first", changes);
    return json;
}

enum orr_status orr_trace_print_diff(FILE *out, const struct orr_trace *const trace[2],
                                     const struct orr_trace_comparison *all,
                                     const struct orr_diff_view *view, struct orr_diag *diag)
{
    const struct pair pair = {.trace = {trace[0], trace[1]}, .all = *all};
    if (view->json) {
        return orr_print_json(out, diff_json(&pair, view->rows), diag);
    }
    print_diff(out, &pair, view->rows);
    return ORR_OK;
}
