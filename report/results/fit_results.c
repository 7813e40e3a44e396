/* The results of a fit to measurements, as tables. */
#include "report/results/fit_results.h"

/* ---- the fit ---- */

#define HEAD(member) .offset = offsetof(struct orr_fit_head_row, member)

static struct orr_value nvls_tree(const void *of)
{
    const struct orr_fit_head_row *row = of;
    return (struct orr_value){.kind = row->workload == NULL ? ORR_VALUE_BOOL : ORR_VALUE_NONE,
                              .integer = row->nvls_tree};
}

static struct orr_value refused_rows(const void *of)
{
    const struct orr_fit_head_row *row = of;
    return (struct orr_value){.kind = row->workload != NULL ? ORR_VALUE_INTEGER : ORR_VALUE_NONE,
                              .integer = (orr_sum)row->refused};
}

static const struct orr_result of_fit[] = {
    {.name = "platform",
     .type = ORR_RESULT_TEXT,
     HEAD(platform),
     .meaning = "the platform whose parameters were fitted"},
    {.name = "workload",
     .type = ORR_RESULT_TEXT,
     HEAD(workload),
     .meaning = "of a fit of compute: what rows set values of"},
    {.name = "fitted_rows",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_COUNT,
     HEAD(fitted),
     .meaning = "measured times that were fitted"},
    {.name = "held_out_rows",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_COUNT,
     HEAD(held_out),
     .meaning = "measured times that were held out to test the fit"},
    {.name = "refused_rows",
     ORR_COUNT_OF(refused_rows),
     .meaning = "of a fit of compute: rows that were left out, since they cannot run"},
    {.name = "nvls_tree",
     .type = ORR_RESULT_BOOL,
     .value = nvls_tree,
     .meaning =
         "of a fit of collectives: all-reduces of several nodes may be reduced in their switches"},
    {.name = "cost",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_NONE,
     HEAD(cost),
     .meaning = "the loss of rows and priors, which is minimal here (docs/models.md, section 18)"},
    {.name = "sigma",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     HEAD(sigma),
     .meaning = "standard deviation of log(model / measured), at least 0.01"}};

const struct orr_result_table orr_fit_head_results = {
    .title = "A fit",
    .place = "fit",
    .meaning =
        "The head of `orrery fit collectives --report FILE.json` and of `orrery fit "
        "compute`. In addition there are `rows`,\n`fitted` and `held_out` (errors), `parameters`, "
        "`warnings` and `notes`: the tables below, and lists of texts.",
    ORR_RESULT_TABLE(of_fit),
    .forms = ORR_IN_JSON};

/* ---- a measured time ---- */

#define TIME(member) .offset = offsetof(struct orr_fit_time_row, member)
#define MICROSECONDS(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_US, TIME(member)

static const struct orr_result of_time[] = {
    {.name = "collective", .type = ORR_RESULT_TEXT, TIME(collective), .meaning = "what was timed"},
    {.name = "npus",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     TIME(npus),
     .meaning = "NPUs that did it"},
    {.name = "npus_per_node",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     TIME(npus_per_node),
     .meaning = "of each node"},
    {.name = "bytes",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_BYTES,
     TIME(bytes),
     .meaning = "size, as nccl-tests count it"},
    {.name = "measured_us", MICROSECONDS(measured_us), .meaning = "the time that was measured"},
    {.name = "model_us", MICROSECONDS(model_us), .meaning = "the time of the fitted library"},
    {.name = "error",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     TIME(error),
     .meaning = "model / measured - 1"},
    {.name = "algorithm",
     .type = ORR_RESULT_TEXT,
     TIME(algorithm),
     .meaning = "what the model takes: ring, tree, chain, direct, nvls, nvls_tree"},
    {.name = "protocol",
     .type = ORR_RESULT_TEXT,
     TIME(protocol),
     .meaning = "LL, LL128 or Simple, where the algorithm has one"},
    {.name = "held_out", .type = ORR_RESULT_BOOL, TIME(held_out), .meaning = "it was not fitted"},
    {.name = "file", .type = ORR_RESULT_TEXT, TIME(file), .meaning = "where it was read"},
    {.name = "line",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     TIME(line),
     .meaning = "the line of the file, from 1"}};

const struct orr_result_table orr_fit_time_results = {
    .title = "A measured time of a fit",
    .place = "fit_rows",
    .meaning = "An entry of `rows`, in the order of the files.",
    ORR_RESULT_TABLE(of_time),
    .forms = ORR_IN_JSON};

/* ---- a measured iteration ---- */

#define ITERATION(member) .offset = offsetof(struct orr_fit_iteration_row, member)
#define SECONDS(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_S, ITERATION(member)

static const struct orr_result of_iteration[] = {
    {.name = "name",
     .type = ORR_RESULT_TEXT,
     ITERATION(name),
     .meaning = "its name in the file, or the values that are set"},
    {.name = "measured_s", SECONDS(measured_s), .meaning = "the time that was measured"},
    {.name = "model_s", SECONDS(model_s), .meaning = "the time on the fitted platform"},
    {.name = "error",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     ITERATION(error),
     .meaning = "model / measured - 1"},
    {.name = "held_out",
     .type = ORR_RESULT_BOOL,
     ITERATION(held_out),
     .meaning = "it was not fitted"},
    {.name = "file", .type = ORR_RESULT_TEXT, ITERATION(file), .meaning = "where it was read"},
    {.name = "line",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     ITERATION(line),
     .meaning = "the line of the file, from 1"}};

