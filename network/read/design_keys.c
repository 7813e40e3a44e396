/* The keys of network.design, their values as a struct net_design, and warnings about keys without
 * effect; see network_design.h. */
#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/units.h"
#include "network/design.h"
#include "network/graph.h"
#include "network/net_config_read.h"
#include "network/read/network_design.h"

struct design_section {
    unsigned name, links, rule, layer;
    int64_t servers, degree, gpus_per_server, servers_per_tor, tors_per_spine, uplinks;
    double bandwidth, server_bandwidth, uplink_bandwidth;
    sim_time latency, reconfiguration;
    bool forwarding;
    struct orr_conf_list jumps;
};

static const char *const links[] = {"duplex", "one-way", NULL};
static const char published[] = "published";

static const struct orr_key design_keys[] = {
    {.name = "name",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct design_section, name),
     .required = true,
     .choices = orr_net_design_names,
     .example = "name: topoopt",
     .doc = "which one"},
    {.name = "servers",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct design_section, servers),
     .low = 1,
     .high = NET_MAX_NODES / 2,
     .absent = "as many as a task graph has",
     .example = "servers: 16",
     .doc = "servers, each of them an NPU; elect-flat, elect-cluster: GPUs, each of them an NPU"},
    {.name = "degree",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct design_section, degree),
     .low = 1,
     .high = NET_DESIGN_MAX_CIRCUITS,
     .absent =
         "needed by all but elect-flat and elect-cluster; sip-ring: one for each whole 25 Gb/s",
     .example = "degree: 4",
     .doc = "interfaces of a server, or of a switch that the optical layer joins; d, up to 128; "
            "sip-ocs: optical switches, Q; sip-ring: wavelengths of a GPU, W"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct design_section, bandwidth),
     .absent = "needed by all but sip-ring, which has 25 Gb/s for each wavelength",
     .example = "bandwidth: 100 Gb/s",
     .doc = "of an interface, one way; elect-flat, elect-cluster, sip-ocs, sip-ring: of a GPU; B"},
    {.name = "latency",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct design_section, latency),
     .default_text = "1 us",
     .doc = "of a link, or a circuit; elect-flat, elect-cluster: of a path, independent of its "
            "links"},
    {.name = "links",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct design_section, links),
     .choices = links,
     .default_text = "duplex",
     .doc = "topoopt: duplex: a jump takes two interfaces of a server and has links in both "
            "directions; one-way: one interface, one direction; ocs-reconfig: directions of a "
            "circuit, one-way by default with forwarding: false"},
    {.name = "jumps",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct design_section, jumps),
     .list = true,
     .scalar_as_list = true,
     .min = 1,
     .max = NET_DESIGN_MAX_JUMPS,
     .absent = "those that SelectPermutations selects",
     .example = "jumps: [1, 5]",
     .doc = "topoopt: distances, in server numbers, of linked servers; published: as the "
            "published code selects them"},
    {.name = "rule",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct design_section, rule),
     .choices = orr_net_fat_tree_rules,
     .default_text = "paper",
     .doc =
         "fat-tree: bandwidth of a link: d B / 4; the fastest of Table 2 that costs no more than "
         "topoopt behind patch panels; or d B"},
    {.name = "layer",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct design_section, layer),
     .choices = orr_net_design_layers,
     .default_text = "server",
     .doc = "topoopt, expander: what the optical layer joins"},
    {.name = "gpus_per_server",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct design_section, gpus_per_server),
     .low = 1,
     .high = NET_MAX_NODES / 2,
     .default_text = "8",
     .output_if_given = true,
     .doc = "elect-cluster: GPUs of a server"},
    {.name = "servers_per_tor",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct design_section, servers_per_tor),
     .low = 1,
     .high = NET_MAX_NODES / 2,
     .absent = "needed by layer: tor and spine",
     .example = "servers_per_tor: 8",
     .doc = "layer: tor, spine: servers below a ToR switch"},
    {.name = "tors_per_spine",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct design_section, tors_per_spine),
     .low = 1,
     .high = NET_MAX_NODES / 2,
     .absent = "needed by layer: spine",
     .example = "tors_per_spine: 4",
     .doc = "layer: spine: ToR switches below a spine switch"},
    {.name = "server_bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct design_section, server_bandwidth),
     .absent = "as bandwidth; elect-cluster: 400 Gb/s",
     .example = "server_bandwidth: 100 Gb/s",
     .doc = "layer: tor, spine: of a server's link to its ToR switch; elect-cluster: of a server's "
            "link to the switch above"},
    {.name = "uplinks",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct design_section, uplinks),
     .low = 1,
     .high = NET_MAX_PARALLEL,
     .absent = "as servers_per_tor",
     .example = "uplinks: 8",
     .doc = "layer: spine: links of a ToR switch to its spine switch"},
    {.name = "uplink_bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct design_section, uplink_bandwidth),
     .absent = "as bandwidth",
     .example = "uplink_bandwidth: 100 Gb/s",
     .doc = "layer: spine: of one of these"},
    {.name = "reconfiguration",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct design_section, reconfiguration),
     .default_text = NET_OCS_DARK,
     .output_if_given = true,
     .doc = "ocs-reconfig: dark time of circuits; a period is five times that"},
    {.name = "forwarding",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct design_section, forwarding),
     .default_text = "true",
     .output_if_given = true,
     .doc = "ocs-reconfig: servers forward messages without a circuit, and circuits connect all "
            "servers; false: messages wait for a circuit"},
};

