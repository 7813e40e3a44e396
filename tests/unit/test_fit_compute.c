/* How fast a platform computes, fitted to times that the model itself made: what rows tell comes
 * back, what they do not tell stays, bounds are met and said, and what is written reads back. */
#include "core/conf/conf.h"
#include "planner/fit/least_squares.h"
#include "planner/fit_compute/compfit_private.h"
#include "planner/fit_compute/fit_compute.h"
#include "sim/load/workload_config.h"
#include "study/measured/measured.h"
#include "tests/unit/compfit_fixture.h"
#include "workload/engine/engine.h"
#include "workload/roofline/fitted.h"
#include "workload/trace/trace.h"

/* What made the times: shares of the peak and of the memory bandwidth, and 140 us a product. */
static const char truth[] = "compute.efficiency=[{kind: default, points: 0.62, bandwidth: 0.7}, "
                            "{kind: gemm, points: 0.62, constant: 140 us}, "
                            "{kind: attention, points: 0.3}, "
                            "{kind: elementwise, bandwidth: 0.7}, "
                            "{kind: memory, bandwidth: 0.7}]";
static const char *const set[] = {truth};
static const double expected[] = {0.62, 140, 0.3, 0.7};
static const char *const names[] = {
    "compute.efficiency.gemm.points", "compute.efficiency.gemm.constant",
    "compute.efficiency.attention.points", "compute.efficiency.elementwise.bandwidth"};

static void test_own_times_give_parameters_back(void **state)
{
    struct fixture *fixture = *state;
    made(fixture, pod, set, 1);
    fit(fixture);
    assert_int_equal(rows_of(fixture, "fit_parameters"), 4);
    for (size_t k = 0; k < 4; k++) {
        assert_string_equal(text_of(fixture, "fit_parameters.name", k), names[k]);
        near(number_of(fixture, "fit_parameters.value", k), expected[k], 0.001);
        assert_true(number_of(fixture, "fit_parameters.identified", k) > 0);
    }
    assert_int_equal(rows_of(fixture, "fit_iterations"), SHAPES);
    assert_true(number_of(fixture, "fit_errors.worst", 0) < 0.001);
    assert_string_equal(fixture->warning, "");
}

static void test_noise_moves_parameters_by_about_as_much(void **state)
{
    struct fixture *fixture = *state;
    line(fixture, "%s", header);
    for (size_t i = 0; i < SHAPES; i++) { /* 2 % up and down by turns */
        row(fixture, i, time_of(pod, shapes[i], set, 1) * (i % 2 == 0 ? 1.02 : 0.98));
    }
    fit(fixture);
    for (size_t k = 0; k < 4; k++) {
        const double off = log(number_of(fixture, "fit_parameters.value", k) / expected[k]);
        assert_true(number_of(fixture, "fit_parameters.identified", k) > 0);
        assert_true(fabs(off) < 2 * number_of(fixture, "fit_parameters.spread", k));
    }
    assert_true(number_of(fixture, "fit_errors.median", 0) < 0.03);
}

/* The same shape again and again tells one sum of all: the constant, of which least is known. */
static void test_what_rows_do_not_tell_stays_at_its_prior(void **state)
{
    struct fixture *fixture = *state;
    line(fixture, "%s", header);
    for (int i = 0; i < 3; i++) {
        row(fixture, 2, time_of(pod, shapes[2], set, 1));
    }
    fit(fixture);
    unsigned told = 0;
    for (size_t k = 0; k < 4; k++) {
        const bool identified = number_of(fixture, "fit_parameters.identified", k) > 0;
        told += identified ? 1 : 0;
        if (!identified) {
            assert_true(number_of(fixture, "fit_parameters.value", k) ==
                        number_of(fixture, "fit_parameters.prior", k));
            assert_true(number_of(fixture, "fit_parameters.spread", k) == 0);
            assert_string_not_equal(text_of(fixture, "fit_parameters.would_identify", k), "");
        }
    }
    assert_int_equal(told, 1);
    assert_string_equal(text_of(fixture, "fit_parameters.would_identify", 0),
                        "iterations that differ in hidden size");
}

/* Large products alone tell the constant of 20 us badly, but well that it is not the 100 us of its
 * prior, where the others could not be what they are. */
