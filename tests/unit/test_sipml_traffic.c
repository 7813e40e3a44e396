/* What a strategy sends, as rows from the first group: tiny models, by hand. */
#include "strategy_fixture.h"

#include "sipml/search/sipml_check.h"

static void assert_row(const struct sipml_traffic *traffic, uint32_t at, struct sipml_row expected)
{
    const struct sipml_row *row = &traffic->row[at];
    assert_in_range(at, 0, traffic->rows - 1);
    if (row->from != expected.from || row->to != expected.to ||
        row->parallel != expected.parallel || row->ring != expected.ring) {
        fail_msg("row %u: %u -> %u, %llu + %llu; expected %u -> %u, %llu + %llu", at, row->from,
                 row->to, (unsigned long long)row->parallel, (unsigned long long)row->ring,
                 expected.from, expected.to, (unsigned long long)expected.parallel,
                 (unsigned long long)expected.ring);
    }
}

/* "a", whole on device 0, has 1000 B a sample, 2 samples a group, and 800 B of weights; "b" is
 * whole on device 1, and has copied none. 2000 B go and come back. */
static void two_devices(struct toy *toy, uint32_t groups)
{
    toy_init(toy, 2 * (uint64_t)groups);
    const uint32_t a = toy_op(toy, "a", 1000, 800, NULL);
    const uint32_t b = toy_after(toy, "b", 8, 0, a);
    toy_draft(toy, 2 * groups, groups);
    toy_split(toy, a, SAMPLE, 1, 0);
    toy_split(toy, b, SAMPLE, 1, 1);
}

static void traffic_of(struct toy *toy, bool bidirectional, struct sipml_traffic *out)
{
    const struct strategy strategy = orr_strategy_drafted(&toy->draft);
    assert_int_equal(
        orr_sipml_traffic(toy->arena, &toy->graph, &strategy, bidirectional, out, &toy->diag),
        ORR_OK);
}

/* Of 4 groups a device sends 2 x 3/4 of 800 B = 1200 B to that of the next group. */
static void test_ring_goes_one_way_to_the_next_group(void **state)
{
    (void)state;
    struct toy toy;
    struct sipml_traffic traffic;
    two_devices(&toy, 4);
    traffic_of(&toy, false, &traffic);
    assert_int_equal(traffic.devices, 8);
    assert_int_equal(traffic.group, 2);
    assert_int_equal(traffic.rows, 3);
    assert_row(&traffic, 0, (struct sipml_row){0, 1, 2000, 0});
    assert_row(&traffic, 1, (struct sipml_row){0, 2, 0, 1200});
    assert_row(&traffic, 2, (struct sipml_row){1, 0, 2000, 0});
    toy_fini(&toy);
}

/* Half each way: to 2 and, around, to 6. */
static void test_ring_goes_half_each_way(void **state)
{
    (void)state;
    struct toy toy;
    struct sipml_traffic traffic;
    two_devices(&toy, 4);
    traffic_of(&toy, true, &traffic);
    assert_int_equal(traffic.rows, 4);
    assert_row(&traffic, 0, (struct sipml_row){0, 1, 2000, 0});
    assert_row(&traffic, 1, (struct sipml_row){0, 2, 0, 600});
    assert_row(&traffic, 2, (struct sipml_row){0, 6, 0, 600});
    assert_row(&traffic, 3, (struct sipml_row){1, 0, 2000, 0});
    toy_fini(&toy);
}

/* Of two groups the next one is the one before: 2 x 1/2 of 800 B, in one row. */
static void test_both_ways_between_two_groups_are_one_row(void **state)
{
    (void)state;
    struct toy toy;
    struct sipml_traffic traffic;
    two_devices(&toy, 2);
    traffic_of(&toy, true, &traffic);
    assert_int_equal(traffic.rows, 3);
    assert_row(&traffic, 1, (struct sipml_row){0, 2, 0, 800});
    toy_fini(&toy);
}

/* "a" is on two devices of each of two groups with the same 800 B of weights: each sends half of
 * them to the other one, and the sum of the other half back: 2 x 400 B; its own half goes around
 * the groups, 2 x 1/2 of 400 B. */
static void test_copies_in_a_group_exchange(void **state)
{
    (void)state;
    struct toy toy;
    struct sipml_traffic traffic;
    struct sipml_peers peers;
    toy_init(&toy, 4);
    const uint32_t a = toy_op(&toy, "a", 1000, 800, NULL);
    toy_draft(&toy, 4, 2);
    toy_split(&toy, a, SAMPLE, 2, 0);
    traffic_of(&toy, false, &traffic);
    assert_int_equal(traffic.rows, 4);
    assert_row(&traffic, 0, (struct sipml_row){0, 1, 800, 0});
    assert_row(&traffic, 1, (struct sipml_row){0, 2, 0, 400});
    assert_row(&traffic, 2, (struct sipml_row){1, 0, 800, 0});
    assert_row(&traffic, 3, (struct sipml_row){1, 3, 0, 400});
    assert_int_equal(orr_sipml_peers(toy.arena, &traffic, &peers, &toy.diag), ORR_OK);
    assert_int_equal(peers.max_out, 2);
    assert_int_equal(peers.exchange_bytes, 1600);
    assert_int_equal(peers.ring_bytes, 800);
    toy_fini(&toy);
}

/* One group: a ring of its 4 devices, 2 x 3/4 of 800 B; with both ways half of it each. */
static void test_ring_of_one_group_is_inside_of_it(void **state)
{
    (void)state;
    struct toy toy;
    struct sipml_traffic traffic;
    toy_init(&toy, 4);
    const uint32_t a = toy_op(&toy, "a", 1000, 800, NULL);
    toy_draft(&toy, 4, 1);
    toy_split(&toy, a, SAMPLE, 4, 0);
    traffic_of(&toy, false, &traffic);
    assert_int_equal(traffic.rows, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_row(&traffic, i, (struct sipml_row){i, (i + 1) % 4, 0, 1200});
    }
    traffic_of(&toy, true, &traffic);
    assert_int_equal(traffic.rows, 8);
    assert_row(&traffic, 0, (struct sipml_row){0, 1, 0, 600});
    assert_row(&traffic, 1, (struct sipml_row){0, 3, 0, 600});
    toy_fini(&toy);
}

/* All groups, and around: the last group's ring leads to the first. */
static void test_corner_has_all_groups(void **state)
{
    (void)state;
    struct toy toy;
    struct sipml_traffic traffic;
    two_devices(&toy, 4);
    traffic_of(&toy, false, &traffic);
    const uint64_t *all = orr_sipml_traffic_corner(toy.arena, &traffic, 8);
    const uint64_t *part = orr_sipml_traffic_corner(toy.arena, &traffic, 3);
    assert_non_null(all);
    assert_non_null(part);
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t j = 0; j < 8; j++) {
            const uint64_t expected = i / 2 == j / 2 && i != j         ? 2000
                                      : i % 2 == 0 && j == (i + 2) % 8 ? 1200
                                                                       : 0;
            assert_int_equal(all[i * 8 + j], expected);
            if (i < 3 && j < 3) {
                assert_int_equal(part[i * 3 + j], expected);
            }
        }
    }
    toy_fini(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_goes_one_way_to_the_next_group),
        cmocka_unit_test(test_ring_goes_half_each_way),
        cmocka_unit_test(test_both_ways_between_two_groups_are_one_row),
        cmocka_unit_test(test_copies_in_a_group_exchange),
        cmocka_unit_test(test_ring_of_one_group_is_inside_of_it),
        cmocka_unit_test(test_corner_has_all_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
