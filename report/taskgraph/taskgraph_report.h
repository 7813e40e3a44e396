/* The results of a task graph that has run (sim/cluster/taskgraph_job.h), as a table and as
 * JSON. */
#ifndef ORR_REPORT_TASKGRAPH_TASKGRAPH_REPORT_H
#define ORR_REPORT_TASKGRAPH_TASKGRAPH_REPORT_H

#include "report/network_use.h"

struct orr_taskgraph_job;
struct orrery;

/* A task graph, and the handle that ran it. */
struct orr_taskgraph_report {
    const struct orr_taskgraph_job *job;
    const struct orrery *run;
};

/* The utilization of its network. */
struct orr_network_use orr_taskgraph_use(const struct orr_taskgraph_report *report);

/* Prints the table. */
void orr_taskgraph_table(FILE *out, const struct orr_taskgraph_report *report);

/* A writer for struct orr_output; the context is a struct orr_taskgraph_report. */
int orr_taskgraph_json(FILE *out, const void *context);

#endif
