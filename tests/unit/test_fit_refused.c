/* Fits of collectives: platforms and rows that are refused, by place, and rows that are held out.
 */
#include "tests/unit/collfit_fixture.h"

#include "orrery/fit.h"

static void refuses(struct fixture *fixture, const char *platform, const char *message)
{
    char text[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES];
    orr_diag_init(&fixture->diag);
    assert_int_equal(try(fixture, platform), ORR_ERR_INPUT);
    (void)orr_diag_render(&fixture->diag, text, sizeof text);
    assert_string_equal(text, message);
}

static void test_platforms_are_refused_by_place(void **state)
{
    struct fixture *fixture = *state;
    row(fixture, "all_reduce", 8, 8, MIB, 60);
    refuses(fixture,
            "network: {topology: Switch(8), bandwidth: 300 GB/s}\n"
            "system: {chunks: 4}\n",
            "pod.yml:2:9: the platform has no library whose collectives could be fitted; expected "
            "system: {library: {name: nccl, gpu: a100}}, or --set 'system.library={name: nccl, "
            "gpu: a100}'");
    refuses(fixture,
            "network: {topology: Switch(8), bandwidth: 300 GB/s}\n"
            "system: {library: {name: none}}\n",
            "pod.yml:2:19: the platform has no library whose collectives could be fitted; expected "
            "system: {library: {name: nccl, gpu: a100}}, or --set 'system.library={name: nccl, "
            "gpu: a100}'");
    refuses(fixture,
            "network:\n"
            "  graph: {npus: 8, fabric: dgx1, bandwidth: 22.3 GB/s}\n"
            "system: {library: {name: nccl, gpu: v100}}\n",
            "pod.yml:2:3: network.graph: a fit of collectives needs the size of a node, which a "
            "graph does not have; expected network.topology, such as "
            "\"Switch(8)_Switch(4)\"");
    refuses(fixture, "name: x\n",
            "pod.yml:1:1: a platform needs the key \"network\", such as network: {topology: "
            "Switch(8), bandwidth: 300 GB/s}");
}

static void test_rows_beyond_the_platform_are_refused(void **state)
{
    struct fixture *fixture = *state;
    static const char small[] = "network:\n"
                                "  topology: Switch(4)_Switch(2)\n"
                                "  bandwidth: 300 GB/s\n"
                                "system: {library: {name: nccl, gpu: a100}}\n";
    row(fixture, "all_reduce", 8, 4, MIB, 60);
    row(fixture, "all_reduce", 8, 8, MIB, 60);
    refuses(fixture, small,
            "t.csv:3:1: 8 NPUs, 8 of each node: more of a node than the platform has; pod.yml has "
            "2 nodes of 4 NPUs");
    fixture->bytes = 0;
    fixture->bytes = (size_t)sprintf(fixture->csv, "collective,npus,npus_per_node,bytes,time_us\n");
    row(fixture, "all_reduce", 16, 4, MIB, 60);
    refuses(fixture, small,
            "t.csv:2:1: 16 NPUs, 4 of each node: more nodes than the platform has; pod.yml has 2 "
            "nodes of 4 NPUs");
}

static void test_held_out_rows_are_told_apart(void **state)
{
    struct fixture *fixture = *state;
    static const char a100[] = "network: {topology: Switch(8), bandwidth: 300 GB/s}\n"
                               "system: {library: {name: nccl, gpu: a100}}\n";
    for (uint64_t bytes = 1024; bytes <= 64 * MIB; bytes *= 2) {
        row(fixture, "all_reduce", 8, 8, bytes, 30 + 1.75 * (double)bytes / 230e3);
    }
    fixture->holdout = "every:2";
    const struct collfit *fitted = fit(fixture, a100);
    assert_int_equal(fitted->head.fitted, 9);
    assert_int_equal(fitted->head.held_out, 8);
    assert_int_equal(fitted->error[0].count, 9);
    assert_false(fitted->error[0].held_out);
    assert_int_equal(fitted->error[1].count, 8);
    assert_true(fitted->error[1].held_out);
    fixture->holdout = "column:npus>1";
    refuses(fixture, a100,
            "holdout \"column:npus>1\": all of the 17 rows are held out: none is left to fit");
    fixture->holdout = "every:1";
    refuses(fixture, a100, "holdout \"every:1\": expected a whole number of at least 2, got \"1\"");
}

/* ---- for programs ---- */

static void fails(struct orrery_fit *fit, enum orrery_status status, const char *message)
{
    assert_int_equal(status, ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_fit_error(fit), message);
}

static void test_programs_are_refused(void **state)
{
    (void)state;
    static const char rows[] = "collective,npus,npus_per_node,bytes,time_us\n"
                               "all_reduce,8,8,1048576,60\n";
    static const char pod[] = "network: {topology: Switch(8), bandwidth: 300 GB/s}\n"
                              "system: {library: {name: nccl, gpu: a100}}\n";
    const struct orrery_measured data = {"t.csv", rows, sizeof rows - 1};
    struct orrery_fit_collectives input = {ORRERY_SIZED(orrery_fit_collectives)};
    struct orrery_value value;
    struct orrery_fit *fit = orrery_fit_new();
    size_t count;
    fails(fit, orrery_fit_rows(fit, "fit_rows", &count), "nothing was fitted yet");
    fails(fit, orrery_fit_result(fit, "fit.cost", 0, &value), "nothing was fitted yet");
    assert_null(orrery_fit_text(fit, ORRERY_FIT_PLATFORM));
    assert_string_equal(orrery_fit_error(fit), "nothing was fitted yet");
    fails(fit, orrery_fit_collectives(fit, &input),
          "expected either the path or the text of a platform");
    input.text = pod;
    fails(fit, orrery_fit_collectives(fit, &input), "expected files of measured times");
    input.files = 1;
    fails(fit, orrery_fit_collectives(fit, &input), "expected files of measured times");
    input.data = &data;
    assert_int_equal(orrery_fit_collectives(fit, &input), ORRERY_OK);
    assert_int_equal(orrery_fit_rows(fit, "fit_parameters", &count), ORRERY_OK);
    assert_int_equal(count, COLLFIT_PARAMS);
    assert_int_equal(orrery_fit_result(fit, "fit_rows.measured_us", 0, &value), ORRERY_OK);
    assert_true(value.kind == ORRERY_VALUE_REAL && fabs(value.real - 60) < 1e-12);
    assert_non_null(strstr(orrery_fit_text(fit, ORRERY_FIT_PLATFORM), "\n    gpu: a100\n"));
    input.size--;
    assert_int_equal(orrery_fit_collectives(fit, &input), ORRERY_ERROR_INPUT);
    fails(fit, orrery_fit_rows(fit, "fit_rows", &count), "nothing was fitted yet");
    orrery_fit_free(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_platforms_are_refused_by_place, begin, end),
        cmocka_unit_test_setup_teardown(test_rows_beyond_the_platform_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_held_out_rows_are_told_apart, begin, end),
        cmocka_unit_test(test_programs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
