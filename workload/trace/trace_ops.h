/* Nodes of a trace aggregated by operator: one row for each kind, device and name, where names that
 * differ only in numbers are one (op_name.h). Sums saturate at UINT64_MAX. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_OPS_H
#define ORR_WORKLOAD_TRACE_TRACE_OPS_H

#include "core/status.h"
#include "core/strings.h"
#include "workload/trace/trace.h"

struct orr_arena;
struct orr_diag;

/* The device of a node (attribute is_cpu_op). */
enum orr_device { ORR_DEVICE_CPU, ORR_DEVICE_ACCELERATOR, ORR_DEVICE_UNKNOWN, ORR_DEVICES };

/* "CPU", "accelerator", "not said" */
const char *orr_device_name(enum orr_device device);

static inline enum orr_device orr_node_device(const struct orr_node *node)
{
    return (node->flags & ORR_NODE_IS_CPU) != 0         ? ORR_DEVICE_CPU
           : (node->flags & ORR_NODE_HAS_CPU_FLAG) != 0 ? ORR_DEVICE_ACCELERATOR
                                                        : ORR_DEVICE_UNKNOWN;
}

/* comm_size of a node that communicates, tensor_size of any other. */
static inline uint64_t orr_node_bytes(const struct orr_node *node)
{
    const bool communicates =
        node->kind == ORR_NODE_SEND || node->kind == ORR_NODE_RECV || node->kind == ORR_NODE_COLL;
    return communicates ? node->amount : node->of.tensor_bytes;
}

struct orr_op_row {
    const char *name;   /* with a '#' for each number if several_names */
    bool several_names; /* the nodes' names differ in numbers */
    enum orr_node_kind kind;
    enum orr_device device;
    uint64_t nodes, duration_ps, shortest_ps, longest_ps;
    uint64_t operations, bytes;
};

struct orr_op_table {
    struct orr_arena *arena; /* of the rows */
    struct orr_strings keys; /* one for each row */
    struct orr_op_row *row;
    size_t capacity;
    uint32_t rows;
};

void orr_op_table_init(struct orr_op_table *table, struct orr_arena *arena);

/* Amortized O(length of the name). Errors: out of memory. */
enum orr_status orr_op_table_add(struct orr_op_table *table, const struct orr_node *node,
                                 struct orr_diag *diag);

/* Sorts by descending time, operations and nodes, then by name. Nothing can be added afterwards.
 * O(rows log rows). */
void orr_op_table_sort(struct orr_op_table *table);

#endif