const struct orr_result_table orr_fit_iteration_results = {
    .title = "A measured iteration of a fit",
    .place = "fit_iterations",
    .meaning = "An entry of `rows` of `orrery fit compute`, in the order of the files.",
    ORR_RESULT_TABLE(of_iteration),
    .forms = ORR_IN_JSON};

/* ---- errors ---- */

#define ERROR(member) .offset = offsetof(struct orr_fit_error_row, member)
#define SHARE(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_RATIO, ERROR(member)

static const struct orr_result of_error[] = {
    {.name = "held_out",
     .type = ORR_RESULT_BOOL,
     ERROR(held_out),
     .in_forms = ORR_BY_NAME,
     .meaning = "of rows that were held out; else of those that were fitted"},
    {.name = "collective",
     .type = ORR_RESULT_TEXT,
     ERROR(collective),
     .meaning = "of this collective, or of `all`; not of iterations"},
    {.name = "sizes",
     .type = ORR_RESULT_TEXT,
     ERROR(sizes),
     .meaning = "of sizes `>= 1 MiB` or `< 1 MiB`, or of `all`; not of iterations"},
    {.name = "count",
     .type = ORR_RESULT_U64,
     .unit = ORR_UNIT_COUNT,
     ERROR(count),
     .meaning = "rows"},
    {.name = "median", SHARE(median), .meaning = "of the rows' errors, without their signs"},
    {.name = "p90", SHARE(p90), .meaning = "nine tenths of these are at most so large"},
    {.name = "bias", SHARE(bias), .meaning = "the median of the errors with their signs"},
    {.name = "worst", SHARE(worst), .meaning = "the largest error, without its sign"},
    {.name = "worst_name",
     .type = ORR_RESULT_TEXT,
     ERROR(worst_name),
     .meaning = "of iterations: the name of the row of the largest error"},
    {.name = "worst_file",
     .type = ORR_RESULT_TEXT,
     ERROR(worst_file),
     .meaning = "where the row of the largest error was read"},
    {.name = "worst_line",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     ERROR(worst_line),
     .meaning = "its line there"}};

const struct orr_result_table orr_fit_error_results = {
    .title = "Errors of a fit",
    .place = "fit_errors",
    .meaning = "An entry of `fitted` or `held_out`: how close the fitted model is to the rows of "
               "one collective and class\nof sizes.",
    ORR_RESULT_TABLE(of_error),
    .forms = ORR_IN_JSON};

/* ---- a parameter ---- */

#define PARAMETER(member) .offset = offsetof(struct orr_fit_parameter_row, member)

static const struct orr_result of_parameter[] = {
    {.name = "name",
     .type = ORR_RESULT_TEXT,
     PARAMETER(name),
     .meaning = "its key in `system.library`; of compute the whole path"},
    {.name = "value",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_NONE,
     PARAMETER(value),
     .meaning = "the fitted value"},
    {.name = "unit",
     .type = ORR_RESULT_TEXT,
     PARAMETER(unit),
     .meaning = "such as `us`; nothing of shares, scales and factors of curves"},
    {.name = "prior",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_NONE,
     PARAMETER(prior),
     .meaning = "the platform's value, or the default"},
    {.name = "std_dev",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     PARAMETER(std_dev),
     .meaning = "standard deviation of its logarithm after the fit; 0: it was kept at its prior"},
    {.name = "prior_std_dev",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     PARAMETER(prior_std_dev),
     .meaning = "the same before the fit"},
    {.name = "spread",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     PARAMETER(std_dev),
     .meaning = "deprecated name of `std_dev`"},
    {.name = "prior_spread",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     PARAMETER(prior_std_dev),
     .meaning = "deprecated name of `prior_std_dev`"},
    {.name = "used", .type = ORR_RESULT_BOOL, PARAMETER(used), .meaning = "it affects fitted rows"},
    {.name = "identified",
     .type = ORR_RESULT_BOOL,
     PARAMETER(identified),
     .meaning = "its standard deviation after the fit is less than half of the prior one"},
    {.name = "at_bound",
     .type = ORR_RESULT_TEXT,
     PARAMETER(at_bound),
     .meaning = "`low` or `high`, if it is at a bound"},
    {.name = "trades_with",
     .type = ORR_RESULT_TEXT,
     PARAMETER(trades_with),
     .meaning = "the parameter that it is correlated with most"},
    {.name = "correlation",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_RATIO,
     PARAMETER(correlation),
     .meaning = "with that; 0: with none"},
    {.name = "would_identify",
     .type = ORR_RESULT_TEXT,
     PARAMETER(would_identify),
     .meaning = "what has to be measured for it to be identified"}};

const struct orr_result_table orr_fit_parameter_results = {.title = "A parameter of a fit",
                                                           .place = "fit_parameters",
                                                           .meaning = "An entry of `parameters`.",
                                                           ORR_RESULT_TABLE(of_parameter),
                                                           .forms = ORR_IN_JSON};
