/* Fits to measurements as a study: their tables. Fitting is done above, in planner/. */
#include "report/results/fit_results.h"
#include "study/study_ops.h"

extern const struct orr_study_ops orr_study_fit;

static const struct orr_result_table *const tables[] = {
    &orr_fit_head_results,  &orr_fit_time_results,      &orr_fit_iteration_results,
    &orr_fit_error_results, &orr_fit_parameter_results, NULL};

const struct orr_study_ops orr_study_fit = {
    .name = "measured-fit",
    .summary = "parameters of a platform that measured times give",
    .tables = tables,
};