static void test_what_rows_push_from_its_prior_is_not_put_back(void **state)
{
    struct fixture *fixture = *state;
    const char *const made_by[] = {
        "compute.efficiency=[{kind: default, points: 0.85, bandwidth: 0.3}, "
        "{kind: gemm, points: 0.85, constant: 20 us}, {kind: attention, points: 0.6}, "
        "{kind: elementwise, bandwidth: 0.3}, {kind: memory, bandwidth: 0.3}]"};
    static const unsigned large[][4] = {
        {8192, 2048, 2, 8}, {8192, 1024, 8, 8},  {4096, 8192, 2, 8}, {16384, 1024, 2, 8},
        {4096, 4096, 4, 4}, {8192, 16384, 1, 8}, {4096, 2048, 2, 2}};
    static const double values[] = {0.85, 20, 0.6, 0.3};
    line(fixture, "%s", header);
    for (size_t i = 0; i < 7; i++) {
        const unsigned *shape = large[i];
        line(fixture, "large %zu,%u,%u,%u,%u,%.15g", i, shape[0], shape[1], shape[2], shape[3],
             time_of(pod, shape, made_by, 1));
    }
    fit(fixture);
    assert_true(number_of(fixture, "fit_parameters.identified", 1) == 0);
    for (size_t k = 0; k < 4; k++) {
        near(number_of(fixture, "fit_parameters.value", k), values[k], 0.001);
    }
}

/* Twice the peak of the data sheet: shares end at all of it. */
static void test_a_bound_is_met_exactly_and_said(void **state)
{
    struct fixture *fixture = *state;
    const char *const fast[] = {"compute.efficiency=[{kind: default, points: 0.9, bandwidth: 0.9}]",
                                "compute.peak=700 TFLOP/s"};
    made(fixture, pod, fast, 2);
    fit(fixture);
    assert_true(number_of(fixture, "fit_parameters.value", 0) == 1);
    assert_string_equal(text_of(fixture, "fit_parameters.at_bound", 0), "high");
    assert_non_null(strstr(fixture->warning,
                           "compute.efficiency.gemm.points met its bound of 1: all of what the "
                           "data sheet says"));
}

static void test_curves_are_scaled_as_a_whole(void **state)
{
    struct fixture *fixture = *state;
    static const char platform[] =
        "network: {topology: Switch(8)_Switch(2), bandwidth: 100 GB/s}\n"
        "memory: {local: {bandwidth: 1555 GB/s}}\n"
        "compute:\n"
        "  peak: 312 TFLOP/s\n"
        "  efficiency:\n"
        "    - {kind: default, points: 0.5}\n"
        "    - {kind: gemm, points: [[1 GFLOP, 0.3], [1 TFLOP, 0.8]], constant: 50 us}\n"
        "    - {kind: elementwise, bandwidth: [[1 MiB, 0.2], [1 GiB, 0.7]]}\n";
    static const char *const scaled[] = {
        "compute.efficiency=[{kind: default, points: 0.5}, {kind: gemm, points: [[1 GFLOP, 0.27], "
        "[1 TFLOP, 0.72]], constant: 60 us}, {kind: attention, points: 0.4}, {kind: elementwise, "
        "bandwidth: [[1 MiB, 0.16], [1 GiB, 0.56]]}, {kind: memory, bandwidth: [[1 MiB, 0.16], "
        "[1 GiB, 0.56]]}]"};
    made(fixture, platform, scaled, 1);
    fixture->input.text = platform;
    fit(fixture);
    near(number_of(fixture, "fit_parameters.value", 0), 0.9, 0.001);
    near(number_of(fixture, "fit_parameters.value", 1), 60, 0.001);
    near(number_of(fixture, "fit_parameters.prior", 2), 0.5, 1e-9); /* of the default */
    near(number_of(fixture, "fit_parameters.value", 3), 0.8, 0.001);
    const char *text = orrery_fit_text(fixture->fit, ORRERY_FIT_PLATFORM);
    assert_non_null(strstr(text, "- {kind: default, points: 0.5}\n"));
    assert_non_null(strstr(text, "points: [[1 GFLOP, 0.27"));
}

/* ---- slopes ---- */

/* One run tells what a second one, with a parameter 0.01 % beside, would. */
static void test_slopes_of_one_run_are_those_of_differences(void **state)
{
    struct fixture *fixture = *state;
    static const double step = 1e-4;
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    struct compfit compute;
    double theta[4], residual[SHAPES], jacobian[SHAPES * 4], beside[SHAPES];
    size_t list[SHAPES];
    made(fixture, pod, set, 1);
    const struct orr_measured_source source = {"t.csv", fixture->csv, fixture->bytes};
    struct compfit_input input = {.platform_name = "pod.yml", .source = &source, .sources = 1};
    input.platform_part = orrery_platform_new();
    input.workload_part = orrery_workload_new();
    orr_diag_init(&diag);
    assert_int_equal(orrery_platform_parse(input.platform_part, pod), ORRERY_OK);
    assert_int_equal(orrery_workload_parse(input.workload_part, model), ORRERY_OK);
    assert_int_equal(orr_conf_parse(arena, pod, strlen(pod), "pod.yml", &input.platform, &diag),
                     ORR_OK);
    assert_int_equal(orr_compfit_load(arena, &input, &compute, &diag), ORR_OK);
    for (size_t k = 0; k < 4; k++) {
        theta[k] = log(expected[k]);
    }
    for (size_t i = 0; i < SHAPES; i++) {
        list[i] = i;
    }
    const struct compfit_rows rows = {list, SHAPES};
    assert_int_equal(orr_compfit_jacobian(&compute, &rows, theta, residual, jacobian, &diag),
                     ORR_OK);
    for (size_t k = 0; k < 4; k++) {
        theta[k] -= step;
        assert_int_equal(orr_compfit_jacobian(&compute, &rows, theta, beside, NULL, &diag), ORR_OK);
        theta[k] += step;
        for (size_t i = 0; i < SHAPES; i++) {
            const double difference = (residual[i] - beside[i]) / step;
            assert_true(fabs(residual[i]) < 1e-9);
            assert_true(fabs(jacobian[4 * i + k] - difference) < 2e-4);
        }
    }
    orrery_platform_free(input.platform_part);
    orrery_workload_free(input.workload_part);
    orr_arena_destroy(arena);
}

