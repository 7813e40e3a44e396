/* What every allocator of circuits promises (network/allocation.h): the same bytes get the same
 * circuits, nobody has more than there are ports, no segment lies below more arcs than there are
 * wavelengths, nobody has circuits without bytes, and one that is alone has all. */
#include "core/rng.h"
#include "sipml/wavelengths/wavelengths.h"
#include "tests/unit/allocation_fixture.h"

enum { CASES = 200, MAX_NPUS = 12, MAX_PORTS = 24, MAX_DEMANDS = MAX_NPUS * MAX_NPUS };

static struct net_link links[MAX_DEMANDS];
static uint64_t bytes[MAX_DEMANDS];

/* A ring takes what a ring can be asked for. */
static struct net_allocated_problem draw(struct orr_rng *rng, bool ring)
{
    struct net_allocated_problem problem = {.link = links, .rules = {.rows = 1, .seed = 3}};
    const uint32_t groups = 1 + (uint32_t)orr_rng_below(rng, 3);
    problem.group = 2 + (uint32_t)orr_rng_below(rng, MAX_NPUS / groups - 1);
    problem.npus = problem.group * groups;
    problem.ports = 2 + 2 * (uint32_t)orr_rng_below(rng, MAX_PORTS / 2 - 1);
    if (ring) {
        static const enum net_ring_method methods[] = {NET_RING_LOAD, NET_RING_LOAD, NET_RING_FLOWS,
                                                       NET_RING_RANDOM};
        problem.rules.method = methods[orr_rng_below(rng, 4)];
        problem.rules.half = orr_rng_below(rng, 4) == 0;
    }
    return problem;
}

static bool fits(const struct net_allocated_problem *problem, const struct net_allocator_ops *ops,
                 const struct net_link *link, struct orr_arena *arena)
{
    const char *why = NULL;
    return (ops->reaches == NULL || ops->reaches(problem, link, arena, &why)) &&
           (ops->is_equivalent == NULL || problem->group == problem->npus ||
            ops->is_equivalent(problem, link));
}

static void draw_demands(struct orr_rng *rng, struct net_allocated_problem *problem,
                         const struct net_allocator_ops *ops, struct orr_arena *arena)
{
    const uint32_t chance = 1 + (uint32_t)orr_rng_below(rng, 6);
    for (uint32_t from = 0; from < problem->group; from++) {
        for (uint32_t to = 0; to < problem->npus; to++) {
            const struct net_link link = {.from = from, .to = to};
            if (from != to && orr_rng_below(rng, 8) < chance && fits(problem, ops, &link, arena)) {
                links[problem->demands] = link;
                bytes[problem->demands++] =
                    orr_rng_below(rng, 6) == 0 ? 0 : 1 + orr_rng_below(rng, 1000);
            }
        }
    }
}

/* Senders, and receivers of equal places, which share the ports of one. */
static void ends_hold(const struct net_allocated_problem *problem, const uint32_t *circuits)
{
    uint32_t sends[MAX_NPUS] = {0}, receives[MAX_NPUS] = {0};
    for (uint32_t i = 0; i < problem->demands; i++) {
        sends[links[i].from] += circuits[i];
        receives[links[i].to % problem->group] += circuits[i];
    }
    for (uint32_t i = 0; i < problem->group; i++) {
        assert_true(sends[i] <= problem->ports);
        assert_true(receives[i] <= problem->ports);
    }
}

/* Wavelengths over each segment of both fibres, of a group that is a ring by itself. */
static void segments_hold(const struct net_allocated_problem *problem, const uint32_t *circuits)
{
    uint32_t load[2][MAX_NPUS] = {{0}};
    for (uint32_t i = 0; i < problem->demands; i++) {
        const uint32_t up = (links[i].to + problem->npus - links[i].from) % problem->npus;
        const bool down = problem->npus - up < up;
        for (uint32_t step = 0; step < (down ? problem->npus - up : up); step++) {
            const uint32_t at =
                down ? links[i].from + 2 * problem->npus - step - 1 : links[i].from + step;
            load[down][at % problem->group] += circuits[i];
        }
    }
    for (uint32_t i = 0; i < problem->group; i++) {
        const uint32_t max = problem->rules.half ? problem->ports / 2 : problem->ports;
        assert_true(load[0][i] <= max && load[1][i] <= max);
    }
}

