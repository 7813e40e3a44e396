/* The key `cost` of a network section: how the hardware of its graph is counted and priced
 * (network/cost/cost.h). */
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "network/cost/cost.h"
#include "network/graph.h"
#include "network/net_config.h"

struct cost_section {
    const char *optical, *cards, *ideal_switch;
    int64_t degree, ports;
    bool fibres;
    double loss_budget;
    const struct orr_conf *discounts, *watts;
};

struct parts_section {
    double part[NET_PARTS];
};

#define SHARE(PART, NAME, OF)                                                                      \
    {                                                                                              \
        .name = NAME, .type = ORR_KEY_NUMBER,                                                      \
        .offset = offsetof(struct parts_section, part[PART]), .high = 1, .default_text = "0",      \
        .doc = "off the price of " OF                                                              \
    }

static const struct orr_key discount_keys[NET_PARTS] = {
    SHARE(NET_PART_NIC, "nic", "NICs"),
    SHARE(NET_PART_TRANSCEIVER, "transceiver", "transceivers"),
    SHARE(NET_PART_SWITCH_PORT, "switch_port", "ports of electrical switches"),
    SHARE(NET_PART_PANEL_PORT, "panel_port", "ports of patch panels"),
    SHARE(NET_PART_OCS_PORT, "ocs_port", "ports of optical circuit switches"),
    SHARE(NET_PART_1X2_SWITCH, "one_by_two_switch", "optical 1x2 switches"),
    SHARE(NET_PART_FIBRE, "fibre", "fibres")};

static const struct orr_key watt_keys[] = {
    {.name = "nic",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct parts_section, part[NET_PART_NIC]),
     .default_text = "0",
     .doc = "of a card"},
    {.name = "transceiver",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct parts_section, part[NET_PART_TRANSCEIVER]),
     .default_text = "0",
     .doc = "of a transceiver"},
    {.name = "switch_port",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct parts_section, part[NET_PART_SWITCH_PORT]),
     .default_text = "0",
     .doc = "of a port of an electrical switch"}};
enum { WATT_KEYS = sizeof watt_keys / sizeof *watt_keys };

static const struct orr_key_table discount_table = {"discounts", discount_keys, NET_PARTS, NULL};
static const struct orr_key_table watt_table = {"watts", watt_keys, WATT_KEYS, NULL};

static const struct orr_key cost_keys[] = {
    {.name = "optical",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct cost_section, optical),
     .names = orr_net_optical_name,
     .default_text = "none",
     .doc = "optical layer of direct links and circuits; by default patch-panel for the design "
            "topoopt, and ocs for ocs-reconfig"},
    {.name = "cards",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct cost_section, cards),
     .names = orr_net_cards_name,
     .default_text = "paired",
     .doc = "whether ports of 100 Gb/s of a server share cards of two, or each interface has its "
            "own"},
    {.name = "ideal_switch",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct cost_section, ideal_switch),
     .names = orr_net_ideal_name,
     .default_text = "full-tree",
     .doc = "what an ideal switch is priced as"},
    {.name = "degree",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct cost_section, degree),
     .low = 1,
     .high = NET_MAX_PARALLEL,
     .absent = "none",
     .example = "degree: 4",
     .doc = "how many parallel trees an ideal switch is"},
    {.name = "fibres",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct cost_section, fibres),
     .default_text = "true",
     .doc = "whether fibres count"},
    {.name = "ports",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct cost_section, ports),
     .low = 1,
     .high = NET_MAX_NODES,
     .absent = "as the technology has them",
     .example = "ports: 432",
     .doc = "of each patch panel or optical switch; each node that it joins needs one"},
    {.name = "loss_budget",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct cost_section, loss_budget),
     .absent = "no limit",
     .example = "loss_budget: 3",
     .doc = "dB that a circuit may lose"},
    {.name = "discounts",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct cost_section, discounts),
     .table = &discount_table,
     .absent = "none",
     .example = "discounts: {panel_port: 0.5}",
     .doc = "0 to 1 of the price, by part"},
    {.name = "watts",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct cost_section, watts),
     .table = &watt_table,
     .absent = "not known",
     .example = "watts: {nic: 20, transceiver: 3.5, switch_port: 5}",
     .doc = "power of each, by part; optics take none"},
};
enum { COST_KEYS = sizeof cost_keys / sizeof *cost_keys };

const struct orr_key_table orr_net_cost_key_table = {"cost", cost_keys, COST_KEYS, NULL};

/* Index of a name that the key table has checked. */
static unsigned number_of(const char *(*names)(size_t index), const char *text)
{
    unsigned number = 0;
    while (names(number) != NULL && strcmp(names(number), text) != 0) {
        number++;
    }
    return number;
}

