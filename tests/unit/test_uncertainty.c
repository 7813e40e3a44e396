/* How far a job's time may be off, worked out by hand; what it is asked of and what is refused. */
#include "tests/unit/slopes_fixture.h"

/* 50 GFLOP at half of 100 TFLOP/s are 1 ms, and 100 us come with it: T = 1.1 ms. */
#define MACHINE(fitted)                                                                            \
    "network: {topology: Ring(2), bandwidth: 1 GB/s, latency: 1 us}\n"                             \
    "memory: {local: {bandwidth: 1 TB/s}}\n"                                                       \
    "compute:\n"                                                                                   \
    "  peak: 100 TFLOP/s\n"                                                                        \
    "  efficiency: [{kind: gemm, points: 0.5, constant: 100 us}, {kind: default, points: 0.25}]\n" \
    "  fitted: {" fitted "}\n"
#define TWO                                                                                        \
    "rows: 48, sigma: 0.05, parameters: [{name: compute.efficiency.gemm.points, spread: 0.02}, "   \
    "{name: compute.efficiency.gemm.constant, spread: 0.5}], correlation: [[1], [-0.5, 1]]"
#define ALONE "{name: compute.efficiency.gemm.points, spread: 0.02}"

/* Both NPUs run a product, of recorded duration where there are no operations. */
static struct orrery *load_product(const char *platform_text, uint64_t flops, unsigned record,
                                   enum orrery_status *status)
{
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery_workload *workload = orrery_workload_new();
    struct orrery *job = orrery_new();
    const struct orrery_trace_node node = {ORRERY_SIZED(orrery_trace_node),
                                           .kind = ORRERY_NODE_COMPUTE, .name = "gemm",
                                           .duration_ps = flops == 0 ? 1000000 : 0, .flops = flops};
    if (orrery_platform_parse(platform, platform_text) != ORRERY_OK) {
        fail_msg("%s", orrery_platform_error(platform));
    }
    assert_int_equal(orrery_workload_add(workload, 0, &node), ORRERY_OK);
    orrery_record(job, record);
    *status =
        orrery_load_parts(job, &(struct orrery_parts){ORRERY_SIZED(orrery_parts),
                                                      .platform = platform, .workload = workload});
    orrery_platform_free(platform);
    orrery_workload_free(workload);
    return job;
}

static struct orrery *run_product(const char *platform, uint64_t flops, unsigned record)
{
    enum orrery_status status;
    struct orrery *job = load_product(platform, flops, record, &status);
    if (status != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    return job;
}

#define GIGA UINT64_C(1000000000)

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6 * fabs(expected))) {
        fail_msg("%.12g, expected %.12g", value, expected);
    }
}

/* ---- by hand ---- */

/* Slopes are -1 / 1.1 and 0.1 / 1.1. Times spreads: a = -0.0181818, b = 0.0454545; a^2 + b^2 + 2
 * (-0.5) a b = 0.00322314, the square of 0.0567727. With 0.05 it is 0.0756514, and
 * exp(1.2815516 x 0.0756514) = 1.1018067: 0.9983603 to 1.2119873 ms. */
static void check_product(struct orrery *job)
{
    struct orrery_uncertainty told;
    struct orrery_slope slope;
    assert_int_equal(orrery_wall_ps(job), 1100000000);
    assert_int_equal(orrery_uncertainty(job, &told), ORRERY_OK);
    assert_true(told.share == 0.8 && told.residuals == 0.05);
    assert_int_equal(told.rows, 48);
    assert_int_equal(told.slopes, 2);
    assert_near(told.parameters, 0.05677270907634908);
    assert_near((double)told.low_ps, 998360303.179153);
    assert_near((double)told.high_ps, 1211987291.7091224);
    assert_true(told.low_utilization == 0 && told.high_utilization == 0);
    assert_int_equal(orrery_slope(job, 0, &slope), ORRERY_OK);
    assert_string_equal(slope.name, "compute.efficiency.gemm.points");
    assert_near(slope.slope, -1 / 1.1);
    assert_true(slope.spread == 0.02);
    assert_int_equal(orrery_slope(job, 1, &slope), ORRERY_OK);
    assert_string_equal(slope.name, "compute.efficiency.gemm.constant");
    assert_near(slope.slope, 0.1 / 1.1);
    assert_int_equal(orrery_slope(job, 2, &slope), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job),
                        "slope of a parameter: expected an index below 2, got 2");
}

