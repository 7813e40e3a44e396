/* Traces as text: totals, and one line a node; see trace_report.h. */
#include "report/trace/trace_report.h"

#include <inttypes.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/table_text.h"
#include "report/trace/trace_format.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace_query.h"

/* ---- totals ---- */

static void print_bytes(FILE *out, const char *name, uint64_t nodes, uint64_t bytes)
{
    char text[32];
    if (nodes != 0) {
        orr_print(out, "  %-20s %" PRIu64 " node%s, %" PRIu64 " byte%s (%s)\n", name, nodes,
                  orr_plural(nodes), bytes, orr_plural(bytes),
                  orr_format_bytes(bytes, text, sizeof text));
    }
}

static void print_kinds(FILE *out, const struct orr_trace *trace,
                        const struct orr_trace_summary *summary)
{
    orr_print(out, "nodes: %" PRIu32 "\n", trace->nodes);
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        if (summary->nodes[kind] != 0) {
            orr_print(out, "  %-20s %" PRIu64 "\n", orr_node_kind_name(kind), summary->nodes[kind]);
        }
    }
    orr_print(out, "edges: %" PRIu32 "\ndepth: %" PRIu32 " node%s\n", trace->edges, summary->depth,
              orr_plural(summary->depth));
}

static void print_traffic(FILE *out, const struct orr_trace_summary *summary)
{
    static const enum orr_node_kind others[] = {ORR_NODE_SEND, ORR_NODE_RECV, ORR_NODE_MEM_LOAD,
                                                ORR_NODE_MEM_STORE};
    orr_print(out, "data:\n");
    for (unsigned comm = 0; comm < ORR_COMM_KINDS; comm++) {
        print_bytes(out, orr_trace_comm_name(comm), summary->comm_nodes[comm],
                    summary->comm_bytes[comm]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        print_bytes(out, orr_node_kind_name(others[i]), summary->nodes[others[i]],
                    summary->kind_bytes[others[i]]);
    }
}

static void print_groups(FILE *out, const struct orr_trace *trace)
{
    orr_print(out, "groups: %s", trace->group_count == 0 ? "none named" : "");
    for (uint32_t i = 0; i < trace->group_count; i++) {
        (void)fputs(i > 0 ? ", " : "", out);
        orr_print_quoted(out, trace->groups[i]);
    }
    orr_print(out, "\n");
}

/* Prints a time in us, exactly. */
static void print_us(FILE *out, uint64_t ps)
{
    const uint64_t part = ps % ORR_PS_PER_US;
    orr_print(out, "%" PRIu64, ps / ORR_PS_PER_US);
    if (part != 0) {
        orr_print(out, ".%06" PRIu64, part);
    }
}

enum orr_status orr_trace_print_info(FILE *out, struct orr_arena *arena,
                                     const struct orr_trace *trace, struct orr_diag *diag)
{
    struct orr_trace_summary summary;
    const enum orr_status status = orr_trace_summarize(arena, trace, &summary, diag);
    if (status != ORR_OK) {
        return status;
    }
    orr_print(out, "trace: %s\nversion: %s\n", trace->path,
              trace->version[0] != '\0' ? trace->version : "none given");
    print_kinds(out, trace, &summary);
    print_traffic(out, &summary);
    orr_print(out, "operations: %" PRIu64 "\n", summary.total_ops);
    (void)fputs("recorded time: ", out);
    print_us(out, summary.duration_ps);
    (void)fputs(" us in all, ", out);
    print_us(out, summary.critical_duration_ps);
    (void)fputs(" us along the longest path\n", out);
    print_groups(out, trace);
    return ORR_OK;
}

/* ---- nodes ---- */

static void print_numbers(FILE *out, const char *what, const uint64_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        orr_print(out, "%s%" PRIu64, i == 0 ? what : ",", numbers[i]);
    }
}

static void print_sizes(FILE *out, const struct orr_comm_sizes *sizes)
{
    print_numbers(out, " to each ", sizes->send, sizes->send_count);
    print_numbers(out, " from each ", sizes->recv, sizes->recv_count);
    if (sizes->differ) {
        (void)fputs(" sizes may differ", out);
    }
}

