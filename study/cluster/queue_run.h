/* A queue of jobs: jobs that arrive at a cluster over hours and wait for servers (orrery run
 * --cluster with cluster.queue). */
#ifndef ORR_STUDY_CLUSTER_QUEUE_RUN_H
#define ORR_STUDY_CLUSTER_QUEUE_RUN_H

#include <stdbool.h>

#include "core/status.h"

struct orr_diag;
struct orr_jobs;
struct orr_queue_run;

/* Runs the jobs, which must be placed (orr_jobs_place), into *out, in the arena of the jobs. On a
 * shared network each set of jobs that run together is simulated once, starting together; on
 * private networks equal jobs are simulated once, on all processors. alone: also the mean iteration
 * of each job alone on its servers. Errors: those of the runs; too few panels for the interfaces of
 * a server; a job that exceeds the range of time. In addition to the simulations O(events x
 * (waiting jobs + servers)), where events are arrivals, starts and ends. */
enum orr_status orr_queue_run(const struct orr_jobs *jobs, bool alone, struct orr_queue_run *out,
                              struct orr_diag *diag);

#endif
