/* The results of jobs that wait for servers of a cluster (sim/cluster/queue.h), as tables and
 * files. */
#ifndef ORR_REPORT_QUEUE_REPORT_H
#define ORR_REPORT_QUEUE_REPORT_H

#include <stdio.h>

#include "core/sum.h"
#include "core/units.h"

struct json_t;
struct orr_queue_run;

/* Writers for struct orr_output; the context is a struct orr_queue_run. */
int orr_queue_json(FILE *out, const void *context);
int orr_queue_csv(FILE *out, const void *context);
int orr_queue_table_write(FILE *out, const void *context);

/* ---- for the files of this folder ---- */

enum { ORR_QUEUE_HEAD_BYTES = 512 };

/* Describes the number of jobs and the servers and network that they run on. Returns `text`. */
const char *orr_queue_head(const struct orr_queue_run *run, char *text, size_t bytes);

/* The JSON of a run, owned by the caller. */
struct json_t *orr_queue_object(const struct orr_queue_run *run);

/* Write the columns of CSV, and a line for each job. `name`: value of a first column, NULL: without
 * that column. `block`: with the columns of jobs placed in blocks. */
void orr_queue_csv_head(FILE *out, bool block);
void orr_queue_csv_lines(FILE *out, const struct orr_queue_run *run, const char *name, bool block);

/* Formats a time summed over all servers, which may exceed the range of simulated time. Returns
 * `text`. */
const char *orr_queue_servers_time(orr_sum ps, char text[ORR_FORMAT_BYTES]);

#endif
