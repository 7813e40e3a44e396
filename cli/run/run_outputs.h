/* What a run is asked to tell, beside or in place of its table: options that every kind of run has,
 * checked before it and written after it. */
#ifndef ORR_CLI_RUN_RUN_OUTPUTS_H
#define ORR_CLI_RUN_RUN_OUTPUTS_H

#include <getopt.h>

#include "cli/page_output.h"
#include "cli/progress.h"
#include "report/report.h"
#include "study/study.h"

/* Above those of a command's own, below those of jobs. */
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

/* Rows of a table of options. */
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
    char command[ORR_COMMAND_LINE_BYTES]; /* what a page is made by */
};

/* Takes an option of these; 0, or the exit status of bad usage. */
int orr_run_output_apply(struct orr_run_outputs *outputs, int option, const char *value);

/* What is wrong with them, after the last option; and, once the number of NPUs is known, what can
 * be known to fail before the run. 0, or an exit status, which is said. */
int orr_run_outputs_check(const struct orr_run_outputs *outputs);
int orr_run_outputs_check_npus(const struct orr_run_outputs *outputs, uint32_t npus);

/* Whether they tell of nodes, memories or NPUs by themselves. */
static inline bool orr_run_outputs_need_nodes(const struct orr_run_outputs *outputs)
{
    return outputs->why || outputs->per_npu || outputs->details || outputs->timeline.path != NULL ||
           outputs->memory_timeline != NULL;
}

/* What a run has to record for them (ORRERY_RECORD_...). */
unsigned orr_run_outputs_record(const struct orr_run_outputs *outputs);

/* How a kind of run tells its JSON, CSV and network; all zero: as traces do. */
struct orr_run_writers {
    int (*json)(FILE *out, const void *context);
    int (*csv)(FILE *out, const void *context);
    const void *context;
    struct orr_network_use use;
    struct orr_job_page page; /* what --report and --details tell of a run of traces */
    const char *name;         /* of the page; NULL: the result's own */
};

/* Writes the files. *quiet: one of them went to standard output, which then has no table. 0, or an
 * exit status, which is said. job: NULL where the writers tell all that is asked for. */
int orr_run_outputs_write(const struct orr_run_outputs *outputs, struct orrery *job,
                          const struct orr_run_writers *writers, bool *quiet);

#endif
