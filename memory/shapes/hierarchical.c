/* Hierarchical pool (ASTRA-sim 2.0, Figs. 6 to 8): G memory groups, each linked to all of S
 * out-node switches; each of these linked to the switch of every one of N nodes; that one linked to
 * the P / N NPUs of its node. Of the P W bytes of an access a group holds P W / G; every switch
 * carries 1 / S:
 *
 *   class            links  busiest link, plain   gathered
 *   group to switch  G S    P W / (G S)           the same: each shard leaves its group once
 *   switch to node   N S    P W / (N S)           P w / S: every node gets all
 *   node to NPU      P      W                     P w */
#include <math.h>

#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "memory/fabric.h"

struct hierarchical_section {
    int64_t groups, switches, nodes;
    double group, node, fabric;
};

#define AT(member) offsetof(struct hierarchical_section, member)

static const struct orr_key keys[] = {
    {.name = "groups",
     .type = ORR_KEY_INTEGER,
     .offset = AT(groups),
     .low = 1,
     .high = 1e6,
     .required = true,
     .example = "groups: 8",
     .doc = "remote memory groups"},
    {.name = "switches",
     .type = ORR_KEY_INTEGER,
     .offset = AT(switches),
     .low = 1,
     .high = 1e6,
     .required = true,
     .example = "switches: 4",
     .doc = "out-node switches, each linked to every group and every node"},
    {.name = "nodes",
     .type = ORR_KEY_INTEGER,
     .offset = AT(nodes),
     .low = 1,
     .high = 1e6,
     .default_text = "1",
     .doc = "nodes among which the NPUs are spread"},
    {.name = "group_bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(group),
     .required = true,
     .doc = "of a group, over its links to all switches"},
    {.name = "node_bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(node),
     .absent = "groups x group_bandwidth / nodes",
     .doc = "of a node, over its links to all switches"},
    {.name = "fabric_bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(fabric),
     .required = true,
     .doc = "of an NPU in its node"},
};

const struct orr_key_table orr_mem_hierarchical_table = {"a hierarchical pool", keys,
                                                         sizeof keys / sizeof *keys, NULL};

static void list_classes(const struct hierarchical_section *s, struct mem_fabric *fabric)
{
    const double groups = (double)s->groups, switches = (double)s->switches;
    const double nodes = (double)s->nodes, npus = fabric->npus;
    const double node = isfinite(s->node) ? s->node : groups * s->group / nodes;
    fabric->classes = 3;
    fabric->link[0] = (struct mem_link_class){.name = "group to switch",
                                              .links = (uint64_t)(s->groups * s->switches),
                                              .bandwidth_bytes_per_s = s->group / switches,
                                              .parallelism = groups * switches,
                                              .gathered_parallelism = groups * switches,
                                              .passes = 1,
                                              .gathered_passes = 1,
                                              .hops = 1,
                                              .parts = 1};
    fabric->link[1] = (struct mem_link_class){.name = "switch to node",
                                              .links = (uint64_t)(s->nodes * s->switches),
                                              .bandwidth_bytes_per_s = node / switches,
                                              .parallelism = nodes * switches,
                                              .gathered_parallelism = switches,
                                              .passes = 1,
                                              .gathered_passes = nodes,
                                              .hops = 1,
                                              .parts = (uint32_t)s->nodes};
    fabric->link[2] = (struct mem_link_class){.name = "node to NPU",
                                              .links = fabric->npus,
                                              .bandwidth_bytes_per_s = s->fabric,
                                              .parallelism = npus,
                                              .gathered_parallelism = 1,
                                              .passes = 1,
                                              .gathered_passes = npus,
                                              .hops = 1,
                                              .parts = fabric->npus};
}

static enum orr_status fill(const struct orr_conf *map, struct mem_fabric *fabric,
                            struct orr_diag *diag)
{
    struct hierarchical_section s = {.node = INFINITY};
    enum orr_status status = orr_conf_read(map, orr_mem_hierarchical_table.owner, keys,
                                           orr_mem_hierarchical_table.count, &s, diag);
    if (status == ORR_OK) {
        status = orr_mem_check_divides(map, "nodes", (uint64_t)s.nodes, fabric->npus, "NPUs", diag);
    }
    if (status == ORR_OK) {
        list_classes(&s, fabric);
        fabric->stage_bytes = fabric->gathered_stage_bytes = fabric->link[0].links;
    }
    return status;
}

const struct mem_shape orr_mem_shape_hierarchical = {
    .name = "hierarchical",
    .summary = "memory groups, out-node switches, nodes (ASTRA-sim 2.0, Fig. 6)",
    .fill = fill,
};
