/* Strategies: their file form, read and written, and the faults that are named. The model: three
 * tables, which meet in "concat", then "dense 0" to "dense 2"; 64 samples. */
#include <stdio.h>
#include <stdlib.h>

#include "core/conf/conf.h"
#include "core/rng.h"
#include "tests/unit/strategy_fixture.h"

static const char *const names[] = {"table 0", "table 1", "table 2", "concat",
                                    "dense 0", "dense 1", "dense 2"};
enum { TABLES = 3, CONCAT = 3, OPS = 7 };

static void small(struct toy *toy)
{
    toy_init(toy, 64);
    for (uint32_t i = 0; i < TABLES; i++) {
        toy->op[toy_op(toy, names[i], 1024, 4096, NULL)].table = true;
    }
    (void)toy_after(toy, names[CONCAT], 3072, 0, 0);
    toy_input(toy, 1);
    toy_input(toy, 2);
    for (uint32_t i = CONCAT + 1; i < OPS; i++) {
        (void)toy_after(toy, names[i], 512, 1 << 20, i - 1);
    }
}

static enum orr_status read(struct toy *toy, const char *text, uint32_t cluster,
                            struct strategy *out)
{
    const struct orr_conf *map = NULL;
    orr_diag_init(&toy->diag);
    enum orr_status status =
        orr_conf_parse(toy->arena, text, strlen(text), "s.yml", &map, &toy->diag);
    assert_int_equal(status, ORR_OK);
    if (orr_conf_get(map, "strategy") != NULL) { /* as written to a file */
        map = orr_conf_get(map, "strategy");
    }
    return orr_strategy_read(toy->arena, map, &toy->graph, cluster, out, &toy->diag);
}

static void assert_devices(const struct strategy *strategy, uint32_t op, uint32_t parts,
                           const uint32_t *device)
{
    assert_int_equal(strategy->op[op].parts, parts);
    assert_memory_equal(orr_strategy_devices(strategy, op), device, parts * sizeof *device);
}

/* ---- reading ---- */

static void test_read_defaults_are_data_parallel_with_tables_around(void **state)
{
    struct toy toy;
    struct strategy strategy;
    (void)state;
    small(&toy);
    assert_int_equal(read(&toy, "default: data_parallel\n", 2, &strategy), ORR_OK);
    assert_int_equal(strategy.devices, 2);
    assert_int_equal(strategy.copies, 1);
    assert_devices(&strategy, 0, 1, (const uint32_t[]){0});
    assert_devices(&strategy, 1, 1, (const uint32_t[]){1});
    assert_devices(&strategy, 2, 1, (const uint32_t[]){0});
    assert_devices(&strategy, 5, 2, (const uint32_t[]){0, 1});
    assert_int_equal(orr_strategy_degrees(&strategy, 5)[SAMPLE], 2);
    toy_fini(&toy);
}

static void test_read_names_and_patterns_last_one_counts(void **state)
{
    struct toy toy;
    struct strategy strategy;
    (void)state;
    small(&toy);
    assert_int_equal(read(&toy,
                          "groups: {model: 4, data: 2}\n"
                          "operators:\n"
                          "  dense *: {split: {output: 4}}\n"
                          "  dense 1: {split: {sample: 2, input: 2}, devices: [3, 0-2]}\n"
                          "  dense ?: {split: {output: 2}}\n"
                          "  dense 2: {devices: 3}\n"
                          "  table 2: {split: {alike: 2}, devices: 0-2:2}\n",
                          0, &strategy),
                     ORR_OK);
    assert_int_equal(strategy.devices, 8);
    assert_int_equal(strategy.copies, 2);
    assert_devices(&strategy, 4, 2, (const uint32_t[]){0, 2}); /* as far apart as can be */
    assert_devices(&strategy, 5, 2, (const uint32_t[]){0, 2});
    assert_devices(&strategy, 6, 1, (const uint32_t[]){3});
    assert_devices(&strategy, 2, 2, (const uint32_t[]){0, 2});
    toy_fini(&toy);
}

