/* Traces that a program makes node by node; see include/orrery/parts.h. */
#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "sim/load/shared_parts.h"
#include "system/collectives/program.h"
#include "workload/engine/node_requests.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

static struct orr_trace_builder *builder_of(struct orr_shared *part, uint32_t trace)
{
    struct orr_shared_traces *traces = &part->traces;
    if (trace >= traces->capacity) {
        const uint32_t capacity = trace < UINT32_MAX / 2 ? 2 * trace + 1 : UINT32_MAX;
        void *grown = orr_heap_realloc(traces->builder, capacity * sizeof *traces->builder);
        if (grown == NULL) {
            return NULL;
        }
        traces->builder = grown;
        memset((void *)(traces->builder + traces->capacity), 0,
               (capacity - traces->capacity) * sizeof *traces->builder);
        traces->capacity = capacity;
    }
    if (traces->builder[trace] == NULL) {
        const char *name = orr_arena_printf(part->arena, "trace %" PRIu32, trace);
        traces->builder[trace] = orr_trace_builder_create(part->arena);
        if (name != NULL && traces->builder[trace] != NULL) {
            orr_trace_builder_set_source(traces->builder[trace], name, "");
            orr_trace_builder_set_replayed(traces->builder[trace]);
        }
    }
    traces->count = trace >= traces->count ? trace + 1 : traces->count;
    return traces->builder[trace];
}

/* ---- nodes ---- */

static enum orr_status fail_node(struct orr_shared *part, const struct orrery_trace_node *node,
                                 const char *what)
{
    return orr_diag_fail(&part->diag, ORR_ERR_INPUT, NULL, "node %" PRIu64 " (%s): %s", node->id,
                         node->name != NULL ? node->name : "", what);
}

static enum orr_status set_collective(struct orr_shared *part, const struct orrery_trace_node *node,
                                      struct orr_node_spec *spec)
{
    for (unsigned comm = 0; comm < ORR_COMM_KINDS; comm++) {
        if (node->collective != NULL &&
            strcmp(node->collective, orr_coll_kind_name(orr_wl_coll_kind((uint8_t)comm))) == 0) {
            spec->comm = (enum orr_trace_comm)comm;
            return ORR_OK;
        }
    }
    return fail_node(part, node, "expected a collective such as \"all_reduce\"");
}

static enum orr_status set_compute(struct orr_node_spec *spec, const struct orrery_trace_node *node)
{
    spec->kind = ORR_NODE_COMP;
    spec->num_ops = node->flops;
    spec->tensor_bytes = node->bytes;
    spec->flags |=
        node->flops != 0 || node->bytes != 0 ? ORR_NODE_HAS_NUM_OPS | ORR_NODE_HAS_TENSOR_SIZE : 0;
    return ORR_OK;
}

/* Sets the fields of the node's kind. */
static enum orr_status set_kind(struct orr_shared *part, const struct orrery_trace_node *node,
                                struct orr_node_spec *spec)
{
    switch (node->kind) {
    case ORRERY_NODE_CPU:
        spec->flags |= ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG;
        return set_compute(spec, node);
    case ORRERY_NODE_COMPUTE:
        return set_compute(spec, node);
    case ORRERY_NODE_LOAD:
    case ORRERY_NODE_STORE:
        spec->kind = node->kind == ORRERY_NODE_LOAD ? ORR_NODE_MEM_LOAD : ORR_NODE_MEM_STORE;
        spec->tensor_bytes = node->bytes;
        spec->flags |= ORR_NODE_HAS_TENSOR_SIZE | (node->remote ? 0u : ORR_NODE_LOCAL_MEMORY);
        return ORR_OK;
    case ORRERY_NODE_COLLECTIVE:
        spec->kind = ORR_NODE_COLL;
        spec->comm_bytes = node->bytes;
        return set_collective(part, node, spec);
    case ORRERY_NODE_SEND:
    case ORRERY_NODE_RECEIVE:
        spec->kind = node->kind == ORRERY_NODE_SEND ? ORR_NODE_SEND : ORR_NODE_RECV;
        spec->src = spec->dst = node->peer;
        spec->comm_bytes = node->bytes;
        return ORR_OK;
    case ORRERY_NODE_OTHER:
        spec->kind = ORR_NODE_METADATA;
        return ORR_OK;
    }
    return fail_node(part, node, "expected a kind of enum orrery_node_kind");
}

