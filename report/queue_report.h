/* What jobs that waited for servers of a cluster (sim/cluster/queue.h) are like, in tables and
 * files. */
#ifndef ORR_REPORT_QUEUE_REPORT_H
#define ORR_REPORT_QUEUE_REPORT_H

#include <stdio.h>

#include "sim/sim.h"

/* Writers for struct orr_output; the context is a struct orr_queue_run. */
int orr_queue_json(FILE *out, const void *context);
int orr_queue_csv(FILE *out, const void *context);
int orr_queue_table_write(FILE *out, const void *context);

#endif