static void test_read_degrees_vary_samples_slowest(void **state)
{
    struct toy toy;
    struct strategy strategy;
    (void)state;
    small(&toy);
    assert_int_equal(
        read(&toy, "operators: {dense 1: {split: {sample: 2, input: 2}}}\n", 4, &strategy), ORR_OK);
    const uint32_t degrees[TOY_DIMS] = {2, 1, 2, 1, 1};
    assert_memory_equal(orr_strategy_degrees(&strategy, 5), degrees, sizeof degrees);
    assert_devices(&strategy, 5, 4, (const uint32_t[]){0, 1, 2, 3});
    toy_fini(&toy);
}

/* ---- faults ---- */

static void assert_fault(const char *text, uint32_t cluster, const char *expected)
{
    struct toy toy;
    struct strategy strategy;
    char message[ORR_DIAG_MESSAGE_BYTES];
    small(&toy);
    assert_int_equal(read(&toy, text, cluster, &strategy), ORR_ERR_INPUT);
    (void)orr_diag_render(&toy.diag, message, sizeof message);
    assert_string_equal(message, expected);
    toy_fini(&toy);
}

static void test_faults_are_named_with_their_place(void **state)
{
    (void)state;
    assert_fault(
        "operators: {dense 9: {devices: 0}}\n", 4,
        "s.yml:1:13: operators.dense 9: the model \"toy\" has no operator \"dense 9\"; did "
        "you mean \"dense 0\"?");
    assert_fault("operators: {dense 0: {split: {heads: 2}}}\n", 4,
                 "s.yml:1:31: operators.dense 0.split: expected a dimension of operator \"dense "
                 "0\": \"sample\", \"output\", \"input\", \"alike\" or \"height\", got \"heads\"");
    assert_fault("operators: {dense 0: {split: {sample: 2}, devices: [1, 2, 3]}}\n", 4,
                 "s.yml:1:52: operators.dense 0.devices: operator \"dense 0\": expected a device "
                 "for each of 2 parts, got 3");
    assert_fault("operators: {dense 0: {split: {sample: 2}, devices: [1, 4]}}\n", 4,
                 "s.yml:1:52: operators.dense 0.devices: operator \"dense 0\": expected devices "
                 "from 0 to 3, got 4 for part 1");
    assert_fault("operators: {dense 0: {devices: 1-x}}\n", 4,
                 "s.yml:1:32: operators.dense 0.devices: expected a device such as 3, or devices "
                 "such as \"4-7\" or \"0-12:4\" (every fourth), got \"1-x\"");
    assert_fault(
        "operators: {dense 0: {split: {height: 65}}}\n", 4,
        "s.yml:1:30: operators.dense 0.split: operator \"dense 0\": expected 1 to 64 parts "
        "in dimension \"height\", got 65");
    assert_fault("groups: {model: 4, data: 2}\n", 16,
                 "s.yml:1:9: groups: expected groups of all 16 devices of the cluster, got model 4 "
                 "x data 2 = 8; data: 4 would be all");
    assert_fault("groups: {model: 3, data: 2}\n", 16,
                 "s.yml:1:9: groups: expected groups of all 16 devices of the cluster, got model 3 "
                 "x data 2 = 6; model: 8 would be all");
    assert_fault("{devices: 16, groups: {model: 3, data: 3}}\n", 16,
                 "s.yml:1:23: groups: expected groups of all 16 devices, got model 3 x data 3 = 9");
    assert_fault("groups: {model: 32}\n", 16,
                 "s.yml:1:17: groups.model: expected a number that divides all 16 devices of the "
                 "cluster, got 32");
    assert_fault("groups: {data: 3}\n", 16,
                 "s.yml:1:16: groups.data: expected a number that divides all 16 devices of the "
                 "cluster, got 3");
    assert_fault("devices: 8\n", 16,
                 "s.yml:1:10: devices: expected all 16 devices of the cluster, got 8");
    assert_fault(
        "default: data_parallel\n", 128,
        "s.yml:1:1: the strategy: operator \"concat\": expected 1 to 64 parts in dimension "
        "\"sample\" (the samples of a group), got 128 as the default has it; expected a split of "
        "it, "
        "or default: whole");
    assert_fault("groups: {data: 128}\n", 128,
                 "s.yml:1:9: groups: expected a batch that 128 groups divide, got 64 samples, "
                 "less than one for each");
    assert_fault("groups: {data: 3}\n", 3,
                 "s.yml:1:9: groups: expected a batch that 3 groups divide, got 64 samples");
    assert_fault("tables: rows\n", 4,
                 "s.yml:1:9: tables: the operator \"table 0\" cannot be split by rows");
    assert_fault("groups: {model: 65536, data: 65536}\n", 0,
                 "s.yml:1:9: groups: expected groups of at most 65536 devices in all, got a "
                 "mapping");
}