static enum orr_status read_parts(const struct cost_section *section, struct net_cost_rules *rules,
                                  struct orr_diag *diag)
{
    struct parts_section parts = {.part = {0}};
    enum orr_status status = ORR_OK;
    if (section->discounts != NULL) {
        status =
            orr_conf_read(section->discounts, "discounts", discount_keys, NET_PARTS, &parts, diag);
        memcpy(rules->discount, parts.part, sizeof rules->discount);
    }
    if (section->watts != NULL && status == ORR_OK) {
        parts = (struct parts_section){.part = {0}};
        rules->has_watts = true;
        status = orr_conf_read(section->watts, "watts", watt_keys, WATT_KEYS, &parts, diag);
        memcpy(rules->watts, parts.part, sizeof rules->watts);
    }
    return status;
}

void orr_net_cost_warn(const struct orr_conf *map, const struct net_cost_rules *rules,
                       struct orr_diag *diag)
{
    if (rules->optical == NET_OPTICAL_NONE) {
        orr_conf_warn_unused(map, "ports", "no optical layer is set", diag);
        orr_conf_warn_unused(map, "loss_budget", "no optical layer is set", diag);
    }
    if (rules->ideal != NET_IDEAL_PARALLEL_TREES) {
        orr_conf_warn_unused(map, "degree", "only parallel-trees have one", diag);
    }
}

enum orr_status orr_net_cost_read(const struct orr_conf *map, const struct net_cost_rules *defaults,
                                  struct net_cost_rules *rules, struct orr_diag *diag)
{
    struct cost_section section = {.degree = 0};
    const enum orr_status status = orr_conf_read(map, "cost", cost_keys, COST_KEYS, &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    *rules = (struct net_cost_rules){
        .optical = (enum net_optical)number_of(orr_net_optical_name, section.optical),
        .cards = (enum net_cards)number_of(orr_net_cards_name, section.cards),
        .ideal = (enum net_ideal)number_of(orr_net_ideal_name, section.ideal_switch),
        .degree = (uint32_t)section.degree,
        .without_fibres = !section.fibres,
        .optical_ports = (uint32_t)section.ports,
        .has_loss_budget = orr_conf_get(map, "loss_budget") != NULL,
        .loss_budget_db = section.loss_budget};
    if (defaults != NULL && orr_conf_get(map, "optical") == NULL) {
        rules->optical = defaults->optical;
    }
    if (defaults != NULL && rules->degree == 0) {
        rules->degree = defaults->degree;
    }
    return read_parts(&section, rules, diag);
}

/* Warns if the controller moves circuits faster than the optical technology can. */
static void warn_slow(const struct orr_conf *map, const struct net_cost_rules *rules,
                      const struct net_circuits *circuits, struct orr_diag *diag)
{
    const struct net_technology *technology = orr_net_technology(rules->optical);
    const struct orr_conf *optical_key = orr_conf_get(map, "optical");
    if (circuits == NULL || technology->latency_ps <= circuits->dark_ps) {
        return;
    }
    const struct orr_location place =
        orr_conf_key_location(optical_key != NULL ? optical_key : map);
    orr_diag_warn(diag, &place,
                  "%s.optical: %s takes %s to reconfigure, but network.circuits are dark for less "
                  "(reconfiguration)",
                  map->path, technology->name, technology->latency);
}

enum orr_status orr_net_config_add_cost(struct orr_arena *arena, struct net_config *config,
                                        const struct orr_conf *map, struct orr_diag *diag)
{
    struct net_cost_rules *rules = orr_arena_alloc(arena, sizeof *rules);
    struct net_cost cost;
    if (rules == NULL) {
        return orr_diag_no_memory(diag, "the cost of a network");
    }
    enum orr_status status = orr_net_cost_read(map, config->cost, rules, diag);
    if (status == ORR_OK) {
        orr_net_cost_warn(map, rules, diag);
        warn_slow(map, rules, config->graph->circuits, diag);
        rules->map = map;
        status = orr_net_graph_cost(config->graph, rules, &cost, diag);
        rules->map = NULL;
        config->cost = rules;
    }
    return status;
}

enum orr_status orr_net_config_cost(const struct net_config *config, struct net_cost *out,
                                    struct orr_diag *diag)
{
    static const struct net_cost_rules defaults = {.optical = NET_OPTICAL_NONE};
    if (config->graph == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "the network has no price, as only a network.graph has one");
    }
    return orr_net_graph_cost(config->graph, config->cost != NULL ? config->cost : &defaults, out,
                              diag);
}
