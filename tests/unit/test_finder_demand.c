/* What a strategy sends, as the finder takes it: groups of every copy, shares of holders. */
#include "network/permutations/permutations.h"
#include "planner/finder/finder.h"
#include "tests/unit/strategy_fixture.h"
#include "workload/strategy/demand_total.h"

static struct finder_demand demand_of(struct toy *toy, struct demand_total *total)
{
    struct strategy *strategy = orr_arena_alloc(toy->arena, sizeof *strategy);
    struct finder_demand demand;
    *strategy = orr_strategy_drafted(&toy->draft);
    assert_int_equal(orr_strategy_check(&toy->graph, strategy, &toy->diag), ORR_OK);
    assert_int_equal(orr_demand_total(toy->arena, &toy->graph, strategy, total, &toy->diag),
                     ORR_OK);
    assert_int_equal(orr_finder_demand(toy->arena, total, &demand, &toy->diag), ORR_OK);
    return demand;
}

static void expect_group(const struct finder_group *group, uint64_t bytes, uint32_t first,
                         uint32_t stride, uint32_t members)
{
    assert_int_equal(group->bytes, bytes);
    assert_int_equal(group->members, members);
    for (uint32_t i = 0; i < members; i++) {
        assert_int_equal(group->member[i], first + i * stride);
    }
}

static void test_demand_of_one_copy_has_its_groups(void **state)
{
    struct toy toy;
    struct demand_total total;
    (void)state;
    toy_init(&toy, 64);
    const uint32_t a = toy_op(&toy, "a", 256, 1 << 20, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 1 << 16, a);
    toy_draft(&toy, 8, 1);
    toy_split(&toy, a, SAMPLE, 8, 0);
    toy_split(&toy, b, SAMPLE, 4, 4);
    const struct finder_demand demand = demand_of(&toy, &total);
    assert_int_equal(demand.servers, 8);
    assert_int_equal(demand.groups, 2);
    expect_group(&demand.group[0], 1 << 20, 0, 1, 8);
    expect_group(&demand.group[1], 1 << 16, 4, 1, 4);
    assert_memory_equal(demand.transfers, total.transfers, 64 * sizeof(uint64_t));
    toy_fini(&toy);
}

/* Two devices of each of four copies. a: halves of the weights, each reduced by those of one place;
 * b: both of a copy have all, so that half of it goes around those of each place, after each has
 * sent the other a half, and before it sends it again. */
static void test_demand_of_copies_has_groups_across_and_shares(void **state)
{
    struct toy toy;
    struct demand_total total;
    (void)state;
    toy_init(&toy, 64);
    const uint32_t a = toy_op(&toy, "a", 256, 1 << 20, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 1 << 16, a);
    toy_draft(&toy, 8, 4);
    toy_split(&toy, a, OUTPUT, 2, 0);
    toy_split(&toy, b, ALIKE, 2, 0);
    const struct finder_demand demand = demand_of(&toy, &total);
    assert_int_equal(demand.groups, 4);
    expect_group(&demand.group[0], 1 << 19, 0, 2, 4);
    expect_group(&demand.group[1], 1 << 19, 1, 2, 4);
    expect_group(&demand.group[2], 1 << 15, 0, 2, 4);
    expect_group(&demand.group[3], 1 << 15, 1, 2, 4);
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t j = 0; j < 8; j++) {
            const uint64_t more = demand.transfers[i * 8 + j] - total.transfers[i * 8 + j];
            assert_int_equal(more, i != j && i / 2 == j / 2 ? 1 << 16 : 0);
        }
    }
    toy_fini(&toy);
}

/* Both rings of copies share jumps, and those of a place are one group: with d = 3 one way the
 * class of stride 2 has both jumps of 4, and the third joins the places. */
static void test_demand_of_copies_finds_a_topology(void **state)
{
    struct toy toy;
    struct demand_total total;
    struct finder_topology found;
    const struct finder_options options = {.degree = 3, .links = NET_ONE_WAY};
    (void)state;
    toy_init(&toy, 64);
    const uint32_t a = toy_op(&toy, "a", 256, 1 << 20, NULL);
    toy_draft(&toy, 8, 4);
    toy_split(&toy, a, OUTPUT, 2, 0);
    const struct finder_demand demand = demand_of(&toy, &total);
    assert_int_equal(orr_finder_find(toy.arena, &demand, &options, &found, &toy.diag), ORR_OK);
    assert_int_equal(found.groups, 2);
    assert_int_equal(found.classes, 1);
    assert_int_equal(found.of[0].stride, 2);
    assert_int_equal(found.of[0].jumps.jumps, 2);
    assert_int_equal(found.removed_jumps, 0);
    assert_int_equal(found.layer[2].kind, FINDER_CONNECTION);
    assert_int_equal(found.idle, 0);
    toy_fini(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demand_of_one_copy_has_its_groups),
        cmocka_unit_test(test_demand_of_copies_has_groups_across_and_shares),
        cmocka_unit_test(test_demand_of_copies_finds_a_topology),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
