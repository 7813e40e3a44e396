/* The network file of ASTRA-sim's analytical backends, in its units: link bandwidth in GiB/s,
 * latency in ns. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/units.h"
#include "network/coordinates.h"
#include "network/net_dims.h"

struct file {
    const struct orr_conf *topology, *npus_count, *bandwidth, *latency;
};

static const struct orr_key keys[] = {
    {.name = "topology",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct file, topology),
     .required = true,
     .example = "topology: [ Ring, Switch ]",
     .doc = "building block of each dimension"},
    {.name = "npus_count",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct file, npus_count),
     .required = true,
     .example = "npus_count: [ 4, 2 ]",
     .doc = "NPUs of each dimension"},
    {.name = "bandwidth",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct file, bandwidth),
     .required = true,
     .example = "bandwidth: [ 50.0, 25.0 ]",
     .doc = "GiB/s of a link of each dimension"},
    {.name = "latency",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct file, latency),
     .required = true,
     .example = "latency: [ 500.0, 1000.0 ]",
     .doc = "ns of a hop in each dimension"},
};

static enum orr_status read_block(const struct orr_conf *node, enum net_block *out,
                                  struct orr_diag *diag)
{
    static const char *const names[] = {"Ring", "FullyConnected", "Switch"};
    for (unsigned i = 0; node->kind == ORR_CONF_SCALAR && i < sizeof names / sizeof *names; i++) {
        if (strcmp(node->text, names[i]) == 0) {
            *out = (enum net_block)i;
            return ORR_OK;
        }
    }
    return orr_conf_expected(node, "Ring, FullyConnected or Switch", diag);
}

/* A number in the file's own unit. */
static enum orr_status read_number(const struct orr_conf *node, double low, const char *expected,
                                   double *out, struct orr_diag *diag)
{
    const double high = 1e12;
    if (node->kind != ORR_CONF_SCALAR || !orr_parse_number(node->text, out) ||
        !(*out >= low && *out <= high)) {
        return orr_conf_expected(node, expected, diag);
    }
    return ORR_OK;
}

static enum orr_status read_dim(const struct file *file, size_t d, struct net_dim *dim,
                                struct orr_diag *diag)
{
    int64_t npus = 0;
    double gib_per_s = 0, latency_ns = 0;
    enum orr_status status = read_block(file->topology->item[d], &dim->block, diag);
    if (status == ORR_OK) {
        status = orr_conf_integer(file->npus_count->item[d], 1, INT32_MAX, &npus, diag);
    }
    if (status == ORR_OK) {
        status = read_number(file->bandwidth->item[d], 1e-9, "a number of GiB/s > 0, such as 50.0",
                             &gib_per_s, diag);
    }
    if (status == ORR_OK) {
        status = read_number(file->latency->item[d], 0, "a number of ns >= 0, such as 500.0",
                             &latency_ns, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    dim->npus = (uint32_t)npus;
    dim->bandwidth_bytes_per_s = gib_per_s * 0x1p30;
    dim->latency_ps = (sim_time)(latency_ns * 1e3 + 0.5);
    dim->given_bytes_per_ns = gib_per_s * 0x1p30 / 1e9;
    dim->given_latency_ns = latency_ns;
    return ORR_OK;
}

static enum orr_status check_lists(const struct file *file, struct orr_diag *diag)
{
    const struct orr_conf *const lists[] = {file->topology, file->npus_count, file->bandwidth,
                                            file->latency};
    for (size_t i = 0; i < 4; i++) {
        if (lists[i]->kind != ORR_CONF_LIST || lists[i]->count == 0) {
            return orr_conf_expected(lists[i], "a list with one entry for each dimension", diag);
        }
        if (lists[i]->count != lists[0]->count) {
            const struct orr_location place = orr_conf_location(lists[i]);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s has %zu %s, but topology has %zu: one for each dimension",
                                 lists[i]->path, lists[i]->count,
                                 lists[i]->count == 1 ? "entry" : "entries", lists[0]->count);
        }
    }
    if (lists[0]->count > NET_MAX_DIMS) {
        const struct orr_location place = orr_conf_location(lists[0]);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%zu dimensions; at most %d are supported", lists[0]->count,
                             NET_MAX_DIMS);
    }
    return ORR_OK;
}

static enum orr_status read_dims(const struct file *file, struct orr_arena *arena,
                                 struct net_config *config, struct orr_diag *diag)
{
    const size_t dims = file->topology->count;
    struct net_dim *dim = orr_arena_array(arena, dims, sizeof *dim);
    if (dim == NULL) {
        return orr_diag_no_memory(diag, "the network's dimensions");
    }
    for (size_t d = 0; d < dims; d++) {
        const enum orr_status status = read_dim(file, d, &dim[d], diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    config->dim = dim;
    config->dims = (unsigned)dims;
    if (orr_net_npus(config) == 0) {
        const struct orr_location place = orr_conf_location(file->npus_count);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "npus_count: the dimensions have more than 2^31 NPUs together");
    }
    return ORR_OK;
}

enum orr_status orr_net_config_read_astra(struct orr_arena *arena, const char *path,
                                          struct net_config *config, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    struct file file = {0};
    enum orr_status status = orr_conf_load(arena, path, &root, diag);
    if (status == ORR_OK) {
        status =
            orr_conf_read(root, "a network file", keys, sizeof keys / sizeof *keys, &file, diag);
    }
    if (status == ORR_OK) {
        status = check_lists(&file, diag);
    }
    return status == ORR_OK ? read_dims(&file, arena, config, diag) : status;
}
