/* Reads the `system` section of a platform file, and completes it with the network. */
#ifndef ORR_SYSTEM_SYS_CONFIG_READ_H
#define ORR_SYSTEM_SYS_CONFIG_READ_H

#include "core/conf/keys.h"
#include "network/net_config.h"
#include "system/sys_config.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

/* Reads the `system` section of a platform file (NULL: absent) for a network of `dims` dimensions.
 * Errors: those of the keys, with location; memory. */
enum orr_status orr_sys_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    unsigned dims, struct sys_config *config,
                                    struct orr_diag *diag);
extern const struct orr_key_table orr_sys_key_table;
/* Parses system.monolithic_all_reduce, which orr_sys_config_read keeps as text. Errors: as
 * orr_sys_mono_parse; memory. */
enum orr_status orr_sys_config_mono(struct orr_arena *arena, const struct orr_conf *map,
                                    struct sys_config *config, struct orr_diag *diag);

/* Reads system.library, which needs the network. Errors: it is combined with
 * monolithic_all_reduce; those of orr_sys_ccl_read. */
enum orr_status orr_sys_config_ccl(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct net_config *net, struct sys_config *config,
                                   struct orr_diag *diag);

/* Checks the section against the network: in-switch algorithms need switches that reduce, tree keys
 * need matching trees. Errors: the first mismatch, with location. */
enum orr_status orr_sys_config_check(const struct orr_conf *map, const struct sys_config *config,
                                     const struct net_config *net, struct orr_diag *diag);

/* Whether a platform searches for trees through all NPUs of a graph, as `orrery topo trees` does:
 * `trees: search` for an algorithm that is named once for all dimensions. Where the network names
 * no dimensions those of the fabric are then one (orr_net_config_join_dims). */
bool orr_sys_trees_span_all(const struct orr_conf *system);

/* Searches for trees on the network's graph (system/embedding/) if `trees: search` is set. Errors:
 * no graph; none found; memory. */
enum orr_status orr_sys_find_trees(struct orr_arena *arena, const struct orr_conf *map,
                                   struct sys_config *config, const struct net_config *net,
                                   struct orr_diag *diag);

/* Embeds the trees on the network's graph, if it has one and an algorithm uses trees: the channels
 * of their edges are added to `net`. Warns of links that several edges share. Errors: an edge
 * without a path; user paths that embedding.h rejects; memory. */
enum orr_status orr_sys_embed_trees(struct orr_arena *arena, const struct orr_conf *map,
                                    struct sys_config *config, struct net_config *net,
                                    struct orr_diag *diag);

#endif
