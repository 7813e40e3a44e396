/* The key `design` of a network section: a fabric by its name in TopoOpt (network/design.h), which
 * stands for what the keys graph and circuits would say. The section is read as if these were there
 * (docs/file-formats.md). */
#include "network/read/network_design.h"

#include <inttypes.h>
#include <string.h>

struct design_section {
    unsigned name, links, rule, layer;
    int64_t servers, degree, servers_per_tor, tors_per_spine, uplinks;
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
     .doc = "servers, each of them an NPU"},
    {.name = "degree",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct design_section, degree),
     .required = true,
     .low = 1,
     .high = NET_DESIGN_MOST_DEGREE,
     .example = "degree: 4",
     .doc = "interfaces of a server, or of a switch that the optical layer joins; d"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct design_section, bandwidth),
     .required = true,
     .example = "bandwidth: 100 Gb/s",
     .doc = "of an interface, one way; B"},
    {.name = "latency",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct design_section, latency),
     .fallback = "1 us",
     .doc = "of a link"},
    {.name = "links",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct design_section, links),
     .choices = links,
     .fallback = "duplex",
     .doc = "topoopt: a jump takes two interfaces of a server, and leads both ways; or one; "
            "ocs-reconfig: circuits lead both ways, or one, which is usual with forwarding: false"},
    {.name = "jumps",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct design_section, jumps),
     .list = true,
     .alone = true,
     .least = 1,
     .most = NET_DESIGN_MOST_JUMPS,
     .absent = "those that SelectPermutations selects",
     .example = "jumps: [1, 5]",
     .doc = "topoopt: how far apart the servers are that links join; published: as the published "
            "code selects them"},
    {.name = "rule",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct design_section, rule),
     .choices = orr_net_fat_tree_rules,
     .fallback = "paper",
     .doc =
         "fat-tree: bandwidth of a link: d B / 4; the fastest of Table 2 that costs no more than "
         "topoopt behind patch panels; or d B"},
    {.name = "layer",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct design_section, layer),
     .choices = orr_net_design_layers,
     .fallback = "server",
     .doc = "topoopt, expander: what the optical layer joins"},
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
     .absent = "as bandwidth",
     .example = "server_bandwidth: 100 Gb/s",
     .doc = "layer: tor, spine: of a server's link to its ToR switch"},
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
     .fallback = NET_OCS_DARK,
     .told_if_given = true,
     .doc = "ocs-reconfig: how long circuits are dark, of five times as long each"},
    {.name = "forwarding",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct design_section, forwarding),
     .fallback = "true",
     .told_if_given = true,
     .doc = "ocs-reconfig: servers pass on what has no circuit of its own, and circuits join all "
            "servers; false: it waits for one"},
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
    out->jumps = NET_JUMPS_GIVEN;
    out->jump = jump;
    out->given = list->count;
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

static uint32_t whole(int64_t value, uint32_t otherwise)
{
    return value > 0 ? (uint32_t)value : otherwise;
}

static double speed(double value, double otherwise)
{
    return value > 0 ? value : otherwise;
}

static enum orr_status read_design(const struct net_config_input *input, const struct orr_conf *map,
                                   struct net_design *out, sim_time *latency_ps,
                                   struct orr_diag *diag)
{
    struct design_section section = {0};
    const enum orr_status status =
        orr_conf_read(map, "a design", design_keys, orr_net_design_key_table.count, &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t servers = whole(section.servers, input->own.npus);
    if (servers == 0) {
        const struct orr_place place = orr_conf_place(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: a design needs the key \"servers\" (servers, each of them an "
                             "NPU), such as servers: 16; only a task graph says how many there are",
                             map->path);
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
        .server_bytes_per_s = speed(section.server_bandwidth, section.bandwidth),
        .uplinks = whole(section.uplinks, (uint32_t)section.servers_per_tor),
        .uplink_bytes_per_s = speed(section.uplink_bandwidth, section.bandwidth),
        .forwards = section.forwarding,
        .dark_ps = section.reconfiguration};
    return section.jumps.count == 0
               ? ORR_OK
               : read_jumps(input->arena, orr_conf_get(map, "jumps"), &section.jumps, out, diag);
}

/* ---- what it stands for ---- */

/* A tree again, as if all of it stood where the design does. */
static struct orr_conf *put_there(struct orr_arena *arena, const struct orr_conf *at,
                                  const struct orr_conf *node)
{
    struct orr_conf *copy = orr_arena_alloc(arena, sizeof *copy);
    const struct orr_conf **item = orr_arena_array(arena, node->count + 1, sizeof *item);
    if (copy == NULL || item == NULL) {
        return NULL;
    }
    *copy = *at;
    copy->kind = node->kind;
    copy->quoted = node->quoted;
    copy->text = node->text;
    copy->count = node->count;
    copy->key = node->key;
    copy->item = item;
    copy->arena = arena;
    for (size_t i = 0; i < node->count; i++) {
        item[i] = put_there(arena, at, node->item[i]);
        if (item[i] == NULL) {
            return NULL;
        }
    }
    return copy;
}

/* `own` with what `made` has; a key that both have is an error where `owns` is false, else its own.
 */
static enum orr_status join(struct orr_arena *arena, const struct orr_conf *own,
                            const struct orr_conf *made, bool owns, struct orr_conf *out,
                            struct orr_diag *diag)
{
    const size_t most = own->count + made->count;
    const struct orr_conf **item = orr_arena_array(arena, most, sizeof *item);
    const char **key = orr_arena_array(arena, most, sizeof *key);
    if (item == NULL || key == NULL) {
        return no_memory(diag);
    }
    *out = *own;
    out->item = item;
    out->key = key;
    for (size_t i = 0; i < own->count; i++) {
        key[i] = own->key[i];
        item[i] = own->item[i];
    }
    for (size_t i = 0; i < made->count; i++) {
        const struct orr_conf *same = orr_conf_get(own, made->key[i]);
        if (same != NULL && !owns) {
            const struct orr_place place = orr_conf_key_place(same);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s: the design gives it already; remove one of the two",
                                 same->path);
        }
        if (same == NULL) {
            key[out->count] = made->key[i];
            item[out->count++] = made->item[i];
        }
    }
    return ORR_OK;
}

