/* Graphs of operators as text, as JSON and as graphs for Graphviz. Functions return 0, or 1 when
 * memory is out or nothing more can be written. */
#ifndef ORR_REPORT_MODEL_MODEL_REPORT_H
#define ORR_REPORT_MODEL_MODEL_REPORT_H

#include <stdio.h>

#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"

struct orr_model_shown {
    const struct model_graph *graph;
    struct model_totals totals;
    uint64_t batch;   /* samples of an iteration; 0: not known */
    uint32_t devices; /* devices that share the samples; a table processes all of them */
    uint32_t tables;
    const struct model_times *time; /* [ops] of one device's part; NULL: not known */
    struct model_times sum, table_sum;
};

/* Print a model: totals and one line an operator; JSON; a Graphviz graph; "FILE: ok, ...". */
int orr_model_show(FILE *out, const struct orr_model_shown *shown);
int orr_model_show_json(FILE *out, const struct orr_model_shown *shown);
int orr_model_show_dot(FILE *out, const struct orr_model_shown *shown);
int orr_model_show_check(FILE *out, const struct orr_model_shown *shown);

#endif
