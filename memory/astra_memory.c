/* The remote memory file of ASTRA-sim: latency in ns, bandwidth in GB/s (10^9). */
#include <math.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "memory/mem.h"

struct file {
    const char *type;
    double latency_ns, gb_per_s;
    void *const *backend_keys; /* one for each type */
};

static const double max_ns = 9.2e15; /* 2^63 ps */

static const struct orr_key keys[] = {
    {.name = "memory-type",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct file, type),
     .required = true,
     .names = orr_mem_astra_name,
     .example = "\"memory-type\": \"NO_MEMORY_EXPANSION\"",
     .doc = "type of the remote memory"},
    {.name = "remote-mem-latency",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct file, latency_ns),
     .doc = "ns of an access"},
    {.name = "remote-mem-bw",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct file, gb_per_s),
     .doc = "GB/s (10^9 bytes)"},
    {.parts = orr_mem_backend_keys_astra_table, .offset = offsetof(struct file, backend_keys)},
};

static enum orr_status needs(const struct orr_conf *root, const struct file *file, const char *key,
                             struct orr_diag *diag)
{
    if (orr_conf_get(root, key) != NULL) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(root);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "a memory of the type %s needs the key \"%s\"", file->type, key);
}

static enum orr_status check(const struct orr_conf *root, const struct file *file,
                             const struct mem_ops *ops, struct orr_diag *diag)
{
    static const char *const always[] = {"remote-mem-latency", "remote-mem-bw"};
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < 2 && ops->access != NULL && status == ORR_OK; i++) {
        status = needs(root, file, always[i], diag);
    }
    for (size_t i = 0;
         ops->backend_keys != NULL && i < ops->backend_keys->astra.count && status == ORR_OK; i++) {
        status = needs(root, file, ops->backend_keys->astra.keys[i].name, diag);
    }
    if (status == ORR_OK && ops->access != NULL && !(file->gb_per_s > 0)) {
        return orr_conf_expected(orr_conf_get(root, "remote-mem-bw"), "a number > 0", diag);
    }
    if (status == ORR_OK && !(file->latency_ns >= 0 && file->latency_ns < max_ns)) {
        return orr_conf_expected(orr_conf_get(root, "remote-mem-latency"),
                                 "ns from 0 to 106 days, which are 9.2e15", diag);
    }
    return status;
}

enum orr_status orr_mem_config_read_astra(struct orr_arena *arena, const char *path,
                                          struct mem_config *config, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    struct file file = {.backend_keys = orr_mem_backend_keys_create(arena)};
    enum orr_status status = file.backend_keys == NULL
                                 ? orr_diag_no_memory(diag, "the keys of the remote memory")
                                 : orr_conf_load(arena, path, &root, diag);
    if (status == ORR_OK) {
        status = orr_conf_read(root, "a remote memory file", keys, sizeof keys / sizeof *keys,
                               &file, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const struct mem_ops *ops = orr_mem_astra_find(file.type);
    status = check(root, &file, ops, diag);
    *config = (struct mem_config){
        .type = ops->name,
        .bandwidth_bytes_per_s = file.gb_per_s * 1e9,
        .latency_ps = status == ORR_OK ? (sim_time)(file.latency_ns * 1e3 + 0.5) : 0,
        .backend_keys = orr_mem_backend_keys_of(file.backend_keys, ops),
        .given_bytes_per_ns = file.gb_per_s,
        .given_latency_ns = file.latency_ns};
    return status;
}
