/* Execution traces for programs (include/orrery/trace.h): each call gives what the command prints,
 * and says what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inputs_fixture.h"
#include "orrery/trace.h"

/* Two training steps of three layers on four NPUs. */
static int make_traces(void **state)
{
    if (inputs_set_up(state) != 0) {
        return -1;
    }
    free(inputs_command("gen mlp --npus 4 --bytes '1 MiB' --out mlp --layers 3 --repeat 2"));
    free(inputs_command("gen all_reduce --npus 4 --bytes '1 MiB' --out ar"));
    return 0;
}

static struct orrery_trace *trace_of(const char *path)
{
    struct orrery_trace *trace = orrery_trace_new();
    assert_non_null(trace);
    if (orrery_trace_read(trace, path) != ORRERY_OK) {
        fail_msg("%s", orrery_trace_error(trace));
    }
    return trace;
}

static void assert_says(const struct orrery_trace *trace, enum orrery_status status,
                        const char *part)
{
    assert_int_equal(status, ORRERY_ERROR_INPUT);
    if (strstr(orrery_trace_error(trace), part) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", part, orrery_trace_error(trace));
    }
}

static const char duration_trace[] =
    "{\"version\": \"0.0.4\"}\n"
    "{\"id\": \"1\", \"name\": \"a\", \"type\": \"COMP_NODE\", \"durationMicros\": \"3\"}\n"
    "{\"id\": \"2\", \"name\": \"b\", \"type\": \"COMP_NODE\", \"durationMicros\": \"5\", "
    "\"dataDeps\": [\"1\"]}\n"
    "{\"id\": \"3\", \"name\": \"c\", \"type\": \"COMP_NODE\", \"durationMicros\": \"1\", "
    "\"dataDeps\": [\"1\"]}\n";

