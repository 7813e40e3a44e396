/* Reports of a plan of SiP-ML. All functions return 0, or 1 if memory is out or writing failed. */
#ifndef ORR_SIPML_PLAN_SIPML_REPORT_H
#define ORR_SIPML_PLAN_SIPML_REPORT_H

#include <stdio.h>

#include "planner/plan_file/plan_write.h"
#include "sipml/plan/sipml_result.h"

/* As text (sipml_text.c), and as JSON (sipml_json.c). */
int orr_sipml_text(FILE *out, const struct sipml_result *result);
int orr_sipml_json(FILE *out, const struct sipml_result *result);

/* The circuits of a plan whose network sets them by demands (text: else nothing; JSON and CSV:
 * required): how many each pair has, and which. As CSV the peers of all devices on each switch, or
 * the wavelengths of the first group. (sipml_circuits_report.c) */
void orr_sipml_print_circuits(FILE *out, const struct sipml_result *result);
struct json_t *orr_sipml_circuits_json(const struct sipml_result *result);
int orr_sipml_circuits_csv(FILE *out, const struct sipml_result *result);

/* Every (k, l, batch) of the search, a line each, as CSV. */
int orr_sipml_points_csv(FILE *out, const struct sipml_result *result);

/* Bytes of an iteration between the first GPUs: as CSV, and as a heatmap (SiP-ML, Fig. 7). */
int orr_sipml_traffic_csv(FILE *out, const struct sipml_result *result);
int orr_sipml_traffic_svg(FILE *out, const struct sipml_result *result);

/* The job as a task graph for `orrery run`: one group, with copies (.otg). */
int orr_sipml_write_tasks(FILE *out, const struct sipml_result *result);

/* Input files of a run, as for TopoOpt's plans (plan_write.h); `names` are the other files of the
 * folder. */
int orr_sipml_write_strategy(FILE *out, const struct sipml_result *result);
int orr_sipml_write_model(FILE *out, const struct sipml_result *result);
int orr_sipml_write_platform(FILE *out, const struct sipml_result *result);
int orr_sipml_write_workload(FILE *out, const struct sipml_result *result,
                             const struct plan_names *names);

#endif
