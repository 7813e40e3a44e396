/* Max-min fair shares on random problems: rates are feasible, every flow has a bottleneck or its
 * bound, they are those of a simple solution from scratch, the order in which flows came does not
 * matter, and members of one flow have the rates of flows by themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "network/flows/maxmin.h"

enum { LINKS = 12, FLOWS = 60, MAX_HOPS = 5, CASES = 300, STEPS = 40 };

struct given {
    bool alive;
    uint32_t handle, hops;
    uint32_t path[MAX_HOPS];
    double weight, bound, rate;
};

struct problem {
    struct orr_rng rng;
    double capacity[LINKS];
    struct given flow[FLOWS];
    struct maxmin *shares;
};

static double rate_of(const struct maxmin *shares, uint32_t member)
{
    return orr_maxmin_rate(shares, orr_maxmin_flow(shares, member));
}

static uint32_t bottleneck_of(const struct maxmin *shares, uint32_t member)
{
    return orr_maxmin_bottleneck(shares, orr_maxmin_flow(shares, member));
}

/* Of a flow, and of its first member. */
static void set_weight(struct maxmin *shares, uint32_t member, double weight, double bound)
{
    const struct maxmin_entry entry = {.flow = orr_maxmin_flow(shares, member), .member = member};
    orr_maxmin_set_weight(shares, entry.flow, weight, bound);
    orr_maxmin_recompute(shares, &entry, 1);
}

static void random_path(struct problem *problem, struct given *flow)
{
    flow->hops = 1 + (uint32_t)orr_rng_below(&problem->rng, MAX_HOPS);
    for (uint32_t h = 0; h < flow->hops;) {
        const uint32_t link = (uint32_t)orr_rng_below(&problem->rng, LINKS);
        bool repeated = false;
        for (uint32_t i = 0; i < h; i++) {
            repeated |= flow->path[i] == link;
        }
        flow->path[h] = link;
        h += repeated ? 0 : 1;
    }
}

/* Whole numbers, so that ties are common. */
static double random_weight(struct problem *problem)
{
    return 1 + (double)orr_rng_below(&problem->rng, 3);
}

static double random_bound(struct problem *problem)
{
    return orr_rng_below(&problem->rng, 3) == 0 ? 1 + (double)orr_rng_below(&problem->rng, 20)
                                                : INFINITY;
}

static void open_problem(struct problem *problem, uint64_t seed)
{
    memset(problem, 0, sizeof *problem);
    orr_rng_init(&problem->rng, seed, 0);
    for (uint32_t l = 0; l < LINKS; l++) {
        problem->capacity[l] = 10 * (1 + (double)orr_rng_below(&problem->rng, 5));
    }
    problem->shares = orr_maxmin_create(LINKS, problem->capacity);
    assert_non_null(problem->shares);
}

static void add(struct problem *problem, struct given *flow)
{
    flow->alive = true;
    flow->handle =
        orr_maxmin_add(problem->shares, flow->path, flow->hops, flow->weight, flow->bound);
    assert_int_not_equal(flow->handle, MAXMIN_NONE);
}

/* A flow comes, goes or changes its weight, or a link its capacity. */
static void step(struct problem *problem)
{
    struct given *flow = &problem->flow[orr_rng_below(&problem->rng, FLOWS)];
    const uint64_t what = orr_rng_below(&problem->rng, 10);
    if (what == 0) {
        const uint32_t link = (uint32_t)orr_rng_below(&problem->rng, LINKS);
        problem->capacity[link] = 5 * (double)orr_rng_below(&problem->rng, 11);
        orr_maxmin_set_capacity(problem->shares, link, problem->capacity[link]);
    } else if (!flow->alive) {
        random_path(problem, flow);
        flow->weight = random_weight(problem);
        flow->bound = random_bound(problem);
        add(problem, flow);
    } else if (what < 4) {
        flow->weight = random_weight(problem);
        flow->bound = random_bound(problem);
        set_weight(problem->shares, flow->handle, flow->weight, flow->bound);
    } else {
        orr_maxmin_remove(problem->shares, flow->handle);
        flow->alive = false;
    }
}

