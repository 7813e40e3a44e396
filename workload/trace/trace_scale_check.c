/* Checks whether traces can be scaled to another number of ranks; see trace_scale.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "workload/trace/trace_builder_private.h"
#include "workload/trace/trace_match.h"
#include "workload/trace/trace_scale_private.h"

struct view {
    const struct orr_scaler *scaler;
    const struct orr_trace *trace;
    uint32_t rank;
    struct orr_listed_groups listed; /* groups of the trace's metadata */
};

static enum orr_status fail_node(const struct view *view, uint32_t node, struct orr_diag *diag,
                                 const char *format, ...) ORR_PRINTF(4, 5);

static enum orr_status fail_node(const struct view *view, uint32_t node, struct orr_diag *diag,
                                 const char *format, ...)
{
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    char label[ORR_NODE_LABEL_BYTES];
    const struct orr_location location = orr_location_file(view->trace->path);
    const struct orr_node *at = &view->trace->node[node];
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "node %s of rank %" PRIu32 " %s",
                         orr_node_label(at->id, at->name, label), view->rank, reason);
}

/* ---- communication ---- */

static enum orr_status check_group(const struct view *view, uint32_t node, struct orr_diag *diag)
{
    const uint32_t group = view->trace->node[node].group;
    const char *name = group != 0 ? view->trace->groups[group - 1] : "";
    if (name[0] == '\0') {
        return ORR_OK;
    }
    const struct orr_listed_groups *listed = &view->scaler->file;
    uint32_t index = orr_listed_groups_find(listed, name);
    if (index == UINT32_MAX) {
        listed = &view->listed;
        index = orr_listed_groups_find(listed, name);
    }
    const struct orr_trace_scale *scale = view->scaler->scale;
    if (index == UINT32_MAX && strcmp(name, "0") == 0) {
        return ORR_OK; /* not listed: all */
    }
    if (index == UINT32_MAX) {
        return fail_node(view, node, diag,
                         "uses the communicator group \"%s\", whose ranks neither %s.groups.json "
                         "nor the trace's metadata lists",
                         name, scale->prefix);
    }
    if (listed->all[index]) {
        return ORR_OK;
    }
    return fail_node(view, node, diag,
                     "uses the communicator group \"%s\", which is not all %" PRIu32
                     " ranks in order (it has %" PRIu32
                     "); only data-parallel traces can be scaled, "
                     "whose groups are of all ranks",
                     name, scale->from, listed->ranks[index]);
}

static bool has_root(unsigned comm)
{
    return comm == ORR_COMM_BROADCAST || comm == ORR_COMM_REDUCE;
}

static enum orr_status check_collective(const struct view *view, uint32_t node,
                                        struct orr_diag *diag)
{
    const struct orr_trace_scale *scale = view->scaler->scale;
    const struct orr_node *at = &view->trace->node[node];
    const struct orr_node_extra *extra = orr_trace_extra(view->trace, at);
    if (at->comm == ORR_COMM_ALL_TO_ALL || at->comm == ORR_COMM_GATHER ||
        at->comm == ORR_COMM_SCATTER) {
        return fail_node(view, node, diag,
                         "is %s, whose size follows no known rule of the number of ranks",
                         orr_trace_comm_name(at->comm));
    }
    if (extra != NULL && extra->sizes.send_count + extra->sizes.recv_count != 0) {
        return fail_node(view, node, diag,
                         "is uneven (a size for each rank), which follows no known rule of the "
                         "number of ranks");
    }
    if (extra != NULL && extra->has_involved_dim) {
        const uint32_t given_mask =
            extra->involved_dims >= 32 ? UINT32_MAX : (1u << extra->involved_dims) - 1;
        if ((extra->involved_mask & given_mask) != given_mask) {
            return fail_node(
                view, node, diag,
                "involves some of the platform's dimensions only (involved_dim), which "
                "is not all ranks");
        }
    }
    if (extra != NULL && has_root(at->comm) && extra->root >= scale->to) {
        return fail_node(view, node, diag,
                         "has the root %" PRIu32 ", which is not among %" PRIu32 " ranks",
                         extra->root, scale->to);
    }
    if (at->comm == ORR_COMM_ALL_GATHER && at->amount > UINT64_MAX / scale->from) {
        return fail_node(view, node, diag,
                         "gathers more than 2^64 bytes: %" PRIu64 " from each of %" PRIu32 " ranks",
                         at->amount, scale->from);
    }
    return check_group(view, node, diag);
}

