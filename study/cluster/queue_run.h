/* Jobs that arrive at a cluster over hours and wait for servers (orrery run --cluster with
 * cluster.queue). */
#ifndef ORR_STUDY_CLUSTER_QUEUE_RUN_H
#define ORR_STUDY_CLUSTER_QUEUE_RUN_H

#include "sim/sim.h"

/* Runs the jobs, which are placed (orr_jobs_place), into *out, all in the arena of the jobs. On
 * a shared network each set of jobs that run together is simulated once, as they begin together;
 * with networks of their own jobs that are alike are simulated once, on all processors.
 * alone: also the mean iteration of each alone on its servers.
 * Errors: those of the runs; panels too few for the interfaces of a server; a job that lasts longer
 * than there is time. Beside simulations O(events x (jobs that wait + servers)), where each
 * arrival, start and end is an event. */
enum orr_status orr_queue_run(const struct orr_jobs *jobs, bool alone, struct orr_queue_run *out,
                              struct orr_diag *diag);

#endif