static void test_check_no_batch_is_named(void **state)
{
    struct toy toy;
    struct strategy strategy;
    (void)state;
    small(&toy);
    toy.graph.batch = 0;
    assert_int_equal(read(&toy, "default: whole\n", 4, &strategy), ORR_ERR_INPUT);
    assert_non_null(strstr(toy.diag.message, "the model \"toy\" has no batch size"));
    toy_fini(&toy);
}

static void test_read_nothing_is_refused_without_a_place(void **state)
{
    const struct orr_conf *nothing = NULL;
    struct toy toy;
    struct strategy strategy;
    (void)state;
    small(&toy);
    orr_diag_init(&toy.diag);
    assert_int_equal(orr_strategy_read(toy.arena, nothing, &toy.graph, 70000, &strategy, &toy.diag),
                     ORR_ERR_INPUT);
    assert_int_equal(toy.diag.place.kind, ORR_LOCATION_NONE);
    assert_string_equal(toy.diag.message,
                        "expected a strategy for at most 65536 devices, got 70000");
    orr_diag_init(&toy.diag);
    assert_int_equal(orr_strategy_read(toy.arena, nothing, &toy.graph, 128, &strategy, &toy.diag),
                     ORR_ERR_INPUT);
    assert_int_equal(toy.diag.place.kind, ORR_LOCATION_NONE);
    orr_diag_init(&toy.diag);
    assert_int_equal(orr_strategy_read(toy.arena, nothing, &toy.graph, 4, &strategy, &toy.diag),
                     ORR_OK);
    assert_int_equal(strategy.devices, 4);
    toy_fini(&toy);
}

static void test_check_shared_weights_sliced_otherwise_is_named(void **state)
{
    struct toy toy;
    struct strategy strategy;
    (void)state;
    small(&toy);
    toy.op[5].owner = 4;
    assert_int_equal(read(&toy, "operators: {dense 1: {split: {output: 2}}}\n", 4, &strategy),
                     ORR_ERR_INPUT);
    assert_non_null(strstr(toy.diag.message, "expected the weights that it shares with \"dense 0\" "
                                             "in as many slices as there (1), got 2"));
    toy_fini(&toy);
}

/* ---- memory ---- */

static void test_memory_by_hand_and_what_does_not_fit_is_named(void **state)
{
    struct toy toy;
    struct strategy strategy;
    uint64_t bytes[2];
    uint32_t max[2];
    (void)state;
    small(&toy);
    assert_int_equal(read(&toy,
                          "optimizer_bytes: 8\n"
                          "operators: {dense 2: {split: {output: 2}}}\n",
                          2, &strategy),
                     ORR_OK);
    assert_true(orr_strategy_memory(&toy.graph, &strategy, bytes, max));
    /* A table of 4096 bytes, 1024 parameters: 2 x 4096 + 8 x 1024 = 16384, and 64 x 1024 kept. The
     * concat keeps 32 x 3072; dense 0 and 1 have 2^20 bytes, 2^18 parameters: 4 x 2^20, and keep 32
     * x 512; dense 2 half of the weights, and half of each of the 64 outputs. */
    const uint64_t table = 16384 + 65536,
                   rest = 98304 + 2 * ((4 << 20) + 16384) + (2 << 20) + 16384;
    assert_int_equal(bytes[0], 2 * table + rest);
    assert_int_equal(bytes[1], table + rest);
    assert_int_equal(max[0], 4);
    assert_int_equal(orr_strategy_check_memory(&toy.graph, &strategy, bytes[0], &toy.diag), ORR_OK);
    assert_int_equal(orr_strategy_check_memory(&toy.graph, &strategy, bytes[0] - 100, &toy.diag),
                     ORR_ERR_INPUT);
    assert_non_null(strstr(toy.diag.message,
                           "device 0 needs 10.30 MiB, most of it for operator \"dense 0\", but has "
                           "10.30 MiB; 100 B (100 bytes) are missing"));
    toy_fini(&toy);
}