static void print_extra(FILE *out, const struct orr_node_extra *extra)
{
    if (extra->priority != 0) {
        orr_print(out, " priority %" PRIu32, extra->priority);
    }
    if (extra->root != 0) {
        orr_print(out, " root %" PRIu32, extra->root);
    }
    if (extra->has_involved_dim) {
        orr_print(out, " dims ");
        for (unsigned i = 0; i < extra->involved_dims; i++) {
            (void)fputc((extra->involved_mask >> i & 1) != 0 ? '1' : '0', out);
        }
    }
    print_sizes(out, &extra->sizes);
}

static void print_details(FILE *out, const struct orr_node *node)
{
    switch (node->kind) {
    case ORR_NODE_COMP:
        orr_print(out, " ops %" PRIu64 " bytes %" PRIu64, node->amount, node->of.tensor_bytes);
        if (node->op != ORR_OP_DEFAULT) {
            orr_print(out, " %s", orr_op_kind_names[node->op]);
        }
        orr_print(out, "%s", (node->comm & ORR_COMP_UNALIGNED) != 0 ? " unaligned" : "");
        if (orr_wl_product_type(node->comm) != ORR_PRODUCT_ELEMENT) {
            orr_print(out, " %s", orr_product_type_names[orr_wl_product_type(node->comm)]);
        }
        break;
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        orr_print(out, " bytes %" PRIu64 " %s%s", node->of.tensor_bytes,
                  (node->flags & ORR_NODE_LOCAL_MEMORY) != 0 ? "local" : "remote",
                  node->comm == ORR_ACCESS_GATHERED ? " gathered" : "");
        break;
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
        orr_print(out, " bytes %" PRIu64 " %s %" PRIu32 " tag %" PRIu32, node->amount,
                  node->kind == ORR_NODE_SEND ? "to" : "from", node->of.p2p.peer, node->of.p2p.tag);
        break;
    case ORR_NODE_COLL:
        orr_print(out, " %s bytes %" PRIu64, orr_trace_comm_name(node->comm), node->amount);
        break;
    default:
        break;
    }
}

static void print_node(FILE *out, const struct orr_trace *trace, uint32_t index,
                       const struct orr_parents *parents)
{
    const struct orr_node *node = &trace->node[index];
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    orr_print(out, "%" PRIu64 " %s ", node->id, orr_node_kind_name(node->kind));
    orr_print_quoted(out, node->name);
    (void)fputs((node->flags & ORR_NODE_IS_CPU) != 0 ? " cpu" : "", out);
    print_details(out, node);
    if (node->group != 0) {
        (void)fputs(" group ", out);
        orr_print_quoted(out, trace->groups[node->group - 1]);
    }
    if (extra != NULL) {
        print_extra(out, extra);
    }
    (void)fputs(" us ", out);
    print_us(out, node->duration_ps);
    (void)fputs(" after", out);
    for (uint32_t p = parents->first[index]; p < parents->first[index + 1]; p++) {
        orr_print(out, " %" PRIu64, trace->node[parents->parent[p]].id);
        if (orr_prefix_at(parents, p) != 0) {
            orr_print(out, "[%" PRIu64 "]", orr_prefix_at(parents, p));
        }
    }
    orr_print(out, "%s\n", trace->parents[index] == 0 ? " nothing" : "");
}

enum orr_status orr_trace_print_nodes(FILE *out, struct orr_arena *arena,
                                      const struct orr_trace *trace, struct orr_diag *diag)
{
    struct orr_parents parents;
    const enum orr_status status = orr_parents_build(arena, trace, &parents, diag);
    for (uint32_t i = 0; status == ORR_OK && i < trace->nodes; i++) {
        print_node(out, trace, i, &parents);
    }
    return status;
}

enum orr_status orr_trace_print_check(FILE *out, struct orr_arena *arena,
                                      const struct orr_trace *trace, struct orr_diag *diag)
{
    (void)arena;
    (void)diag;
    orr_print(out, "%s: ok, %u node%s, %u edge%s\n", trace->path, trace->nodes,
              orr_plural(trace->nodes), trace->edges, orr_plural(trace->edges));
    return ORR_OK;
}
