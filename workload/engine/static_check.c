/* Static checks before the run: peers and roots that do not exist, memory nodes without a memory,
 * collectives that no algorithm of the platform can run. */
#include "workload/engine/engine_private.h"

static enum orr_status fail_node(struct orr_diag *diag, const struct orr_trace *trace,
                                 const struct orr_node *node, struct orr_rank npu, const char *what)
{
    const struct orr_location file = orr_location_file(trace->path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &file, "node %llu (%s) of NPU %u %s",
                         (unsigned long long)node->id, node->name, npu.rank, what);
}

static enum orr_status check_collective(const struct wl_engine *engine, struct orr_slot npu,
                                        uint32_t index, struct orr_diag *diag)
{
    const struct wl_npu *self = &engine->npu[npu.slot];
    const struct sys_collective request = orr_wl_collective_of(engine, npu, index);
    struct orr_diag reason;
    orr_diag_init(&reason);
    const enum orr_status status = orr_sys_collective_check(engine->parts.sys, &request, &reason);
    if (status == ORR_OK) {
        return ORR_OK;
    }
    return fail_node(diag, self->trace, &self->trace->node[index], wl_rank(engine, npu),
                     reason.message);
}

/* The reference waits for the end of every collective. */
static enum orr_status check_prefix(const struct wl_engine *engine, struct orr_slot npu,
                                    uint32_t index, struct orr_diag *diag)
{
    const struct wl_npu *self = &engine->npu[npu.slot];
    if (!engine->parts.policy->ignores_rules || !orr_wl_is_watched(self, index)) {
        return ORR_OK;
    }
    return fail_node(
        diag, self->trace, &self->trace->node[index], wl_rank(engine, npu),
        "is a collective of which other nodes wait for a part (orrery_prefix_of); under "
        "ASTRA-sim's rules nodes wait for the end of their dependencies");
}

static enum orr_status check_peer(const struct wl_engine *engine, struct orr_slot npu,
                                  const struct orr_node *node, struct orr_diag *diag)
{
    const struct orr_rank rank = wl_rank(engine, npu),
                          rank_in_job = orr_wl_rank_in_job(engine, rank);
    const struct wl_run *run = orr_wl_run_of(engine, rank);
    const bool is_platform = run->job.rank == NULL;
    const uint32_t npus = is_platform ? wl_ranks(engine) : run->job.npus;
    const uint32_t peer = orr_node_peer(node, rank_in_job.rank, npus);
    if (peer < npus) {
        return ORR_OK;
    }
    const struct orr_location file = orr_location_file(engine->npu[npu.slot].trace->path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &file,
                         "node %llu (%s) of NPU %u %s NPU %u, which does not exist; the %s has the "
                         "NPUs 0 to %u",
                         (unsigned long long)node->id, node->name, rank_in_job.rank,
                         node->kind == ORR_NODE_SEND ? "sends to" : "receives from", peer,
                         is_platform ? "platform" : "job", npus - 1);
}

static enum orr_status check_access(const struct wl_engine *engine, struct orr_slot npu,
                                    uint32_t index, struct orr_diag *diag)
{
    const struct orr_trace *trace = engine->npu[npu.slot].trace;
    const struct mem_access access = orr_wl_access_of(npu, index, &trace->node[index]);
    struct orr_diag reason;
    orr_diag_init(&reason);
    const enum orr_status status = orr_mem_check(engine->parts.remote->config, &access, &reason);
    return status == ORR_OK
               ? ORR_OK
               : fail_node(diag, trace, &trace->node[index], wl_rank(engine, npu), reason.message);
}

static enum orr_status check_node(const struct wl_engine *engine, struct orr_slot npu,
                                  uint32_t index, struct orr_diag *diag)
{
    const struct orr_trace *trace = engine->npu[npu.slot].trace;
    const struct orr_node *node = &trace->node[index];
    const enum orr_status status = check_prefix(engine, npu, index, diag);
    if (status != ORR_OK || orr_wl_is_replayed(engine, node)) {
        return status;
    }
    switch (node->kind) {
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
        return check_peer(engine, npu, node, diag);
    case ORR_NODE_COLL:
        return check_collective(engine, npu, index, diag);
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        return orr_wl_is_local(engine, node) ? ORR_OK : check_access(engine, npu, index, diag);
    default:
        return ORR_OK;
    }
}

enum orr_status orr_wl_check_nodes(const struct wl_engine *engine, struct orr_diag *diag)
{
    for (uint32_t npu = 0; npu < engine->npus; npu++) {
        const struct wl_npu *self = &engine->npu[npu];
        const bool same =
            npu > 0 && self->trace == engine->npu[npu - 1].trace && self->trace->group_count == 0;
        for (uint32_t i = 0; i < self->trace->nodes && !same; i++) {
            const enum orr_status status = check_node(engine, orr_slot(npu), i, diag);
            if (status != ORR_OK) {
                return status;
            }
        }
    }
    return ORR_OK;
}
