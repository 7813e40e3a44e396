/* The `memory` section of a platform file. */
#include <math.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "memory/fabric.h"
#include "memory/mem.h"
#include "memory/mem_config_read.h"
#include "memory/mem_local.h"

static const char *const contentions[] = {"none", "fair", NULL};

struct memory_section {
    const struct orr_conf *local, *remote, *pool;
    bool ignore_capacity;
};

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

static const struct orr_key_table local_table, remote_table;

static const struct orr_key section_keys[] = {
    {.name = "local",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct memory_section, local),
     .table = &local_table,
     .doc = "an NPU's own memory"},
    {.name = "remote",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct memory_section, remote),
     .table = &remote_table,
     .doc = "memory outside of the NPUs"},
    {.name = "pool",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct memory_section, pool),
     .table = &orr_mem_pool_table,
     .doc =
         "memory outside of the NPUs, reached over links of a given geometry; instead of remote"},
    {.name = "ignore_capacity",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct memory_section, ignore_capacity),
     .default_text = "false",
     .doc = "a job that needs more than local.capacity or pool.capacity runs all the same, with a "
            "warning; as --ignore-capacity"},
};

static const struct orr_key local_keys[] = {
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct mem_local, bandwidth_bytes_per_s),
     .absent = "no limit",
     .doc = "bandwidth"},
    {.name = "latency",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct mem_local, latency_ps),
     .default_text = "0 ns",
     .doc = "latency of an access"},
    {.name = "capacity",
     .type = ORR_KEY_BYTES,
     .offset = offsetof(struct mem_local, capacity_bytes),
     .low = 1,
     .high = 1e15,
     .absent = "no limit",
     .doc = "capacity of an NPU's memory; a model or tensors that need more are an error "
            "(ignore_capacity)"},
    {.name = "contention",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct mem_local, contention),
     .choices = contentions,
     .default_text = "none",
     .doc = "fair: compute and accesses of an NPU share its memory's bandwidth"},
};

struct remote_section {
    const char *type;
    double bandwidth;
    sim_time latency;
    void *const *backend_keys; /* by type */
};

static const struct orr_key remote_keys[] = {
    {.name = "type",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct remote_section, type),
     .names = orr_mem_type_name,
     .default_text = orr_mem_default_type,
     .doc = "none, one for each NPU, one for each node, or one pool for all"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct remote_section, bandwidth),
     .needed_with = "type",
     .not_for = orr_mem_default_type,
     .doc = "bandwidth of one such memory"},
    {.name = "latency",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct remote_section, latency),
     .default_text = "0 ns",
     .doc = "latency of an access"},
    {.parts = orr_mem_backend_keys_table, .offset = offsetof(struct remote_section, backend_keys)},
};

static const struct orr_key_table local_table = {"the local memory", local_keys, COUNT(local_keys),
                                                 NULL},
                                  remote_table = {"the remote memory", remote_keys,
                                                  COUNT(remote_keys), NULL};
const struct orr_key_table orr_mem_key_table = {"the memory section", section_keys,
                                                COUNT(section_keys), NULL};

/* Warns about what has no effect without a type, and about a contention of nothing. */
static void warn_unused(const struct orr_conf *local, const struct mem_local *read,
                        const struct orr_conf *remote, const struct mem_config *config,
                        struct orr_diag *diag)
{
    for (size_t i = 0; remote != NULL && config->fabric == NULL && i < remote->count &&
                       strcmp(config->type, orr_mem_default_type) == 0;
         i++) {
        if (strcmp(remote->key[i], "type") != 0) {
            orr_conf_warn_unused(remote, remote->key[i],
                                 "there is no remote memory without memory.remote.type, such as "
                                 "type: per_npu",
                                 diag);
        }
    }
    if (local != NULL && read->contention != MEM_CONTENTION_NONE &&
        isinf(read->bandwidth_bytes_per_s)) {
        orr_conf_warn_unused(
            local, "contention",
            "memory.local has no bandwidth to be shared, such as bandwidth: 2 TB/s", diag);
    }
}

static enum orr_status read_remote(struct orr_arena *arena, const struct orr_conf *node,
                                   struct mem_config *remote, struct orr_diag *diag)
{
    struct remote_section values = {.backend_keys = orr_mem_backend_keys_create(arena)};
    if (values.backend_keys == NULL) {
        return orr_diag_no_memory(diag, "the keys of the remote memory");
    }
    const enum orr_status status =
        orr_conf_read(node, "the remote memory", remote_keys, COUNT(remote_keys), &values, diag);
    if (status != ORR_OK) {
        return status;
    }
    const struct mem_ops *ops = orr_mem_type_find(values.type);
    *remote =
        (struct mem_config){.type = ops->name,
                            .bandwidth_bytes_per_s = values.bandwidth,
                            .latency_ps = values.latency,
                            .backend_keys = orr_mem_backend_keys_of(values.backend_keys, ops)};
    if (ops->access != NULL && orr_conf_get(node, "bandwidth") == NULL) {
        const struct orr_location place = orr_conf_location(node);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: a remote memory needs the key \"bandwidth\", such as "
                             "bandwidth: 100 GB/s",
                             node->path);
    }
    return ORR_OK;
}

static enum orr_status read_pool(struct orr_arena *arena,
                                 const struct memory_section *memory_section, uint32_t npus,
                                 struct mem_config *remote, struct orr_diag *diag)
{
    const struct mem_ops *ops = NULL;
    if (memory_section->remote != NULL) {
        const struct orr_location place = orr_conf_key_location(memory_section->pool);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: a platform has one remote memory; give memory.remote or "
                             "memory.pool",
                             memory_section->pool->path);
    }
    struct mem_fabric *fabric = orr_arena_alloc(arena, sizeof *fabric);
    if (fabric == NULL) {
        return orr_diag_no_memory(diag, "the memory pool");
    }
    const enum orr_status status =
        orr_mem_pool_read(memory_section->pool, npus, fabric, &ops, diag);
    if (status == ORR_OK) {
        *remote = (struct mem_config){.type = ops->name, .fabric = fabric};
    }
    return status;
}

enum orr_status orr_mem_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    uint32_t npus, struct mem_local *local,
                                    struct mem_config *remote, struct orr_diag *diag)
{
    struct memory_section memory_section = {0};
    *local = (struct mem_local){.bandwidth_bytes_per_s = INFINITY};
    *remote = (struct mem_config){.type = orr_mem_default_type};
    enum orr_status status = ORR_OK;
    if (map != NULL) {
        status = orr_conf_read(map, "the memory section", section_keys, COUNT(section_keys),
                               &memory_section, diag);
    }
    if (status == ORR_OK && memory_section.local != NULL) {
        status = orr_conf_read(memory_section.local, "the local memory", local_keys,
                               COUNT(local_keys), local, diag);
    }
    local->ignore_capacity = memory_section.ignore_capacity;
    if (status == ORR_OK && memory_section.pool != NULL) {
        return read_pool(arena, &memory_section, npus, remote, diag);
    }
    if (status == ORR_OK && memory_section.remote != NULL) {
        status = read_remote(arena, memory_section.remote, remote, diag);
    }
    if (status == ORR_OK) {
        warn_unused(memory_section.local, local, memory_section.remote, remote, diag);
    }
    return status;
}
