/* Technologies of optical switching (TopoOpt, section 3, Table 1), and the check whether an optical
 * layer can be built. Interface i of every node goes to panel i, which needs a port per node. Light
 * passes one panel, and with look-ahead a 1x2 switch before and after it. */
#include <inttypes.h>
#include <stdio.h>

#include "core/conf/conf.h"
#include "network/cost/cost.h"

static const double one_by_two_db = 0.73; /* appendix C */

/* Table 1 gives "minutes" for patch panels; 1 minute is the lower bound. */
static const struct net_technology technologies[NET_OPTICALS] = {
    {.name = "none", .title = "cable", .priced = true},
    {"patch-panel", "patch panel", 1008, "minutes", 60 * ORR_PS_PER_S, 0.5, 0.5,
     NET_PART_PANEL_PORT, true},
    {"ocs", "optical circuit switch (3D MEMS)", 384, "10 ms", 10000 * ORR_PS_PER_US, 1.5, 2.7,
     NET_PART_OCS_PORT, true},
    {"2d-mems", "2D MEMS switch", 300, "11.5 us", 11500 * ORR_PS_PER_NS, 10, 20, NET_PART_OCS_PORT,
     false},
    {"silicon-photonics", "silicon photonics switch", 256, "900 ns", 900 * ORR_PS_PER_NS, 3.7, 3.7,
     NET_PART_OCS_PORT, false},
    {"tunable-lasers", "switch with tunable lasers", 128, "3.8 ns", 3800, 7, 13, NET_PART_OCS_PORT,
     false},
    {"rotornet", "RotorNet switch", 64, "10 us", 10 * ORR_PS_PER_US, 2, 2, NET_PART_OCS_PORT,
     false}};

const struct net_technology *orr_net_technology(enum net_optical optical)
{
    return &technologies[optical];
}

const char *orr_net_optical_name(size_t index)
{
    return index < NET_OPTICALS ? technologies[index].name : NULL;
}

double orr_net_circuit_loss_db(enum net_optical optical)
{
    return technologies[optical].max_db +
           (optical == NET_OPTICAL_PATCH_PANEL ? 2 * one_by_two_db : 0);
}

/* Fails with "LOCATION: network.cost.KEY: TEXT", or with the text alone if the rules are not from a
 * file. */
static enum orr_status fail_rule(const struct net_cost_rules *rules, const char *key,
                                 const char *text, struct orr_diag *diag)
{
    if (rules->map == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "cost of hardware: %s", text);
    }
    const struct orr_conf *node = orr_conf_get(rules->map, key);
    const struct orr_location place = orr_conf_key_location(node != NULL ? node : rules->map);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s.%s: %s", rules->map->path, key, text);
}

enum orr_status orr_net_check_optics(const struct net_cost_rules *rules, uint32_t joined,
                                     const char *noun, struct orr_diag *diag)
{
    const struct net_technology *technology = &technologies[rules->optical];
    const uint32_t ports = rules->optical_ports != 0 ? rules->optical_ports : technology->ports;
    const double loss_db = orr_net_circuit_loss_db(rules->optical);
    char text[256];
    if (rules->optical == NET_OPTICAL_NONE || joined == 0) {
        return ORR_OK;
    }
    if (joined > ports) {
        (void)snprintf(text, sizeof text,
                       "%" PRIu32 " %s need as many ports on each %s, which has %" PRIu32 "%s",
                       joined, noun, technology->title, ports,
                       rules->optical_ports != 0 ? "" : " unless \"ports\" says otherwise");
        return fail_rule(rules, "ports", text, diag);
    }
    if (!rules->has_loss_budget || loss_db <= rules->loss_budget_db * (1 + 1e-12)) {
        return ORR_OK;
    }
    if (rules->optical == NET_OPTICAL_PATCH_PANEL) {
        (void)snprintf(text, sizeof text,
                       "a circuit loses %g dB (%s %g dB, 1x2 switch at each end %g dB), which is "
                       "more than the budget of %g dB",
                       loss_db, technology->title, technology->max_db, one_by_two_db,
                       rules->loss_budget_db);
    } else {
        (void)snprintf(text, sizeof text,
                       "a circuit loses %g dB (%s %g dB), which is more than the budget of %g dB",
                       loss_db, technology->title, technology->max_db, rules->loss_budget_db);
    }
    return fail_rule(rules, "loss_budget", text, diag);
}
