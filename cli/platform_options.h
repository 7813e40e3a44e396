/* The options that describe a network without a file, in the topology notation:
 *
 *     --topology 'Ring(4)_Switch(8)' --bandwidth '100 GB/s,50 GB/s' --latency '500 ns,1 us'
 *     --bandwidth-is npu
 *
 * Shared by the commands that take a platform. A command includes orr_platform_rows in its table,
 * and calls orr_platform_check after parsing. Then either
 *
 *     const char *set = orr_platform_set(&options);           for orrery_load:
 *     struct orrery_inputs inputs = {.set = &set, .set_count = 1};    no platform file is needed
 *
 * or orr_platform_config, for what needs the dimensions alone and no simulation. */
#ifndef ORR_CLI_PLATFORM_OPTIONS_H
#define ORR_CLI_PLATFORM_OPTIONS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "core/status.h"

struct net_config;
struct orr_arena;
struct orr_diag;

/* Rows, whose arguments are a struct orr_platform_options. */
extern const struct orr_option orr_platform_rows[];

enum { ORR_PLATFORM_SET_BYTES = 4096 };

struct orr_platform_options {
    const char *topology, *bandwidth, *latency, *bandwidth_is; /* as given, or NULL */
    char set[ORR_PLATFORM_SET_BYTES];                          /* after orr_platform_check */
};

/* Checks all values, after the last option: notation (errors mark the position), lengths of lists,
 * quantities, options without --topology. --topology requires --bandwidth. Without any of the
 * options it does nothing. Prints errors on stderr; returns 0 or the exit status of bad usage. */
int orr_platform_check(struct orr_platform_options *options, const char *command);

/* The assignment "network={...}" for orrery_inputs.set, to go before those of --set; NULL without
 * --topology. Call it after the check. Owned by `options`. */
const char *orr_platform_set(const struct orr_platform_options *options);

/* Reads the dimensions into the arena. --topology must be given; --bandwidth may be missing, then
 * bandwidths are 0. Errors as of orr_platform_check. */
enum orr_status orr_platform_config(const struct orr_platform_options *options,
                                    struct orr_arena *arena, struct net_config *config,
                                    struct orr_diag *diag);

#endif