const struct orr_key_table orr_net_design_key_table = {
    "a design", design_keys, sizeof design_keys / sizeof *design_keys, NULL};

/* ---- reading ---- */

static enum orr_status no_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "the design of the network");
}

static enum orr_status read_jumps(struct orr_arena *arena, const struct orr_conf *at,
                                  const struct orr_conf_list *list, struct net_design *out,
                                  struct orr_diag *diag)
{
    const char *const *text = list->values;
    uint32_t *jump = orr_arena_array(arena, list->count, sizeof *jump);
    if (jump == NULL) {
        return no_memory(diag);
    }
    out->jumps = NET_JUMPS_LISTED;
    out->jump = jump;
    out->jump_count = list->count;
    if (list->count == 1 && strcmp(text[0], published) == 0) {
        out->jumps = NET_JUMPS_PUBLISHED;
        return ORR_OK;
    }
    for (size_t i = 0; i < list->count; i++) {
        int64_t value = 0;
        if (!orr_parse_integer(text[i], &value) || value < 1 || value > NET_MAX_NODES) {
            return orr_conf_expected(at->kind == ORR_CONF_LIST ? at->item[i] : at,
                                     "jumps such as [1, 5], or published", diag);
        }
        jump[i] = (uint32_t)value;
    }
    return ORR_OK;
}

static uint32_t integer_or(int64_t value, uint32_t otherwise)
{
    return value > 0 ? (uint32_t)value : otherwise;
}

static double bandwidth_or(double value, double otherwise)
{
    return value > 0 ? value : otherwise;
}

/* sip-ring: derives the number of wavelengths (25 Gb/s each) from the bandwidth or the bandwidth
 * from their number, whichever is given. The paper's 512, 2048 and 8192 Gb/s are no multiples of 25
 * Gb/s: as many wavelengths as fit. */
static enum orr_status derive_wavelengths(struct design_section *section,
                                          const struct orr_conf *bandwidth,
                                          const struct orr_conf *map, struct orr_diag *diag)
{
    const double count = section->bandwidth / NET_SIP_WAVELENGTH;
    if (section->degree != 0) {
        section->bandwidth = section->bandwidth > 0 ? section->bandwidth
                                                    : (double)section->degree * NET_SIP_WAVELENGTH;
        return ORR_OK;
    }
    if (bandwidth == NULL) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: a design sip-ring needs the key \"degree\" (wavelengths of a "
                             "GPU, of 25 Gb/s each), such as degree: 320, or \"bandwidth\"",
                             map->path);
    }
    section->degree = count < NET_DESIGN_MAX_CIRCUITS + 1 ? (int64_t)(count * (1 + 1e-9)) : 0;
    if (section->degree < 1) {
        return orr_conf_expected(bandwidth,
                                 "25 Gb/s (one wavelength) to 25600 Gb/s (1024 wavelengths; with "
                                 "degree any bandwidth)",
                                 diag);
    }
    section->bandwidth = (double)section->degree * NET_SIP_WAVELENGTH;
    return ORR_OK;
}

