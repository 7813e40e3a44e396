/* Inputs that ship, schemas, and generated workloads as files, for programs
 * (include/orrery/inputs.h): texts and files are those of the command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inputs_fixture.h"
#include "orrery/inputs.h"
#include "orrery/trace.h"

/* A folder of inputs of our own, for the command too. */
static int make_inputs(void **state)
{
    if (inputs_set_up(state) != 0) {
        return -1;
    }
    FILE *out = system("mkdir -p ship/platforms ship/workloads ship/models") == 0
                    ? fopen("ship/platforms/ring_8.yml", "w")
                    : NULL;
    assert_non_null(out);
    (void)fputs("# A ring. It has 8 NPUs.\nnetwork: {topology: Ring(8), bandwidth: 1 GB/s}\n", out);
    (void)fclose(out);
    out = fopen("ship/models/small.yml", "w");
    assert_non_null(out);
    (void)fputs(
        "workload:\n"
        "  transformer: {layers: 4, hidden: 256, heads: 4, sequence: 128, vocabulary: 1000}\n"
        "  parallel: {tensor: 2, pipeline: 2}\n"
        "  training: {batch: 8}\n",
        out);
    (void)fclose(out);
    return setenv("ORRERY_INPUTS", "ship", 1);
}

static void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", part, text);
    }
}

/* ---- inputs that ship ---- */

static void test_inputs_are_found_by_name(void **state)
{
    struct orrery_catalogue *catalogue = orrery_catalogue_new();
    (void)state;
    assert_string_equal(orrery_inputs_folder(catalogue), "ship");
    assert_string_equal(orrery_find_input(catalogue, "platforms", "ring_8"),
                        "ship/platforms/ring_8.yml");
    assert_string_equal(orrery_find_input(catalogue, "workloads", "small"),
                        "ship/models/small.yml");
    assert_string_equal(orrery_find_input(catalogue, "platforms", "./other.yml"), "./other.yml");
    assert_null(orrery_find_input(catalogue, "platforms", "ring_9"));
    assert_contains(orrery_catalogue_error(catalogue), "did you mean \"ring_8\"?");
    orrery_catalogue_free(catalogue);
}

static void test_inputs_are_listed(void **state)
{
    struct orrery_shipped input = {ORRERY_SIZED(orrery_shipped)};
    struct orrery_catalogue *catalogue = orrery_catalogue_new();
    struct inputs_stream list = inputs_open();
    (void)state;
    assert_true(orrery_shipped(catalogue, "platforms", 0, &input));
    assert_string_equal(input.name, "ring_8");
    assert_string_equal(input.comment, "A ring.");
    assert_false(orrery_shipped(catalogue, "platforms", 1, &input));
    assert_false(orrery_shipped(catalogue, "workloads", 0, &input));
    assert_string_equal(orrery_catalogue_error(catalogue), "");
    assert_int_equal(orrery_write_inputs(catalogue, list.out), ORRERY_OK);
    inputs_assert_stream(&list, "run --list-inputs");
    orrery_catalogue_free(catalogue);
}

static void test_schemas_are_those_of_the_command(void **state)
{
    static const char *const names[] = {"platform", "workload", "sweep", "jobs",   "model",
                                        "strategy", "plan",     "keys",  "results"};
    struct orrery_catalogue *catalogue = orrery_catalogue_new();
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct inputs_stream schema = inputs_open();
        char command[64];
        (void)snprintf(command, sizeof command, "schema %s", names[i]);
        assert_int_equal(orrery_write_schema(catalogue, names[i], schema.out), ORRERY_OK);
        inputs_assert_stream(&schema, command);
    }
    assert_int_equal(orrery_write_schema(catalogue, "platforms", stdout), ORRERY_ERROR_INPUT);
    assert_contains(orrery_catalogue_error(catalogue), "got \"platforms\"");
    assert_int_equal(orrery_write_schema(catalogue, NULL, stdout), ORRERY_ERROR_INPUT);
    assert_contains(orrery_catalogue_error(catalogue), "got \"NULL\"");
    orrery_catalogue_free(catalogue);
}

static void test_bad_calls_of_the_catalogue_are_refused(void **state)
{
    struct orrery_shipped old = {.size = sizeof old + 8};
    struct orrery_catalogue *catalogue = orrery_catalogue_new();
    (void)state;
    assert_null(orrery_find_input(catalogue, "platforms", NULL));
    assert_contains(orrery_catalogue_error(catalogue), "got NULL");
    assert_null(orrery_find_input(catalogue, "platform", "ring_8"));
    assert_contains(orrery_catalogue_error(catalogue), "got \"platform\"");
    assert_false(orrery_shipped(catalogue, "platforms", 0, &old));
    assert_contains(orrery_catalogue_error(catalogue), "struct orrery_shipped has");
    assert_false(orrery_shipped(catalogue, "platforms", 0, NULL));
    assert_null(orrery_find_input(NULL, "platforms", "ring_8"));
    assert_null(orrery_inputs_folder(NULL));
    assert_int_equal(orrery_write_inputs(NULL, stdout), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_write_schema(NULL, "keys", stdout), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_catalogue_error(NULL),
                        "there is no such object: the handle is NULL");
    orrery_catalogue_free(catalogue);
    orrery_catalogue_free(NULL);
}

/* ---- generated workloads ---- */

static struct orrery_workload *workload_of(const char *text)
{
    struct orrery_workload *workload = orrery_workload_new();
    assert_non_null(workload);
    if (orrery_workload_parse(workload, text) != ORRERY_OK) {
        fail_msg("%s", orrery_workload_error(workload));
    }
    return workload;
}

