/* Outputs of a run; see run_outputs.h. */
#include "cli/run/run_outputs.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "core/diag.h"
#include "orrery/orrery.h"
#include "report/run_report.h"
#include "report/table_text.h"

/* ---- options ---- */

const struct orr_option orr_run_output_rows[] = {
    ORR_ROW_PROGRESS(struct orr_run_outputs, progress),
    ORR_ROW_JSON(struct orr_run_outputs, json, "results", 0),
    {"details", NULL, ORR_FLAG,
     "with --json: also the contents of a page: timeline, links, traffic, memory, drawing of the "
     "network, what-if changes",
     ORR_TRUE(struct orr_run_outputs, details)},
    ORR_ROW_REPORT(struct orr_run_outputs, report,
                   "all of these; runs the job again for each what-if change"),
    ORR_ROW_CSV(struct orr_run_outputs, csv, "a line for each NPU"),
    {"why", NULL, ORR_FLAG, "the critical path: what the job's time is spent on",
     ORR_TRUE(struct orr_run_outputs, why)},
    {"timeline", "FILE|-", ORR_OUTPUT, "a timeline for Perfetto; compressed for FILE.gz",
     ORR_TEXT(struct orr_run_outputs, timeline.path)},
    {"timeline-ranks", "all|classes|LIST", ORR_VALUE,
     "the NPUs in it: all, one of each class (default), or ranks such as 0-3,8",
     ORR_TEXT(struct orr_run_outputs, timeline.ranks)},
    {"memory-timeline", "FILE|-", ORR_OUTPUT, "CSV: bytes of live tensors in each memory over time",
     ORR_TEXT(struct orr_run_outputs, memory_timeline)},
    {"link-stats", "FILE|-", ORR_OUTPUT, "CSV: bytes and utilization of every link of a graph",
     ORR_TEXT(struct orr_run_outputs, link_stats)},
    {"traffic-matrix", "FILE|-", ORR_OUTPUT, "CSV: bytes between any two NPUs; FILE.svg: a picture",
     ORR_TEXT(struct orr_run_outputs, traffic)},
    {"per-npu", NULL, ORR_FLAG, "one row for each NPU instead of each class",
     ORR_TRUE(struct orr_run_outputs, per_npu)},
    ORR_ROWS_END};

int orr_run_outputs_check(const struct orr_run_outputs *outputs)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (outputs->timeline.ranks != NULL && outputs->timeline.path == NULL) {
        return orr_usage_error("run", "--timeline-ranks goes with --timeline FILE", NULL);
    }
    if (outputs->details && outputs->json == NULL) {
        return orr_usage_error("run", "--details goes with --json FILE", NULL);
    }
    return orr_timeline_check(&outputs->timeline, &diag) == ORR_OK
               ? 0
               : orr_print_option_diag("run", "timeline-ranks", &diag);
}

int orr_run_outputs_check_npus(const struct orr_run_outputs *outputs, uint32_t npus)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_timeline_check_npus(&outputs->timeline, npus, &diag) != ORR_OK) {
        return orr_print_option_diag("run", "timeline-ranks", &diag);
    }
    return orr_traffic_check(outputs->traffic, npus, &diag) == ORR_OK
               ? 0
               : orr_print_option_diag("run", "traffic-matrix", &diag);
}

unsigned orr_run_outputs_record(const struct orr_run_outputs *outputs)
{
    const bool why = outputs->why || outputs->details || outputs->report != NULL;
    return ORRERY_RECORD_NODES | (why ? (unsigned)ORRERY_RECORD_PATH : 0) |
           (outputs->traffic != NULL ? (unsigned)ORRERY_RECORD_TRAFFIC : 0) |
           (outputs->timeline.path != NULL ? (unsigned)ORRERY_RECORD_LINK_USE : 0);
}

/* ---- writing ---- */

struct results {
    struct orrery *job;
    const struct orr_timeline *timeline;
    bool per_npu;
};

static int write_json(FILE *out, const void *context)
{
    const struct results *results = context;
    return orr_report_json(out, results->job, results->per_npu);
}

static int write_csv(FILE *out, const void *context)
{
    return orr_report_csv(out, ((const struct results *)context)->job);
}

static int write_timeline(FILE *out, const void *context)
{
    const struct results *results = context;
    return orr_timeline_write(out, results->timeline, results->job);
}

static int write_memory(FILE *out, const void *context)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)orr_report_memory_csv(out, ((const struct results *)context)->job, &diag);
    return orr_print_diag(&diag);
}

static int write_network(const struct orr_run_outputs *outputs, const struct orrery *job,
                         const struct orr_network_use *given, bool *quiet)
{
    if (outputs->link_stats == NULL && outputs->traffic == NULL) {
        return 0;
    }
    const struct orr_network_use use = given->network != NULL ? *given : orr_network_use_of(job);
    const struct orr_output links = {outputs->link_stats, orr_link_stats_write};
    const struct orr_output traffic = orr_traffic_output(outputs->traffic);
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (outputs->link_stats != NULL && given->network == NULL &&
        orr_link_stats_check(job, &diag) != ORR_OK) {
        return orr_print_option_diag("run", "link-stats", &diag);
    }
    const int result = orr_write_output(&links, &use, quiet);
    return result != 0 ? result : orr_write_output(&traffic, &use, quiet);
}

/* Writes the outputs other than JSON, CSV and the page. */
static int write_others(const struct orr_run_outputs *outputs, const struct results *results,
                        const struct orr_network_use *use, bool *quiet)
{
    const struct orr_output others[] = {{outputs->memory_timeline, write_memory},
                                        {outputs->timeline.path, write_timeline}};
    int result = 0;
    for (unsigned i = 0; i < sizeof others / sizeof *others && result == 0; i++) {
        result = orr_write_output(&others[i], results, quiet);
    }
    return result != 0 ? result : write_network(outputs, results->job, use, quiet);
}

/* Writes all outputs with the writers of a kind of run. */
static int write_all(const struct orr_run_outputs *outputs, const struct orr_run_writers *writers,
                     const struct results *results, const struct orr_page_part *part, bool *quiet)
{
    const bool own = writers->csv != NULL;
    const bool parts = writers->json != NULL || outputs->details; /* the JSON of the page */
    const struct orr_output json = {outputs->json, parts ? part->json : write_json};
    const struct orr_output csv = {outputs->csv, own ? writers->csv : write_csv};
    int result = orr_write_output(&json, parts ? part->context : (const void *)results, quiet);
    if (result == 0) {
        result = orr_write_output(&csv, own ? writers->context : (const void *)results, quiet);
    }
    if (result == 0) {
        result = write_others(outputs, results, &writers->use, quiet);
    }
    return result != 0 ? result : orr_write_page(outputs->report, outputs->command, part, 1, quiet);
}

int orr_run_outputs_write(const struct orr_run_outputs *outputs, struct orrery *job,
                          const struct orr_run_writers *writers, bool *quiet)
{
    const struct results results = {
        .job = job, .timeline = &outputs->timeline, .per_npu = outputs->per_npu};
    struct orr_job_page page = writers->page;
    const bool own = writers->json != NULL;
    const struct orr_page_part part = {.json = own ? writers->json : orr_job_page_json,
                                       .context = own ? writers->context : (const void *)&page,
                                       .name = writers->name};
    if (!own && outputs->details) {
        orr_job_page_make(&page); /* the page uses it too */
    }
    const int result = write_all(outputs, writers, &results, &part, quiet);
    orr_job_page_fini(&page);
    return result;
}