static void test_interval_of_a_product_is_that_by_hand(void **state)
{
    (void)state;
    struct orrery *job = run_product(MACHINE(TWO), 50 * GIGA, ORRERY_RECORD_UNCERTAINTY);
    check_product(job);
    assert_int_equal(orrery_path_parts(job), 0); /* nobody asked for them */
    orrery_free(job);
}

/* With the critical path there is a run of its own; slopes are asked for or not. */
static void test_interval_beside_other_records_is_the_same(void **state)
{
    (void)state;
    static const unsigned beside[] = {ORRERY_RECORD_PATH, ORRERY_RECORD_SLOPES,
                                      ORRERY_RECORD_PATH | ORRERY_RECORD_SLOPES,
                                      ORRERY_RECORD_NODES | ORRERY_RECORD_TRAFFIC};
    static const char *const part[] = {"compute", "gemm by peak", "compute", NULL};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        struct orrery *job =
            run_product(MACHINE(TWO), 50 * GIGA, ORRERY_RECORD_UNCERTAINTY | beside[i]);
        struct orrery_path_part first;
        check_product(job);
        if (part[i] != NULL) {
            assert_int_equal(orrery_path_part(job, 0, &first), ORRERY_OK);
            assert_string_equal(first.what, part[i]);
        }
        assert_int_equal(orrery_path_steps(job), (beside[i] & ORRERY_RECORD_PATH) != 0 ? 1 : 0);
        orrery_free(job);
    }
}

/* A job that is run in pieces has its run of slopes in the first. */
static void test_interval_of_a_job_that_is_run_in_pieces(void **state)
{
    (void)state;
    enum orrery_status status;
    bool finished = false;
    struct orrery *job = load_product(MACHINE(TWO), 50 * GIGA,
                                      ORRERY_RECORD_UNCERTAINTY | ORRERY_RECORD_PATH, &status);
    assert_int_equal(status, ORRERY_OK);
    while (!finished) {
        assert_int_equal(orrery_run_some(job, 1, &finished), ORRERY_OK);
    }
    check_product(job);
    orrery_free(job);
}

/* Without correlations spreads are each for itself; without sigma they are all there is. */
static void test_interval_without_correlation_or_sigma(void **state)
{
    (void)state;
    struct orrery_uncertainty told;
    struct orrery *job = run_product(
        MACHINE("parameters: [" ALONE ", {name: compute.efficiency.gemm.constant, spread: 0.5}]"),
        50 * GIGA, ORRERY_RECORD_UNCERTAINTY);
    assert_int_equal(orrery_uncertainty(job, &told), ORRERY_OK);
    assert_near(told.parameters, hypot(0.02 / 1.1, 0.05 / 1.1));
    assert_true(told.residuals == 0 && told.rows == 0);
    assert_near((double)told.high_ps / 1.1e9, exp(1.2815515655446004 * told.parameters));
    assert_near((double)told.low_ps * (double)told.high_ps, 1.1e9 * 1.1e9);
    orrery_free(job);
}

/* Beyond what a time can be it stays at what it can. */
static void test_interval_of_a_wild_fit_is_bounded(void **state)
{
    (void)state;
    struct orrery_uncertainty told;
    struct orrery *job =
        run_product(MACHINE("sigma: 10, parameters: [{name: compute.peak, spread: 10}, {name: "
                            "compute.efficiency.gemm.points, spread: 10}], correlation: [[1], "
                            "[1, 1]]"),
                    UINT64_C(50000000000000), ORRERY_RECORD_UNCERTAINTY);
    assert_int_equal(orrery_uncertainty(job, &told), ORRERY_OK);
    assert_int_equal(told.high_ps, INT64_MAX);
    assert_true(told.low_ps >= 0 && told.low_ps < 10);
    orrery_free(job);
}

