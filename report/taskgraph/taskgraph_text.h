/* A task graph as text, without a run. */
#ifndef ORR_REPORT_TASKGRAPH_TASKGRAPH_TEXT_H
#define ORR_REPORT_TASKGRAPH_TASKGRAPH_TEXT_H

#include <stdio.h>

#include "core/status.h"

struct orr_diag;
struct tg_graph;

/* Prints tasks by role and pass, dependencies, bytes, all-reduces by their members, copies. Errors:
 * no memory. */
enum orr_status orr_taskgraph_show(FILE *out, const struct tg_graph *graph, struct orr_diag *diag);

/* Prints "FILE: ok, 5 tasks of 2 NPUs, 5 dependencies". */
enum orr_status orr_taskgraph_show_check(FILE *out, const struct tg_graph *graph,
                                         struct orr_diag *diag);

#endif
