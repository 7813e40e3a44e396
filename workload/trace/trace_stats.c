/* Statistics of a trace; see trace_stats.h. */
#include "workload/trace/trace_stats.h"

#include "core/diag.h"
#include "workload/trace/trace.h"

#include <stdlib.h>
#include <string.h>

static uint64_t capped_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void count_part(struct orr_trace_part *part, const struct orr_node *node)
{
    part->nodes++;
    part->timed += node->duration_ps != 0 ? 1 : 0;
    part->duration_ps = capped_sum(part->duration_ps, node->duration_ps);
}

/* ---- communication ---- */

/* The rows are numbered by kind and group: SEND, RECV, then each kind of collective of each group.
 */
static size_t comm_slot(const struct orr_trace *trace, const struct orr_node *node)
{
    return node->kind == ORR_NODE_SEND ? 0
           : node->kind == ORR_NODE_RECV
               ? 1
               : 2 + node->comm * ((size_t)trace->group_count + 1) + node->group;
}

static void count_comm(struct orr_comm_row *row, const struct orr_trace *trace,
                       const struct orr_node *node)
{
    if (row->nodes == 0) {
        const bool named = node->kind == ORR_NODE_COLL && node->group != 0;
        *row = (struct orr_comm_row){.kind = (enum orr_node_kind)node->kind,
                                     .comm = (enum orr_trace_comm)node->comm,
                                     .group = named ? trace->groups[node->group - 1] : "",
                                     .smallest_bytes = node->amount,
                                     .largest_bytes = node->amount};
    }
    row->nodes++;
    row->bytes = capped_sum(row->bytes, node->amount);
    row->duration_ps = capped_sum(row->duration_ps, node->duration_ps);
    row->smallest_bytes = node->amount < row->smallest_bytes ? node->amount : row->smallest_bytes;
    row->largest_bytes = node->amount > row->largest_bytes ? node->amount : row->largest_bytes;
}

static int compare_comms(const void *a, const void *b)
{
    const struct orr_comm_row *first = a, *second = b;
    if (first->bytes != second->bytes) {
        return first->bytes < second->bytes ? 1 : -1;
    }
    int order = (int)second->kind - (int)first->kind;
    order = order != 0 ? order : (int)first->comm - (int)second->comm;
    return order != 0 ? order : strcmp(first->group, second->group);
}

static bool communicates(const struct orr_node *node)
{
    return node->kind == ORR_NODE_COLL || node->kind == ORR_NODE_SEND ||
           node->kind == ORR_NODE_RECV;
}

static enum orr_status count_comms(struct orr_arena *arena, const struct orr_trace *trace,
                                   struct orr_trace_stats *out, struct orr_diag *diag)
{
    const size_t slots = 2 + ORR_COMM_KINDS * ((size_t)trace->group_count + 1);
    struct orr_comm_row *row = orr_arena_array(arena, slots, sizeof *row);
    if (row == NULL) {
        return orr_diag_no_memory(diag, "the communication of a trace");
    }
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (communicates(&trace->node[i])) {
            count_comm(&row[comm_slot(trace, &trace->node[i])], trace, &trace->node[i]);
        }
    }
    for (size_t slot = 0; slot < slots; slot++) {
        if (row[slot].nodes != 0) {
            row[out->comms++] = row[slot];
        }
    }
    qsort(row, out->comms, sizeof *row, compare_comms);
    out->comm = row;
    return ORR_OK;
}

/* ---- all ---- */

enum orr_status orr_trace_stats(struct orr_arena *arena, const struct orr_trace *trace,
                                struct orr_trace_stats *out, struct orr_diag *diag)
{
    *out = (struct orr_trace_stats){.comms = 0};
    orr_op_table_init(&out->compute, arena);
    enum orr_status status = orr_trace_summarize(arena, trace, &out->sum, diag);
    for (uint32_t i = 0; i < trace->nodes && status == ORR_OK; i++) {
        const struct orr_node *node = &trace->node[i];
        count_part(&out->kind[node->kind], node);
        count_part(&out->device[orr_node_device(node)], node);
        if (node->kind == ORR_NODE_COMP) {
            status = orr_op_table_add(&out->compute, node, diag);
        }
    }
    orr_op_table_sort(&out->compute);
    return status == ORR_OK ? count_comms(arena, trace, out, diag) : status;
}
