/* Options of orrery topo for hardware cost; each sets a key of network.cost. */
#ifndef ORR_CLI_TOPO_COST_OPTIONS_H
#define ORR_CLI_TOPO_COST_OPTIONS_H

#include "cli/cli.h"
#include "core/status.h"

struct net_cost_rules;
struct orr_arena;
struct orr_diag;

enum { ORR_MAX_COST_OPTIONS = 24, ORR_COST_OPTION_BYTES = 128 };

/* Given options, and after the check their assignments: "network.cost.cards=single". */
struct orr_cost_options {
    const char *optical, *cards, *ideal, *degree, *fibres, *optical_ports, *loss_budget;
    struct orr_texts discount, watts;
    size_t count;
    char set[ORR_MAX_COST_OPTIONS][ORR_COST_OPTION_BYTES];
};

/* Their rows, whose arguments are a struct orr_cost_options. */
extern const struct orr_option orr_cost_rows[];

/* Checks the values and makes the assignments; 0, or the exit status after a message on stderr. */
int orr_cost_options_check(struct orr_cost_options *options);

/* The cost rules of the options, for networks without a file. */
enum orr_status orr_cost_option_rules(const struct orr_cost_options *options,
                                      struct orr_arena *arena, struct net_cost_rules *rules,
                                      struct orr_diag *diag);

#endif