/* 64 samples of 2^58 bytes are more than 64 bits hold: they do not fit, and do not count as none.
 */
static void test_memory_beyond_what_is_counted_does_not_fit(void **state)
{
    struct toy toy;
    struct strategy strategy;
    uint64_t bytes[1];
    (void)state;
    toy_init(&toy, 64);
    (void)toy_op(&toy, "large", UINT64_C(1) << 58, 0, NULL);
    assert_int_equal(read(&toy, "default: data_parallel\n", 1, &strategy), ORR_OK);
    assert_true(orr_strategy_memory(&toy.graph, &strategy, bytes, NULL));
    assert_int_equal(bytes[0], INT64_MAX);
    assert_int_equal(orr_strategy_check_memory(&toy.graph, &strategy, 1 << 30, &toy.diag),
                     ORR_ERR_INPUT);
    toy_fini(&toy);
}

/* ---- writing ---- */

static char *written(struct toy *toy, const struct strategy *strategy)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(orr_strategy_write(out, &toy->graph, strategy), 0);
    (void)fclose(out);
    return text;
}

static void test_write_as_text(void **state)
{
    struct toy toy;
    struct strategy strategy;
    (void)state;
    small(&toy);
    assert_int_equal(read(&toy,
                          "groups: {model: 8, data: 2}\n"
                          "server: {gpus: 4, bandwidth: 25 GB/s}\n"
                          "operators:\n"
                          "  dense 0: {split: {output: 8}}\n"
                          "  dense 1: {split: {sample: 2, input: 2}, devices: [7, 1, 3, 5]}\n"
                          "  table 1: {devices: 7}\n",
                          16, &strategy),
                     ORR_OK);
    char *text = written(&toy, &strategy);
    assert_string_equal(text,
                        "strategy:\n"
                        "  devices: 16\n"
                        "  groups: {model: 8, data: 2}\n"
                        "  default: data_parallel\n"
                        "  tables: round_robin\n"
                        "  server: {gpus: 4, bandwidth: 25000000000 B/s}\n"
                        "  operators:\n"
                        "    \"table 1\": {devices: [7]}\n"
                        "    \"dense 0\": {split: {output: 8}, devices: [0-7]}\n"
                        "    \"dense 1\": {split: {sample: 2, input: 2}, devices: [7, 1-5:2]}\n");
    free(text);
    toy_fini(&toy);
}

/* A strategy drawn at random; degrees are powers of two. */
static void draw(struct toy *toy, struct orr_rng *rng)
{
    const uint32_t copies = 1U << orr_rng_below(rng, 3), group = 16;
    toy_draft(toy, group * copies, copies);
    for (uint32_t op = 0; op < OPS; op++) {
        uint32_t degree[TOY_DIMS], device[256], parts = 1;
        for (unsigned d = 0; d < TOY_DIMS; d++) {
            degree[d] = 1U << orr_rng_below(rng, 3) >> orr_rng_below(rng, 2);
            degree[d] = degree[d] == 0 || parts * degree[d] > 64 ? 1 : degree[d];
            parts *= degree[d];
        }
        for (uint32_t i = 0; i < parts; i++) {
            device[i] = (uint32_t)orr_rng_below(rng, group);
        }
        assert_true(
            orr_strategy_set(&toy->draft, op, degree, orr_rng_below(rng, 2) != 0 ? device : NULL));
    }
}