static void write_durations(void)
{
    FILE *out = fopen("durations.json", "w");
    assert_non_null(out);
    assert_true(fputs(duration_trace, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

/* ---- what the command prints ---- */

static void test_views_are_those_of_the_command(void **state)
{
    static const struct {
        enum orrery_trace_view view;
        uint32_t rows;
        const char *command;
    } cases[] = {{ORRERY_TRACE_CHECK, 0, "trace check mlp.1.et"},
                 {ORRERY_TRACE_INFO, 0, "trace info mlp.1.et"},
                 {ORRERY_TRACE_NODES, 0, "trace print mlp.1.et"},
                 {ORRERY_TRACE_NODES_JSON, 0, "trace print --json - mlp.1.et"},
                 {ORRERY_TRACE_DOT, 0, "trace dot mlp.1.et"},
                 {ORRERY_TRACE_STATS, 20, "trace stats mlp.1.et"},
                 {ORRERY_TRACE_STATS, 1, "trace stats --top 1 mlp.1.et"},
                 {ORRERY_TRACE_STATS_JSON, 0, "trace stats --json - --top 0 mlp.1.et"}};
    (void)state;
    struct orrery_trace *trace = trace_of("mlp.1.et");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct inputs_stream stream = inputs_open();
        inputs_assert_printed(cases[i].command,
                              orrery_trace_text(trace, cases[i].view, cases[i].rows));
        assert_int_equal(orrery_trace_write(trace, stream.out, cases[i].view, cases[i].rows),
                         ORRERY_OK);
        inputs_assert_stream(&stream, cases[i].command);
    }
    assert_null(orrery_trace_text(trace, ORRERY_TRACE_PATH, 0));
    assert_non_null(strstr(orrery_trace_error(trace), "no node has a recorded duration"));
    orrery_trace_free(trace);
}

/* 1 (3 us) before 2 (5 us) and 3 (1 us): the chain 1, 2 takes 8 us of 9 us in all. */
static void test_figures_and_path(void **state)
{
    struct orrery_trace_figures figures = {ORRERY_SIZED(orrery_trace_figures)};
    struct orrery_trace_path path = {ORRERY_SIZED(orrery_trace_path)};
    (void)state;
    write_durations();
    struct orrery_trace *trace = trace_of("durations.json");
    assert_int_equal(orrery_trace_figures(trace, &figures), ORRERY_OK);
    assert_int_equal(figures.nodes, 3);
    assert_int_equal(figures.edges, 2);
    assert_int_equal(figures.depth, 2);
    assert_int_equal(figures.kind[ORRERY_NODE_COMPUTE] + figures.kind[ORRERY_NODE_CPU], 3);
    assert_int_equal(figures.recorded_ps, 9000000);
    assert_int_equal(figures.longest_ps, 8000000);
    assert_int_equal(orrery_trace_path(trace, &path), ORRERY_OK);
    assert_int_equal(path.length_ps, 8000000);
    assert_int_equal(path.nodes, 2);
    assert_int_equal(path.id[0], 1);
    assert_int_equal(path.id[1], 2);
    inputs_assert_printed("trace critical-path durations.json",
                          orrery_trace_text(trace, ORRERY_TRACE_PATH, 20));
    inputs_assert_printed("trace critical-path --json - durations.json",
                          orrery_trace_text(trace, ORRERY_TRACE_PATH_JSON, 20));
    orrery_trace_free(trace);
}

static void test_diff_is_that_of_the_command(void **state)
{
    struct orrery_trace_difference difference = {ORRERY_SIZED(orrery_trace_difference)};
    struct orrery_trace *a = trace_of("ar.0.et"), *b = trace_of("mlp.0.et");
    struct inputs_stream text = inputs_open(), json = inputs_open();
    (void)state;
    assert_int_equal(orrery_trace_diff(a, b, &difference), ORRERY_OK);
    assert_int_equal(difference.both, 0);
    assert_int_equal(difference.only_a, 1);
    assert_int_equal(difference.differences, difference.only_a + difference.only_b);
    assert_int_equal(orrery_trace_write_diff(a, b, text.out, false, 3), ORRERY_OK);
    inputs_assert_stream(&text, "trace diff --top 3 ar.0.et mlp.0.et");
    assert_int_equal(orrery_trace_write_diff(a, b, json.out, true, 0), ORRERY_OK);
    inputs_assert_stream(&json, "trace diff --json - --top 0 ar.0.et mlp.0.et");
    assert_int_equal(orrery_trace_diff(a, a, &difference), ORRERY_OK);
    assert_int_equal(difference.differences, 0);
    assert_int_equal(difference.both, 1);
    orrery_trace_free(a);
    orrery_trace_free(b);
}

/* ---- files ---- */

static void test_saved_trace_is_the_same(void **state)
{
    struct orrery_trace_difference difference = {ORRERY_SIZED(orrery_trace_difference)};
    struct orrery_trace *trace = trace_of("mlp.2.et");
    (void)state;
    assert_int_equal(orrery_trace_save(trace, "saved.et.gz", true), ORRERY_OK);
    struct orrery_trace *saved = trace_of("saved.et.gz");
    assert_int_equal(orrery_trace_diff(trace, saved, &difference), ORRERY_OK);
    assert_int_equal(difference.differences, 0);
    assert_true(difference.both > 0);
    assert_int_equal(orrery_trace_save(trace, "no_folder/saved.et", false), ORRERY_ERROR_IO);
    assert_non_null(strstr(orrery_trace_error(trace), "no_folder/saved.et"));
    orrery_trace_free(trace);
    orrery_trace_free(saved);
}

static void test_cut_is_that_of_the_command(void **state)
{
    struct orrery_trace *trace = orrery_trace_new();
    struct inputs_stream steps = inputs_open(), said = inputs_open();
    struct orrery_trace_cut cut = {ORRERY_SIZED(orrery_trace_cut), .in = "mlp", .out = "part",
                                   .step = "1", .said = said.out};
    (void)state;
    assert_int_equal(orrery_trace_write_steps(trace, steps.out, "mlp", "layer"), ORRERY_OK);
    inputs_assert_stream(&steps, "trace cut mlp --marker layer");
    if (orrery_trace_cut(trace, &cut) != ORRERY_OK) {
        fail_msg("%s", orrery_trace_error(trace));
    }
    assert_int_equal(cut.ranks, 4);
    assert_true(cut.nodes > 0 && cut.nodes < cut.all_nodes);
    rename("part.3.et", "by_call.et");
    inputs_assert_stream(&said, "trace cut mlp --step 1 -o part");
    inputs_assert_same_files("by_call.et", "part.3.et");
    orrery_trace_free(trace);
}

static void test_scale_is_that_of_the_command(void **state)
{
    struct orrery_trace *trace = orrery_trace_new();
    struct inputs_stream said = inputs_open();
    struct orrery_trace_scale scale = {ORRERY_SIZED(orrery_trace_scale), .in = "mlp",
                                       .out = "scaled", .to = 6, .said = said.out};
    (void)state;
    assert_int_equal(orrery_trace_scale(trace, &scale), ORRERY_OK);
    assert_int_equal(scale.from, 4);
    rename("scaled.5.et", "by_call.et");
    inputs_assert_stream(&said, "trace scale mlp --to 6 -o scaled");
    inputs_assert_same_files("by_call.et", "scaled.5.et");
    scale.from = 5;
    assert_says(trace, orrery_trace_scale(trace, &scale), "`from` says 5 ranks");
    scale.to = 0;
    assert_says(trace, orrery_trace_scale(trace, &scale), "from 1 to 2147483647, got 0");
    orrery_trace_free(trace);
}

/* ---- what is refused ---- */

static void test_bad_traces_are_refused_with_their_place(void **state)
{
    struct orrery_trace *trace = trace_of("ar.0.et");
    (void)state;
    FILE *out = fopen("cycle.json", "w");
    assert_non_null(out);
    (void)fputs(
        "{\"version\": \"0.0.4\"}\n"
        "{\"id\": \"1\", \"name\": \"a\", \"type\": \"COMP_NODE\", \"dataDeps\": [\"2\"]}\n"
        "{\"id\": \"2\", \"name\": \"b\", \"type\": \"COMP_NODE\", \"dataDeps\": [\"1\"]}\n",
        out);
    (void)fclose(out);
    assert_says(trace, orrery_trace_read(trace, "cycle.json"), "cycle of dependencies");
    assert_int_equal(orrery_trace_read(trace, "nothing.et"), ORRERY_ERROR_IO);
    assert_string_equal(orrery_trace_error(trace),
                        "nothing.et: cannot open: No such file or directory");
    assert_says(trace, orrery_trace_write(trace, stdout, ORRERY_TRACE_INFO, 0),
                "no trace was read");
    assert_int_equal(orrery_trace_read(trace, "ar.0.et"), ORRERY_OK);
    assert_non_null(orrery_trace_text(trace, ORRERY_TRACE_INFO, 0));
    orrery_trace_free(trace);
}

static void test_structs_of_other_interfaces_are_refused(void **state)
{
    struct orrery_trace_figures figures = {.size = sizeof figures - 8, .nodes = 77};
    struct orrery_trace_path path = {.size = sizeof path + 8};
    struct orrery_trace_difference difference = {.size = 0};
    struct orrery_trace_cut cut = {.size = 1};
    struct orrery_trace_scale scale = {.size = sizeof scale + 1};
    struct orrery_trace *trace = trace_of("ar.0.et");
    (void)state;
    assert_says(trace, orrery_trace_figures(trace, &figures), "struct orrery_trace_figures has");
    assert_int_equal(figures.nodes, 77);
    assert_says(trace, orrery_trace_path(trace, &path), "struct orrery_trace_path has");
    assert_says(trace, orrery_trace_diff(trace, trace, &difference), "has 0 bytes");
    assert_says(trace, orrery_trace_cut(trace, &cut), "struct orrery_trace_cut has 1 bytes");
    assert_says(trace, orrery_trace_scale(trace, &scale), "struct orrery_trace_scale has");
    orrery_trace_free(trace);
}

static void test_nulls_are_refused(void **state)
{
    struct orrery_trace_cut cut = {ORRERY_SIZED(orrery_trace_cut), .in = "ar", .out = "x"};
    struct orrery_trace *trace = orrery_trace_new();
    (void)state;
    assert_int_equal(orrery_trace_read(NULL, "ar.0.et"), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_trace_write(NULL, stdout, ORRERY_TRACE_INFO, 0), ORRERY_ERROR_INPUT);
    assert_null(orrery_trace_text(NULL, ORRERY_TRACE_INFO, 0));
    assert_string_equal(orrery_trace_error(NULL), "there is no such object: the handle is NULL");
    assert_string_equal(orrery_trace_error(trace), "");
    assert_says(trace, orrery_trace_read(trace, NULL), "got NULL");
    assert_says(trace, orrery_trace_figures(trace, NULL), "expected a struct orrery_trace_figures");
    assert_says(trace, orrery_trace_diff(trace, NULL, NULL), "got NULL");
    assert_says(trace, orrery_trace_write_diff(trace, NULL, stdout, false, 0), "no trace was read");
    assert_says(trace, orrery_trace_cut(trace, NULL), "expected a struct orrery_trace_cut");
    assert_says(trace, orrery_trace_cut(trace, &cut), "expected what to cut out");
    cut.in = NULL;
    assert_says(trace, orrery_trace_cut(trace, &cut), "`in`");
    assert_says(trace, orrery_trace_scale(trace, NULL), "expected a struct orrery_trace_scale");
    assert_int_equal(orrery_trace_read(trace, "ar.0.et"), ORRERY_OK);
    assert_says(trace, orrery_trace_write(trace, stdout, (enum orrery_trace_view)99, 0),
                "expected a view of a trace, got 99");
    orrery_trace_free(trace);
    orrery_trace_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views_are_those_of_the_command),
        cmocka_unit_test(test_figures_and_path),
        cmocka_unit_test(test_diff_is_that_of_the_command),
        cmocka_unit_test(test_saved_trace_is_the_same),
        cmocka_unit_test(test_cut_is_that_of_the_command),
        cmocka_unit_test(test_scale_is_that_of_the_command),
        cmocka_unit_test(test_bad_traces_are_refused_with_their_place),
        cmocka_unit_test(test_structs_of_other_interfaces_are_refused),
        cmocka_unit_test(test_nulls_are_refused),
    };
    return cmocka_run_group_tests(tests, make_traces, inputs_tear_down);
}
