/* Warnings about keys of the network section without effect: keys that only other backends use
 * (each backend lists its own, see struct net_ops), and keys that need another key. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/keys.h"
#include "network/net_backend.h"
#include "network/net_config_read.h"
#include "network/ring_links.h"
#include "network/route_options.h"

enum { WHY_BYTES = 160 };

static bool obeys(const struct net_ops *ops, const char *key)
{
    return ops->own != NULL && orr_key_find(&ops->own->table, key) != NULL;
}

/* The names of the backends that use the key, as "congestion, flow". */
static void name_backends(const char *key, char *text, size_t bytes)
{
    text[0] = '\0';
    for (size_t i = 0; orr_net_backends[i] != NULL; i++) {
        const size_t used = strlen(text);
        if (obeys(orr_net_backends[i], key)) {
            (void)snprintf(text + used, bytes - used, "%s%s", used > 0 ? ", " : "",
                           orr_net_backends[i]->name);
        }
    }
}

static void warn_backend(const struct orr_conf *map, const struct net_config *config,
                         struct orr_diag *diag)
{
    const struct net_ops *chosen = orr_net_backend_find(config->backend);
    const struct orr_key *key;
    for (size_t i = 0; (key = orr_key_at(&orr_net_key_table, i)) != NULL && chosen != NULL; i++) {
        char backends[WHY_BYTES / 2], why[WHY_BYTES];
        name_backends(key->name, backends, sizeof backends);
        if (backends[0] != '\0' && !obeys(chosen, key->name)) {
            (void)snprintf(why, sizeof why, "the backend %s does not use it, only %s",
                           config->backend, backends);
            orr_conf_warn_unused(map, key->name, why, diag);
        }
    }
}

/* The routing is a table, but the graph has no routes. */
static void warn_table(const struct orr_conf *map, const struct net_config *config,
                       struct orr_diag *diag)
{
    const bool table = net_routing_of(&config->routes)->by_table;
    if (config->graph != NULL && table && config->graph->paths == 0) {
        orr_conf_warn_unused(map, "routing",
                             "the graph has no routes for a table; messages take shortest paths",
                             diag);
    }
}

void orr_net_config_warn(const struct orr_conf *map, const struct net_config *config,
                         struct orr_diag *diag)
{
    const struct {
        const char *key, *why;
        bool idle;
    } needs[] = {
        {"seed", "without a network.graph there is no random choice", config->graph == NULL},
        {"paths", "it counts the paths of routing: k-shortest",
         config->graph == NULL || !net_routing_of(&config->routes)->counts_paths},
        {"ring_links", "it needs routing: k-shortest or table in a network.graph",
         config->graph == NULL || !net_routing_of(&config->routes)->leaves_links},
        {"ring_recovery", "it needs rings of the graph, and failures or changes of links",
         !net_can_recover_rings(config)},
    };
    warn_backend(map, config, diag);
    orr_net_design_warn(map, diag);
    warn_table(map, config, diag);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (needs[i].idle) {
            orr_conf_warn_unused(map, needs[i].key, needs[i].why, diag);
        }
    }
    const struct orr_conf *circuits = orr_conf_get(map, "circuits");
    if (config->graph != NULL && !config->graph->reroutes && circuits != NULL) {
        static const char why[] = "without network.reroute messages wait for a direct circuit";
        orr_conf_warn_unused(circuits, "connect", why, diag);
        orr_conf_warn_unused(circuits, "routes", why, diag);
    }
    const struct net_ops *chosen = orr_net_backend_find(config->backend);
    if (chosen != NULL && chosen->own != NULL && chosen->own->warn != NULL) {
        chosen->own->warn(map, config, diag);
    }
}
