/* The key `design` of a network section, and the section behind it (network_design.c). */
#ifndef ORR_NETWORK_READ_NETWORK_DESIGN_H
#define ORR_NETWORK_READ_NETWORK_DESIGN_H

#include "network/network.h"

extern const struct orr_key_table orr_net_design_key_table;

/* Reads a section whose design, if it has one, is there as the keys that it stands for.
 * (network_config.c) */
enum orr_status orr_net_config_read_whole(const struct net_config_input *input,
                                          struct net_config *config, struct orr_diag *diag);

#endif
