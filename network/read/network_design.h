/* The key `design` of a network section, and the section behind it (network_design.c). */
#ifndef ORR_NETWORK_READ_NETWORK_DESIGN_H
#define ORR_NETWORK_READ_NETWORK_DESIGN_H

#include "network/network.h"

extern const struct orr_key_table orr_net_design_key_table;

/* Reads a section whose design, if it has one, is there as the keys that it stands for.
 * (network_config.c) */
enum orr_status orr_net_config_read_section(const struct net_config_input *input,
                                            struct net_config *config, struct orr_diag *diag);

/* What the mapping says of a design, with links of that latency (elect-flat, elect-cluster: ways).
 * Errors, with their place: those of its keys; no servers where the input knows of none; no degree
 * for a design that has one. O(jumps). (design_keys.c) */
enum orr_status orr_net_design_read(const struct net_config_input *input,
                                    const struct orr_conf *map, struct net_design *out,
                                    sim_time *latency_ps, struct orr_diag *diag);

/* What a design stands for, as a file would say it, in the arena; NULL: memory is out.
 * (design_text.c) */
const char *orr_net_design_text(struct orr_arena *arena, const struct net_design *design,
                                const struct net_design_parts *parts, sim_time latency_ps);

#endif
