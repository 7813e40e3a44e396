/* Times of parts of operators: measured, by the roofline, linear; and profiles. */
#include "tests/unit/conf_fixture.h"
#include "workload/model/model_read.h"
#include "workload/model/part_time.h"

#include <math.h>

#define MODEL(...) "model: {batch: 64, operators: [" __VA_ARGS__ "]}"

static struct model_graph read_graph(struct fixture *fixture, const char *text)
{
    struct model_graph graph;
    const struct orr_conf *root = parse(fixture, text);
    assert_int_equal(
        orr_model_read(fixture->arena, orr_conf_get(root, "model"), &graph, &fixture->diag),
        ORR_OK);
    return graph;
}

static struct model_times time_of(struct fixture *fixture, const struct model_graph *graph,
                                  const uint32_t *degree, const struct model_speed *speed,
                                  uint64_t samples)
{
    struct model_times times;
    clear(fixture);
    assert_int_equal(orr_model_part_time(graph, 0, degree, speed, samples, &times, &fixture->diag),
                     ORR_OK);
    return times;
}

static struct wl_roofline roofline(double flops, double bytes_per_s)
{
    return (struct wl_roofline){.peak_flops = flops, .memory_bytes_per_s = bytes_per_s};
}

/* 256 features to 512, 64 samples, fp32: 2 x 64 x 256 x 512 = 16777216 operations; inputs 65536,
 * output 131072, weights 524288 bytes. */
#define DENSE                                                                                      \
    MODEL("{data: {shape: [256]}}, {dense: {out: 512, bias: false, profile: Dense_256_512}}")

static void test_part_work_divides_what_is_sliced(void **state)
{
    const struct model_graph graph = read_graph(*state, DENSE);
    const struct model_op *op = graph.op;
    const uint32_t all[] = {1, 1, 1}, samples[] = {4, 1, 1}, out[] = {1, 4, 1}, in[] = {1, 1, 4},
                   mixed[] = {2, 4, 1};
    struct model_part_work work = orr_model_part_work(op, &op->forward, all, 64);
    assert_int_equal(work.flops, 16777216);
    assert_int_equal(work.bytes, 65536 + 131072 + 524288);
    work = orr_model_part_work(op, &op->forward, samples, 64); /* weights are copied */
    assert_int_equal(work.flops, 4194304);
    assert_int_equal(work.bytes, 16384 + 32768 + 524288);
    work = orr_model_part_work(op, &op->forward, out, 64); /* all of the input */
    assert_int_equal(work.flops, 4194304);
    assert_int_equal(work.bytes, 65536 + 32768 + 131072);
    work = orr_model_part_work(op, &op->forward, in, 64); /* a sum of all of the output */
    assert_int_equal(work.flops, 4194304);
    assert_int_equal(work.bytes, 16384 + 131072 + 131072);
    work = orr_model_part_work(op, &op->forward, mixed, 64);
    assert_int_equal(work.flops, 2097152);
    assert_int_equal(work.bytes, 32768 + 16384 + 131072);
    work = orr_model_part_work(op, &op->forward, samples, 65); /* the largest: 17 */
    assert_int_equal(work.flops, 17 * 262144);
}

/* 1 TFLOP/s: 16.777216 us; the backward pass has one product, as there is no gradient of data. */
static void test_part_time_by_the_roofline(void **state)
{
    const struct model_graph graph = read_graph(*state, DENSE);
    struct model_speed speed = {.roofline = roofline(1e12, INFINITY)};
    struct model_times times = time_of(*state, &graph, (const uint32_t[]){1, 1, 1}, &speed, 64);
    assert_false(times.measured);
    assert_int_equal(times.forward_ps, 16777216);
    assert_int_equal(times.backward_ps, 16777216);
    times = time_of(*state, &graph, (const uint32_t[]){2, 2, 1}, &speed, 64);
    assert_int_equal(times.forward_ps, 4194304);
    speed.roofline = roofline(1e15, 1e9); /* 720896 bytes at 1 GB/s */
    times = time_of(*state, &graph, (const uint32_t[]){1, 1, 1}, &speed, 64);
    assert_int_equal(times.forward_ps, 720896000);
}

/* Twice 16.777216 us at half of the peak, and 5 us for each part; 2 x 2 parts of a quarter. */
static void test_part_time_counts_the_constant_of_the_kind(void **state)
{
    const struct model_graph graph = read_graph(*state, DENSE);
    struct model_speed speed = {.roofline = roofline(1e12, INFINITY)};
    const struct orr_conf *list =
        parse(*state, "- {kind: gemm, points: 0.5, constant: 5 us}\n- {kind: default}\n");
    double share = 0;
    struct fixture *fixture = *state;
    assert_int_equal(orr_wl_efficiency_read(fixture->arena, list, &share,
                                            &speed.roofline.efficiency, &fixture->diag),
                     ORR_OK);
    struct model_times times = time_of(*state, &graph, (const uint32_t[]){1, 1, 1}, &speed, 64);
    assert_int_equal(times.forward_ps, 33554432 + 5000000);
    times = time_of(*state, &graph, (const uint32_t[]){2, 2, 1}, &speed, 64);
    assert_int_equal(times.forward_ps, 8388608 + 5000000);
}

