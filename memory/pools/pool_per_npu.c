/* A remote memory per NPU with its own path (ZeRO-Infinity: the GPU's share of CPU memory and
 * NVMe); its accesses run concurrently. */
#include "memory/mem.h"
#include "memory/pools/access.h"

extern const struct mem_ops orr_mem_per_npu;

static enum orr_status per_npu_create(struct mem **out, const struct mem_config *config,
                                      uint32_t npus, struct orr_evq *queue, struct orr_arena *arena,
                                      struct orr_diag *diag)
{
    (void)npus;
    struct mem *mem = orr_arena_alloc(arena, sizeof *mem);
    if (mem == NULL) {
        return orr_diag_no_memory(diag, "the remote memory");
    }
    orr_mem_base_init(mem, &orr_mem_per_npu, config, queue);
    *out = mem;
    return ORR_OK;
}

static void per_npu_access(struct mem *mem, const struct mem_access *access)
{
    const sim_time duration = orr_mem_access_time(mem->config, access->bytes);
    orr_mem_post_done(mem, access->npu, access->label, access->cookie,
                      orr_time_add(orr_evq_now(mem->queue), duration));
}

const struct mem_ops orr_mem_per_npu = {
    .name = "per_npu",
    .summary = "a memory per NPU; accesses run side by side",
    .astra_type = "PER_NPU_MEMORY_EXPANSION",
    .create = per_npu_create,
    .access = per_npu_access,
    .is_contention_free = true,
};
