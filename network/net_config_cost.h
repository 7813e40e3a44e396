/* The key `cost` of a network section (network/cost/cost.h has the model). */
#ifndef ORR_NETWORK_NET_CONFIG_COST_H
#define ORR_NETWORK_NET_CONFIG_COST_H

#include "core/conf/keys.h"
#include "network/cost/cost.h"
#include "network/net_config.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

/* The key `cost` of a network section: reads it over the defaults of optical layer and degree
 * (NULL: none), and warns about keys without effect. Errors: keys and values; with the config's
 * graph, those of orr_net_graph_cost, with their location. (read/network_config_cost.c) */
extern const struct orr_key_table orr_net_cost_key_table;
enum orr_status orr_net_cost_read(const struct orr_conf *map, const struct net_cost_rules *defaults,
                                  struct net_cost_rules *rules, struct orr_diag *diag);
void orr_net_cost_warn(const struct orr_conf *map, const struct net_cost_rules *rules,
                       struct orr_diag *diag);
enum orr_status orr_net_config_add_cost(struct orr_arena *arena, struct net_config *config,
                                        const struct orr_conf *map, struct orr_diag *diag);
/* Computes the cost of the config's network. Errors: the network is no graph; those of
 * orr_net_graph_cost. */
enum orr_status orr_net_config_cost(const struct net_config *config, struct net_cost *out,
                                    struct orr_diag *diag);

#endif