/* SiP-ML, 4.2: max(t / p, 1 us) + 1 us; t with its fixed cost of 10 us: 26.777216 us. */
static void test_part_time_linear_divides_the_fixed_cost_too(void **state)
{
    const struct model_graph graph = read_graph(*state, DENSE);
    struct model_speed speed = {.roofline = roofline(1e12, INFINITY),
                                .fixed_ps = 10000000,
                                .minimum_ps = 1000000,
                                .launch_ps = 1000000};
    const uint32_t four[] = {4, 1, 1}, many[] = {64, 1, 1};
    assert_int_equal(time_of(*state, &graph, four, &speed, 64).forward_ps,
                     10000000 + 4194304 + 1000000);
    speed.linear = true;
    assert_int_equal(time_of(*state, &graph, four, &speed, 64).forward_ps, 6694304 + 1000000);
    assert_int_equal(time_of(*state, &graph, many, &speed, 64).forward_ps, 2000000);
}

/* 64 us for 64 samples, whatever the batch of the model says later; or for 16. */
static void test_part_time_of_another_batch_than_measured_is_in_proportion(void **state)
{
#define OPS "operators: [{data: {shape: [4]}}, {measured: {out: 4, forward: 64 us}}]}"
    struct model_graph graph = read_graph(*state, "model: {name: m, batch: 64, " OPS);
    const uint32_t halves[] = {2, 1};
    const struct model_speed speed = {.profile = NULL};
    assert_int_equal(time_of(*state, &graph, halves, &speed, 64).forward_ps, 32000000);
    graph.batch = 128;
    assert_int_equal(time_of(*state, &graph, halves, &speed, 128).forward_ps, 64000000);
    graph = read_graph(*state, "model: {name: m, batch: 64, measured_batch: 16, " OPS);
    assert_int_equal(time_of(*state, &graph, halves, &speed, 64).forward_ps, 128000000);
    /* For each device: 16 groups, and one with the samples in 16 parts, have 64 on a device. */
    graph = read_graph(*state, "model: {name: m, batch_per_device: 64, " OPS);
    const uint32_t one[] = {1, 1}, sixteen[] = {16, 1};
    assert_int_equal(time_of(*state, &graph, one, &speed, 64).forward_ps, 64000000);
    assert_int_equal(time_of(*state, &graph, sixteen, &speed, 1024).forward_ps, 64000000);
#undef OPS
}

/* The same of an operator that was measured as a whole, for the numbers of parts that SiP-ML's
 * quantum of 10 us gives them (the largest power of two up to t / 10 us, at most 16). */
static void test_part_time_has_a_minimum_and_a_launch(void **state)
{
    static const struct {
        const char *us;
        uint32_t parts;
        sim_time time_ps;
    } cases[] = {{"9 us", 1, 10000000},    {"85 us", 8, 11625000}, {"115 us", 8, 15375000},
                 {"300 us", 16, 19750000}, {"12 us", 16, 2000000}, /* 0.75 us */
                 {"16 us", 16, 2000000},   {"0.5 us", 1, 2000000}};
    const struct model_speed speed = {.minimum_ps = 1000000, .launch_ps = 1000000};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[160];
        (void)snprintf(text, sizeof text,
                       MODEL("{data: {shape: [64]}}, {measured: {out: 64, forward: %s, backward: "
                             "0 us}}"),
                       cases[i].us);
        const struct model_graph graph = read_graph(*state, text);
        const uint32_t degree[] = {cases[i].parts, 1, 1};
        const struct model_times times = time_of(*state, &graph, degree, &speed, 64);
        assert_int_equal(times.forward_ps, cases[i].time_ps);
        assert_int_equal(times.backward_ps, 0); /* there is none */
    }
}

/* ---- profiles ---- */

#define PROFILE                                                                                    \
    "{\"batch_size\": 64, \"ngpus\": 4, \"measurements\": [\n"                                     \
    "{\"name\": \"Dense_256_512\", \"pc_str\": \"2-1-4\", \"fw_time\": 1.5, \"bw_time\": 2.25, "   \
    "\"mem_req\": 7},\n"                                                                           \
    "{\"name\": \"Dense_256_512\", \"pc_str\": \"2-2-1\", \"fw_time\": 3, \"bw_time\": 4.5},\n"    \
    "{\"name\": \"Dense_256_512\", \"pc_str\": \"2-1-1\", \"fw_time\": 6, \"bw_time\": 9}]}\n"

