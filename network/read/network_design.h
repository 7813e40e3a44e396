/* The key `design` of a network section, and the reader of the expanded section
 * (network_design.c). */
#ifndef ORR_NETWORK_READ_NETWORK_DESIGN_H
#define ORR_NETWORK_READ_NETWORK_DESIGN_H

#include "core/conf/keys.h"
#include "core/time.h"

struct net_config;
struct net_config_input;
struct net_design;
struct net_design_parts;
struct orr_arena;
struct orr_conf;
struct orr_diag;

extern const struct orr_key_table orr_net_design_key_table;

/* Reads a section whose design, if any, has been expanded. (network_config.c) */
enum orr_status orr_net_config_read_section(const struct net_config_input *input,
                                            struct net_config *config, struct orr_diag *diag);

/* Reads a design and the latency of its links (elect-flat, elect-cluster: of paths). Errors, with
 * location: invalid keys; no number of servers in file or input; no degree for a design that needs
 * one. O(jumps). (design_keys.c) */
enum orr_status orr_net_design_read(const struct net_config_input *input,
                                    const struct orr_conf *map, struct net_design *out,
                                    sim_time *latency_ps, struct orr_diag *diag);

/* The keys that a design stands for, as YAML in the arena; NULL if memory is out.
 * (design_text.c) */
const char *orr_net_design_text(struct orr_arena *arena, const struct net_design *design,
                                const struct net_design_parts *parts, sim_time latency_ps);

#endif