/* ---- results by name, and what is written ---- */

static struct orrery_value value_of(struct orrery *job, const char *name, size_t row)
{
    struct orrery_value value;
    if (orrery_result(job, name, row, &value) != ORRERY_OK) {
        fail_msg("%s: %s", name, orrery_error(job));
    }
    return value;
}

static void test_results_by_name_are_those_of_the_call(void **state)
{
    (void)state;
    size_t rows = 0;
    struct orrery *job = run_product(MACHINE(TWO), 50 * GIGA, ORRERY_RECORD_UNCERTAINTY);
    assert_near((double)value_of(job, "uncertainty.low_ps", 0).integer, 998360303.179153);
    assert_near(value_of(job, "uncertainty.parameters", 0).real, 0.05677270907634908);
    assert_true(value_of(job, "uncertainty.residuals", 0).real == 0.05);
    assert_int_equal(value_of(job, "uncertainty.rows", 0).integer, 48);
    assert_int_equal(value_of(job, "uncertainty.low_utilization", 0).kind, ORRERY_VALUE_NONE);
    assert_int_equal(orrery_result_rows(job, "uncertainty.slopes", &rows), ORRERY_OK);
    assert_int_equal(rows, 2);
    assert_near(value_of(job, "uncertainty.slopes.slope", 1).real, 0.1 / 1.1);
    assert_string_equal(value_of(job, "uncertainty.slopes.name", 1).text,
                        "compute.efficiency.gemm.constant");
    orrery_free(job);
}

static enum orrery_status write_table(struct orrery *job, FILE *out)
{
    return orrery_write_table(job, out, false);
}

static enum orrery_status write_json(struct orrery *job, FILE *out)
{
    return orrery_write_json(job, out, false);
}

static void check_written(struct orrery *job,
                          enum orrery_status (*write)(struct orrery *job, FILE *out),
                          const char *part, bool there)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(write(job, out), ORRERY_OK);
    assert_int_equal(fclose(out), 0);
    if ((strstr(text, part) != NULL) != there) {
        fail_msg("%s", text);
    }
    free(text);
}

static void test_what_is_written_has_the_interval(void **state)
{
    (void)state;
    struct orrery *job = run_product(MACHINE(TWO), 50 * GIGA, ORRERY_RECORD_UNCERTAINTY);
    check_written(job, write_table,
                  "job time 1.100 ms on 2 NPUs\n80 % between 998.360 us and 1.212 ms (compute as "
                  "fitted to 48 rows: parameters 5.7 %, residuals 5.0 %)\n\n",
                  true);
    check_written(job, write_json, "\"low_ps\": 998360303,", true);
    check_written(job, write_json, "\"name\": \"compute.efficiency.gemm.points\",", true);
    orrery_free(job);
    job = run_product(MACHINE("parameters: [" ALONE "]"), 50 * GIGA, ORRERY_RECORD_UNCERTAINTY);
    check_written(job, write_table,
                  "(compute as fitted: parameters 1.8 %, residuals not known)\n\n", true);
    orrery_free(job);
    job = run_product(MACHINE(TWO), 50 * GIGA, 0);
    check_written(job, write_table, "80 %", false);
    check_written(job, write_json, "uncertainty", false);
    orrery_free(job);
}

/* ---- where there is none ---- */

static void check_refused(struct orrery *job, const char *message)
{
    struct orrery_uncertainty told = {.share = 1};
    struct orrery_slope slope;
    size_t rows;
    assert_int_equal(orrery_uncertainty(job, &told), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), message);
    assert_true(told.share == 0 && told.high_ps == 0);
    assert_int_equal(orrery_slope(job, 0, &slope), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), message);
    assert_int_equal(orrery_result_rows(job, "uncertainty", &rows), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), message);
}