/* ---- the search ---- */

/* A job of two paths, e^-theta and e^(theta - 0.002): the second is the longer one from 0.001 on.
 * It was measured to take 0.1. */
static enum orr_status two_paths(void *context, const double *theta, double *residual,
                                 double *jacobian, struct orr_diag *diag)
{
    const bool second = theta[0] > 0.001;
    (void)context, (void)diag;
    residual[0] = (second ? theta[0] - 0.002 : -theta[0]) - log(0.1);
    if (jacobian != NULL) {
        jacobian[0] = second ? 1 : -1;
    }
    return ORR_OK;
}

/* From 0 the first path alone would go down to the bound, 0.9, where the job takes longer than at
 * 0. So it does half way back, and again; then the search ends where it is best, and tells what is
 * there. */
static void test_a_search_ends_where_jobs_ran(void **state)
{
    const struct fit_param param = {"theta", 0, 0.3, -0.9, 0.9, false};
    const struct fit_problem problem = {.param = &param,
                                        .params = 1,
                                        .rows = 1,
                                        .model = two_paths,
                                        .has_jacobian = true,
                                        .options = orr_fit_default_options()};
    struct orr_arena *arena = orr_arena_create();
    struct fit_result result;
    struct orr_diag diag;
    (void)state;
    assert_int_equal(orr_compfit_search_surrogate(arena, &problem, &result, &diag), ORR_OK);
    assert_true(result.value[0].value == 0 && result.value[0].at_bound == FIT_INSIDE);
    near(result.residual[0], log(10), 1e-12);
    near(result.cost, 0.02 * (hypot(1, log(10) / 0.1) - 1), 1e-9);
    orr_arena_destroy(arena);
}

/* ---- other keys ---- */

static void test_any_key_of_a_number_can_be_fitted(void **state)
{
    struct fixture *fixture = *state;
    const char *const slower[] = {truth, "network.dims[1].bandwidth=20 GB/s"};
    const char *const paths[] = {"network.dims[1].bandwidth"};
    made(fixture, pod, slower, 2);
    fixture->input.fit = paths;
    fixture->input.fit_count = 1;
    fit(fixture);
    assert_int_equal(rows_of(fixture, "fit_parameters"), 5);
    assert_string_equal(text_of(fixture, "fit_parameters.name", 4), paths[0]);
    assert_string_equal(text_of(fixture, "fit_parameters.unit", 4), "GB/s");
    near(number_of(fixture, "fit_parameters.prior", 4), 25, 1e-9);
    near(number_of(fixture, "fit_parameters.value", 4), 20, 0.001);
    near(number_of(fixture, "fit_parameters.value", 0), expected[0], 0.001);
    assert_non_null(strstr(orrery_fit_text(fixture->fit, ORRERY_FIT_PLATFORM), "bandwidth: 20"));
}

static void test_no_network_is_faster_than_its_data_sheet(void **state)
{
    struct fixture *fixture = *state;
    const char *const faster[] = {truth, "network.dims[1].bandwidth=40 GB/s"};
    const char *const paths[] = {"network.dims[1].bandwidth"};
    made(fixture, pod, faster, 2);
    fixture->input.fit = paths;
    fixture->input.fit_count = 1;
    fit(fixture);
    assert_true(number_of(fixture, "fit_parameters.value", 4) <= 25);
    assert_non_null(strstr(fixture->warning, "network.dims[1].bandwidth met its bound of 25 GB/s"));
}

static void test_what_is_fixed_stays(void **state)
{
    struct fixture *fixture = *state;
    const char *const paths[] = {names[1]};
    made(fixture, pod, set, 1);
    fixture->input.fix = paths;
    fixture->input.fix_count = 1;
    fit(fixture);
    assert_true(number_of(fixture, "fit_parameters.value", 1) == 100);
    assert_true(number_of(fixture, "fit_parameters.spread", 1) == 0);
    assert_string_equal(text_of(fixture, "fit_parameters.would_identify", 1), "");
    assert_non_null(strstr(orrery_fit_text(fixture->fit, ORRERY_FIT_PLATFORM), "constant: 100 us"));
}

