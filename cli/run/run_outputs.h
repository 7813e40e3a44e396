/* Outputs of a run besides its table: options of every kind of run, checked before the run and
 * written after it. */
#ifndef ORR_CLI_RUN_RUN_OUTPUTS_H
#define ORR_CLI_RUN_RUN_OUTPUTS_H

#include "cli/cli.h"
#include "cli/page_output.h"
#include "cli/progress.h"
#include "report/network_use.h"
#include "report/timeline/timeline.h"
#include "study/job_page.h"

struct orrery;

struct orr_run_outputs {
    const char *json, *csv, *memory_timeline, *link_stats, *traffic, *report;
    struct orr_timeline timeline;
    enum orr_progress progress;
    bool per_npu, why, details;
    char command[ORR_COMMAND_LINE_BYTES]; /* command line, for the page */
};

/* Their rows, whose arguments are a struct orr_run_outputs. */
extern const struct orr_option orr_run_output_rows[];

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