static void test_interval_that_nobody_asked_for_is_refused(void **state)
{
    (void)state;
    enum orrery_status status;
    struct orrery *job = run_product(MACHINE(TWO), 50 * GIGA, ORRERY_RECORD_SLOPES);
    check_refused(job, "the uncertainty of the job's time needs ORRERY_RECORD_UNCERTAINTY before "
                       "loading");
    orrery_free(job);
    job = load_product(MACHINE(TWO), 50 * GIGA, ORRERY_RECORD_UNCERTAINTY, &status);
    check_refused(job, "the job has not run yet");
    orrery_free(job);
}

/* Recorded durations, and no computing at all. */
static void test_computing_that_was_not_fitted_has_no_interval(void **state)
{
    (void)state;
    static const char recorded[] =
        "computing takes its recorded durations, so the parameters of compute.fitted do not "
        "matter: there is no interval of the job's time";
    static const char none[] =
        "no computing is on the critical path, so the parameters of compute.fitted do not matter: "
        "there is no interval of the job's time";
    struct orrery *job = run_product(MACHINE(TWO), 0, ORRERY_RECORD_UNCERTAINTY);
    char warning[256];
    (void)snprintf(warning, sizeof warning, "warning: %s", recorded);
    assert_string_equal(orrery_warning(job, 0), warning);
    check_refused(job, recorded);
    check_written(job, write_table, "80 %", false);
    check_written(job, write_json, "\"uncertainty\"", false);
    orrery_free(job);
    job = run_case(
        &(struct slopes_case){.platform = MACHINE(TWO),
                              .workload = "workload: {generate: all_reduce, bytes: 8000 B}",
                              .record = ORRERY_RECORD_UNCERTAINTY});
    check_refused(job, none);
    orrery_free(job);
}

/* A parameter that no part goes by, and others that some do. */
static void test_parameters_without_a_part_are_left_out_with_a_warning(void **state)
{
    (void)state;
    struct orrery_uncertainty told;
    struct orrery_slope slope;
    struct orrery *job =
        run_product(MACHINE("parameters: [{name: compute.efficiency.gem.points, spread: 3}, " ALONE
                            ", {name: \"network.dims[1].bandwidth\", spread: 3}, {name: "
                            "\"network.dims[0].bandwidth\", spread: 3}]"),
                    50 * GIGA, ORRERY_RECORD_UNCERTAINTY);
    assert_string_equal(
        orrery_warning(job, 0),
        "text:6:25: warning: compute.fitted.parameters: no part of a job's time depends on "
        "compute.efficiency.gem.points on this platform: the uncertainty omits it");
    assert_non_null(strstr(orrery_warning(job, 1), "network.dims[1].bandwidth"));
    assert_null(orrery_warning(job, 2));
    assert_int_equal(orrery_uncertainty(job, &told), ORRERY_OK);
    assert_near(told.parameters, 0.02 / 1.1);
    assert_int_equal(told.slopes, 2);
    assert_int_equal(orrery_slope(job, 1, &slope), ORRERY_OK);
    assert_string_equal(slope.name, "network.dims[0].bandwidth");
    assert_true(slope.slope == 0);
    orrery_free(job);
}

/* Shares that were put in the place of those that were fitted. */
static void test_shares_of_another_place_have_a_warning(void **state)
{
    (void)state;
    static const char *const set[] = {"compute.efficiency=0.5", "compute.efficiency[0].points=0.25",
                                      "memory.local.bandwidth=2 TB/s"};
    for (size_t i = 0; i < 3; i++) {
        enum orrery_status status;
        struct orrery *job = load_case(
            &(struct slopes_case){.platform = MACHINE(TWO),
                                  .workload = "workload: {generate: all_reduce, bytes: 1 MB}",
                                  .set = {set[i]},
                                  .record = ORRERY_RECORD_UNCERTAINTY},
            &status);
        assert_int_equal(status, ORRERY_OK);
        if (i < 2) {
            assert_string_equal(
                orrery_warning(job, 0),
                "--set: warning: compute.efficiency: expected the fitted values of "
                "compute.fitted (text): the uncertainty of the job's time is that of the fit, not "
                "of these values");
        } else {
            assert_null(orrery_warning(job, 0));
        }
        orrery_free(job);
    }
}

