/* Models of which every operator can be split in "parts" (model.parts: true): what is sent and
 * reduced, by hand. All have 16 samples and numbers of 4 bytes. */
#include "core/conf/conf.h"
#include "tests/unit/strategy_fixture.h"
#include "workload/model/model_read.h"
#include "workload/model/part_time.h"

enum { MAX = 64 };

struct read_model {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct model_graph graph;
    struct strategy strategy;
    struct demand demand;
};

struct seen {
    struct demand_transfer transfer[MAX];
    struct demand_reduce reduce[MAX];
    uint32_t transfers, reduces;
};

static void see(void *context, const struct demand_transfer *transfer)
{
    struct seen *seen = context;
    assert_true(seen->transfers < MAX);
    seen->transfer[seen->transfers++] = *transfer;
}

static void see_reduce(void *context, const struct demand_reduce *reduce)
{
    struct seen *seen = context;
    assert_true(seen->reduces < MAX);
    seen->reduce[seen->reduces++] = *reduce;
}

static const struct orr_conf *parse(struct read_model *read, const char *text)
{
    const struct orr_conf *map = NULL;
    assert_int_equal(orr_conf_parse(read->arena, text, strlen(text), "m.yml", &map, &read->diag),
                     ORR_OK);
    return map;
}

static enum orr_status open_model(struct read_model *read, const char *parts, const char *operators,
                                  const char *strategy)
{
    *read = (struct read_model){.arena = orr_arena_create()};
    orr_diag_init(&read->diag);
    const char *text =
        orr_arena_printf(read->arena, "{name: m, batch: 16, %soperators: [%s]}", parts, operators);
    const struct orr_conf *map = parse(read, text);
    assert_int_equal(orr_model_read(read->arena, map, &read->graph, &read->diag), ORR_OK);
    const enum orr_status status = orr_strategy_read(read->arena, parse(read, strategy),
                                                     &read->graph, 0, &read->strategy, &read->diag);
    if (status == ORR_OK) {
        assert_true(orr_demand_init(read->arena, &read->graph, &read->strategy, &read->demand));
    }
    return status;
}

/* b has its usual needs of all inputs, halos or partial sums; parts have none of these. */
static const struct {
    const char *operators;
    uint64_t sample_bytes; /* of what a gives */
} kinds[] = {
    {"{data: {shape: [64]}}, {dense: {name: a, out: 64}}, {dense: {name: b, out: 10}}", 256},
    {"{data: {shape: [8, 16]}}, {dense: {name: a, out: 8}}, {attention: {name: b, heads: 2}}", 256},
    {"{data: {shape: [2, 8, 8]}}, {conv2d: {name: a, out: 4, kernel: 3, pad: 1}}, "
     "{conv2d: {name: b, out: 4, kernel: 3, pad: 1}}",
     1024},
    {"{data: {shape: [64]}}, {dense: {name: a, out: 64}}, {loss: {name: b}}", 256},
    {"{data: {shape: [64]}}, {dense: {name: a, out: 64}}, {activation: {name: b}}", 256},
    {"{data: {shape: [64]}}, {dense: {name: a, out: 64}}, "
     "{measured: {name: b, out: 10, forward: 1 us}}",
     256},
};

/* 8 parts on devices 0 to 7 and 4 on 8 to 11: part i to part i / 2, S / 8 each; and the other way
 * around: part i / 2 to part i. */
static void test_parts_send_slices_to_the_parts_around_them(void **state)
{
    static const char *const strategies[] = {
        "{devices: 16, operators: {a: {split: {parts: 8}, devices: 0-7}, "
        "b: {split: {parts: 4}, devices: 8-11}}}",
        "{devices: 16, operators: {a: {split: {parts: 4}, devices: 8-11}, "
        "b: {split: {parts: 8}, devices: 0-7}}}"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        const bool back = i % 2 == 1;
        struct read_model read;
        struct seen seen = {.transfers = 0};
        assert_int_equal(
            open_model(&read, "parts: true, ", kinds[i / 2].operators, strategies[back]), ORR_OK);
        orr_demand_edge(&read.demand, 0, see, &seen);
        assert_int_equal(seen.transfers, 8);
        for (uint32_t part = 0; part < 8; part++) {
            const struct demand_transfer *transfer = &seen.transfer[part];
            assert_int_equal(transfer->from, back ? 8 + part / 2 : part);
            assert_int_equal(transfer->to, back ? part : 8 + part / 2);
            assert_int_equal(transfer->bytes, 16 * kinds[i / 2].sample_bytes / 8);
        }
        orr_arena_destroy(read.arena);
    }
}