static enum orr_status check_node(struct orr_shared *part, const struct orrery_trace_node *node)
{
    const enum orr_status status =
        orr_check_struct("orrery_trace_node", node->size, sizeof *node, &part->diag);
    if (status != ORR_OK) {
        return status;
    }
    if (node->duration_ps < 0) {
        return fail_node(part, node, "expected a duration of 0 ps or more");
    }
    return node->after != NULL || node->after_count == 0
               ? ORR_OK
               : fail_node(part, node, "expected `after` with after_count ids");
}

static enum orr_status add_node(struct orr_shared *part, uint32_t trace,
                                const struct orrery_trace_node *node)
{
    struct orr_node_spec spec = {.id = node->id,
                                 .name = node->name,
                                 .duration_ps = (uint64_t)node->duration_ps,
                                 .tag = node->tag,
                                 .root = node->root,
                                 .group = node->group,
                                 .data_deps = {node->after, node->after_count}};
    const enum orr_status status = set_kind(part, node, &spec);
    if (status != ORR_OK) {
        return status;
    }
    struct orr_trace_builder *builder = builder_of(part, trace);
    return builder != NULL ? orr_trace_builder_add(builder, &spec, &part->diag)
                           : orr_diag_no_memory(&part->diag, "a trace");
}

enum orrery_status orrery_workload_add(struct orrery_workload *workload, uint32_t trace,
                                       const struct orrery_trace_node *node)
{
    struct orr_shared *part = &workload->part;
    enum orr_status status = orr_shared_check_open(part);
    if (status == ORR_OK) {
        status = check_node(part, node);
    }
    return orr_shared_finish_call(part, status == ORR_OK ? add_node(part, trace, node) : status);
}

/* ---- sealing ---- */

static enum orr_status finish_trace(struct orr_shared *part, uint32_t trace)
{
    struct orr_shared_traces *traces = &part->traces;
    if (traces->builder[trace] == NULL) {
        return orr_diag_fail(&part->refusal, ORR_ERR_INPUT, NULL,
                             "trace %" PRIu32 " has no nodes, though there is a trace %" PRIu32
                             ": expected one trace, or one for each NPU",
                             trace, traces->count - 1);
    }
    return orr_trace_builder_finish(traces->builder[trace], &traces->trace[trace], &part->refusal);
}

void orr_shared_seal_traces(struct orr_shared *part)
{
    struct orr_shared_traces *traces = &part->traces;
    if (traces->count == 0) {
        return;
    }
    if (part->root == NULL) {
        (void)orr_conf_parse(part->arena, "{}", 2, "text", &part->root, &part->refusal);
    }
    traces->trace = orr_arena_array(part->arena, traces->count, sizeof *traces->trace);
    enum orr_status status =
        traces->trace != NULL && part->root != NULL
            ? orr_conf_set(part->arena, part->root, "workload.traces=in memory", &part->root,
                           &part->refusal)
            : orr_diag_no_memory(&part->refusal, "traces");
    for (uint32_t i = 0; i < traces->count && status == ORR_OK; i++) {
        status = finish_trace(part, i);
    }
}

void orr_shared_free_traces(struct orr_shared *part)
{
    for (uint32_t i = 0; i < part->traces.capacity; i++) {
        orr_trace_builder_destroy(part->traces.builder[i]);
    }
    orr_heap_free((void *)part->traces.builder);
}