/* The section with the parts: a mapping that it has already gets what it does not say. */
static enum orr_status take_parts(const struct net_config_input *input,
                                  const struct orr_conf *parts, const struct orr_conf **out,
                                  struct orr_diag *diag)
{
    const struct orr_conf **item = orr_arena_array(input->arena, parts->count, sizeof *item);
    struct orr_conf *all = orr_arena_alloc(input->arena, sizeof *all);
    if (item == NULL || all == NULL) {
        return no_memory(diag);
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < parts->count && status == ORR_OK; i++) {
        const struct orr_conf *own = orr_conf_get(input->map, parts->key[i]);
        item[i] = parts->item[i];
        const bool map = parts->item[i]->kind == ORR_CONF_MAP;
        if (own != NULL && map && own->kind != ORR_CONF_MAP) {
            return orr_conf_expected(own, "a mapping", diag);
        }
        if (own != NULL && !map) {
            item[i] = own;
        } else if (own != NULL) {
            struct orr_conf *joined = orr_arena_alloc(input->arena, sizeof *joined);
            item[i] = joined;
            status = joined == NULL ? no_memory(diag)
                                    : join(input->arena, own, parts->item[i],
                                           strcmp(parts->key[i], "graph") != 0, joined, diag);
        }
    }
    if (status != ORR_OK) {
        return status;
    }
    struct orr_conf made = *input->map;
    made.count = parts->count;
    made.key = parts->key;
    made.item = item;
    *out = all;
    return join(input->arena, &made, input->map, true, all, diag);
}

/* What a design costs: links of topoopt go through patch panels, circuits of ocs-reconfig through
 * optical circuit switches, links of an expander need none;
 * and an ideal switch as trees beside each other is one for each interface. */
static enum orr_status find_cost(struct orr_arena *arena, const struct net_design *design,
                                 const struct net_design_parts *parts,
                                 const struct net_cost_rules **out, struct orr_diag *diag)
{
    struct net_cost_rules *rules = orr_arena_alloc(arena, sizeof *rules);
    if (rules == NULL) {
        return no_memory(diag);
    }
    const enum net_optical optical = design->name == NET_DESIGN_OCS ? NET_OPTICAL_OCS
                                     : parts->optical               ? NET_OPTICAL_PATCH_PANEL
                                                                    : NET_OPTICAL_NONE;
    *rules = (struct net_cost_rules){.optical = optical, .degree = design->degree};
    *out = rules;
    return ORR_OK;
}

/* Interfaces that are idle, and, unless cables lead from server to server, links that panels have
 * no room for. One idle interface is room enough: matchings for a graph of degree D are D + 1 at
 * most (Vizing). */
static void note_jumps(const struct orr_conf *map, const struct net_design *design,
                       const struct net_design_parts *parts, bool cables, struct orr_diag *diag)
{
    const struct orr_place place = orr_conf_place(map);
    if (parts->idle != 0) {
        orr_diag_warn(diag, &place,
                      "%s: there are jumps for %" PRIu32 " of the %" PRIu32
                      " interfaces only; the others are idle",
                      map->path, design->degree - parts->idle, design->degree);
    }
    if (cables || parts->odd_cycle == 0 || parts->idle != 0) {
        return;
    }
    if (parts->ends % 2 != 0) {
        orr_diag_warn(diag, &place,
                      "%s: panel i joins interfaces i in pairs and leaves one of %" PRIu32
                      " out, so that panels do not hold all of these duplex links (links: one-way "
                      "has none left out)",
                      map->path, parts->ends);
    } else {
        orr_diag_warn(diag, &place,
                      "%s: jump %" PRIu32 " goes in cycles of %" PRIu32 ", an odd length, which do "
                      "not fit two panels as duplex links (links: one-way fits)",
                      map->path, parts->odd_jump, parts->odd_cycle);
    }
}

