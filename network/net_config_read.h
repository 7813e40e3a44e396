/* Reads the `network` section of a platform file, or a network file of ASTRA-sim. */
#ifndef ORR_NETWORK_NET_CONFIG_READ_H
#define ORR_NETWORK_NET_CONFIG_READ_H

#include "core/conf/keys.h"
#include "network/cost/cost.h"
#include "network/graph_source.h"
#include "network/net_config.h"

struct net_dim;
struct orr_arena;
struct orr_conf;
struct orr_diag;

/* Reads a network file of ASTRA-sim (YAML; GiB/s, ns) into a config whose backend and timing rules
 * the caller sets. The dimensions are in the arena. */
enum orr_status orr_net_config_read_astra(struct orr_arena *arena, const char *path,
                                          struct net_config *config, struct orr_diag *diag);

/* Reads the `network` section of a platform file into a config that lives in the arena. */
enum orr_status orr_net_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    struct net_config *config, struct orr_diag *diag);
extern const struct orr_key_table orr_net_key_table;

/* Merges the dimensions of a `network` section from several files: for each dimension, a file's
 * values override those of the files it includes. A section from one file is unchanged.
 * ORR_ERR_INPUT: the topology has dimensions without any values. */
enum orr_status orr_net_config_merge(struct orr_arena *arena, const struct orr_conf **map,
                                     struct orr_diag *diag);

/* The same for the section in a platform's tree, if there is one. Call it before values are set. */
enum orr_status orr_net_tree_merge(struct orr_arena *arena, const struct orr_conf **root,
                                   struct orr_diag *diag);

/* Reads the section for a workload that contributes to it. */
struct net_config_input {
    struct orr_arena *arena;
    const struct orr_conf *map;
    struct net_workload_graph own;
    const struct net_cost_rules *defaults; /* default cost rules of the design, or NULL */
};
enum orr_status orr_net_config_read_for(const struct net_config_input *input,
                                        struct net_config *config, struct orr_diag *diag);

/* Warns about keys of the section, read into the config, that have no effect. (network_warnings.c)
 */
void orr_net_config_warn(const struct orr_conf *map, const struct net_config *config,
                         struct orr_diag *diag);

/* Warns about keys of the section's design that only other designs use. (read/network_design.c) */
void orr_net_design_warn(const struct orr_conf *map, struct orr_diag *diag);

/* Scales the outermost of `dims` dimensions so that there are `npus` NPUs. Error (input): the inner
 * ones do not divide them. O(dims). */
enum orr_status orr_net_scale_outermost(const struct orr_conf *map, int64_t npus,
                                        struct net_dim *dim, unsigned dims, struct orr_diag *diag);

/* Checks that dimensions with `reduces` are switches. (read/network_config_reduces.c) */
enum orr_status orr_net_config_check_reduces(const struct orr_conf *map,
                                             const struct net_config *config,
                                             struct orr_diag *diag);

#endif
