/* Options that describe a job, shared by the commands that simulate one: Orrery's own files with
 * --set, of which options (platform_options.h) may replace the network, or the files of the
 * ASTRA-sim simulator. */
#ifndef ORR_CLI_JOB_OPTIONS_H
#define ORR_CLI_JOB_OPTIONS_H

#include <getopt.h>

#include "cli/platform_options.h"
#include "orrery/orrery.h"
#include "sim/load/find_input.h"

struct option;
struct orrery;

enum orr_job_option {
    ORR_OPT_WORKLOAD = 512,
    ORR_OPT_SYSTEM,
    ORR_OPT_NETWORK,
    ORR_OPT_MEMORY,
    ORR_OPT_GROUPS,
    ORR_OPT_QUEUES,
    ORR_OPT_INJECTION,
    ORR_OPT_RENDEZVOUS,
    ORR_OPT_BACKEND,
    ORR_OPT_COMPAT,
    ORR_OPT_SET,
    ORR_OPT_OWN_PLATFORM,
    ORR_OPT_OWN_WORKLOAD,
    ORR_OPT_IGNORE_CAPACITY,
    ORR_OPT_OWN_NPUS,
    ORR_OPT_UNUSED,
    ORR_OPT_HELP
};

/* Rows for a command's table of options. */
#define ORR_JOB_OPTIONS                                                                            \
    {"workload-configuration", required_argument, NULL, ORR_OPT_WORKLOAD},                         \
        {"system-configuration", required_argument, NULL, ORR_OPT_SYSTEM},                         \
        {"network-configuration", required_argument, NULL, ORR_OPT_NETWORK},                       \
        {"remote-memory-configuration", required_argument, NULL, ORR_OPT_MEMORY},                  \
        {"comm-group-configuration", required_argument, NULL, ORR_OPT_GROUPS},                     \
        {"num-queues-per-dim", required_argument, NULL, ORR_OPT_QUEUES},                           \
        {"injection-scale", required_argument, NULL, ORR_OPT_INJECTION},                           \
        {"rendezvous-protocol", optional_argument, NULL, ORR_OPT_RENDEZVOUS},                      \
        {"network-backend", required_argument, NULL, ORR_OPT_BACKEND},                             \
        {"compat", required_argument, NULL, ORR_OPT_COMPAT},                                       \
        {"set", required_argument, NULL, ORR_OPT_SET},                                             \
        {"platform", required_argument, NULL, ORR_OPT_OWN_PLATFORM},                               \
        {"workload", required_argument, NULL, ORR_OPT_OWN_WORKLOAD},                               \
        {"npus", required_argument, NULL, ORR_OPT_OWN_NPUS},                                       \
        {"ignore-capacity", no_argument, NULL, ORR_OPT_IGNORE_CAPACITY}, ORR_PLATFORM_OPTIONS,     \
        {"compute-scale", required_argument, NULL, ORR_OPT_UNUSED},                                \
        {"comm-scale", required_argument, NULL, ORR_OPT_UNUSED},                                   \
        {"logging-configuration", required_argument, NULL, ORR_OPT_UNUSED},                        \
        {"logging-folder", required_argument, NULL, ORR_OPT_UNUSED},                               \
    {                                                                                              \
        "help", no_argument, NULL, ORR_OPT_HELP                                                    \
    }

/* Their part of --help: for commands that take files of either kind, for commands that take
 * Orrery's own files only, and for commands that take a platform and no workload. */
#define ORR_JOB_HELP ORR_OWN_HELP ORR_PLATFORM_HELP ORR_ASTRA_HELP

#define ORR_OWN_HELP                                                                               \
    ORR_OWN_HEAD                                                                                   \
    "  WORKLOAD.yml                       traces or a generator (or a section of the platform);\n" \
    "                                     both may be names of inputs that ship, such as w_2d\n"   \
    "  --platform PLATFORM.yml            the same, as options\n"                                  \
    "  --workload WORKLOAD.yml\n" ORR_SET_HELP                                                     \
    "  --npus N                           the platform's outermost dimension scaled to N NPUs;\n"  \
    "                                     same as --set network.npus=N\n"                          \
    "  --ignore-capacity                  run a job that exceeds the memory capacity;\n"           \
    "                                     same as --set memory.ignore_capacity=true\n"             \
    "\n"

