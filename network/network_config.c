/* The `network` section of a platform file: dimensions with their units written out. */
#include <stdio.h>
#include <string.h>

#include "network/network.h"

static const char *const blocks[] = {"ring", "fully_connected", "switch", NULL};
static const char *const counts[] = {"link", "npu", NULL};

struct section {
    const char *topology, *backend;
    struct orr_conf_list dims; /* of mappings */
    unsigned bandwidth_is;
};

static const char *backend_name(size_t index)
{
    return net_backends[index] != NULL ? net_backends[index]->name : NULL;
}

static const struct orr_key_table dim_table;

static const struct orr_key section_keys[] = {
    {.name = "topology",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct section, topology),
     .example = "topology: Switch(8)",
     .absent = "block and npus of dims",
     .doc = "blocks and sizes of the dimensions in one line, instead of block and npus in each of "
            "dims"},
    {.name = "dims",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct section, dims),
     .required = true,
     .list = true,
     .least = 1,
     .most = NET_MAX_DIMS,
     .table = &dim_table,
     .example = "dims: [{block: switch, npus: 8, bandwidth: 300 GB/s, latency: 500 ns}]",
     .doc = "the dimensions, the innermost first"},
    {.name = "bandwidth_is",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct section, bandwidth_is),
     .choices = counts,
     .fallback = "link",
     .doc = "whether bandwidths are those of a link, or all that an NPU has in the dimension"},
    {.name = "backend",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct section, backend),
     .names = backend_name,
     .fallback = "analytical",
     .doc = "network model"},
};

struct dim_section {
    unsigned block, bandwidth_is;
    int64_t npus;
    double bandwidth;
    sim_time latency;
};

static const struct orr_key dim_keys[] = {
    {.name = "block",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct dim_section, block),
     .required = true,
     .choices = blocks,
     .replaced_by = "topology",
     .example = "block: ring",
     .doc = "building block"},
    {.name = "npus",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct dim_section, npus),
     .required = true,
     .low = 1,
     .high = INT32_MAX,
     .replaced_by = "topology",
     .example = "npus: 8",
     .doc = "NPUs along the dimension"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct dim_section, bandwidth),
     .required = true,
     .example = "bandwidth: 50 GB/s",
     .doc = "bandwidth, one way"},
    {.name = "latency",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct dim_section, latency),
     .fallback = "0 ns",
     .doc = "latency of a hop; a switch is two hops"},
    {.name = "bandwidth_is",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct dim_section, bandwidth_is),
     .choices = counts,
     .absent = "as network.bandwidth_is",
     .doc = "as network.bandwidth_is, for this dimension"},
};

enum {
    SECTION_KEYS = sizeof section_keys / sizeof *section_keys,
    DIM_KEYS = sizeof dim_keys / sizeof *dim_keys,
    SHAPE_KEYS = 2 /* block and npus come first; the notation gives them instead */
};

static const struct orr_key_table dim_table = {"a dimension", dim_keys, DIM_KEYS, NULL};
const struct orr_key_table net_key_table = {"the network section", section_keys, SECTION_KEYS,
                                            NULL};

static enum orr_status read_dim(const struct section *section, const struct orr_conf *node,
                                struct net_dim *dim, struct orr_diag *diag)
{
    const bool shaped = section->topology != NULL;
    struct dim_section values = {
        .block = (unsigned)dim->block, .npus = dim->npus, .bandwidth_is = section->bandwidth_is};
    const enum orr_status status = orr_conf_read(
        node, shaped ? "a dimension whose shape network.topology gives" : "a dimension",
        dim_keys + (shaped ? SHAPE_KEYS : 0), DIM_KEYS - (shaped ? SHAPE_KEYS : 0), &values, diag);
    *dim = (struct net_dim){.block = (enum net_block)values.block,
                            .npus = (uint32_t)values.npus,
                            .bandwidth_bytes_per_s = values.bandwidth,
                            .latency_ps = values.latency,
                            .per_npu = values.bandwidth_is == 1,
                            .reference_bytes_per_ns = values.bandwidth / 1e9,
                            .reference_latency_ns = (double)values.latency / 1e3};
    return status;
}

static enum orr_status read_shape(const struct orr_conf *map, const struct section *section,
                                  struct net_dim *dim, struct orr_diag *diag)
{
    if (section->topology == NULL) {
        return ORR_OK;
    }
    const struct orr_place place = orr_conf_place(orr_conf_get(map, "topology"));
    unsigned dims = 0;
    const enum orr_status status = net_parse_notation(section->topology, dim, &dims, &place, diag);
    if (status == ORR_OK && dims != section->dims.count) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "network.topology has %u dimension%s, but network.dims has %zu", dims,
                             dims == 1 ? "" : "s", section->dims.count);
    }
    return status;
}

enum orr_status net_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                struct net_config *config, struct orr_diag *diag)
{
    struct section section = {0};
    struct net_dim *dim = orr_arena_array(arena, NET_MAX_DIMS, sizeof *dim);
    if (dim == NULL) {
        return orr_diag_no_memory(diag, "the network's dimensions");
    }
    enum orr_status status =
        orr_conf_read(map, "the network section", section_keys, SECTION_KEYS, &section, diag);
    if (status == ORR_OK) {
        status = read_shape(map, &section, dim, diag);
    }
    const struct orr_conf *const *given = section.dims.values;
    for (size_t d = 0; status == ORR_OK && d < section.dims.count; d++) {
        status = read_dim(&section, given[d], &dim[d], diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    *config = (struct net_config){
        .backend = section.backend, .dims = (unsigned)section.dims.count, .dim = dim};
    if (net_npus(config) == 0) {
        const struct orr_place place = orr_conf_place(orr_conf_get(map, "dims"));
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "network.dims: more than 2^31 NPUs together");
    }
    return ORR_OK;
}
