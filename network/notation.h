/* Topologies in notation, such as "Ring(2)_FC(8)_Switch(4)". */
#ifndef ORR_NETWORK_NOTATION_H
#define ORR_NETWORK_NOTATION_H

#include "core/status.h"
#include "network/net_config.h"

struct net_dim;
struct orr_diag;
struct orr_location;

/* Parses "Ring(2)_FC(8)_Switch(4)" into dim[NET_MAX_DIMS] (block and npus; the rest is left alone).
 * The error shows the text with a caret; `place` may be NULL. */
enum orr_status orr_net_parse_notation(const char *text, struct net_dim *dim, unsigned *dims,
                                       const struct orr_location *place, struct orr_diag *diag);

/* The notation of a config's dimensions into `text`; returns `text`. */
char *orr_net_format_notation(const struct net_config *config, char *text, size_t bytes);

#endif
