/* The activity of nodes, and their requests to the layers below: collectives, messages, memory
 * accesses. */
#include "workload/engine/engine_private.h"

bool orr_wl_is_local(const struct wl_engine *engine, const struct orr_node *node)
{
    return (node->flags & ORR_NODE_LOCAL_MEMORY) != 0 && !engine->parts.policy->memory_is_remote;
}

enum wl_activity orr_wl_activity_of(const struct wl_engine *engine, const struct orr_node *node)
{
    switch (node->kind) {
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        return orr_wl_is_local(engine, node) ? ACT_LOCAL_MEMORY : ACT_REMOTE_MEMORY;
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
    case ORR_NODE_COLL:
        return ACT_COMMUNICATION;
    default:
        return engine->parts.policy->five_parts       ? ACT_COMPUTE
               : (node->comm & ORR_COMP_SYNC) != 0    ? ACT_WAITING
               : (node->flags & ORR_NODE_IS_CPU) != 0 ? ACT_CPU
               : (node->comm & ORR_COMP_COMM) != 0    ? ACT_COMMUNICATION
                                                      : ACT_COMPUTE;
    }
}

uint8_t orr_wl_part_of(const struct wl_engine *engine, const struct orr_node *node)
{
    switch (orr_wl_activity_of(engine, node)) {
    case ACT_LOCAL_MEMORY:
        return ORR_PART_LOCAL_MEMORY;
    case ACT_REMOTE_MEMORY:
        return ORR_PART_REMOTE_MEMORY;
    case ACT_COMMUNICATION:
        return ORR_PART_REPLAYED;
    default:
        return (node->flags & ORR_NODE_IS_CPU) != 0 ? ORR_PART_CPU : ORR_PART_COMPUTE;
    }
}

enum coll_kind orr_wl_coll_kind(uint8_t comm)
{
    static const enum coll_kind kinds[ORR_COMM_KINDS] = {
        [ORR_COMM_ALL_REDUCE] = COLL_ALL_REDUCE,
        [ORR_COMM_REDUCE] = COLL_REDUCE,
        [ORR_COMM_ALL_GATHER] = COLL_ALL_GATHER,
        [ORR_COMM_GATHER] = COLL_GATHER,
        [ORR_COMM_SCATTER] = COLL_SCATTER,
        [ORR_COMM_BROADCAST] = COLL_BROADCAST,
        [ORR_COMM_ALL_TO_ALL] = COLL_ALL_TO_ALL,
        [ORR_COMM_REDUCE_SCATTER] = COLL_REDUCE_SCATTER,
        [ORR_COMM_REDUCE_SCATTER_BLOCK] = COLL_REDUCE_SCATTER,
        [ORR_COMM_BARRIER] = COLL_BARRIER,
    };
    ORR_ASSERT(comm < ORR_COMM_KINDS);
    return kinds[comm];
}

struct mem_access orr_wl_access_of(struct orr_slot npu, uint32_t index, const struct orr_node *node)
{
    return (struct mem_access){.bytes = node->of.tensor_bytes,
                               .label = UINT64_C(1) << 62 | index,
                               .cookie = index,
                               .npu = npu,
                               .store = node->kind == ORR_NODE_MEM_STORE,
                               .gathered = node->comm == ORR_ACCESS_GATHERED};
}

uint32_t orr_wl_dim_mask(const struct orr_trace *trace, const struct orr_node *node)
{
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    if (extra == NULL || !extra->has_involved_dim) {
        return UINT32_MAX;
    }
    const uint32_t given_mask =
        extra->involved_dims >= 32 ? UINT32_MAX : (1u << extra->involved_dims) - 1;
    return (extra->involved_mask & given_mask) | ~given_mask;
}

/* Traces with their own rules have monolithic all-reduces. */
static const struct sys_mono *mono_of(const struct wl_engine *engine, struct orr_slot npu,
                                      const struct orr_node *node)
{
    return engine->npu[npu.slot].issues_fifo && node->comm == ORR_COMM_ALL_REDUCE
               ? &orr_wl_run_of(engine, wl_rank(engine, npu))->job.all_reduce
               : NULL;
}

/* The sizes of a collective; NULL: it is even. O(log uneven collectives). */
static const struct sys_sizes *sizes_of(const struct wl_npu *npu, uint32_t node)
{
    uint32_t low = 0, high = npu->uneven_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (npu->uneven[middle].node < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < npu->uneven_count && npu->uneven[low].node == node ? npu->uneven[low].sizes : NULL;
}

struct sys_collective orr_wl_collective_of(const struct wl_engine *engine, struct orr_slot npu,
                                           uint32_t index)
{
    const struct wl_npu *self = &engine->npu[npu.slot];
    const struct orr_node *node = &self->trace->node[index];
    const struct orr_node_extra *extra = orr_trace_extra(self->trace, node);
    const uint32_t group = node->group != 0 ? self->groups[node->group - 1] : self->all;
    const struct sys_sizes *sizes = sizes_of(self, index);
    const uint32_t mask = group == 0 ? orr_wl_dim_mask(self->trace, node) : UINT32_MAX;
    return (struct sys_collective){
        .npu = npu,
        .group = group,
        .kind = orr_wl_coll_kind(node->comm),
        .bytes = sizes != NULL ? sizes->largest : node->amount,
        .sizes = sizes,
        .root = orr_rank(extra != NULL ? extra->root : 0),
        .ordinal = self->layout->ordinal != NULL ? self->layout->ordinal[index] : 0,
        .dim_mask = mask,
        .priority = extra != NULL ? extra->priority : 0,
        .cookie = index,
        .whole = mono_of(engine, npu, node),
        .watched = orr_wl_is_watched(self, index),
        .tokens = node->op == ORR_COLL_TOKENS,
        .launched = !self->trace->replayed,
        .name = node->name,
        .node_id = node->id};
}

struct sys_message orr_wl_message_of(const struct wl_engine *engine, struct orr_slot npu,
                                     uint32_t index)
{
    const struct orr_node *node = &engine->npu[npu.slot].trace->node[index];
    const uint32_t tags = engine->parts.policy->tags;
    return (struct sys_message){.npu = npu,
                                .peer = wl_peer(engine, wl_rank(engine, npu), node),
                                .tag = tags != 0 ? node->of.p2p.tag % tags : node->of.p2p.tag,
                                .bytes = node->amount,
                                .cookie = index,
                                .signal = node->comm != 0 && !engine->parts.policy->ignores_rules};
}

bool orr_wl_is_replayed(const struct wl_engine *engine, const struct orr_node *node)
{
    return engine->parts.compute->replay_only ||
           (node->kind == ORR_NODE_COLL && node->comm == ORR_COMM_BROADCAST &&
            engine->parts.policy->replay_broadcast);
}
