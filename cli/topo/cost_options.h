/* Options of orrery topo for hardware cost; each sets a key of network.cost. */
#ifndef ORR_CLI_TOPO_COST_OPTIONS_H
#define ORR_CLI_TOPO_COST_OPTIONS_H

#include <stddef.h>

#include "core/status.h"

struct net_cost_rules;
struct orr_arena;
struct orr_diag;

enum {
    ORR_OPT_OPTICAL = 512,
    ORR_OPT_CARDS,
    ORR_OPT_IDEAL_SWITCH,
    ORR_OPT_DEGREE,
    ORR_OPT_FIBRES,
    ORR_OPT_OPTICAL_PORTS,
    ORR_OPT_LOSS_BUDGET,
    ORR_OPT_DISCOUNT,
    ORR_OPT_WATTS,
    ORR_OPT_COST_END
};

#define ORR_COST_OPTIONS                                                                           \
    {"optical", required_argument, NULL, ORR_OPT_OPTICAL},                                         \
        {"cards", required_argument, NULL, ORR_OPT_CARDS},                                         \
        {"ideal", required_argument, NULL, ORR_OPT_IDEAL_SWITCH},                                  \
        {"degree", required_argument, NULL, ORR_OPT_DEGREE},                                       \
        {"fibres", required_argument, NULL, ORR_OPT_FIBRES},                                       \
        {"optical-ports", required_argument, NULL, ORR_OPT_OPTICAL_PORTS},                         \
        {"loss-budget", required_argument, NULL, ORR_OPT_LOSS_BUDGET},                             \
        {"discount", required_argument, NULL, ORR_OPT_DISCOUNT},                                   \
    {                                                                                              \
        "watts", required_argument, NULL, ORR_OPT_WATTS                                            \
    }

enum { ORR_MAX_COST_OPTIONS = 24, ORR_COST_OPTION_BYTES = 128 };

/* Given options, as assignments: "network.cost.cards=single". */
struct orr_cost_options {
    size_t count;
    char set[ORR_MAX_COST_OPTIONS][ORR_COST_OPTION_BYTES];
};

/* Stores an option; 0, or the exit status after a message on stderr. */
int orr_cost_option(struct orr_cost_options *options, int option, const char *value);

/* The cost rules of the options, for networks without a file. */
enum orr_status orr_cost_option_rules(const struct orr_cost_options *options,
                                      struct orr_arena *arena, struct net_cost_rules *rules,
                                      struct orr_diag *diag);

#endif
