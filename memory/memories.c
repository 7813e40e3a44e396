/* The remote memories by name. A new type is one file and one line here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory/memory.h"

const struct mem_ops *const orr_mem_types[] = {
    &orr_mem_none, &orr_mem_per_npu,       &orr_mem_per_node,
    &orr_mem_pool, &orr_mem_pool_together, &orr_mem_pool_events,
    NULL};

enum { TYPES = sizeof orr_mem_types / sizeof *orr_mem_types - 1, LIST_BYTES = 256 };

const struct mem_ops *orr_mem_type_find(const char *name)
{
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(orr_mem_types[i]->name, name) == 0) {
            return orr_mem_types[i];
        }
    }
    return NULL;
}

static enum orr_status unknown_type(const char *name, struct orr_diag *diag)
{
    const char *names[TYPES];
    char list[LIST_BYTES] = "";
    for (size_t i = 0; i < TYPES; i++) {
        names[i] = orr_mem_types[i]->name;
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    const char *nearest = orr_nearest_name(name, names, TYPES);
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "memory.type: expected one of %s; got \"%s\"%s%s%s", list, name,
                         nearest == NULL ? "" : " (did you mean ", nearest == NULL ? "" : nearest,
                         nearest == NULL ? "" : "?)");
}

enum orr_status orr_mem_create(struct mem **out, const struct mem_config *config, uint32_t npus,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag)
{
    *out = NULL;
    const struct mem_ops *ops = orr_mem_type_find(config->type);
    if (ops == NULL) {
        return unknown_type(config->type, diag);
    }
    return ops->create(out, config, npus, queue, arena, diag);
}

enum orr_status orr_mem_check(const struct mem_config *config, const struct mem_access *access,
                              struct orr_diag *diag)
{
    const struct mem_fabric *fabric = config->fabric;
    const struct mem_ops *ops = orr_mem_type_find(config->type);
    if (ops == NULL || ops->access == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "accesses remote memory, but the platform has none; give a remote "
                             "memory file with another memory-type than NO_MEMORY_EXPANSION");
    }
    if (access->gathered && (fabric == NULL || fabric->gathered_stage_bytes == 0)) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "gathers a tensor inside the memory pool, but the platform's remote "
            "memory has no switches or stops that could; give another memory.pool");
    }
    if (fabric != NULL && access->bytes > 0 && access->bytes < fabric->chunk_bytes) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "accesses a tensor of %" PRIu64 " bytes, less than a chunk of the "
                             "memory pool, %" PRIu64 " bytes; give a smaller memory.pool.chunk",
                             access->bytes, fabric->chunk_bytes);
    }
    return ORR_OK;
}

void orr_mem_config_scale(struct mem_config *config, double factor)
{
    config->bandwidth_bytes_per_s *= factor;
    config->latency_ps = orr_time_scale(config->latency_ps, 1 / factor);
    config->astra_bytes_per_ns *= factor;
    config->astra_latency_ns /= factor;
    if (config->fabric != NULL) {
        orr_mem_fabric_scale(config->fabric, factor);
    }
}
