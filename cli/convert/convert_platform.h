/* The network of --platform, for converters that need the dimensions alone. */
#ifndef ORR_CLI_CONVERT_CONVERT_PLATFORM_H
#define ORR_CLI_CONVERT_CONVERT_PLATFORM_H

#include "network/network.h"

/* `platform`: a platform file, the name of one that ships, or a topology notation such as
 * 'Ring(4)_Switch(2)'. The config lives in the arena. Returns 0, or the exit status of what was
 * said on stderr. */
int orr_convert_platform(struct orr_arena *arena, const char *platform, struct net_config *config);

#endif
