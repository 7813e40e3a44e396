/* The remote memory file of the ASTRA-sim simulator: latency in ns, bandwidth in GB/s (10^9). */
#include <math.h>

#include "memory/memory.h"

static const char *const astra_types[] = {"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION",
                                          "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL", NULL};
static const char *const own_types[] = {"none", "per_npu", "per_node", "pool"};

struct file {
    unsigned type;
    double latency_ns, gb_per_s;
    int64_t nodes, npus_per_node;
};

static const double most_ns = 9.2e15; /* 2^63 ps */

static const struct orr_key keys[] = {
    {.name = "memory-type",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct file, type),
     .required = true,
     .choices = astra_types,
     .example = "\"memory-type\": \"NO_MEMORY_EXPANSION\"",
     .doc = "which remote memory there is"},
    {.name = "remote-mem-latency",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct file, latency_ns),
     .doc = "ns of an access"},
    {.name = "remote-mem-bw",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct file, gb_per_s),
     .doc = "GB/s (10^9 bytes)"},
    {.name = "num-nodes",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct file, nodes),
     .low = 1,
     .high = 1e9,
     .doc = "nodes with a memory each"},
    {.name = "num-npus-per-node",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct file, npus_per_node),
     .low = 1,
     .high = 1e9,
     .doc = "NPUs that share a node's memory"},
};

static enum orr_status needs(const struct orr_conf *root, const struct file *file, const char *key,
                             struct orr_diag *diag)
{
    if (orr_conf_get(root, key) != NULL) {
        return ORR_OK;
    }
    const struct orr_place place = orr_conf_place(root);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "a memory of the type %s needs the key \"%s\"", astra_types[file->type],
                         key);
}

static enum orr_status check(const struct orr_conf *root, const struct file *file,
                             struct orr_diag *diag)
{
    static const char *const always[] = {"remote-mem-latency", "remote-mem-bw"};
    static const char *const node[] = {"num-nodes", "num-npus-per-node"};
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < 2 && file->type != 0 && status == ORR_OK; i++) {
        status = needs(root, file, always[i], diag);
        if (status == ORR_OK && file->type == 2) {
            status = needs(root, file, node[i], diag);
        }
    }
    if (status == ORR_OK && file->type != 0 && !(file->gb_per_s > 0)) {
        return orr_conf_expected(orr_conf_get(root, "remote-mem-bw"), "a number > 0", diag);
    }
    if (status == ORR_OK && !(file->latency_ns >= 0 && file->latency_ns < most_ns)) {
        return orr_conf_expected(orr_conf_get(root, "remote-mem-latency"),
                                 "ns from 0 to 106 days, which are 9.2e15", diag);
    }
    return status;
}

enum orr_status orr_mem_config_read_astra(struct orr_arena *arena, const char *path,
                                          struct mem_config *config, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    struct file file = {0};
    enum orr_status status = orr_conf_load(arena, path, &root, diag);
    if (status == ORR_OK) {
        status = orr_conf_read(root, "a remote memory file", keys, sizeof keys / sizeof *keys,
                               &file, diag);
    }
    if (status == ORR_OK) {
        status = check(root, &file, diag);
    }
    *config = (struct mem_config){
        .type = own_types[file.type],
        .bandwidth_bytes_per_s = file.gb_per_s * 1e9,
        .latency_ps = status == ORR_OK ? (sim_time)(file.latency_ns * 1e3 + 0.5) : 0,
        .nodes = (uint32_t)file.nodes,
        .npus_per_node = (uint32_t)file.npus_per_node,
        .astra_bytes_per_ns = file.gb_per_s,
        .astra_latency_ns = file.latency_ns};
    return status;
}