static void check(struct orr_rng *rng, const struct net_allocator_ops *ops, bool ring)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_allocated_problem problem = draw(rng, ring);
    struct net_allocation one, again;
    draw_demands(rng, &problem, ops, arena);
    assert_int_equal(ops->allocate(arena, &problem, bytes, &one, NULL), ORR_OK);
    assert_int_equal(ops->allocate(arena, &problem, bytes, &again, NULL), ORR_OK);
    assert_memory_equal(one.circuits, again.circuits, problem.demands * sizeof(uint32_t));
    ends_hold(&problem, one.circuits);
    if (ring) {
        segments_hold(&problem, one.circuits);
    }
    bool all = true;
    for (uint32_t i = 0; i < problem.demands; i++) {
        assert_true(bytes[i] != 0 || one.circuits[i] == 0);
        all = all && (bytes[i] == 0 || one.circuits[i] != 0);
    }
    assert_true((one.overload.set == WAVE_NONE) || !all);
    assert_true(all == (one.rate.circuits != 0));
    orr_arena_destroy(arena);
}

static void test_random_demands_keep_what_is_promised(void **state)
{
    (void)state;
    for (unsigned c = 0; orr_net_circuits[c] != NULL; c++) {
        const struct net_allocator_ops *ops = orr_net_allocator(c);
        struct orr_rng rng;
        orr_rng_init(&rng, 11, c);
        for (uint32_t i = 0; i < CASES && ops != NULL; i++) {
            check(&rng, ops, strcmp(orr_net_circuits[c]->name, "sip_ring") == 0);
        }
    }
}

static void test_nothing_has_no_circuits_and_one_alone_has_all(void **state)
{
    (void)state;
    for (unsigned c = 0; orr_net_circuits[c] != NULL; c++) {
        const struct net_allocator_ops *ops = orr_net_allocator(c);
        struct orr_arena *arena = orr_arena_create();
        const struct net_link pairs[] = {{.from = 0, .to = 1}, {.from = 1, .to = 2}};
        const struct net_allocated_problem problem = {
            .npus = 4, .group = 4, .ports = 7, .demands = 2, .link = pairs, .rules = {.rows = 1}};
        const uint64_t none[] = {0, 0}, first[] = {123, 0};
        struct net_allocation found;
        if (ops != NULL) {
            assert_int_equal(ops->allocate(arena, &problem, none, &found, NULL), ORR_OK);
            assert_int_equal(found.circuits[0] + found.circuits[1], 0);
            assert_int_equal(found.overload.set, WAVE_NONE);
            assert_int_equal(ops->allocate(arena, &problem, first, &found, NULL), ORR_OK);
            assert_int_equal(found.circuits[0], 7);
            assert_int_equal(found.circuits[1], 0);
        }
        orr_arena_destroy(arena);
    }
}

/* Groups of two, three of them: what 0 and 1 send is what 2 and 3, 4 and 5 do. With all written out
 * the rates are the same. */
static void test_a_group_has_the_rate_of_all(void **state)
{
    (void)state;
    for (unsigned c = 0; orr_net_circuits[c] != NULL; c++) {
        const struct net_allocator_ops *ops = orr_net_allocator(c);
        struct orr_arena *arena = orr_arena_create();
        const struct net_link of[] = {
            {.from = 0, .to = 1}, {.from = 0, .to = 2}, {.from = 1, .to = 3}};
        const uint64_t has[] = {50, 20, 30};
        const struct net_link all[] = {
            {.from = 0, .to = 1}, {.from = 0, .to = 2}, {.from = 1, .to = 3},
            {.from = 2, .to = 3}, {.from = 2, .to = 4}, {.from = 3, .to = 5},
            {.from = 4, .to = 0}, {.from = 4, .to = 5}, {.from = 5, .to = 1}};
        const uint64_t written[] = {50, 20, 30, 50, 20, 30, 20, 50, 30};
        struct net_allocated_problem problem = {
            .npus = 6, .group = 2, .ports = 10, .demands = 3, .link = of, .rules = {.rows = 1}};
        struct net_allocation folded, whole;
        if (ops != NULL) {
            assert_int_equal(ops->allocate(arena, &problem, has, &folded, NULL), ORR_OK);
            problem.group = 6;
            problem.demands = 9;
            problem.link = all;
            assert_int_equal(ops->allocate(arena, &problem, written, &whole, NULL), ORR_OK);
            assert_true((uint64_t)folded.rate.circuits * whole.rate.bytes ==
                        (uint64_t)whole.rate.circuits * folded.rate.bytes);
            assert_true(folded.rate.circuits != 0);
        }
        orr_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_demands_keep_what_is_promised),
        cmocka_unit_test(test_nothing_has_no_circuits_and_one_alone_has_all),
        cmocka_unit_test(test_a_group_has_the_rate_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
