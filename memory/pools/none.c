/* No remote memory: a trace that accesses one is an input error. */
#include "core/arena.h"
#include "core/diag.h"
#include "memory/mem.h"

extern const struct mem_ops orr_mem_none;

static enum orr_status none_create(struct mem **out, const struct mem_config *config, uint32_t npus,
                                   struct orr_evq *queue, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    (void)npus;
    struct mem *mem = orr_arena_alloc(arena, sizeof *mem);
    if (mem == NULL) {
        return orr_diag_no_memory(diag, "the remote memory");
    }
    *mem = (struct mem){.ops = &orr_mem_none, .config = config, .queue = queue};
    *out = mem;
    return ORR_OK;
}

const struct mem_ops orr_mem_none = {
    .name = "none",
    .summary = "no remote memory",
    .astra_type = "NO_MEMORY_EXPANSION",
    .create = none_create,
    .is_contention_free = true,
};