enum orr_status orr_net_design_read(const struct net_config_input *input,
                                    const struct orr_conf *map, struct net_design *out,
                                    sim_time *latency_ps, struct orr_diag *diag)
{
    struct design_section section = {0};
    const enum orr_status status =
        orr_conf_read(map, "a design", design_keys, orr_net_design_key_table.count, &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t servers = integer_or(section.servers, input->own.npus);
    if (servers == 0) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: a design needs the key \"servers\" (servers, each of them an "
                             "NPU), such as servers: 16; only a task graph says how many there are",
                             map->path);
    }
    if (section.bandwidth == 0 && section.name != NET_DESIGN_SIP_RING) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: a design needs the key \"bandwidth\" (of an interface, one way; "
                             "elect-flat, elect-cluster, sip-ocs, sip-ring: of a GPU; B), such as "
                             "bandwidth: 100 Gb/s",
                             map->path);
    }
    if (section.name == NET_DESIGN_SIP_RING &&
        derive_wavelengths(&section, orr_conf_get(map, "bandwidth"), map, diag) != ORR_OK) {
        return diag->status;
    }
    if (section.degree == 0 && !net_design_is_electrical((enum net_design_name)section.name)) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: a design %s needs the key \"degree\" (interfaces of a server, or "
                             "of a switch that the optical layer joins; d), such as degree: 4",
                             map->path, orr_net_design_names[section.name]);
    }
    *latency_ps = section.latency;
    *out = (struct net_design){
        .name = (enum net_design_name)section.name,
        .servers = servers,
        .degree = (uint32_t)section.degree,
        .bytes_per_s = section.bandwidth,
        .one_way = section.links == 1 || (section.name == NET_DESIGN_OCS && !section.forwarding &&
                                          orr_conf_get(map, "links") == NULL),
        .rule = (enum net_fat_tree_rule)section.rule,
        .layer = (enum net_design_layer)section.layer,
        .servers_per_tor = (uint32_t)section.servers_per_tor,
        .tors_per_spine = (uint32_t)section.tors_per_spine,
        .gpus_per_server = (uint32_t)section.gpus_per_server,
        .server_bytes_per_s = bandwidth_or(
            section.server_bandwidth,
            section.name == NET_DESIGN_CLUSTER ? NET_CLUSTER_BANDWIDTH : section.bandwidth),
        .uplinks = integer_or(section.uplinks, (uint32_t)section.servers_per_tor),
        .uplink_bytes_per_s = bandwidth_or(section.uplink_bandwidth, section.bandwidth),
        .forwards = section.forwarding,
        .dark_ps = section.reconfiguration};
    return section.jumps.count == 0
               ? ORR_OK
               : read_jumps(input->arena, orr_conf_get(map, "jumps"), &section.jumps, out, diag);
}

/* ---- keys without effect ---- */

void orr_net_design_warn(const struct orr_conf *network, struct orr_diag *diag)
{
    const struct orr_conf *map = orr_conf_get(network, "design");
    struct design_section section = {0};
    if (map == NULL || orr_conf_read(map, "a design", design_keys, orr_net_design_key_table.count,
                                     &section, NULL) != ORR_OK) {
        return;
    }
    static const char switches[] =
        "only layer: tor and spine have switches below the optical layer";
    static const char cluster_or_switches[] = "only layer: tor and spine have switches below the "
                                              "optical layer, and elect-cluster servers";
    static const char spines[] = "only layer: spine has spine switches";
    static const char circuits[] = "only the design ocs-reconfig has it";
    const bool topoopt = section.name == NET_DESIGN_TOPOOPT, ocs = section.name == NET_DESIGN_OCS;
    const bool cluster = section.name == NET_DESIGN_CLUSTER;
    const bool electrical = net_design_is_electrical((enum net_design_name)section.name);
    const struct {
        const char *key, *why;
        bool idle;
    } needs[] = {
        {"degree", "the GPUs of the electrical designs have one link each", electrical},
        {"gpus_per_server", "only the design elect-cluster has servers of GPUs", !cluster},
        {"links", "only the design topoopt has jumps", !topoopt && !ocs},
        {"reconfiguration", circuits, !ocs},
        {"forwarding", circuits, !ocs},
        {"jumps", "only the design topoopt has them", !topoopt},
        {"rule", "only the design fat-tree has one", section.name != NET_DESIGN_FAT_TREE},
        {"servers_per_tor", switches, section.layer == NET_LAYER_SERVER},
        {"server_bandwidth", cluster_or_switches, section.layer == NET_LAYER_SERVER && !cluster},
        {"tors_per_spine", spines, section.layer != NET_LAYER_SPINE},
        {"uplinks", spines, section.layer != NET_LAYER_SPINE},
        {"uplink_bandwidth", spines, section.layer != NET_LAYER_SPINE}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (needs[i].idle) {
            orr_conf_warn_unused(map, needs[i].key, needs[i].why, diag);
        }
    }
}
