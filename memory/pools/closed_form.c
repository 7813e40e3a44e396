/* Memory pool in closed form: every access takes as long as if all NPUs made it at the same time
 * (docs/how-to/remote-memory.md). */
#include "memory/fabric.h"
#include "memory/mem.h"
#include "memory/pools/access.h"

extern const struct mem_ops orr_mem_pool_closed_form;

static enum orr_status closed_form_create(struct mem **out, const struct mem_config *config,
                                          uint32_t npus, struct orr_evq *queue,
                                          struct orr_arena *arena, struct orr_diag *diag)
{
    (void)npus;
    struct mem *mem = orr_arena_alloc(arena, sizeof *mem);
    if (mem == NULL) {
        return orr_diag_no_memory(diag, "the memory pool");
    }
    orr_mem_base_init(mem, &orr_mem_pool_closed_form, config, queue);
    *out = mem;
    return ORR_OK;
}

static void closed_form_access(struct mem *mem, const struct mem_access *access)
{
    const sim_time duration =
        orr_mem_fabric_time(mem->config->fabric, access->bytes, access->gathered);
    orr_mem_post_done(mem, access->npu, access->label, access->cookie,
                      orr_time_add(orr_evq_now(mem->queue), duration));
}

const struct mem_ops orr_mem_pool_closed_form = {
    .name = "pool_together",
    .accesses = "closed_form",
    .summary = "a pool whose links are shared as if all NPUs accessed it together",
    .create = closed_form_create,
    .access = closed_form_access,
    .is_contention_free = true,
};
