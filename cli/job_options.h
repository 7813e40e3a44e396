/* Options that describe a job, shared by the commands that simulate one: Orrery's own files with
 * --set, of which options (platform_options.h) may replace the network, or the files of the
 * ASTRA-sim simulator. */
#ifndef ORR_CLI_JOB_OPTIONS_H
#define ORR_CLI_JOB_OPTIONS_H

#include "cli/cli.h"
#include "cli/import_job.h"
#include "cli/platform_options.h"
#include "orrery/orrery.h"
#include "sim/load/find_input.h"

struct orrery;

/* Rows for a command's table, whose arguments are a struct orr_job_inputs: all of them, or their
 * parts. */
extern const struct orr_option orr_job_rows[];
extern const struct orr_option orr_job_files[];       /* PLATFORM.yml and WORKLOAD.yml */
extern const struct orr_option orr_job_platform[];    /* --platform, --set */
extern const struct orr_option orr_job_workload[];    /* --workload, --npus, ... */
extern const struct orr_option orr_job_astra_files[]; /* files of ASTRA-sim */

/* A row --taskgraph for such a command. */
#define ORR_ROW_TASKGRAPH(type, member)                                                            \
    {                                                                                              \
        "taskgraph", "FILE", ORR_INPUT,                                                            \
            "a FlexFlow task graph instead of a workload, on the platform or on its own network; " \
            "with "                                                                                \
            "--set workload.all_reduce=NAME, network.graph.fabric=NAME, ...",                      \
            ORR_TEXT(type, member.taskgraph)                                                       \
    }
/* The usage lines of commands that take files of either kind. */
#define ORR_JOB_FORM "PLATFORM.yml [WORKLOAD.yml] [options]"
#define ORR_TASKGRAPH_FORM "[PLATFORM.yml] --taskgraph [options]"
#define ORR_ASTRA_FORM                                                                             \
    "--workload-configuration --system-configuration --network-configuration [options]"

enum { ORR_MAX_SETS = 256 };

struct orr_job_inputs {
    const char *command; /* for messages */
    struct orrery_inputs own;
    const char *sets[ORR_MAX_SETS + 1]; /* the assignment of the network's options comes first */
    struct orr_platform_options network;
    const char *taskgraph; /* task graph to run, which needs no platform; NULL: none */
    char taskgraph_set[ORR_INPUT_PATH_BYTES + 64];
    char npus_set[48]; /* of --npus */
    int64_t npus;      /* likewise; 0: not given */
    struct orr_import_job import;
    struct orrery_astra_sim astra;
    /* storage of paths of inputs that ship */
    char platform[ORR_INPUT_PATH_BYTES], workload[ORR_INPUT_PATH_BYTES];
    char library[ORR_INPUT_PATH_BYTES];
};

/* Resolves the files among the arguments that are left, and checks that the job is complete.
 * `native_only`: the message if the files are ASTRA-sim's but an option needs Orrery's own; NULL:
 * none does. Returns 0 or the exit status. */
int orr_job_check(struct orr_job_inputs *inputs, int argc, char **argv, const char *native_only);

enum orrery_status orr_job_load(struct orrery *job, const struct orr_job_inputs *inputs);

#endif
