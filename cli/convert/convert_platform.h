/* Network of --platform, for converters that need only its dimensions. */
#ifndef ORR_CLI_CONVERT_CONVERT_PLATFORM_H
#define ORR_CLI_CONVERT_CONVERT_PLATFORM_H

struct net_config;
struct orr_arena;

/* Reads the network into the arena. `platform`: a platform file, the name of one that ships, or a
 * topology notation such as 'Ring(4)_Switch(2)'. Returns 0, or the exit status after a message on
 * stderr. */
int orr_convert_platform(struct orr_arena *arena, const char *platform, struct net_config *config);

#endif
