/* Nodes that ran, for the public API: kind, resource and times of each. */
#include "core/fold.h"
#include "sim/api_call.h"
#include "sim/orrery_private.h"
#include "system/collectives/program.h"
#include "system/sent_chunks.h"
#include "system/sys_groups.h"
#include "workload/engine/engine.h"
#include "workload/engine/node_requests.h"
#include "workload/trace/trace.h"

void orrery_record(struct orrery *job, unsigned flags)
{
    job->requests.record |= flags;
}

bool orr_chunk_message(const struct orrery *job, size_t i, struct orr_chunk *out)
{
    size_t count = 0;
    const struct sys_sent_chunk *message =
        job->ran ? orr_sys_sent_chunks(job->layers.sys, &count) : NULL;
    if (i >= count) {
        return false;
    }
    message += i;
    *out = (struct orr_chunk){.src = message->src.rank,
                              .dst = message->dst.rank,
                              .chunk = message->chunk,
                              .up = message->up,
                              .turns = message->turns,
                              .through = message->through,
                              .bytes = message->bytes,
                              .sent_ps = message->sent_ps,
                              .there_ps = message->there_ps};
    return true;
}

/* A rank's own trace: traces of a class can name other peers, groups and ids (fold_rotations.c). */
static const struct orr_trace *trace_of(const struct orrery *job, uint32_t rank)
{
    const bool own = job->source.layout == NULL && job->source.count == job->npus;
    return own ? job->source.trace[rank] : job->traces[orr_slot_of(job, orr_rank(rank)).slot];
}

size_t orrery_nodes(const struct orrery *job, uint32_t rank)
{
    if (!job->ran || rank >= job->npus) {
        return 0;
    }
    const struct orr_slot slot = orr_slot_of(job, orr_rank(rank));
    return orr_engine_has_spans(job->layers.engine) ? job->traces[slot.slot]->nodes : 0;
}

static enum orrery_node_kind kind_of(const struct orr_node *node)
{
    switch (node->kind) {
    case ORR_NODE_COMP:
        return (node->flags & ORR_NODE_IS_CPU) != 0 ? ORRERY_NODE_CPU : ORRERY_NODE_COMPUTE;
    case ORR_NODE_MEM_LOAD:
        return ORRERY_NODE_LOAD;
    case ORR_NODE_MEM_STORE:
        return ORRERY_NODE_STORE;
    case ORR_NODE_SEND:
        return ORRERY_NODE_SEND;
    case ORR_NODE_RECV:
        return ORRERY_NODE_RECEIVE;
    case ORR_NODE_COLL:
        return ORRERY_NODE_COLLECTIVE;
    default:
        return ORRERY_NODE_OTHER;
    }
}

static uint32_t group_of(const struct orrery *job, uint32_t rank, uint32_t index)
{
    const struct orr_slot slot = orr_slot_of(job, orr_rank(rank));
    const struct orr_trace *own = trace_of(job, rank);
    const uint32_t group = own->node[index].group;
    return own == job->traces[slot.slot] || group == 0
               ? orr_engine_group(job->layers.engine, slot, index)
               : orr_sys_group_named(job->layers.sys, own->groups[group - 1], orr_rank(rank));
}

static void add_collective(const struct orrery *job, uint32_t rank, uint32_t index,
                           struct orrery_node *out)
{
    const struct orr_node *node = &trace_of(job, rank)->node[index];
    out->bytes = node->amount;
    out->collective = orr_coll_kind_name(orr_wl_coll_kind(node->comm));
    out->group_id = group_of(job, rank, index);
    out->group_npus = orr_sys_group_size(job->layers.sys, out->group_id);
    out->group = out->group_id == 0 ? "" : orr_sys_group_name(job->layers.sys, out->group_id);
}

static void add_details(const struct orrery *job, uint32_t rank, uint32_t index,
                        struct orrery_node *out)
{
    const struct orr_node *node = &trace_of(job, rank)->node[index];
    switch (out->kind) {
    case ORRERY_NODE_COMPUTE:
        out->bytes = node->of.tensor_bytes;
        out->flops = node->amount;
        break;
    case ORRERY_NODE_LOAD:
    case ORRERY_NODE_STORE:
        out->bytes = node->of.tensor_bytes;
        out->remote = !orr_wl_is_local(job->layers.engine, node);
        break;
    case ORRERY_NODE_SEND:
    case ORRERY_NODE_RECEIVE:
        out->bytes = node->amount;
        out->peer = orr_node_peer(node, rank, job->npus);
        out->tag = node->of.p2p.tag;
        break;
    case ORRERY_NODE_COLLECTIVE:
        add_collective(job, rank, index, out);
        break;
    default:
        break;
    }
}

enum orrery_status orrery_node(const struct orrery *job, uint32_t rank, size_t index,
                               struct orrery_node *out)
{
    if (index >= orrery_nodes(job, rank)) {
        return orr_reject_index(job, "node", index, orrery_nodes(job, rank));
    }
    const struct orr_slot slot = orr_slot_of(job, orr_rank(rank));
    const struct orr_node *node = &trace_of(job, rank)->node[index];
    const struct wl_span span = orr_engine_span(job->layers.engine, slot, (uint32_t)index);
    *out = (struct orrery_node){.id = node->id,
                                .name = node->name,
                                .kind = kind_of(node),
                                .ran = span.start_ps <= span.end_ps,
                                .start_ps = span.start_ps,
                                .end_ps = span.end_ps,
                                .transfer_ps =
                                    orr_engine_transfer(job->layers.engine, slot, (uint32_t)index)};
    add_details(job, rank, (uint32_t)index, out);
    return ORRERY_OK;
}