static struct model_profile read_profile(struct fixture *fixture, const char *text)
{
    struct model_profile profile;
    const struct orr_conf *root = parse(fixture, text);
    assert_int_equal(orr_model_profile_read(fixture->arena, root, &profile, &fixture->diag),
                     ORR_OK);
    return profile;
}

static void test_part_time_measured_is_taken_for_its_split(void **state)
{
    const struct model_graph graph = read_graph(*state, DENSE);
    const struct model_profile profile = read_profile(*state, PROFILE);
    struct model_speed speed = {.profile = &profile};
    struct model_times times = time_of(*state, &graph, (const uint32_t[]){4, 1, 1}, &speed, 64);
    assert_true(times.measured);
    assert_int_equal(times.forward_ps, 1500000000);
    assert_int_equal(times.backward_ps, 2250000000);
    times = time_of(*state, &graph, (const uint32_t[]){1, 2, 1}, &speed, 64);
    assert_int_equal(times.forward_ps, 3000000000);
    /* 16 of 64 samples, whole, are what a fourth of 64 is */
    times = time_of(*state, &graph, (const uint32_t[]){1, 1, 1}, &speed, 16);
    assert_int_equal(times.forward_ps, 1500000000);
    /* not measured: by the roofline, or a part of the whole */
    speed.roofline = roofline(1e12, INFINITY);
    times = time_of(*state, &graph, (const uint32_t[]){2, 1, 1}, &speed, 64);
    assert_false(times.measured);
    assert_int_equal(times.forward_ps, 8388608);
    speed.linear = true;
    times = time_of(*state, &graph, (const uint32_t[]){2, 1, 1}, &speed, 64);
    assert_true(times.measured);
    assert_int_equal(times.forward_ps, 3000000000);
}

/* 64 samples take 6 ms, 16 take 1.5 ms; of another batch 256 take 20 ms. */
static void test_part_time_between_batches_is_on_the_line(void **state)
{
    static const struct {
        uint64_t samples;
        sim_time forward_us, backward_us;
    } cases[] = {
        {64, 6000, 9000},                         /* as measured */
        {160, 13000, 19500},                      /* half way from 64 to 256 */
        {256, 20000, 30000}, {512, 38667, 58000}, /* beyond: 20 + 256 x 14 / 192 */
        {8, 750, 1125},                           /* below: 1.5 - 8 x 4.5 / 48 */
        {1, 94, 141},
    };
    const struct model_graph graph = read_graph(*state, DENSE);
    const struct model_profile other = read_profile(
        *state, "{batch_size: 256, measurements: [{name: Dense_256_512, pc_str: 2-1-1, "
                "fw_time: 20, bw_time: 30}, {name: X, pc_str: 2-1-1, fw_time: 1, bw_time: 0.1}]}");
    struct model_profile profile = read_profile(*state, PROFILE);
    profile.next = &other;
    const struct model_speed speed = {.profile = &profile};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct model_times times =
            time_of(*state, &graph, (const uint32_t[]){1, 1, 1}, &speed, cases[i].samples);
        assert_true(times.measured);
        assert_int_equal((times.forward_ps + 500000) / 1000000, cases[i].forward_us);
        assert_int_equal((times.backward_ps + 500000) / 1000000, cases[i].backward_us);
    }
    /* 320 samples in two parts: half way as well */
    assert_int_equal(time_of(*state, &graph, (const uint32_t[]){2, 1, 1}, &speed, 320).forward_ps,
                     13000000000);
    assert_true(orr_model_profile_has(&profile, "X"));
    assert_false(orr_model_profile_has(&profile, "Y"));
}

static void refuse_time(struct fixture *fixture, const struct model_graph *graph,
                        const uint32_t *degree, const struct model_speed *speed,
                        const char *message)
{
    struct model_times times;
    char said[ORR_DIAG_MESSAGE_BYTES];
    clear(fixture);
    assert_int_equal(orr_model_part_time(graph, 0, degree, speed, 64, &times, &fixture->diag),
                     ORR_ERR_INPUT);
    (void)orr_diag_render(&fixture->diag, said, sizeof said);
    assert_string_equal(said, message);
}