/* ---- the simple solution: all levels rise until a link is full or a flow at its bound ---- */

static double rise_of_link(const struct problem *problem, uint32_t link, const bool *rising)
{
    double left = problem->capacity[link], weights = 0;
    for (uint32_t f = 0; f < FLOWS; f++) {
        const struct given *flow = &problem->flow[f];
        for (uint32_t h = 0; flow->alive && h < flow->hops; h++) {
            if (flow->path[h] == link) {
                left -= flow->rate;
                weights += rising[f] ? flow->weight : 0;
            }
        }
    }
    return weights > 0 ? left / weights : INFINITY;
}

static bool crosses(const struct given *flow, uint32_t link)
{
    for (uint32_t h = 0; h < flow->hops; h++) {
        if (flow->path[h] == link) {
            return true;
        }
    }
    return false;
}

static void rise(struct problem *problem, bool *rising)
{
    double min = INFINITY;
    bool full[LINKS];
    for (uint32_t l = 0; l < LINKS; l++) {
        min = fmin(min, rise_of_link(problem, l, rising));
    }
    for (uint32_t f = 0; f < FLOWS; f++) {
        const struct given *flow = &problem->flow[f];
        min = rising[f] ? fmin(min, (flow->bound - flow->rate) / flow->weight) : min;
    }
    for (uint32_t l = 0; l < LINKS; l++) {
        full[l] = rise_of_link(problem, l, rising) <= min + 1e-9;
    }
    for (uint32_t f = 0; f < FLOWS; f++) {
        struct given *flow = &problem->flow[f];
        bool stops = false;
        if (rising[f]) {
            flow->rate += min * flow->weight;
            stops = flow->rate >= flow->bound - 1e-9;
        }
        for (uint32_t l = 0; l < LINKS && rising[f]; l++) {
            stops |= full[l] && crosses(flow, l);
        }
        rising[f] = rising[f] && !stops;
    }
}

static void solve_simply(struct problem *problem)
{
    bool rising[FLOWS], any = true;
    for (uint32_t f = 0; f < FLOWS; f++) {
        problem->flow[f].rate = 0;
        rising[f] = problem->flow[f].alive;
    }
    while (any) {
        rise(problem, rising);
        any = false;
        for (uint32_t f = 0; f < FLOWS; f++) {
            any |= rising[f];
        }
    }
}

/* ---- checks ---- */

static void check_feasible(const struct problem *problem)
{
    for (uint32_t l = 0; l < LINKS; l++) {
        double sum = 0;
        for (uint32_t f = 0; f < FLOWS; f++) {
            const struct given *flow = &problem->flow[f];
            sum += flow->alive && crosses(flow, l) ? rate_of(problem->shares, flow->handle) : 0;
        }
        assert_true(sum <= problem->capacity[l] * (1 + 1e-6));
        assert_true(fabs(sum - orr_maxmin_load(problem->shares, l)) < 1e-6);
    }
}

/* A full link on which no other flow has a higher level, or the bound. */
static void check_fair(const struct problem *problem)
{
    for (uint32_t f = 0; f < FLOWS; f++) {
        const struct given *flow = &problem->flow[f];
        if (!flow->alive) {
            continue;
        }
        const double rate = rate_of(problem->shares, flow->handle);
        const uint32_t held = bottleneck_of(problem->shares, flow->handle);
        assert_true(rate <= flow->bound * (1 + 1e-9));
        if (held == MAXMIN_NONE) {
            assert_true(fabs(rate - flow->bound) < 1e-6);
            continue;
        }
        assert_true(crosses(flow, held));
        assert_true(orr_maxmin_load(problem->shares, held) >= problem->capacity[held] * (1 - 1e-6));
        for (uint32_t o = 0; o < FLOWS; o++) {
            const struct given *other = &problem->flow[o];
            if (other->alive && crosses(other, held)) {
                assert_true(rate_of(problem->shares, other->handle) / other->weight <=
                            rate / flow->weight * (1 + 1e-6));
            }
        }
    }
}

