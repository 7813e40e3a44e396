/* Statistics over all jobs of a queue. */
#ifndef ORR_STUDY_CLUSTER_QUEUE_STATISTICS_H
#define ORR_STUDY_CLUSTER_QUEUE_STATISTICS_H

#include "core/status.h"

struct orr_diag;
struct orr_queue_run;

/* Computes from the jobs of the run: mean and 99th percentile of iterations, weighted by their
 * number, and of waiting; the makespan and the utilization of servers. O(spans log spans). Errors:
 * memory. */
enum orr_status orr_queue_statistics(struct orr_queue_run *run, struct orr_diag *diag);

#endif