static enum orr_status check_nodes(const struct view *view, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < view->trace->nodes && status == ORR_OK; i++) {
        const unsigned kind = view->trace->node[i].kind;
        if (kind == ORR_NODE_SEND || kind == ORR_NODE_RECV) {
            status =
                fail_node(view, i, diag,
                          "%s one other rank; only data-parallel traces can be scaled, in which "
                          "ranks communicate by collectives",
                          kind == ORR_NODE_SEND ? "sends to" : "receives from");
        } else if (kind == ORR_NODE_COLL) {
            status = check_collective(view, i, diag);
        }
    }
    return status;
}

/* ---- equality ---- */

/* The property in which two descriptions differ, or NULL. */
static const char *difference(const struct orr_node_spec *a, const struct orr_node_spec *b)
{
    return a->kind != b->kind                   ? "kinds"
           : strcmp(a->name, b->name) != 0      ? "names"
           : a->comm != b->comm                 ? "collectives"
           : a->comm_bytes != b->comm_bytes     ? "numbers of bytes"
           : a->tensor_bytes != b->tensor_bytes ? "numbers of bytes"
           : a->num_ops != b->num_ops           ? "numbers of operations"
           : !orr_specs_equal(a, b)             ? "attributes"
                                                : NULL;
}

static const char *node_difference(const struct view *a, const struct view *b, uint32_t node)
{
    const struct orr_node_spec first = orr_trace_spec(a->trace, node);
    struct orr_node_spec second = orr_trace_spec(b->trace, node);
    second.duration_ps = first.duration_ps;
    second.group = first.group; /* both groups have all ranks */
    if (second.kind == ORR_NODE_METADATA) {
        second.inputs_values = first.inputs_values;
    }
    return difference(&first, &second);
}

static bool same_children(const struct orr_trace *a, const struct orr_trace *b, uint32_t node)
{
    const uint32_t first = a->node[node].first_child, count = orr_trace_child_end(a, node) - first;
    bool same =
        b->node[node].first_child == first && orr_trace_child_end(b, node) == first + count &&
        (count == 0 ||
         memcmp(&a->children[first], &b->children[first], count * sizeof *a->children) == 0);
    for (uint32_t e = first; e < first + count && same; e++) {
        same = orr_trace_prefix(a, e) == orr_trace_prefix(b, e);
    }
    return same;
}

static enum orr_status check_same(const struct view *first, const struct view *view,
                                  struct orr_diag *diag)
{
    if (first->trace->nodes != view->trace->nodes) {
        const struct orr_location location = orr_location_file(view->trace->path);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "rank %" PRIu32 " has %" PRIu32 " nodes, but rank 0 has %" PRIu32
                             "; only traces of ranks that do the same can be scaled",
                             view->rank, view->trace->nodes, first->trace->nodes);
    }
    for (uint32_t i = 0; i < view->trace->nodes; i++) {
        const char *what = node_difference(first, view, i);
        if (what == NULL && !same_children(first->trace, view->trace, i)) {
            what = "nodes that depend on them";
        }
        if (what != NULL) {
            char label[ORR_NODE_LABEL_BYTES];
            const struct orr_node *other = &first->trace->node[i];
            return fail_node(
                view, i, diag,
                "and node %s of rank 0 have different %s; only traces of ranks that do "
                "the same can be scaled",
                orr_node_label(other->id, other->name, label), what);
        }
    }
    return ORR_OK;
}

enum orr_status orr_scale_check(struct orr_scaler *scaler, struct orr_diag *diag)
{
    struct view first = {.scaler = scaler, .trace = scaler->by_rank[0]};
    enum orr_status status = orr_scale_read_trace_groups(scaler, first.trace, &first.listed, diag);
    if (status == ORR_OK) {
        status = check_nodes(&first, diag);
    }
    for (uint32_t rank = 1; rank < scaler->scale->from && status == ORR_OK; rank++) {
        struct view view = {.scaler = scaler, .trace = scaler->by_rank[rank], .rank = rank};
        if (view.trace == scaler->by_rank[rank - 1]) {
            continue;
        }
        status = orr_scale_read_trace_groups(scaler, view.trace, &view.listed, diag);
        if (status == ORR_OK) {
            status = check_nodes(&view, diag);
        }
        if (status == ORR_OK) {
            status = check_same(&first, &view, diag);
        }
    }
    for (uint32_t i = 0; i < scaler->file.names.count; i++) {
        scaler->result->groups_kept += scaler->file.all[i] ? 1 : 0;
        scaler->result->groups_dropped += scaler->file.all[i] ? 0 : 1;
    }
    return status;
}