static void test_part_time_that_nothing_tells_is_refused(void **state)
{
    const struct model_graph graph = read_graph(*state, DENSE);
    const struct model_graph other =
        read_graph(*state, MODEL("{data: {shape: [4]}}, {dense: {name: d, out: 4, profile: X}}"));
    const struct model_graph none =
        read_graph(*state, MODEL("{data: {shape: [4]}}, {dense: {name: d, out: 4}}"));
    const struct model_profile profile = read_profile(*state, PROFILE);
    const struct model_speed speed = {.profile = &profile}, nothing = {.profile = NULL};
    const uint32_t eight[] = {8, 1, 1}, in[] = {1, 1, 2};
    refuse_time(*state, &graph, eight, &speed,
                "net.yml:1:64: operator \"dense 1\": net.yml has no measurement of "
                "\"Dense_256_512\" for this split, with 8 of 64 samples a part (measured: 64, 16), "
                "and there is no peak rate for an estimate");
    refuse_time(*state, &graph, in, &speed,
                "net.yml:1:64: operator \"dense 1\": net.yml has no measurement of "
                "\"Dense_256_512\" for this split, with 64 of 64 samples a part, and there is no "
                "peak rate for an estimate");
    refuse_time(*state, &other, eight, &speed,
                "net.yml:1:62: operator \"d\": net.yml has no measurement of \"X\", and there is "
                "no peak rate for an estimate");
    refuse_time(*state, &none, eight, &speed,
                "net.yml:1:62: operator \"d\": no `profile` to look for, and there is no peak rate "
                "for an estimate");
    refuse_time(
        *state, &none, eight, &nothing,
        "net.yml:1:62: operator \"d\": no profile, and there is no peak rate for an estimate");
}

static void test_profile_read_what_is_wrong_is_named_with_its_place(void **state)
{
#define ONE(text) "{batch_size: 8, measurements: [\n" text "]}\n"
#define TIMES "fw_time: 1, bw_time: 2"
    static const char *const cases[][2] = {
        {ONE("{name: a, pc_str: 2-1-4, fw_time: -1, bw_time: 2}"),
         "net.yml:2:35: measurements[0].fw_time: expected a number from 0 to 1e+09, got \"-1\""},
        {ONE("{name: a, " TIMES "}"),
         "net.yml:2:1: measurements[0]: a measurement needs the key \"pc_str\" (how many axes, "
         "then the parts of each, the innermost first and the samples last), such as pc_str: "
         "4-1-1-1-16"},
        {ONE("{name: a, pc_str: 2-1, " TIMES "}"),
         "net.yml:2:19: measurements[0].pc_str: expected how many axes and the parts of each, such "
         "as 4-1-1-1-16, got \"2-1\""},
        {ONE("{name: a, pc_str: 2-0-1, " TIMES "}"),
         "net.yml:2:19: measurements[0].pc_str: expected how many axes and the parts of each, such "
         "as 4-1-1-1-16, got \"2-0-1\""},
        {ONE("{name: a, pc_str: 2-1-1-, " TIMES "}"),
         "net.yml:2:19: measurements[0].pc_str: expected how many axes and the parts of each, such "
         "as 4-1-1-1-16, got \"2-1-1-\""},
        {ONE("{name: a, pc_str: 9-1-1-1-1-1-1-1-1-1, " TIMES "}"),
         "net.yml:2:19: measurements[0].pc_str: expected how many axes and the parts of each, such "
         "as 4-1-1-1-16, got \"9-1-1-1-1-1-1-1-1-1\""},
        {ONE("{name: a, pc_str: 2-1-4}"),
         "net.yml:2:1: measurements[0]: a measurement needs the key \"fw_time\" (milliseconds of a "
         "part forwards), such as fw_time: 1.56"},
        {ONE("{name: a, pc_str: 2-1-4, " TIMES "},\n{name: a, pc_str: 2-1-4, " TIMES "}"),
         "net.yml:3:1: measurements[1]: \"a\" was measured for this split already at line 2"},
        {"{batch_size: 8, measurements: []}\n",
         "net.yml:1:31: measurements: expected a list of 1 to 1000000 entries, got 0"},
        {"{measurements: [{name: a, pc_str: 2-1-4, " TIMES "}]}\n",
         "net.yml:1:1: a profile needs the key \"batch_size\" (samples of all parts together), "
         "such as batch_size: 4096"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture *fixture = *state;
        struct model_profile profile;
        char said[ORR_DIAG_MESSAGE_BYTES];
        const struct orr_conf *root = parse(fixture, cases[i][0]);
        assert_int_equal(orr_model_profile_read(fixture->arena, root, &profile, &fixture->diag),
                         ORR_ERR_INPUT);
        (void)orr_diag_render(&fixture->diag, said, sizeof said);
        assert_string_equal(said, cases[i][1]);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_part_work_divides_what_is_sliced),
        TEST(test_part_time_by_the_roofline),
        TEST(test_part_time_counts_the_constant_of_the_kind),
        TEST(test_part_time_linear_divides_the_fixed_cost_too),
        TEST(test_part_time_has_a_minimum_and_a_launch),
        TEST(test_part_time_measured_is_taken_for_its_split),
        TEST(test_part_time_between_batches_is_on_the_line),
        TEST(test_part_time_of_another_batch_than_measured_is_in_proportion),
        TEST(test_part_time_that_nothing_tells_is_refused),
        TEST(test_profile_read_what_is_wrong_is_named_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