/* 64 x 64 weights and 64 biases of 4 bytes in 8 parts: 2048 and 32 bytes each, across two groups. A
 * part does an eighth of the work. */
static void test_parts_have_slices_of_the_weights(void **state)
{
    struct read_model read;
    struct seen seen = {.transfers = 0};
    (void)state;
    assert_int_equal(
        open_model(&read, "parts: true, ", "{data: {shape: [64]}}, {dense: {name: a, out: 64}}",
                   "{groups: {model: 8, data: 2}, operators: {a: {split: {parts: 8}}}}"),
        ORR_OK);
    orr_demand_reduces(&read.demand, 0, see_reduce, &seen);
    assert_int_equal(seen.reduces, 16);
    for (uint32_t i = 0; i < seen.reduces; i++) {
        assert_int_equal(seen.reduce[i].members, 1);
        assert_true(seen.reduce[i].across);
        assert_int_equal(seen.reduce[i].bytes, seen.reduce[i].bias ? 32 : 2048);
    }
    const struct model_part_work work = orr_model_part_work(
        &read.graph.op[0], &read.graph.op[0].forward, orr_strategy_degrees(&read.strategy, 0), 8);
    assert_int_equal(work.flops, 8 * read.graph.op[0].forward.flops / 8);
    orr_arena_destroy(read.arena);
}

/* Of two producers each sends its own slices. */
static void test_parts_of_two_inputs(void **state)
{
    struct read_model read;
    (void)state;
    assert_int_equal(
        open_model(&read, "parts: true, ",
                   "{data: {name: x, shape: [64]}}, {dense: {name: a, input: x, out: 64}}, "
                   "{dense: {name: b, input: x, out: 64}}, {add: {name: c, input: [a, b]}}",
                   "{devices: 8, operators: {a: {split: {parts: 2}, devices: 0-1}, "
                   "b: {split: {parts: 4}, devices: 0-3}, c: {split: {parts: 2}, devices: 4-5}}}"),
        ORR_OK);
    for (uint32_t edge = 0; edge < 2; edge++) {
        struct seen seen = {.transfers = 0};
        orr_demand_edge(&read.demand, edge, see, &seen);
        assert_int_equal(seen.transfers, edge == 0 ? 2 : 4);
        for (uint32_t i = 0; i < seen.transfers; i++) {
            assert_int_equal(seen.transfer[i].from, i);
            assert_int_equal(seen.transfer[i].to, 4 + i * 2 / seen.transfers);
            assert_int_equal(seen.transfer[i].bytes, 4096 / seen.transfers);
        }
    }
    orr_arena_destroy(read.arena);
}

/* Without the key there is no such dimension; with it measured operators have it once. */
static void test_parts_are_there_only_when_asked_for(void **state)
{
    static const char *const operators =
        "{data: {shape: [64]}}, {dense: {name: a, out: 64}}, {measured: {out: 4, forward: 1 us}}";
    struct read_model read;
    (void)state;
    assert_int_equal(
        open_model(&read, "", operators, "{devices: 2, operators: {a: {split: {parts: 2}}}}"),
        ORR_ERR_INPUT);
    assert_non_null(strstr(read.diag.message, "expected a dimension of operator \"a\": \"sample\", "
                                              "\"output\" or \"input\", got \"parts\""));
    assert_int_equal(read.graph.op[0].dims, 3);
    assert_int_equal(read.graph.op[1].dims, 2);
    orr_arena_destroy(read.arena);
    assert_int_equal(open_model(&read, "parts: true, ", operators, "{devices: 2}"), ORR_OK);
    assert_int_equal(read.graph.op[0].dims, 4);
    assert_int_equal(read.graph.op[1].dims, 2);
    orr_arena_destroy(read.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_send_slices_to_the_parts_around_them),
        cmocka_unit_test(test_parts_have_slices_of_the_weights),
        cmocka_unit_test(test_parts_of_two_inputs),
        cmocka_unit_test(test_parts_are_there_only_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