static void check_equal(const struct problem *problem)
{
    for (uint32_t f = 0; f < FLOWS; f++) {
        const struct given *flow = &problem->flow[f];
        if (flow->alive) {
            assert_true(fabs(rate_of(problem->shares, flow->handle) - flow->rate) < 1e-6);
        }
    }
}

/* The same flows, given in the opposite order to a new problem. */
static void check_order(const struct problem *problem)
{
    uint32_t handle[FLOWS];
    const uint32_t *changed = NULL;
    struct maxmin *other = orr_maxmin_create(LINKS, problem->capacity);
    for (uint32_t f = FLOWS; f-- > 0;) {
        const struct given *flow = &problem->flow[f];
        handle[f] = flow->alive
                        ? orr_maxmin_add(other, flow->path, flow->hops, flow->weight, flow->bound)
                        : MAXMIN_NONE;
    }
    (void)orr_maxmin_solve(other, &changed);
    for (uint32_t f = 0; f < FLOWS; f++) {
        if (handle[f] != MAXMIN_NONE) {
            assert_true(fabs(rate_of(other, handle[f]) - problem->flow[f].rate) < 1e-6);
        }
    }
    orr_maxmin_destroy(other);
}

static void test_random_changes_keep_shares_feasible_fair_and_unique(void **state)
{
    (void)state;
    struct problem problem;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        open_problem(&problem, seed);
        for (int s = 0; s < STEPS; s++) {
            const uint64_t together = 1 + orr_rng_below(&problem.rng, 6);
            for (uint64_t i = 0; i < together; i++) {
                step(&problem);
            }
            const uint32_t *changed = NULL;
            (void)orr_maxmin_solve(problem.shares, &changed);
            assert_false(orr_maxmin_dirty(problem.shares));
            solve_simply(&problem);
            check_feasible(&problem);
            check_fair(&problem);
            check_equal(&problem);
        }
        check_order(&problem);
        orr_maxmin_destroy(problem.shares);
    }
}

/* Links of 10 and 4: flow 0 over both, flow 1 over the first, flow 2 over the second. The second
 * gives 2 to each of its flows, the first what is left, 8, to flow 1. When flow 2 goes, flow 0 has
 * 4 and flow 1 has 6; a bound of 1 for flow 0 leaves 9. */
static void test_three_flows_two_links_by_hand(void **state)
{
    (void)state;
    const double capacity[2] = {10, 4};
    const uint32_t path[2] = {0, 1}, *changed = NULL;
    struct maxmin *shares = orr_maxmin_create(2, capacity);
    const uint32_t both = orr_maxmin_add(shares, path, 2, 1, INFINITY);
    const uint32_t first = orr_maxmin_add(shares, path, 1, 1, INFINITY);
    const uint32_t second = orr_maxmin_add(shares, path + 1, 1, 1, INFINITY);
    assert_int_equal(orr_maxmin_solve(shares, &changed), 3);
    assert_true(fabs(rate_of(shares, both) - 2) < 1e-12);
    assert_true(fabs(rate_of(shares, first) - 8) < 1e-12);
    assert_true(fabs(rate_of(shares, second) - 2) < 1e-12);
    assert_int_equal(bottleneck_of(shares, both), 1);
    orr_maxmin_remove(shares, second);
    (void)orr_maxmin_solve(shares, &changed);
    assert_true(fabs(rate_of(shares, both) - 4) < 1e-12);
    assert_true(fabs(rate_of(shares, first) - 6) < 1e-12);
    set_weight(shares, both, 1, 1);
    (void)orr_maxmin_solve(shares, &changed);
    assert_true(fabs(rate_of(shares, first) - 9) < 1e-12);
    assert_int_equal(bottleneck_of(shares, both), MAXMIN_NONE);
    orr_maxmin_destroy(shares);
}