#define ORR_OWN_PLATFORM_HELP                                                                      \
    ORR_OWN_HEAD                                                                                   \
    "                                     or the name of one that ships, such as conv_3d\n"        \
    "  --platform PLATFORM.yml            the same, as an option\n" ORR_SET_HELP "\n"

#define ORR_OWN_HEAD                                                                               \
    "Orrery files (docs/file-formats.md; see inputs/):\n"                                          \
    "  PLATFORM.yml                       network, system, memory and compute\n"

#define ORR_SET_HELP                                                                               \
    "  --set PATH=VALUE                   set a value, e.g. network.dims[1].bandwidth=100GB/s;\n"  \
    "                                     may be given several times\n"

#define ORR_ASTRA_HELP                                                                             \
    "Files of the ASTRA-sim simulator, unchanged; loading them switches on its rules. The only\n"  \
    "--set with them is compat.dimension_scheduling=true:\n"                                       \
    "  --workload-configuration PREFIX    traces PREFIX.RANK.et (or .et.gz), or one file for "     \
    "all\n"                                                                                        \
    "  --system-configuration FILE        JSON: collectives, chunks, delays, compute\n"            \
    "  --network-configuration FILE       YAML: dimensions with bandwidth and latency\n"           \
    "  --remote-memory-configuration FILE JSON: remote memory (default: none)\n"                   \
    "  --comm-group-configuration FILE    JSON: communicator groups (default: empty)\n"            \
    "  --num-queues-per-dim N             queues of a dimension (default 1)\n"                     \
    "  --injection-scale N                multiplies the endpoint delay (default 1)\n"             \
    "  --rendezvous-protocol[=true|false] receivers ask for data before they are sent\n"           \
    "  --network-backend analytical|congestion\n"                                                  \
    "                                     how messages share links (default analytical)\n"         \
    "  --compat astra-sim|off             the rules of ASTRA-sim (default), or Orrery's own:\n"    \
    "                                     shared ports, uniform blocks, no truncation\n"           \
    "\n"

enum { ORR_MAX_SETS = 256 };

struct orr_job_inputs {
    const char *command; /* for messages */
    struct orrery_inputs own;
    const char *sets[ORR_MAX_SETS + 1]; /* the assignment of the network's options comes first */
    struct orr_platform_options network;
    const char *taskgraph; /* task graph to run, which needs no platform; NULL: none */
    char taskgraph_set[ORR_INPUT_PATH_BYTES + 64];
    char npus_set[48]; /* of --npus */
    struct orrery_astra_sim astra;
    /* storage of paths of inputs that ship */
    char platform[ORR_INPUT_PATH_BYTES], workload[ORR_INPUT_PATH_BYTES];
    char library[ORR_INPUT_PATH_BYTES];
};

/* Handler of a command's own options, numbered from 256 to 511. */
struct orr_command_options {
    void *context;
    int (*apply)(void *context, int option, const char *value); /* 0, or an exit status */
};

/* Parses the options: the rows above into `inputs`, others by `own`. Returns 0 to go on, < 0 for
 * help, else the exit status of bad usage, after a message on stderr. */
int orr_job_parse(struct orr_job_inputs *inputs, int argc, char **argv,
                  const struct option *options, const struct orr_command_options *own);

/* Resolves the files among the arguments, and checks that the job is complete. `native_only`: the
 * message if the files are ASTRA-sim's but an option needs Orrery's own; NULL: none does. Returns 0
 * or the exit status. */
int orr_job_check(struct orr_job_inputs *inputs, int argc, char **argv, const char *native_only);

enum orrery_status orr_job_load(struct orrery *job, const struct orr_job_inputs *inputs);

/* Parses one of two words into *out (true: the second); 0, or the exit status of bad usage. */
int orr_parse_word(const char *command, const char *option, const char *text,
                   const char *const words[2], bool *out);

#endif
