/* orrery run --cluster: queued jobs (cluster.queue). */
#include "cli/run/run_queue.h"

#include "cli/cli.h"
#include "cli/options.h"
#include "report/queue_report.h"
#include "study/cluster/queue_run.h"

/* Rejects outputs of a single run, because a queue consists of several. */
static int check_outputs(const struct orr_run_outputs *outputs)
{
    if (outputs->link_stats != NULL || outputs->traffic != NULL ||
        orr_run_outputs_need_nodes(outputs)) {
        return orr_usage_error("run", "--link-stats, --traffic-matrix, --why, --timeline, ",
                               "--memory-timeline and --per-npu are of one run; jobs that wait "
                               "(cluster.queue) are several");
    }
    return 0;
}

int orr_run_queue(const struct orr_run_outputs *outputs, const struct orr_jobs *jobs, bool alone,
                  struct orr_diag *diag)
{
    struct orr_queue_run run;
    const struct orr_run_writers writers = {
        .json = orr_queue_json, .csv = orr_queue_csv, .context = &run};
    bool quiet = false;
    int status = check_outputs(outputs);
    if (status != 0) {
        return status;
    }
    if (orr_queue_run(jobs, alone, &run, diag) != ORR_OK) {
        return orr_print_diag(diag);
    }
    status = orr_run_outputs_write(outputs, NULL, &writers, &quiet);
    if (status == 0 && !quiet) {
        status = orr_queue_table_write(stdout, &run);
    }
    return status != 0 ? status : fflush(stdout) != 0 ? 1 : 0;
}