/* ---- what loading refuses ---- */

static void check_load(const char *platform, const char *set, const char *message)
{
    enum orrery_status status;
    struct orrery *job =
        load_case(&(struct slopes_case){.platform = platform,
                                        .workload = "workload: {generate: all_reduce, bytes: 1 MB}",
                                        .set = {set},
                                        .record = ORRERY_RECORD_UNCERTAINTY},
                  &status);
    assert_int_equal(status, ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), message);
    orrery_free(job);
}

#define HOW                                                                                        \
    " is missing, from which the uncertainty of the job's time is computed: orrery fit compute "   \
    "writes it from your measurements; files in inputs/compute that have it can be included"

static void test_platforms_that_do_not_tell_are_refused(void **state)
{
    (void)state;
    static const char network[] =
        "network: {topology: Ring(2), bandwidth: 1 GB/s, latency: 1 us}\n";
    char bare[256];
    check_load(network, NULL, "compute.fitted" HOW);
    (void)snprintf(bare, sizeof bare, "%scompute: {peak: 1 TFLOP/s}\n", network);
    check_load(bare, NULL, "text:2:10: compute.fitted" HOW);
    check_load(MACHINE("gpu: A100"), NULL, "text:6:11: compute.fitted.sigma" HOW);
    check_load(
        MACHINE(TWO), "compute.communication_slowdown=1.5",
        "--set: compute.communication_slowdown: expected 1 with the uncertainty of the job's time: "
        "sensitivities of nodes that are slowed down while they run are not known, got \"1.5\"");
    check_load(MACHINE(TWO), "memory.local.contention=fair",
               "memory.local.contention: expected none with the uncertainty of the job's time: "
               "sensitivities of nodes that share their memory are not known");
}

static void test_fits_that_cannot_be_are_refused(void **state)
{
    (void)state;
    check_load(MACHINE("parameters: [" ALONE ", " ALONE "]"), NULL,
               "text:6:86: compute.fitted.parameters[1].name: expected a parameter that is not "
               "listed before, got \"compute.efficiency.gemm.points\"");
    check_load(MACHINE("parameters: [{name: a, spread: 1}, {name: b, spread: 1}, {name: c, "
                       "spread: 1}], correlation: [[1], [0.9, 1], [0.9, -0.9, 1]]"),
               NULL,
               "text:6:105: compute.fitted.correlation: expected a positive semidefinite "
               "correlation matrix, got a list");
}

static void test_other_loads_are_refused(void **state)
{
    (void)state;
    struct orrery *job = orrery_new();
    orrery_record(job, ORRERY_RECORD_UNCERTAINTY);
    assert_int_equal(orrery_load_astra_sim(job, &(struct orrery_astra_sim){.workload = "none",
                                                                           .system = "none",
                                                                           .network = "none"}),
                     ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job),
                        "the uncertainty of a job's time goes by compute.fitted, which the "
                        "reference's files do not have: expected own files");
    orrery_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval_of_a_product_is_that_by_hand),
        cmocka_unit_test(test_interval_beside_other_records_is_the_same),
        cmocka_unit_test(test_interval_of_a_job_that_is_run_in_pieces),
        cmocka_unit_test(test_interval_without_correlation_or_sigma),
        cmocka_unit_test(test_interval_of_a_wild_fit_is_bounded),
        cmocka_unit_test(test_results_by_name_are_those_of_the_call),
        cmocka_unit_test(test_what_is_written_has_the_interval),
        cmocka_unit_test(test_interval_that_nobody_asked_for_is_refused),
        cmocka_unit_test(test_computing_that_was_not_fitted_has_no_interval),
        cmocka_unit_test(test_parameters_without_a_part_are_left_out_with_a_warning),
        cmocka_unit_test(test_shares_of_another_place_have_a_warning),
        cmocka_unit_test(test_platforms_that_do_not_tell_are_refused),
        cmocka_unit_test(test_fits_that_cannot_be_are_refused),
        cmocka_unit_test(test_other_loads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
