/* Dependencies on a part (prefix) of a collective: checks the staged prefixes against the finished
 * graph and sets the bytes of each edge. A prefix of all bytes is valid, too. */
#include <inttypes.h>
#include <stdio.h>

#include "workload/trace/trace_builder_private.h"

struct prefixes {
    struct orr_trace_builder *builder;
    const struct orr_trace *trace;
    bool all_dropped;
    uint64_t *of_edge; /* [edges] */
};

static char *label_of(const struct prefixes *all, const struct staged_prefix *prefix,
                      char text[ORR_NODE_LABEL_BYTES])
{
    const struct staged_node *staged = &all->builder->nodes[prefix->node];
    return orr_node_label(staged->node.id, all->builder->names.text[staged->name], text);
}

static enum orr_status fail_prefix(const struct prefixes *all, const struct staged_prefix *prefix,
                                   const char *what, struct orr_diag *diag)
{
    char label[ORR_NODE_LABEL_BYTES];
    const struct orr_location location = orr_staged_location(all->builder, prefix->node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "node %s: depends on the first %" PRIu64 " byte%s of node %" PRIu64 "%s",
                         label_of(all, prefix, label), prefix->bytes, orr_plural(prefix->bytes),
                         prefix->id, what);
}

static enum orr_status check(const struct prefixes *all, const struct staged_prefix *prefix,
                             uint32_t parent, struct orr_diag *diag)
{
    const struct orr_node *node = &all->trace->node[parent];
    char what[96];
    if (node->kind != ORR_NODE_COLL) {
        (void)snprintf(what, sizeof what, ", which is no collective but a %s",
                       orr_node_kind_name(node->kind));
        return fail_prefix(all, prefix, what, diag);
    }
    if (node->comm == ORR_COMM_BARRIER) {
        return fail_prefix(all, prefix, ", which is a barrier and has none", diag);
    }
    if (prefix->bytes == 0) {
        return fail_prefix(all, prefix, "; expected at least 1", diag);
    }
    if (prefix->bytes > node->amount) {
        (void)snprintf(what, sizeof what, ", which has %" PRIu64, node->amount);
        return fail_prefix(all, prefix, what, diag);
    }
    return ORR_OK;
}

/* The edge between two nodes, or UINT32_MAX. O(log row). */
static uint32_t edge_between(const struct orr_trace *trace, uint32_t parent, uint32_t child)
{
    uint32_t low = trace->node[parent].first_child, high = orr_trace_child_end(trace, parent);
    const uint32_t end = high;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace->children[middle] < child) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && trace->children[low] == child ? low : UINT32_MAX;
}

static enum orr_status set_prefix(struct prefixes *all, const struct staged_prefix *prefix,
                                  struct orr_diag *diag)
{
    const struct orr_trace *trace = all->trace;
    const uint64_t id = all->builder->nodes[prefix->node].node.id;
    const uint32_t child = orr_trace_node_of_id(trace, id);
    const uint32_t parent = orr_trace_node_of_id(trace, prefix->id);
    const uint32_t edge = parent != UINT32_MAX ? edge_between(trace, parent, child) : UINT32_MAX;
    if (edge == UINT32_MAX) {
        return all->all_dropped
                   ? ORR_OK
                   : fail_prefix(all, prefix, ", which is not among its dependencies", diag);
    }
    if (all->of_edge[edge] != 0) {
        return fail_prefix(all, prefix, ", for which it has another part already", diag);
    }
    const enum orr_status status = check(all, prefix, parent, diag);
    all->of_edge[edge] = status == ORR_OK ? prefix->bytes : 0;
    return status;
}

/* One that may be another tool's is passed over where it does not fit. */
static enum orr_status set_or_pass_over(struct prefixes *all, const struct staged_prefix *prefix,
                                        struct orr_diag *diag)
{
    if (!prefix->may_pass_over) {
        return set_prefix(all, prefix, diag);
    }
    if (set_prefix(all, prefix, NULL) != ORR_OK) {
        orr_trace_builder_pass_over(all->builder, "prefix_of");
    }
    return ORR_OK;
}

enum orr_status orr_trace_make_prefixes(struct orr_trace_builder *builder,
                                        const struct orr_trace *trace, bool all_dropped,
                                        uint64_t **out, struct orr_diag *diag)
{
    struct prefixes all = {.builder = builder, .trace = trace, .all_dropped = all_dropped};
    *out = NULL;
    if (builder->prefix_count == 0) {
        return ORR_OK;
    }
    all.of_edge = orr_arena_array(builder->arena, trace->edges, sizeof *all.of_edge);
    if (all.of_edge == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < builder->prefix_count && status == ORR_OK; i++) {
        status = set_or_pass_over(&all, &builder->prefixes[i], diag);
    }
    *out = all.of_edge;
    return status;
}