static void test_write_read_write_gives_equal_bytes(void **state)
{
    struct orr_rng rng;
    (void)state;
    orr_rng_init(&rng, 23, 0);
    for (unsigned i = 0; i < 300; i++) {
        struct toy toy;
        struct strategy again;
        small(&toy);
        draw(&toy, &rng);
        const struct strategy strategy = orr_strategy_drafted(&toy.draft);
        char *first = written(&toy, &strategy);
        assert_int_equal(read(&toy, first, 0, &again), ORR_OK);
        char *second = written(&toy, &again);
        assert_string_equal(first, second);
        for (uint32_t op = 0; op < OPS; op++) {
            assert_devices(&again, op, strategy.op[op].parts, orr_strategy_devices(&strategy, op));
            assert_memory_equal(orr_strategy_degrees(&again, op),
                                orr_strategy_degrees(&strategy, op), TOY_DIMS * sizeof(uint32_t));
        }
        free(first);
        free(second);
        toy_fini(&toy);
    }
}

/* ---- warnings ---- */

struct heard {
    char text[ORR_DIAG_MESSAGE_BYTES];
    int count;
};

static void hear(void *user, const char *text)
{
    struct heard *heard = user;
    heard->count++;
    (void)snprintf(heard->text, sizeof heard->text, "%s", text);
}

/* Warnings of a strategy that splits "dense 0" and "dense 2" in two and "dense 1" as given. */
static struct heard warned(const char *middle)
{
    struct toy toy;
    struct strategy strategy;
    struct heard heard = {.count = 0};
    char text[256];
    small(&toy);
    (void)snprintf(text, sizeof text,
                   "operators:\n  dense 0: {split: {output: 2}}\n  dense 1: %s\n"
                   "  dense 2: {split: {input: 2}}\n",
                   middle);
    assert_int_equal(read(&toy, text, 2, &strategy), ORR_OK);
    toy.diag.warn = hear;
    toy.diag.warn_user = &heard;
    orr_strategy_warn_regathered(&toy.graph, &strategy, &toy.diag);
    toy_fini(&toy);
    return heard;
}

static void test_whole_between_two_alike_splits_is_warned_of(void **state)
{
    (void)state;
    const struct heard whole = warned("{devices: [0]}");
    assert_int_equal(whole.count, 1);
    assert_non_null(strstr(whole.text, "operator \"dense 1\" is whole between \"dense 0\" and "
                                       "\"dense 2\", which are both split in 2"));
    assert_non_null(strstr(whole.text, "split: {alike: 2} would leave the slices where they are"));
    assert_int_equal(warned("{split: {alike: 2}}").count, 0);
}

static void test_matches_patterns(void **state)
{
    (void)state;
    assert_true(orr_strategy_matches("*", ""));
    assert_true(orr_strategy_matches("a*c?", "abbcd"));
    assert_true(orr_strategy_matches("*a*b", "xxaybab"));
    assert_false(orr_strategy_matches("a?", "a"));
    assert_false(orr_strategy_matches("a*b", "abc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_defaults_are_data_parallel_with_tables_around),
        cmocka_unit_test(test_read_names_and_patterns_last_one_counts),
        cmocka_unit_test(test_read_degrees_vary_samples_slowest),
        cmocka_unit_test(test_faults_are_named_with_their_place),
        cmocka_unit_test(test_check_no_batch_is_named),
        cmocka_unit_test(test_read_nothing_is_refused_without_a_place),
        cmocka_unit_test(test_check_shared_weights_sliced_otherwise_is_named),
        cmocka_unit_test(test_memory_by_hand_and_what_does_not_fit_is_named),
        cmocka_unit_test(test_memory_beyond_what_is_counted_does_not_fit),
        cmocka_unit_test(test_write_as_text),
        cmocka_unit_test(test_write_read_write_gives_equal_bytes),
        cmocka_unit_test(test_whole_between_two_alike_splits_is_warned_of),
        cmocka_unit_test(test_matches_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
