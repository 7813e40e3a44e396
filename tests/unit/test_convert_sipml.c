/* SiP-ML profiles, on files made field by field. */
#include "tests/unit/et_bytes.h"
#include "tests/unit/trace_text.h"

#include "core/conf/conf.h"
#include "et_converter/conversion_report.h"
#include "sipml/profiles/sipml.h"
#include "workload/model/model_read.h"
#include "workload/model/op_graph.h"

static int setup(void **state)
{
    *state = orr_arena_create();
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    orr_arena_destroy(*state);
    return 0;
}

/* Numbers of the fields 2 to 6; 0 is left out, as proto3 does. */
static void put_op(struct bytes *file, const char *name, const uint64_t fields[5])
{
    struct bytes op = {0};
    put_text(&op, 1, name);
    for (unsigned i = 0; i < 5; i++) {
        if (fields[i] != 0) {
            put_number(&op, i + 2, fields[i]);
        }
    }
    put_part(file, 1, op.data, op.count);
}

static void put_successor(struct bytes *file, const char *from, const char *to)
{
    struct bytes adjacents = {0};
    put_text(&adjacents, 1, from);
    put_text(&adjacents, 2, to);
    put_part(file, 2, adjacents.data, adjacents.count);
}

/* read (a variable) -> mul -> done (control) -> write. */
static struct bytes profile_of(uint64_t time_us, uint64_t output_bytes)
{
    struct bytes file = {0};
    put_successor(&file, "read", "mul"); /* before the operators that it names */
    put_op(&file, "read", (uint64_t[]){0, 4000, SIPML_MEMORY, SIPML_READ_VARIABLE, 0});
    put_op(&file, "mul", (uint64_t[]){time_us, 0, SIPML_COMPUTE, 0, output_bytes});
    put_op(&file, "done", (uint64_t[]){0, 0, SIPML_CONTROL, 0, 0});
    put_op(&file, "write", (uint64_t[]){0, 4000, SIPML_MEMORY, SIPML_WRITE_VARIABLE, 0});
    put_successor(&file, "mul", "done");
    put_successor(&file, "done", "write");
    return file;
}

static void read_profile(void **state, const char *name, const struct bytes *file,
                         struct sipml_profile *profile)
{
    const struct orr_et_bytes bytes = {.name = name, .data = file->data, .count = file->count};
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_sipml_read(*state, &bytes, profile, &diag) != ORR_OK) {
        print_error("unexpected: %s\n", diag.message);
    }
    assert_int_equal(diag.status, ORR_OK);
}

static void expect(void **state, const struct sipml_interpolation *between, const char *expected)
{
    const struct orr_trace *trace = NULL;
    struct trace_text text;
    struct conv_report report;
    orr_convert_report_init(&report, *state);
    assert_int_equal(orr_sipml_trace(*state, between, &trace, &report, NULL), ORR_OK);
    assert_string_equal(text_of_trace(*state, trace, &text), expected);
}

static void test_sipml_profile_becomes_a_trace(void **state)
{
    const struct bytes file = profile_of(12, 100);
    struct sipml_profile profile;
    read_profile(state, "m_bs1.pb", &file, &profile);
    expect(state, &(struct sipml_interpolation){&profile, &profile, 0},
           "0 read load local 4000 B\n"
           "1 mul comp 12000 ns 100 B < 0\n"
           "2 done other < 1\n"
           "3 write store local 4000 B < 2\n");
}

/* 12 us and 100 B at one size, 15 us and 201 B at the other: a third of the way are 13 us and
 * 133.67 B; twice the way 18 us and 302 B; five times before it -3 us, taken as 0. */
static void test_sipml_values_between_and_beyond_batch_sizes(void **state)
{
    const struct bytes file[2] = {profile_of(12, 100), profile_of(15, 201)};
    struct sipml_profile low, high;
    read_profile(state, "m_bs1.pb", &file[0], &low);
    read_profile(state, "m_bs4.pb", &file[1], &high);
    static const struct {
        double share;
        const char *mul;
    } cases[] = {{1.0 / 3, "1 mul comp 13000 ns 134 B < 0\n"},
                 {2, "1 mul comp 18000 ns 302 B < 0\n"},
                 {0.0005, "1 mul comp 12001500 ps 100 B < 0\n"},
                 {-5, "1 mul comp 0 ns 0 B < 0\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[256];
        (void)snprintf(expected, sizeof expected,
                       "0 read load local 4000 B\n%s2 done other < 1\n3 write store local 4000 B "
                       "< 2\n",
                       cases[i].mul);
        expect(state, &(struct sipml_interpolation){&low, &high, cases[i].share}, expected);
    }
}

static void test_sipml_tensors_are_loads_and_noted(void **state)
{
    struct bytes file = {0};
    put_op(&file, "x", (uint64_t[]){0, 8, SIPML_MEMORY, SIPML_TENSOR, 0});
    put_op(&file, "c", (uint64_t[]){0, 9, SIPML_MEMORY, SIPML_CONSTANT, 0});
    struct sipml_profile profile;
    const struct orr_trace *trace = NULL;
    struct conv_report report;
    orr_convert_report_init(&report, *state);
    read_profile(state, "m.pb", &file, &profile);
    assert_int_equal(orr_sipml_trace(*state, &(struct sipml_interpolation){&profile, &profile, 0},
                                     &trace, &report, NULL),
                     ORR_OK);
    assert_int_equal(report.notes, 1);
    assert_string_equal(report.note[0].finding,
                        "tensors and constants, as loads from local memory");
    assert_int_equal(report.note[0].count, 2);
    assert_string_equal(report.note[0].example[1], "c");
}

static const char *text_of_file(const char *path, char *text, size_t bytes)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    text[fread(text, 1, bytes - 1, in)] = '\0';
    assert_int_equal(fclose(in), 0);
    return text;
}

