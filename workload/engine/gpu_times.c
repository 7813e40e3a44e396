/* The GPU's view of an NPU with work of the CPU: what its accelerator, its memory channel and the
 * network do, without the CPU. Time from 0 to the end of the job. */
#include "workload/engine/engine_private.h"

/* Whether the trace has work of the CPU. */
static bool has_host(const struct orr_trace *trace)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        if (node->kind == ORR_NODE_COMP && (node->flags & ORR_NODE_IS_CPU) != 0) {
            return true;
        }
    }
    return false;
}

bool orr_wl_gpu_create(const struct wl_engine *engine, struct wl_npu *npu)
{
    if (!has_host(npu->trace)) {
        return true;
    }
    npu->gpu = orr_arena_alloc(engine->parts.arena, sizeof *npu->gpu);
    if (npu->gpu != NULL) {
        npu->gpu->begun = true; /* at 0 */
    }
    return npu->gpu != NULL;
}

/* What a node is for the GPU; false: nothing. */
static bool kind_of(const struct orr_node *node, enum orr_gpu_kind *kind)
{
    switch (node->kind) {
    case ORR_NODE_COMP:
        *kind = (node->comm & ORR_COMP_COMM) != 0   ? ORR_GPU_COMMUNICATION
                : (node->comm & ORR_COMP_COPY) != 0 ? ORR_GPU_COPY
                                                    : ORR_GPU_COMPUTE;
        return (node->flags & ORR_NODE_IS_CPU) == 0;
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        *kind = ORR_GPU_COPY;
        return true;
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
    case ORR_NODE_COLL:
        *kind = ORR_GPU_COMMUNICATION;
        return true;
    default:
        return false;
    }
}

void orr_wl_gpu_begins(const struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    enum orr_gpu_kind kind;
    if (npu->gpu != NULL && kind_of(&npu->trace->node[node], &kind)) {
        orr_gpu_begin(npu->gpu, kind, orr_evq_now(engine->parts.queue), ORR_GPU_IDLE_LAUNCH);
    }
}

void orr_wl_gpu_ends(const struct wl_engine *engine, struct wl_npu *npu, uint32_t node)
{
    enum orr_gpu_kind kind;
    if (npu->gpu != NULL && kind_of(&npu->trace->node[node], &kind)) {
        orr_gpu_end(npu->gpu, kind, orr_evq_now(engine->parts.queue));
    }
}

bool orr_engine_gpu_times(const struct wl_engine *engine, struct orr_slot npu,
                          struct orr_gpu_view *view)
{
    const struct orr_gpu_account *gpu = engine->npu[npu.slot].gpu;
    if (gpu == NULL) {
        return false;
    }
    struct orr_gpu_account account = *gpu;
    *view = orr_gpu_finish(&account, engine->wall_ps);
    return true;
}