static void save(struct orrery_workload *workload, uint32_t npus, const char *prefix, bool gzip)
{
    if (orrery_workload_save(workload, npus, prefix, gzip) != ORRERY_OK) {
        fail_msg("%s", orrery_workload_error(workload));
    }
}

static void test_patterns_are_those_of_the_command(void **state)
{
    struct orrery_workload *workload = workload_of(
        "workload: {generate: mlp, bytes: 1 MiB, layers: 3, repeat: 2, optimizer: true}");
    const char *summary = NULL;
    bool mlp = false;
    (void)state;
    save(workload, 4, "call", false);
    free(inputs_command("gen mlp --npus 4 --bytes '1 MiB' --layers 3 --repeat 2 --optimizer "
                        "--out command"));
    inputs_assert_same_files("call.3.et", "command.3.et");
    for (size_t i = 0; orrery_pattern(i, &summary) != NULL; i++) {
        assert_non_null(summary);
        mlp = mlp || strcmp(orrery_pattern(i, NULL), "mlp") == 0;
    }
    assert_true(mlp);
    orrery_workload_free(workload);
}

static void test_models_are_those_of_the_command(void **state)
{
    struct orrery_workload *workload = orrery_workload_new();
    struct inputs_stream described = inputs_open();
    (void)state;
    assert_int_equal(orrery_workload_read(workload, "ship/models/small.yml", NULL), ORRERY_OK);
    assert_int_equal(orrery_workload_set(workload, "workload.training.batch=16"), ORRERY_OK);
    if (orrery_workload_describe(workload, 8, described.out) != ORRERY_OK) {
        fail_msg("%s", orrery_workload_error(workload));
    }
    inputs_assert_stream(&described, "gen small --npus 8 --set workload.training.batch=16");
    save(workload, 8, "call", true);
    free(
        inputs_command("gen small --npus 8 --set workload.training.batch=16 --out command --gzip"));
    inputs_assert_same_files("call.7.et.gz", "command.7.et.gz");
    inputs_assert_same_files("call.groups.json", "command.groups.json");
    orrery_workload_free(workload);
}

/* One trace in memory for two NPUs: two files of it, and nothing can be added then. */
static void test_traces_in_memory_are_saved(void **state)
{
    struct orrery_trace_node node = {ORRERY_SIZED(orrery_trace_node), .id = 7,
                                     .kind = ORRERY_NODE_COLLECTIVE, .collective = "all_reduce",
                                     .bytes = 4096};
    struct orrery_trace_figures figures = {ORRERY_SIZED(orrery_trace_figures)};
    struct orrery_workload *workload = orrery_workload_new();
    struct orrery_trace *trace = orrery_trace_new();
    (void)state;
    assert_int_equal(orrery_workload_add(workload, 0, &node), ORRERY_OK);
    save(workload, 2, "memory", false);
    inputs_assert_same_files("memory.0.et", "memory.1.et");
    assert_int_equal(orrery_trace_read(trace, "memory.1.et"), ORRERY_OK);
    assert_int_equal(orrery_trace_figures(trace, &figures), ORRERY_OK);
    assert_int_equal(figures.nodes, 1);
    assert_int_equal(figures.communication_bytes, 4096);
    assert_int_equal(orrery_workload_add(workload, 0, &node), ORRERY_ERROR_INPUT);
    orrery_trace_free(trace);
    orrery_workload_free(workload);
}

static void refuse(const char *text, uint32_t npus, const char *part)
{
    struct orrery_workload *workload = text != NULL ? workload_of(text) : orrery_workload_new();
    assert_int_equal(orrery_workload_save(workload, npus, "x", false), ORRERY_ERROR_INPUT);
    assert_contains(orrery_workload_error(workload), part);
    assert_int_equal(orrery_workload_describe(workload, npus, stdout), ORRERY_ERROR_INPUT);
    orrery_workload_free(workload);
}

static void test_workloads_that_cannot_be_saved_are_refused(void **state)
{
    struct orrery_workload *workload = workload_of("workload: {generate: barrier}");
    (void)state;
    refuse(NULL, 4, "the workload is empty");
    refuse("compute: {peak: 1 TFLOP/s}", 4, "expected a section \"workload\"");
    refuse("workload: {generate: barrier}", 0, "npus: expected a number from 1");
    refuse("workload: {traces: there}", 4, "files already");
    assert_int_equal(orrery_workload_describe(workload, 4, stdout), ORRERY_ERROR_INPUT);
    assert_contains(orrery_workload_error(workload), "expected a generated model");
    assert_int_equal(orrery_workload_save(workload, 4, NULL, false), ORRERY_ERROR_INPUT);
    assert_contains(orrery_workload_error(workload), "got NULL");
    assert_int_equal(orrery_workload_save(workload, 4, "no_folder/x", false), ORRERY_ERROR_IO);
    assert_contains(orrery_workload_error(workload), "no_folder/x.0.et");
    assert_int_equal(orrery_workload_save(NULL, 4, "x", false), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_workload_describe(NULL, 4, stdout), ORRERY_ERROR_INPUT);
    orrery_workload_free(workload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs_are_found_by_name),
        cmocka_unit_test(test_inputs_are_listed),
        cmocka_unit_test(test_schemas_are_those_of_the_command),
        cmocka_unit_test(test_bad_calls_of_the_catalogue_are_refused),
        cmocka_unit_test(test_patterns_are_those_of_the_command),
        cmocka_unit_test(test_models_are_those_of_the_command),
        cmocka_unit_test(test_traces_in_memory_are_saved),
        cmocka_unit_test(test_workloads_that_cannot_be_saved_are_refused),
    };
    return cmocka_run_group_tests(tests, make_inputs, inputs_tear_down);
}