/* ---- what is written ---- */

static void test_the_platform_reads_back_as_what_was_fitted(void **state)
{
    struct fixture *fixture = *state;
    const char *const texts[] = {"compute.fitted.gpu=A100", "compute.fitted.stack=made up"};
    made(fixture, pod, set, 1);
    fixture->input.set = texts;
    fixture->input.set_count = 2;
    fit(fixture);
    char *written = strdup(orrery_fit_text(fixture->fit, ORRERY_FIT_PLATFORM));
    double model_s[SHAPES];
    for (size_t i = 0; i < SHAPES; i++) {
        model_s[i] = number_of(fixture, "fit_iterations.model_s", i);
    }
    assert_non_null(strstr(written, "    gpu: A100\n    stack: made up\n    rows: 12\n"));
    fixture->input.text = written;
    fixture->input.keep = 1;
    fit(fixture);
    for (size_t i = 0; i < SHAPES; i++) { /* to the picosecond */
        assert_true(number_of(fixture, "fit_iterations.model_s", i) == model_s[i]);
    }
    assert_int_equal(number_of(fixture, "fit.held_out_rows", 0), SHAPES);
    free(written);
}

static void test_the_section_alone_does_for_another_platform(void **state)
{
    struct fixture *fixture = *state;
    made(fixture, pod, set, 1);
    fit(fixture);
    char *section = strdup(orrery_fit_text(fixture->fit, ORRERY_FIT_COMPUTE));
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    const struct orr_conf *root = NULL, *other = NULL;
    orr_diag_init(&diag);
    assert_int_equal(orr_conf_parse(arena, section, strlen(section), "c.yml", &root, &diag),
                     ORR_OK);
    assert_int_equal(orr_conf_parse(arena, pod, strlen(pod), "pod.yml", &other, &diag), ORR_OK);
    assert_int_equal(orr_conf_merge(arena, other, root, &root, &diag), ORR_OK);
    const struct orr_conf *compute = orr_conf_get(root, "compute");
    struct wl_compute read = {0};
    assert_int_equal(orr_wl_compute_read(arena, compute, 16, &read, &diag), ORR_OK);
    near(read.efficiency->of[ORR_OP_GEMM].peak.share[0], 0.62, 0.001);
    near((double)read.efficiency->of[ORR_OP_GEMM].constant_ps, 140e6, 0.001);
    near(read.efficiency->of[ORR_OP_MEMORY].memory.share[0], 0.7, 0.001);
    near(read.efficiency->of[ORR_OP_DEFAULT].peak.share[0], 0.62, 0.001);
    assert_int_equal(read.fitted->rows, 12);
    assert_int_equal(read.fitted->params, 4);
    assert_string_equal(read.fitted->name[2], names[2]);
    assert_true(read.fitted->spread[0] > 0 && read.fitted->correlation[0] == 1);
    orr_arena_destroy(arena);
    free(section);
}

static void test_the_same_rows_have_the_same_fit_byte_by_byte(void **state)
{
    struct fixture *fixture = *state;
    made(fixture, pod, set, 1);
    fit(fixture);
    char *first = strdup(orrery_fit_text(fixture->fit, ORRERY_FIT_JSON));
    fit(fixture);
    assert_string_equal(orrery_fit_text(fixture->fit, ORRERY_FIT_JSON), first);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_own_times_give_parameters_back, begin, end),
        cmocka_unit_test_setup_teardown(test_noise_moves_parameters_by_about_as_much, begin, end),
        cmocka_unit_test_setup_teardown(test_what_rows_do_not_tell_stays_at_its_prior, begin, end),
        cmocka_unit_test_setup_teardown(test_what_rows_push_from_its_prior_is_not_put_back, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_a_bound_is_met_exactly_and_said, begin, end),
        cmocka_unit_test_setup_teardown(test_curves_are_scaled_as_a_whole, begin, end),
        cmocka_unit_test_setup_teardown(test_slopes_of_one_run_are_those_of_differences, begin,
                                        end),
        cmocka_unit_test(test_a_search_ends_where_jobs_ran),
        cmocka_unit_test_setup_teardown(test_any_key_of_a_number_can_be_fitted, begin, end),
        cmocka_unit_test_setup_teardown(test_no_network_is_faster_than_its_data_sheet, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_fixed_stays, begin, end),
        cmocka_unit_test_setup_teardown(test_the_platform_reads_back_as_what_was_fitted, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_the_section_alone_does_for_another_platform, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_the_same_rows_have_the_same_fit_byte_by_byte, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
