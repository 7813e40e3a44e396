/* Registry of remote memories. A new type is one file and one line in pools/memory_list.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/keys.h"
#include "core/diag.h"
#include "core/strings.h"
#include "memory/fabric.h"
#include "memory/mem.h"

#define ORR_MEMORY(name) extern const struct mem_ops name;
#include "memory/pools/memory_list.h"
#undef ORR_MEMORY

const struct mem_ops *const orr_mem_types[] = {
#define ORR_MEMORY(name) &name,
#include "memory/pools/memory_list.h"
#undef ORR_MEMORY
    NULL};

const char orr_mem_default_type[] = "none", orr_mem_default_accesses[] = "closed_form";

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

/* ---- names in files ---- */

static const char *type_name(const struct mem_ops *ops)
{
    return ops->accesses == NULL ? ops->name : NULL;
}

static const char *astra_name(const struct mem_ops *ops)
{
    return ops->astra_type;
}

static const char *accesses_name(const struct mem_ops *ops)
{
    return ops->accesses;
}

/* The index-th name that the function gives for a type. */
static const char *name_at(const char *(*name)(const struct mem_ops *), size_t index)
{
    for (size_t i = 0; i < TYPES; i++) {
        if (name(orr_mem_types[i]) != NULL && index-- == 0) {
            return name(orr_mem_types[i]);
        }
    }
    return NULL;
}

static const struct mem_ops *find_by(const char *(*name)(const struct mem_ops *), const char *text)
{
    for (size_t i = 0; i < TYPES; i++) {
        const char *of = name(orr_mem_types[i]);
        if (of != NULL && strcmp(of, text) == 0) {
            return orr_mem_types[i];
        }
    }
    return NULL;
}

const char *orr_mem_type_name(size_t index)
{
    return name_at(type_name, index);
}

const char *orr_mem_astra_name(size_t index)
{
    return name_at(astra_name, index);
}

const char *orr_mem_accesses_name(size_t index)
{
    return name_at(accesses_name, index);
}

const struct mem_ops *orr_mem_astra_find(const char *name)
{
    return find_by(astra_name, name);
}

const struct mem_ops *orr_mem_accesses_find(const char *name)
{
    return find_by(accesses_name, name);
}

/* ---- type-specific keys ---- */

const struct orr_key_table *orr_mem_backend_keys_table(size_t index)
{
    static const struct orr_key_table none = {.count = 0};
    const struct mem_ops *ops = orr_mem_types[index];
    return ops == NULL ? NULL : ops->backend_keys == NULL ? &none : &ops->backend_keys->table;
}

const struct orr_key_table *orr_mem_backend_keys_astra_table(size_t index)
{
    static const struct orr_key_table none = {.count = 0};
    const struct mem_ops *ops = orr_mem_types[index];
    return ops == NULL ? NULL : ops->backend_keys == NULL ? &none : &ops->backend_keys->astra;
}

void *const *orr_mem_backend_keys_create(struct orr_arena *arena)
{
    void **values = orr_arena_array(arena, TYPES, sizeof *values);
    for (size_t i = 0; i < TYPES && values != NULL; i++) {
        const struct mem_backend_keys *backend_keys = orr_mem_types[i]->backend_keys;
        values[i] = backend_keys != NULL ? orr_arena_alloc(arena, backend_keys->bytes) : NULL;
        if (backend_keys != NULL && values[i] == NULL) {
            return NULL;
        }
    }
    return values;
}

const void *orr_mem_backend_keys_of(void *const *values, const struct mem_ops *ops)
{
    size_t i = 0;
    while (orr_mem_types[i] != ops) {
        i++;
    }
    return values[i];
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
    return ORR_OK;
}

void orr_mem_config_scale(struct mem_config *config, double factor)
{
    config->bandwidth_bytes_per_s *= factor;
    config->latency_ps = orr_time_scale(config->latency_ps, 1 / factor);
    config->given_bytes_per_ns *= factor;
    config->given_latency_ns /= factor;
    if (config->fabric != NULL) {
        orr_mem_fabric_scale(config->fabric, factor);
    }
}
