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

/* ---- for the files of this folder ---- */

enum { ORR_QUEUE_HEAD_BYTES = 512 };

/* How many jobs, on what. Returns text. */
const char *orr_queue_head(const struct orr_queue_run *run, char *text, size_t bytes);

/* The JSON of a run; the caller's. */
struct json_t *orr_queue_object(const struct orr_queue_run *run);

/* Columns of CSV, and a line for each job. name: in a column before the others, NULL: without that;
 * block: with what is told of jobs placed in blocks. */
void orr_queue_csv_head(FILE *out, bool block);
void orr_queue_csv_lines(FILE *out, const struct orr_queue_run *run, const char *name, bool block);

/* Time of all servers together, which may be more than there is of simulated time. Returns text. */
const char *orr_queue_servers_time(orr_sum ps, char text[ORR_FORMAT_BYTES]);

#endif
