/* What all jobs of a queue say together. */
#ifndef ORR_STUDY_CLUSTER_QUEUE_STATISTICS_H
#define ORR_STUDY_CLUSTER_QUEUE_STATISTICS_H

#include "sim/sim.h"

/* From the jobs of the run: means and 99 % of iterations, each counted as often as it is there, and
 * of waiting; how long all took, and how much of the servers. O(spans log spans). */
enum orr_status orr_queue_statistics(struct orr_queue_run *run, struct orr_diag *diag);

#endif