static enum orr_status find_parts(const struct net_config_input *input, const struct orr_conf *map,
                                  const char **text, const struct net_cost_rules **cost,
                                  struct orr_diag *diag)
{
    struct net_design design;
    struct net_design_parts parts;
    sim_time latency_ps = 0;
    struct net_cost_rules prices;
    const struct orr_conf *priced = orr_conf_get(input->map, "cost");
    enum orr_status status = read_design(input, map, &design, &latency_ps, diag);
    if (status == ORR_OK && priced != NULL && priced->kind == ORR_CONF_MAP) {
        design.prices = &prices;
        status = orr_net_cost_read(priced, NULL, &prices, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    status = orr_net_design_parts(input->arena, &design, &parts, diag);
    if (status == ORR_ERR_INPUT) {
        const struct orr_conf *at = parts.key != NULL ? orr_conf_get(map, parts.key) : NULL;
        diag->place = orr_conf_place(at != NULL ? at : map);
    }
    if (status != ORR_OK) {
        return status;
    }
    const bool cables = design.prices != NULL && orr_conf_get(priced, "optical") != NULL &&
                        prices.optical == NET_OPTICAL_NONE;
    note_jumps(map, &design, &parts, cables, diag);
    *text = orr_net_design_text(input->arena, &design, &parts, latency_ps);
    return *text != NULL ? find_cost(input->arena, &design, &parts, cost, diag) : no_memory(diag);
}

/* The section with the keys that its design stands for, these as a text, and what its cost goes by,
 * in the arena; the section as it is and nothing else without one. What `graph` has beside them
 * stays, and is an error where they have it too; what `circuits` has holds before theirs. */
static enum orr_status expand(const struct net_config_input *input, const struct orr_conf **map,
                              const char **text, const struct net_cost_rules **cost,
                              struct orr_diag *diag)
{
    const struct orr_conf *at = orr_conf_get(input->map, "design"), *parsed = NULL;
    *map = input->map;
    *text = NULL;
    if (at == NULL) {
        return ORR_OK;
    }
    enum orr_status status = find_parts(input, at, text, cost, diag);
    const char *yaml = status == ORR_OK ? orr_arena_printf(input->arena, "{%s}", *text) : NULL;
    if (status == ORR_OK && yaml == NULL) {
        return no_memory(diag);
    }
    if (status == ORR_OK) {
        status = orr_conf_parse(input->arena, yaml, strlen(yaml), "network.design", &parsed, diag);
    }
    struct orr_conf *parts = status == ORR_OK ? put_there(input->arena, at, parsed) : NULL;
    if (status == ORR_OK && parts == NULL) {
        return no_memory(diag);
    }
    return status == ORR_OK ? take_parts(input, parts, map, diag) : status;
}

/* ---- the section ---- */

enum orr_status orr_net_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    struct net_config *config, struct orr_diag *diag)
{
    const struct net_config_input input = {.arena = arena, .map = map};
    return orr_net_config_read_for(&input, config, diag);
}

enum orr_status orr_net_config_read_for(const struct net_config_input *input,
                                        struct net_config *config, struct orr_diag *diag)
{
    struct net_config_input whole = *input; /* with what a design stands for */
    const char *design = NULL;
    enum orr_status status = expand(input, &whole.map, &design, &whole.usual, diag);
    if (status == ORR_OK) {
        status = orr_net_config_read_whole(&whole, config, diag);
        config->design = design;
    }
    return status;
}

/* ---- keys that do nothing ---- */

void orr_net_design_note(const struct orr_conf *network, struct orr_diag *diag)
{
    const struct orr_conf *map = orr_conf_get(network, "design");
    struct design_section section = {0};
    if (map == NULL || orr_conf_read(map, "a design", design_keys, orr_net_design_key_table.count,
                                     &section, NULL) != ORR_OK) {
        return;
    }
    static const char switches[] =
        "only layer: tor and spine have switches below the optical layer";
    static const char spines[] = "only layer: spine has spine switches";
    static const char circuits[] = "only the design ocs-reconfig has it";
    const bool topoopt = section.name == NET_DESIGN_TOPOOPT, ocs = section.name == NET_DESIGN_OCS;
    const struct {
        const char *key, *why;
        bool idle;
    } needs[] = {{"links", "only the design topoopt has jumps", !topoopt && !ocs},
                 {"reconfiguration", circuits, !ocs},
                 {"forwarding", circuits, !ocs},
                 {"jumps", "only the design topoopt has them", !topoopt},
                 {"rule", "only the design fat-tree has one", section.name != NET_DESIGN_FAT_TREE},
                 {"servers_per_tor", switches, section.layer == NET_LAYER_SERVER},
                 {"server_bandwidth", switches, section.layer == NET_LAYER_SERVER},
                 {"tors_per_spine", spines, section.layer != NET_LAYER_SPINE},
                 {"uplinks", spines, section.layer != NET_LAYER_SPINE},
                 {"uplink_bandwidth", spines, section.layer != NET_LAYER_SPINE}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (needs[i].idle) {
            orr_conf_note_idle(map, needs[i].key, needs[i].why, diag);
        }
    }
}
