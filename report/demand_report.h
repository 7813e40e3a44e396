/* What a strategy sends and holds, without a run. */
#ifndef ORR_REPORT_DEMAND_REPORT_H
#define ORR_REPORT_DEMAND_REPORT_H

#include <stdio.h>

#include "report/network_use.h"
#include "workload/workload.h"

struct orr_demand_report {
    const struct model_graph *model;
    const struct strategy *strategy;
    const struct demand_total *total;
    uint32_t rows; /* of all-reduce groups, those of most bytes first; 0: all */
};

/* A table: the bytes between devices, the groups that reduce and what, and what the fullest device
 * holds. Errors: memory. */
enum orr_status orr_demand_print(FILE *out, const struct orr_demand_report *report,
                                 struct orr_diag *diag);

/* The same as JSON. */
enum orr_status orr_demand_print_json(FILE *out, const struct orr_demand_report *report,
                                      struct orr_diag *diag);

/* For orr_traffic_output: a matrix of bytes between the devices of a strategy (or with what rings
 * add), which stays the caller's. */
struct orr_network_use orr_demand_use(const struct orr_demand_report *report,
                                      const uint64_t *matrix);

#endif