/* What is written is a model: three operators, 4000 bytes of weights, nothing goes back. */
static void expect_model(void **state, const char *path)
{
    const struct orr_conf *root = NULL;
    struct model_graph graph;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_conf_load(*state, path, &root, &diag) == ORR_OK) {
        (void)orr_model_read(*state, orr_conf_get(root, "model"), &graph, &diag);
    }
    assert_string_equal(diag.message, "");
    assert_int_equal(graph.ops, 3);
    assert_true(graph.lists_gradients);
    assert_int_equal(graph.batch, 3);
    assert_int_equal(graph.op[0].forward_ps, 12000000);
    assert_int_equal(graph.op[0].output_bytes, 34);
    assert_int_equal(graph.op[1].weight_bytes, 4000);
    assert_int_equal(graph.edge[graph.op[1].first_edge].from, 0);
    assert_int_equal(graph.op[2].edges, 1);
}

/* mul gives 100 bytes of 3 samples, 33.3 each; the gradient of the variable waits for `done` (last
 * in order of the two), so that is whose weights it is. Names are whatever bytes they are. */
static void test_sipml_profile_becomes_a_model(void **state)
{
    struct bytes file = profile_of(12, 100);
    struct sipml_profile profile;
    const struct orr_trace *trace = NULL;
    struct conv_report report;
    char text[2048];
    put_successor(&file, "mul", "write");
    put_op(&file, "odd \"\n\xff\xc3\xa9", (uint64_t[]){1, 0, SIPML_COMPUTE, 0, 6});
    put_successor(&file, "mul", "odd \"\n\xff\xc3\xa9");
    put_op(&file, "lost", (uint64_t[]){0, 5, SIPML_MEMORY, SIPML_WRITE_VARIABLE, 0});
    orr_convert_report_init(&report, *state);
    read_profile(state, "m_bs3.pb", &file, &profile);
    assert_int_equal(orr_sipml_trace(*state, &(struct sipml_interpolation){&profile, &profile, 0},
                                     &trace, &report, NULL),
                     ORR_OK);
    const struct sipml_model_info about = {.path = "sipml_model.yml", .batch = 3};
    assert_int_equal(orr_sipml_model(*state, trace, &about, &report, NULL), ORR_OK);
    assert_string_equal(
        text_of_file(about.path, text, sizeof text),
        "# Written by orrery convert: a SiP-ML profile. Sizes are bytes; operators of the "
        "backward\n"
        "# pass are listed with the others.\n"
        "model:\n"
        "  batch: 3\n"
        "  element_bytes: 1\n"
        "  gradients: listed\n"
        "  operators:\n"
        "    - data: {name: the samples, shape: [1]}\n"
        "    - measured: {name: \"mul\", input: the samples, forward: 12000000 ps, out: 34}\n"
        "    - measured: {name: \"done\", input: [\"mul\"], forward: 0 ps, out: 0, weights: 4000}\n"
        "    - measured: {name: \"odd \\\"\\x0A\\xFF\xc3\xa9\", input: [\"mul\"], forward: "
        "1000000 ps, out: 2}\n");
    expect_model(state, about.path);
    assert_int_equal(remove(about.path), 0);
    assert_int_equal(report.notes, 2);
    assert_string_equal(report.note[0].finding,
                        "variables that no operator writes, left out of the model");
    assert_string_equal(report.note[1].example[0], "mul: 100 bytes of 3 samples");
}

static void test_sipml_batch_sizes_come_from_names(void **state)
{
    (void)state;
    uint64_t batch;
    assert_true(orr_sipml_batch_of_name("d/bert_bs16.pb", &batch) && batch == 16);
    assert_true(orr_sipml_batch_of_name("x_bs1_bs8.pb.gz", &batch) && batch == 8);
    assert_true(orr_sipml_batch_of_name("x_bs2", &batch) && batch == 2);
    assert_false(orr_sipml_batch_of_name("bert.pb", &batch));
    assert_false(orr_sipml_batch_of_name("bert_bs.pb", &batch));
    assert_false(orr_sipml_batch_of_name("bert_bs0.pb", &batch));
    assert_false(orr_sipml_batch_of_name("bert_bs4x.pb", &batch));
}

/* ---- errors ---- */

