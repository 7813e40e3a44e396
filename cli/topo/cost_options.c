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

static const struct {
    const char *option, *set;
    const char *(*names)(size_t index); /* names of the values; NULL: any value */
} cost_options[] = {
    {"optical", "network.cost.optical=", orr_net_optical_name},
    {"cards", "network.cost.cards=", orr_net_cards_name},
    {"ideal", "network.cost.ideal_switch=", orr_net_ideal_name},
    {"degree", "network.cost.degree=", NULL},
    {"fibres", "network.cost.fibres=", NULL},
    {"optical-ports", "network.cost.ports=", NULL},
    {"loss-budget", "network.cost.loss_budget=", NULL},
    {"discount", "network.cost.discounts.", NULL},
    {"watts", "network.cost.watts.", NULL},
};

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

static int reject(const char *option, const char *expected, const char *value)
{
    orr_print_message("orrery topo: --%s: expected %s, got \"%s\"\n", option, expected, value);
    return ORR_EXIT_USAGE;
}

int orr_cost_option(struct orr_cost_options *options, int option, const char *value)
{
    const size_t index = (size_t)(option - ORR_OPT_OPTICAL);
    const char *name = cost_options[index].option;
    const bool by_part = option == ORR_OPT_DISCOUNT || option == ORR_OPT_WATTS;
    char names[256];
    if (cost_options[index].names != NULL && !is_name(cost_options[index].names, value)) {
        list_names(cost_options[index].names, names, sizeof names);
        return reject(name, names, value);
    }
    if (by_part && !has_part(value)) {
        list_names(orr_net_part_key, names, sizeof names);
        orr_print_message("orrery topo: --%s: expected PART=NUMBER with a part of %s, got \"%s\"\n",
                          name, names, value);
        return ORR_EXIT_USAGE;
    }
    if (options->count == ORR_MAX_COST_OPTIONS) {
        return orr_usage_error("topo", "too many options of costs", NULL);
    }
    const int length = snprintf(options->set[options->count], ORR_COST_OPTION_BYTES, "%s%s",
                                cost_options[index].set, value);
    options->count++;
    return length < ORR_COST_OPTION_BYTES ? 0 : reject(name, "a shorter value", value);
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
