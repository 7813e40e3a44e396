/* What is told of a plan of SiP-ML. All return 0, or 1 when memory is out or nothing more can be
 * written. */
#ifndef ORR_PLANNER_SIPML_FILE_SIPML_REPORT_H
#define ORR_PLANNER_SIPML_FILE_SIPML_REPORT_H

#include <stdio.h>

#include "planner/plan_file/plan_write.h"
#include "planner/sipml_file/sipml_result.h"

/* For people (sipml_text.c), and for programs (sipml_json.c). */
int orr_sipml_text(FILE *out, const struct sipml_result *result);
int orr_sipml_json(FILE *out, const struct sipml_result *result);

/* The section of circuits, where a network sets them for demands (else nothing; and not to be asked
 * for JSON and CSV): who has how many, and where. As CSV the peers of all devices on each switch,
 * or the first group's wavelengths. (sipml_circuits_report.c) */
void orr_sipml_print_circuits(FILE *out, const struct sipml_result *result);
struct json_t *orr_sipml_circuits_json(const struct sipml_result *result);
int orr_sipml_circuits_csv(FILE *out, const struct sipml_result *result);

/* Every (k, l, batch) that was tried, a line each, as CSV. */
int orr_sipml_points_csv(FILE *out, const struct sipml_result *result);

/* Bytes of an iteration between the first GPUs: as CSV, and drawn (SiP-ML, Fig. 7). */
int orr_sipml_traffic_csv(FILE *out, const struct sipml_result *result);
int orr_sipml_traffic_svg(FILE *out, const struct sipml_result *result);

/* The job as a task graph that `orrery run` takes: one group, with copies (.otg). */
int orr_sipml_write_tasks(FILE *out, const struct sipml_result *result);

/* Files that run, as of TopoOpt's plans (plan_write.h); with `names` beside other files. */
int orr_sipml_write_strategy(FILE *out, const struct sipml_result *result);
int orr_sipml_write_model(FILE *out, const struct sipml_result *result);
int orr_sipml_write_platform(FILE *out, const struct sipml_result *result);
int orr_sipml_write_workload(FILE *out, const struct sipml_result *result,
                             const struct plan_names *names);

#endif
