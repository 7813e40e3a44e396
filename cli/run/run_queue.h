/* Jobs of orrery run --cluster that wait for servers (cluster.queue). */
#ifndef ORR_CLI_RUN_RUN_QUEUE_H
#define ORR_CLI_RUN_RUN_QUEUE_H

#include "cli/run/run_outputs.h"

/* Runs the jobs, which are placed, and tells what came of it; returns the exit status, which is
 * said. */
int orr_run_queue(const struct orr_run_outputs *outputs, const struct orr_jobs *jobs, bool alone,
                  struct orr_diag *diag);

#endif