/* Two separate links: a change on one is not worked on at the other. */
static void test_untouched_part_is_left_alone(void **state)
{
    (void)state;
    const double capacity[2] = {10, 4};
    const uint32_t path[2] = {0, 1}, *changed = NULL;
    struct maxmin *shares = orr_maxmin_create(2, capacity);
    (void)orr_maxmin_add(shares, path, 1, 1, INFINITY);
    (void)orr_maxmin_add(shares, path + 1, 1, 1, INFINITY);
    assert_int_equal(orr_maxmin_solve(shares, &changed), 2);
    (void)orr_maxmin_add(shares, path + 1, 1, 1, INFINITY);
    assert_int_equal(orr_maxmin_solve(shares, &changed), 2);
    orr_maxmin_destroy(shares);
}

/* ---- entries of links ---- */

static uint32_t times_on(const struct given *flow, uint32_t link)
{
    uint32_t times = 0;
    for (uint32_t h = 0; flow->alive && h < flow->hops; h++) {
        times += flow->path[h] == link ? 1 : 0;
    }
    return times;
}

static void check_entries(const struct problem *problem)
{
    for (uint32_t l = 0; l < LINKS; l++) {
        uint32_t count = 0, expected = 0;
        const struct maxmin_entry *entry = orr_maxmin_flows(problem->shares, l, &count);
        for (uint32_t f = 0; f < FLOWS; f++) {
            const struct given *flow = &problem->flow[f];
            uint32_t times = 0;
            for (uint32_t e = 0; e < count && flow->alive; e++) {
                times += entry[e].member == flow->handle ? 1 : 0;
            }
            assert_int_equal(times, times_on(flow, l));
            expected += times;
        }
        assert_int_equal(count, expected);
    }
}

/* Paths of five hops over three links, so that most take one of them several times. */
static void test_links_that_paths_take_several_times_list_who_is_there(void **state)
{
    (void)state;
    struct problem problem;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        open_problem(&problem, seed);
        for (int s = 0; s < STEPS; s++) {
            struct given *flow = &problem.flow[orr_rng_below(&problem.rng, 8)];
            if (flow->alive) {
                orr_maxmin_remove(problem.shares, flow->handle);
                flow->alive = false;
            } else {
                flow->hops = MAX_HOPS;
                for (uint32_t h = 0; h < MAX_HOPS; h++) {
                    flow->path[h] = (uint32_t)orr_rng_below(&problem.rng, 3);
                }
                flow->weight = 1;
                flow->bound = INFINITY;
                add(&problem, flow);
            }
            check_entries(&problem);
        }
        orr_maxmin_destroy(problem.shares);
    }
}

/* ---- members of one flow ---- */

enum { GROUPS = 16, MAX_ALIKE = 6 };

/* Alike: as flows of their own in one problem, and members of one flow in the other. */
struct alike {
    struct given given;
    uint32_t member[MAX_ALIKE];
    uint32_t count;
};

struct twins {
    struct problem problem; /* its shares are the flows by themselves */
    struct maxmin *bundled;
    struct alike group[GROUPS];
};

static void add_alike(struct twins *twins, struct alike *group)
{
    struct given *given = &group->given;
    random_path(&twins->problem, given);
    /* Thirds, whose sums are rounded. */
    given->weight = random_weight(&twins->problem) / 3;
    given->bound = random_bound(&twins->problem);
    group->count = 1 + (uint32_t)orr_rng_below(&twins->problem.rng, MAX_ALIKE);
    for (uint32_t m = 0; m < group->count; m++) {
        group->member[m] = orr_maxmin_add(twins->problem.shares, given->path, given->hops,
                                          given->weight, given->bound);
        const uint32_t member =
            m == 0 ? orr_maxmin_add(twins->bundled, given->path, given->hops, given->weight,
                                    given->bound)
                   : orr_maxmin_more(twins->bundled,
                                     orr_maxmin_flow(twins->bundled, group->member[0]));
        assert_int_equal(member, group->member[m]); /* numbers are the same */
    }
}

