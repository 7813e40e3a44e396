/* The traffic and the memory of a parallelization strategy, without a run. */
#ifndef ORR_REPORT_DEMAND_REPORT_H
#define ORR_REPORT_DEMAND_REPORT_H

#include <stdio.h>

#include "report/network_use.h"

struct demand_total;
struct model_graph;
struct orr_diag;
struct strategy;

struct orr_demand_report {
    const struct model_graph *model;
    const struct strategy *strategy;
    const struct demand_total *total;
    uint32_t rows; /* of all-reduce groups, by descending bytes; 0: all */
};

/* Prints a table: the bytes between devices, the all-reduce groups and what they reduce, and the
 * memory of the fullest device. Errors: memory. */
enum orr_status orr_demand_print(FILE *out, const struct orr_demand_report *report,
                                 struct orr_diag *diag);

/* Prints the same as JSON. Errors: memory. */
enum orr_status orr_demand_print_json(FILE *out, const struct orr_demand_report *report,
                                      struct orr_diag *diag);

/* The context for orr_traffic_output. `matrix` is borrowed: bytes between the devices of the
 * strategy, or with the traffic of rings added. */
struct orr_network_use orr_demand_use(const struct orr_demand_report *report,
                                      const uint64_t *matrix);

#endif
