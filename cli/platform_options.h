/* The options that describe a network without a file, in the topology notation:
 *
 *     --topology 'Ring(4)_Switch(8)' --bandwidth '100 GB/s,50 GB/s' --latency '500 ns,1 us'
 *     --bandwidth-is npu
 *
 * Shared by the commands that take a platform. A command adds ORR_PLATFORM_OPTIONS to its table of
 * options and ORR_PLATFORM_HELP to its help (both are in ORR_JOB_OPTIONS and ORR_JOB_HELP already),
 * hands the options to orr_platform_apply while it parses, and calls orr_platform_check at the end.
 * Then either
 *
 *     const char *set = orr_platform_set(&options);           for orrery_load:
 *     struct orrery_inputs inputs = {.set = &set, .set_count = 1};    no platform file is needed
 *
 * or orr_platform_config, for what needs the dimensions alone and no simulation. */
#ifndef ORR_CLI_PLATFORM_OPTIONS_H
#define ORR_CLI_PLATFORM_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "core/status.h"

struct net_config;
struct orr_arena;
struct orr_diag;

/* Numbered above enum orr_job_option. */
enum orr_platform_option {
    ORR_OPT_TOPOLOGY = 768,
    ORR_OPT_BANDWIDTH,
    ORR_OPT_LATENCY,
    ORR_OPT_BANDWIDTH_IS
};

/* Rows for a command's table of options. */
#define ORR_PLATFORM_OPTIONS                                                                       \
    {"topology", required_argument, NULL, ORR_OPT_TOPOLOGY},                                       \
        {"bandwidth", required_argument, NULL, ORR_OPT_BANDWIDTH},                                 \
        {"latency", required_argument, NULL, ORR_OPT_LATENCY},                                     \
    {                                                                                              \
        "bandwidth-is", required_argument, NULL, ORR_OPT_BANDWIDTH_IS                              \
    }

/* Their part of --help. */
#define ORR_PLATFORM_HELP                                                                          \
    "A network without a file:\n"                                                                  \
    "  --topology NOTATION                blocks and sizes, e.g. 'Ring(4)_FC(2)_Switch(8)';\n"     \
    "                                     replaces the network section of all files\n"             \
    "  --bandwidth LIST                   of each dimension, or one for all: '100 GB/s,50 "        \
    "GB/s',\n"                                                                                     \
    "                                     '100_50 GB/s' or '100 GB/s'\n"                           \
    "  --latency LIST                     of a hop, likewise (default 0 ns)\n"                     \
    "  --bandwidth-is link|npu            of a link (default), or the total of an NPU in the\n"    \
    "                                     dimension\n"                                             \
    "\n"

enum { ORR_PLATFORM_SET_BYTES = 4096 };

struct orr_platform_options {
    const char *topology, *bandwidth, *latency, *bandwidth_is; /* as given, or NULL */
    char set[ORR_PLATFORM_SET_BYTES];                          /* after orr_platform_check */
};

/* Stores an option; false if it is not one of these. */
bool orr_platform_apply(struct orr_platform_options *options, int option, const char *value);

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