/* Members may have been parted. */
static void weigh_alike(struct twins *twins, struct alike *group)
{
    const double weight = random_weight(&twins->problem) / 7;
    const double bound = random_bound(&twins->problem);
    uint32_t set = MAXMIN_NONE;
    for (uint32_t m = 0; m < group->count; m++) {
        const uint32_t flow = orr_maxmin_flow(twins->bundled, group->member[m]);
        set_weight(twins->problem.shares, group->member[m], weight, bound);
        if (flow == set) {
            const struct maxmin_entry entry = {.flow = flow, .member = group->member[m]};
            orr_maxmin_recompute(twins->bundled, &entry, 1);
        } else {
            set_weight(twins->bundled, group->member[m], weight, bound);
        }
        set = flow;
    }
}

static void step_twins(struct twins *twins)
{
    struct orr_rng *rng = &twins->problem.rng;
    struct alike *group = &twins->group[orr_rng_below(rng, GROUPS)];
    const uint64_t what = orr_rng_below(rng, 10);
    if (what == 0) {
        const uint32_t link = (uint32_t)orr_rng_below(rng, LINKS);
        const double capacity = 5 * (double)orr_rng_below(rng, 11);
        orr_maxmin_set_capacity(twins->problem.shares, link, capacity);
        orr_maxmin_set_capacity(twins->bundled, link, capacity);
    } else if (group->count == 0) {
        add_alike(twins, group);
    } else if (what < 5) {
        weigh_alike(twins, group);
    } else if (what == 5) {
        for (uint32_t m = 1; m < group->count; m++) {
            (void)orr_maxmin_split(twins->bundled, group->member[m]);
        }
    } else {
        const uint32_t last = group->member[--group->count];
        orr_maxmin_remove(twins->problem.shares, last);
        orr_maxmin_remove(twins->bundled, last);
    }
}

static void check_twins(const struct twins *twins)
{
    for (uint32_t g = 0; g < GROUPS; g++) {
        for (uint32_t m = 0; m < twins->group[g].count; m++) {
            const uint32_t member = twins->group[g].member[m];
            const double alone = rate_of(twins->problem.shares, member);
            const double bundled = rate_of(twins->bundled, member);
            assert_memory_equal(&alone, &bundled, sizeof alone);
            assert_int_equal(bottleneck_of(twins->problem.shares, member),
                             bottleneck_of(twins->bundled, member));
        }
    }
}

/* Members have the rates of flows by themselves, to the last bit, through all that happens. */
static void test_members_get_what_flows_by_themselves_get(void **state)
{
    (void)state;
    const uint32_t *changed = NULL;
    struct twins twins = {.bundled = NULL};
    for (uint64_t seed = 0; seed < CASES; seed++) {
        memset(twins.group, 0, sizeof twins.group);
        open_problem(&twins.problem, seed);
        twins.bundled = orr_maxmin_create(LINKS, twins.problem.capacity);
        for (int s = 0; s < STEPS; s++) {
            const uint64_t together = 1 + orr_rng_below(&twins.problem.rng, 6);
            for (uint64_t i = 0; i < together; i++) {
                step_twins(&twins);
            }
            const size_t alone = orr_maxmin_solve(twins.problem.shares, &changed);
            assert_true(orr_maxmin_solve(twins.bundled, &changed) <= alone);
            check_twins(&twins);
        }
        orr_maxmin_destroy(twins.problem.shares);
        orr_maxmin_destroy(twins.bundled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_changes_keep_shares_feasible_fair_and_unique),
        cmocka_unit_test(test_three_flows_two_links_by_hand),
        cmocka_unit_test(test_untouched_part_is_left_alone),
        cmocka_unit_test(test_links_that_paths_take_several_times_list_who_is_there),
        cmocka_unit_test(test_members_get_what_flows_by_themselves_get),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