static void expect_profile_error(void **state, const struct bytes *file, const char *expected)
{
    const struct orr_et_bytes bytes = {.name = "m.pb", .data = file->data, .count = file->count};
    struct sipml_profile profile;
    struct orr_diag diag;
    char said[ORR_DIAG_MESSAGE_BYTES];
    orr_diag_init(&diag);
    assert_int_equal(orr_sipml_read(*state, &bytes, &profile, &diag), ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, said, sizeof said);
    assert_string_equal(said, expected);
}

static void test_sipml_bad_profiles_are_refused(void **state)
{
    struct bytes file = {0};
    expect_profile_error(state, &file,
                         "m.pb: the file has no operators; a SiP-ML profile has them in field 1");
    put_op(&file, "a", (uint64_t[]){1, 0, 3, 0, 0});
    expect_profile_error(
        state, &file,
        "m.pb: record 0, byte offset 2: operator \"a\": op_type: expected 0 (compute), 1 "
        "(memory) or 2 (control dependency), got 3");
    file.count = 0;
    put_op(&file, "a", (uint64_t[]){1, 0, 1, 4, 0});
    expect_profile_error(
        state, &file,
        "m.pb: record 0, byte offset 2: operator \"a\": mem_type: expected 0 (tensor) to "
        "3 (constant), got 4");
    file.count = 0;
    put_op(&file, "", (uint64_t[]){1, 0, 0, 0, 0});
    expect_profile_error(state, &file, "m.pb: record 0, byte offset 2: operator 0 has no name");
    file.count = 0;
    put_op(&file, "a", (uint64_t[]){1, 0, 0, 0, 0});
    put_op(&file, "a", (uint64_t[]){1, 0, 0, 0, 0});
    expect_profile_error(state, &file,
                         "m.pb: record 0, byte offset 9: two operators are called \"a\"");
    file.count = 0;
    put_op(&file, "a", (uint64_t[]){UINT64_C(1) << 32, 0, 0, 0, 0});
    expect_profile_error(state, &file,
                         "m.pb: record 0, byte offset 2: operator \"a\": field 2: expected at most "
                         "4294967295, got 4294967296");
    file.count = 0;
    put_op(&file, "a", (uint64_t[]){1, 0, 0, 0, 0});
    put_successor(&file, "a", "b");
    expect_profile_error(
        state, &file,
        "m.pb: record 0, byte offset 12: the graph names \"b\", which is no operator of "
        "the profile");
    file.count -= 1;
    expect_profile_error(state, &file,
                         "m.pb: record 0, byte offset 7: field 2 goes beyond the message it "
                         "is in");
    file.count = 0;
    put_number(&file, 1, 5);
    expect_profile_error(
        state, &file,
        "m.pb: record 0, byte offset 0: field 1, nodes: expected text or a message, got a "
        "number");
}

static void test_sipml_profiles_of_different_models_are_refused(void **state)
{
    struct bytes file[2] = {profile_of(1, 1), profile_of(1, 1)};
    struct sipml_profile low, high;
    const struct orr_trace *trace = NULL;
    struct conv_report report;
    struct orr_diag diag;
    put_op(&file[1], "more", (uint64_t[]){1, 0, 0, 0, 0});
    read_profile(state, "m_bs1.pb", &file[0], &low);
    read_profile(state, "m_bs2.pb", &file[1], &high);
    orr_convert_report_init(&report, *state);
    orr_diag_init(&diag);
    assert_int_equal(orr_sipml_trace(*state, &(struct sipml_interpolation){&low, &high, 0.5},
                                     &trace, &report, &diag),
                     ORR_ERR_INPUT);
    assert_string_equal(diag.message,
                        "the operator \"more\" of m_bs2.pb is not in it; profiles of one model "
                        "have the same operators");
    assert_string_equal(diag.place.file, "m_bs1.pb");
}

static void test_sipml_cycle_is_named(void **state)
{
    struct bytes file = profile_of(1, 1);
    put_successor(&file, "write", "mul");
    struct sipml_profile profile;
    const struct orr_trace *trace = NULL;
    struct conv_report report;
    struct orr_diag diag;
    orr_diag_init(&diag);
    orr_convert_report_init(&report, *state);
    read_profile(state, "m.pb", &file, &profile);
    assert_int_equal(orr_sipml_trace(*state, &(struct sipml_interpolation){&profile, &profile, 0},
                                     &trace, &report, &diag),
                     ORR_ERR_INPUT);
    assert_string_equal(diag.message,
                        "cycle of dependencies: 1 (mul) -> 2 (done) -> 3 (write) -> 1 (mul)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sipml_profile_becomes_a_trace, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sipml_values_between_and_beyond_batch_sizes, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_sipml_tensors_are_loads_and_noted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sipml_profile_becomes_a_model, setup, teardown),
        cmocka_unit_test(test_sipml_batch_sizes_come_from_names),
        cmocka_unit_test_setup_teardown(test_sipml_bad_profiles_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sipml_profiles_of_different_models_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_sipml_cycle_is_named, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
