/* The results of the uncertainty of a job's time, with --uncertainty. */
#include "report/results/results.h"

#define AT(member) .offset = offsetof(struct orr_uncertainty_row, of.member)

static const struct orr_result uncertainty[] = {
    {.name = "share",
     ORR_SHARE_AT(share),
     .meaning = "the probability that the job's time is between the following"},
    {.name = "low_ps", ORR_PS_AT(low_ps), .meaning = "the lower end of the interval"},
    {.name = "high_ps",
     ORR_PS_AT(high_ps),
     .meaning = "the upper end, by the same factor above the job's time"},
    {.name = "low_utilization",
     ORR_SHARE_AT(low_utilization),
     .optional = true,
     .meaning = "the lower end for `model_flops_utilization`"},
    {.name = "high_utilization",
     ORR_SHARE_AT(high_utilization),
     .optional = true,
     .meaning = "the upper end for it"},
    {.name = "parameters",
     ORR_RATIO_AT(parameters),
     .meaning = "standard deviation of the time's logarithm due to the parameters "
                "(compute.fitted.parameters)"},
    {.name = "residuals",
     ORR_RATIO_AT(residuals),
     .optional = true,
     .meaning = "the same due to the residuals of the fit (compute.fitted.sigma)"},
    {.name = "rows",
     ORR_COUNT_AT(rows),
     .optional = true,
     .meaning = "measured iterations that were fitted"},
    {.name = "slopes",
     .type = ORR_RESULT_LIST,
     .list = orr_json_slopes,
     .rows = &orr_slope_results,
     .meaning = "parameters that affect the time"}};

const struct orr_result_table orr_uncertainty_results = {
    .title = "The uncertainty of a job's time",
    .place = "uncertainty",
    .meaning = "`uncertainty`, with `--uncertainty`, if the critical path has computation with a "
               "time from "
               "the roofline.",
    ORR_RESULT_TABLE(uncertainty),
    .forms = ORR_IN_JSON};
#undef AT

#define AT(member) .offset = offsetof(struct orrery_slope, member)

static const struct orr_result slope[] = {
    {.name = "name", ORR_TEXT_AT(name), .meaning = "the parameter's key, as compute.fitted has it"},
    {.name = "slope",
     ORR_RATIO_AT(slope),
     .meaning = "sensitivity of the job's time, d log(time) / d log(value): -0.6 is 0.6 % less "
                "time for 1 % more"},
    {.name = "std_dev",
     ORR_RATIO_AT(spread),
     .meaning = "standard deviation of the value's logarithm"},
    {.name = "spread", ORR_RATIO_AT(spread), .meaning = "deprecated name of `std_dev`"}};

const struct orr_result_table orr_slope_results = {
    .title = "A slope",
    .place = "uncertainty.slopes",
    .meaning = "An entry of `uncertainty.slopes`, in the order of compute.fitted.parameters.",
    ORR_RESULT_TABLE(slope),
    .forms = ORR_IN_JSON};
#undef AT
