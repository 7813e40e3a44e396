/* Outputs of a run besides its table: options of every kind of run, checked before the run and
 * written after it. */
#ifndef ORR_CLI_RUN_RUN_OUTPUTS_H
#define ORR_CLI_RUN_RUN_OUTPUTS_H

#include <getopt.h>

#include "cli/page_output.h"
#include "cli/progress.h"
#include "report/network_use.h"
#include "report/timeline/timeline.h"
#include "study/job_page.h"

struct orrery;

/* Numbered above a command's own options and below those of jobs. */
enum orr_run_output_option {
    ORR_OPT_JSON = 448,
    ORR_OPT_CSV,
    ORR_OPT_WHY,
    ORR_OPT_TIMELINE,
    ORR_OPT_TIMELINE_RANKS,
    ORR_OPT_MEMORY_TIMELINE,
    ORR_OPT_LINK_STATS,
    ORR_OPT_TRAFFIC_MATRIX,
    ORR_OPT_PER_NPU,
    ORR_OPT_PROGRESS,
    ORR_OPT_REPORT,
    ORR_OPT_DETAILS
};

/* Rows for a table of options. */
#define ORR_RUN_OUTPUT_OPTIONS                                                                     \
    {"per-npu", no_argument, NULL, ORR_OPT_PER_NPU},                                               \
        {"report", required_argument, NULL, ORR_OPT_REPORT},                                       \
        {"details", no_argument, NULL, ORR_OPT_DETAILS},                                           \
        {"json", required_argument, NULL, ORR_OPT_JSON},                                           \
        {"csv", required_argument, NULL, ORR_OPT_CSV}, {"why", no_argument, NULL, ORR_OPT_WHY},    \
        {"timeline", required_argument, NULL, ORR_OPT_TIMELINE},                                   \
        {"timeline-ranks", required_argument, NULL, ORR_OPT_TIMELINE_RANKS},                       \
        {"memory-timeline", required_argument, NULL, ORR_OPT_MEMORY_TIMELINE},                     \
        {"link-stats", required_argument, NULL, ORR_OPT_LINK_STATS},                               \
        {"traffic-matrix", required_argument, NULL, ORR_OPT_TRAFFIC_MATRIX},                       \
    {                                                                                              \
        "progress", required_argument, NULL, ORR_OPT_PROGRESS                                      \
    }

struct orr_run_outputs {
    const char *json, *csv, *memory_timeline, *link_stats, *traffic, *report;
    struct orr_timeline timeline;
    enum orr_progress progress;
    bool per_npu, why, details;
    char command[ORR_COMMAND_LINE_BYTES]; /* command line, for the page */
};

/* Stores an option; 0, or the exit status of bad usage. */
int orr_run_output_apply(struct orr_run_outputs *outputs, int option, const char *value);

/* Check the options: after the last one, and once the number of NPUs is known. Print errors on
 * stderr; return 0 or the exit status. */
int orr_run_outputs_check(const struct orr_run_outputs *outputs);
int orr_run_outputs_check_npus(const struct orr_run_outputs *outputs, uint32_t npus);

/* Whether an output describes nodes, memories or NPUs. */
static inline bool orr_run_outputs_need_nodes(const struct orr_run_outputs *outputs)
{
    return outputs->why || outputs->per_npu || outputs->details || outputs->timeline.path != NULL ||
           outputs->memory_timeline != NULL;
}

/* What the run must record for the outputs (ORRERY_RECORD_...). */
unsigned orr_run_outputs_record(const struct orr_run_outputs *outputs);

/* Writers of a kind of run for JSON, CSV and network; all zero: those of traces. */
struct orr_run_writers {
    int (*json)(FILE *out, const void *context);
    int (*csv)(FILE *out, const void *context);
    const void *context;
    struct orr_network_use use;
    struct orr_job_page page; /* contents of --report and --details for a run of traces */
    const char *name;         /* title of the page; NULL: the result has its own */
};

/* Writes the files. *quiet: one of them went to standard output, so no table is printed. `job`:
 * NULL if the writers need none. Prints errors on stderr; returns 0 or an exit status. */
int orr_run_outputs_write(const struct orr_run_outputs *outputs, struct orrery *job,
                          const struct orr_run_writers *writers, bool *quiet);

#endif
