/* A CPU memory and an NVMe per NPU, reached over the PCIe switches of the node (ZeRO-Infinity,
 * Rajbhandari et al. 2021; ASTRA-sim 2.0, Fig. 10). A share of every tensor is on the NVMe and
 * passes the CPU memory. */
#include <math.h>

#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "memory/fabric.h"

struct per_npu_section {
    double bandwidth, nvme_bandwidth, nvme_share, node_bandwidth;
    int64_t npus_per_node;
};

#define AT(member) offsetof(struct per_npu_section, member)

static const struct orr_key keys[] = {
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(bandwidth),
     .required = true,
     .doc = "between an NPU and its CPU memory"},
    {.name = "nvme_share",
     .type = ORR_KEY_NUMBER,
     .offset = AT(nvme_share),
     .low = 0,
     .high = 1,
     .default_text = "0",
     .doc = "share of every tensor that lies on the NPU's NVMe"},
    {.name = "nvme_bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(nvme_bandwidth),
     .absent = "no limit",
     .doc = "of the NVMe of an NPU"},
    {.name = "npus_per_node",
     .type = ORR_KEY_INTEGER,
     .offset = AT(npus_per_node),
     .low = 1,
     .high = 1e9,
     .default_text = "1",
     .doc = "NPUs that share the PCIe of a node"},
    {.name = "node_bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(node_bandwidth),
     .absent = "no limit",
     .doc = "of a node's PCIe, for all of its NPUs together"},
};

const struct orr_key_table orr_mem_per_npu_table = {"a per_npu pool", keys,
                                                    sizeof keys / sizeof *keys, NULL};

static enum orr_status fill(const struct orr_conf *map, struct mem_fabric *fabric,
                            struct orr_diag *diag)
{
    struct per_npu_section s = {.nvme_bandwidth = INFINITY, .node_bandwidth = INFINITY};
    enum orr_status status = orr_conf_read(map, orr_mem_per_npu_table.owner, keys,
                                           orr_mem_per_npu_table.count, &s, diag);
    if (status == ORR_OK) {
        status = orr_mem_check_divides(map, "npus_per_node", (uint64_t)s.npus_per_node,
                                       fabric->npus, "NPUs", diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t npus = fabric->npus, nodes = npus / (uint32_t)s.npus_per_node;
    fabric->stage_bytes = npus;
    fabric->gathered_stage_bytes = 0; /* no switch can gather */
    if (s.nvme_share > 0) {
        fabric->link[fabric->classes++] =
            (struct mem_link_class){.name = "NVMe",
                                    .links = npus,
                                    .bandwidth_bytes_per_s = s.nvme_bandwidth,
                                    .parallelism = npus / s.nvme_share,
                                    .passes = s.nvme_share,
                                    .hops = 1,
                                    .parts = npus};
    }
    fabric->link[fabric->classes++] = (struct mem_link_class){.name = "CPU memory",
                                                              .links = npus,
                                                              .bandwidth_bytes_per_s = s.bandwidth,
                                                              .parallelism = npus,
                                                              .passes = 1,
                                                              .hops = 1,
                                                              .parts = npus};
    if (isfinite(s.node_bandwidth)) {
        fabric->link[fabric->classes++] =
            (struct mem_link_class){.name = "PCIe of a node",
                                    .links = nodes,
                                    .bandwidth_bytes_per_s = s.node_bandwidth,
                                    .parallelism = nodes,
                                    .passes = 1,
                                    .hops = 1,
                                    .parts = nodes};
    }
    return ORR_OK;
}

const struct mem_shape orr_mem_shape_per_npu = {
    .name = "per_npu",
    .summary = "CPU memory and NVMe behind each NPU (ZeRO-Infinity)",
    .fill = fill,
};
