/* Options of hardware cost; see cost_options.h. */
#include "cli/topo/cost_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "core/conf/conf.h"
#include "network/cost/cost.h"
#include "network/net_config_cost.h"

#define COST(member) ORR_TEXT(struct orr_cost_options, member)

const struct orr_option orr_cost_rows[] = {
    ORR_HEAD("Cost of a graph's hardware (keys of network.cost):"),
    {"optical", "NAME", ORR_VALUE,
     "optical device of direct links (none): patch-panel, ocs, 2d-mems, silicon-photonics, "
     "tunable-lasers, rotornet",
     COST(optical)},
    {"optical-ports", "N", ORR_VALUE, "ports of each panel or optical switch", COST(optical_ports)},
    {"loss-budget", "DB", ORR_VALUE, "maximum loss of a circuit", COST(loss_budget)},
    {"cards", "paired|single", ORR_CHOICE, "whether ports of 100 Gb/s share cards (paired)",
     COST(cards)},
    {"ideal", "NAME", ORR_VALUE, "full-tree, parallel-trees or one-switch (full-tree)",
     COST(ideal)},
    {"degree", "N", ORR_VALUE, "number of parallel trees", COST(degree)},
    {"fibres", "true|false", ORR_CHOICE, "whether fibres count (true)", COST(fibres)},
    {"discount", "PART=FRACTION", ORR_VALUE | ORR_REPEATED,
     "discount on nic, transceiver, switch_port, panel_port, ocs_port, one_by_two_switch or fibre; "
     "may be given several times",
     ORR_LIST(struct orr_cost_options, discount)},
    {"watts", "PART=WATTS", ORR_VALUE | ORR_REPEATED,
     "power of nic, transceiver or switch_port; may be given several times",
     ORR_LIST(struct orr_cost_options, watts)},
    ORR_ROWS_END};

/* "a, b or c" */
static void list_names(const char *(*names)(size_t index), char *text, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; names(i) != NULL && used < bytes; i++) {
        const char *between = i == 0 ? "" : names(i + 1) == NULL ? " or " : ", ";
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", between, names(i));
    }
}

static bool is_name(const char *(*names)(size_t index), const char *value)
{
    for (size_t i = 0; names(i) != NULL; i++) {
        if (strcmp(names(i), value) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the value is PART=... with a known part and a text behind it: "nic=0.5". */
static bool has_part(const char *value)
{
    const char *equals = strchr(value, '=');
    for (size_t i = 0; equals != NULL && equals[1] != '\0' && orr_net_part_key(i) != NULL; i++) {
        const char *key = orr_net_part_key(i);
        if (strlen(key) == (size_t)(equals - value) && strncmp(key, value, strlen(key)) == 0) {
            return true;
        }
    }
    return false;
}

static int add(struct orr_cost_options *options, const char *option, const char *key,
               const char *value)
{
    if (options->count == ORR_MAX_COST_OPTIONS) {
        return orr_usage_error("topo", "too many options of costs", NULL);
    }
    const int length = snprintf(options->set[options->count], ORR_COST_OPTION_BYTES,
                                "network.cost.%s%s", key, value);
    options->count++;
    return length < ORR_COST_OPTION_BYTES
               ? 0
               : orr_reject_value("topo", option, "a shorter value", value, "");
}

/* Adds PART=NUMBER texts. */
static int add_parts(struct orr_cost_options *options, const char *option, const char *key,
                     const struct orr_texts *texts)
{
    char names[256], expected[320];
    int status = 0;
    for (size_t i = 0; i < texts->count && status == 0; i++) {
        if (has_part(texts->text[i])) {
            status = add(options, option, key, texts->text[i]);
        } else {
            list_names(orr_net_part_key, names, sizeof names);
            (void)snprintf(expected, sizeof expected, "PART=NUMBER with a part of %s", names);
            status = orr_reject_value("topo", option, expected, texts->text[i], "");
        }
    }
    return status;
}

int orr_cost_options_check(struct orr_cost_options *options)
{
    const struct {
        const char *option, *key, *value;
        const char *(*names)(size_t index); /* names of the values; NULL: any value */
    } given[] = {{"optical", "optical=", options->optical, orr_net_optical_name},
                 {"cards", "cards=", options->cards, orr_net_cards_name},
                 {"ideal", "ideal_switch=", options->ideal, orr_net_ideal_name},
                 {"degree", "degree=", options->degree, NULL},
                 {"fibres", "fibres=", options->fibres, NULL},
                 {"optical-ports", "ports=", options->optical_ports, NULL},
                 {"loss-budget", "loss_budget=", options->loss_budget, NULL}};
    char names[256];
    int status = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given && status == 0; i++) {
        const char *value = given[i].value;
        if (value != NULL && given[i].names != NULL && !is_name(given[i].names, value)) {
            list_names(given[i].names, names, sizeof names);
            return orr_reject_value("topo", given[i].option, names, value, "");
        }
        status = value != NULL ? add(options, given[i].option, given[i].key, value) : 0;
    }
    status =
        status == 0 ? add_parts(options, "discount", "discounts.", &options->discount) : status;
    return status == 0 ? add_parts(options, "watts", "watts.", &options->watts) : status;
}

enum orr_status orr_cost_option_rules(const struct orr_cost_options *options,
                                      struct orr_arena *arena, struct net_cost_rules *rules,
                                      struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    enum orr_status status = orr_conf_parse(arena, "{}", 2, "command line", &root, diag);
    for (size_t i = 0; i < options->count && status == ORR_OK; i++) {
        status = orr_conf_set(arena, root, options->set[i], &root, diag);
    }
    *rules = (struct net_cost_rules){.optical = NET_OPTICAL_NONE};
    const struct orr_conf *network =
        status == ORR_OK && options->count > 0 ? orr_conf_get(root, "network") : NULL;
    if (network != NULL) {
        status = orr_net_cost_read(orr_conf_get(network, "cost"), NULL, rules, diag);
    }
    if (network != NULL && status == ORR_OK) {
        orr_net_cost_warn(orr_conf_get(network, "cost"), rules, diag);
    }
    return status;
}
