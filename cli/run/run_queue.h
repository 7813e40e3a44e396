/* Queued jobs of orrery run --cluster (cluster.queue). */
#ifndef ORR_CLI_RUN_RUN_QUEUE_H
#define ORR_CLI_RUN_RUN_QUEUE_H

#include "cli/run/run_outputs.h"
#include "sim/cluster/jobs.h"

struct orr_diag;

/* Runs the placed jobs and prints the results. Prints errors on stderr; returns the exit status. */
int orr_run_queue(const struct orr_run_outputs *outputs, const struct orr_jobs *jobs, bool alone,
                  struct orr_diag *diag);

#endif
