/* Circuits of one group that stands for all: the same rates as those of all groups written out, for
 * random groups that send to their own members and to the groups next to them. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/divide.h"
#include "core/rng.h"
#include "sipml/wavelengths/wavelengths.h"

enum {
    CASES = 2000,
    MAX_PLACES = 6,
    MAX_GROUPS = 5,
    MAX_NODES = MAX_PLACES * MAX_GROUPS,
    MAX_SWITCHES = 20,
    MAX_DEMANDS = MAX_PLACES * MAX_NODES
};

/* A folded problem, and all of it. */
struct pair {
    struct ocs_problem folded, whole;
    struct ocs_demand demand[MAX_DEMANDS], all[MAX_GROUPS * MAX_DEMANDS];
    uint32_t of[MAX_GROUPS * MAX_DEMANDS]; /* which folded one each is */
    struct ocs_circuits found, expected;
};

/* How likely of 8 one sends to a node; all its own group, few others of the groups beside it. */
static uint32_t chance_of(const struct ocs_problem *problem, uint32_t from, uint32_t to)
{
    const uint32_t k = problem->group, groups = problem->nodes / k, group = to / k;
    if (to == from) {
        return 0;
    }
    if (group == 0) {
        return 5;
    }
    return group != 1 && group != groups - 1 ? 0 : to % k == from ? 6 : 1;
}

static void draw(struct orr_rng *rng, struct pair *pair)
{
    static const uint64_t largest[] = {1, 5, 1000, UINT64_C(1000000000000000000)};
    struct ocs_problem *folded = &pair->folded;
    const uint64_t max = largest[orr_rng_below(rng, 4)];
    *folded = (struct ocs_problem){.demand = pair->demand};
    folded->group = 1 + (uint32_t)orr_rng_below(rng, MAX_PLACES);
    folded->nodes = folded->group * (2 + (uint32_t)orr_rng_below(rng, MAX_GROUPS - 1));
    folded->switches = 1 + (uint32_t)orr_rng_below(rng, MAX_SWITCHES);
    for (uint32_t from = 0; from < folded->group; from++) {
        for (uint32_t to = 0; to < folded->nodes; to++) {
            if (orr_rng_below(rng, 8) < chance_of(folded, from, to)) {
                const uint64_t bytes =
                    orr_rng_below(rng, 16) == 0 ? 0 : 1 + orr_rng_below(rng, max);
                pair->demand[folded->demands++] = (struct ocs_demand){from, to, bytes};
            }
        }
    }
}

/* All groups' demands, in order. */
static void expand(struct pair *pair)
{
    const struct ocs_problem *folded = &pair->folded;
    const uint32_t k = folded->group, nodes = folded->nodes;
    struct ocs_problem *whole = &pair->whole;
    *whole =
        (struct ocs_problem){.nodes = nodes, .switches = folded->switches, .demand = pair->all};
    for (uint32_t from = 0; from < nodes; from++) {
        for (uint32_t to = 0; to < nodes; to++) {
            const uint32_t image = (to + nodes - from / k * k) % nodes;
            for (uint32_t i = 0; i < folded->demands; i++) {
                if (pair->demand[i].from == from % k && pair->demand[i].to == image) {
                    pair->of[whole->demands] = i;
                    pair->all[whole->demands++] =
                        (struct ocs_demand){from, to, pair->demand[i].bytes};
                }
            }
        }
    }
    assert_int_equal(whole->demands, folded->demands * (nodes / k));
}

static bool is_same(struct wave_rate a, struct wave_rate b)
{
    return (orr_wide)a.circuits * b.bytes == (orr_wide)b.circuits * a.bytes;
}

/* Nobody of the group could have another circuit. */
static void nothing_is_left(const struct pair *pair)
{
    const struct ocs_problem *folded = &pair->folded;
    uint32_t sends[MAX_PLACES] = {0}, receives[MAX_PLACES] = {0};
    for (uint32_t i = 0; i < folded->demands; i++) {
        sends[pair->demand[i].from] += pair->found.count[i];
        receives[pair->demand[i].to % folded->group] += pair->found.count[i];
    }
    for (uint32_t i = 0; i < folded->demands; i++) {
        const uint32_t sent = sends[pair->demand[i].from];
        const uint32_t received = receives[pair->demand[i].to % folded->group];
        assert_true(sent <= folded->switches && received <= folded->switches);
        assert_true(pair->demand[i].bytes == 0 || sent == folded->switches ||
                    received == folded->switches);
    }
}

/* The counts of the group, copied to all. */
static void copy_counts(const struct pair *pair, uint32_t *count)
{
    struct wave_rate min = {.circuits = 1, .bytes = 0};
    for (uint32_t i = 0; i < pair->whole.demands; i++) {
        count[i] = pair->found.count[pair->of[i]];
        const struct wave_rate rate = {.circuits = count[i], .bytes = pair->all[i].bytes};
        const bool less = (orr_wide)rate.circuits * min.bytes < (orr_wide)min.circuits * rate.bytes;
        min = rate.bytes != 0 && less ? rate : min;
    }
    assert_true(is_same(min, pair->expected.rate));
}

/* Copied to all groups no switch has a receiver twice, and every pair has its circuits. */
static void switches_are_permutations(const struct pair *pair, const uint32_t *count,
                                      const uint32_t *peer)
{
    const uint32_t k = pair->folded.group, nodes = pair->folded.nodes;
    uint32_t seen[MAX_NODES][MAX_NODES] = {{0}};
    for (uint32_t s = 0; s < pair->folded.switches; s++) {
        uint64_t receivers = 0;
        for (uint32_t from = 0; from < nodes; from++) {
            if (peer[s * k + from % k] != WAVE_NONE) {
                const uint32_t to = (peer[s * k + from % k] + from / k * k) % nodes;
                assert_true((receivers >> to & 1) == 0);
                receivers |= UINT64_C(1) << to;
                seen[from][to]++;
            }
        }
    }
    for (uint32_t i = 0; i < pair->whole.demands; i++) {
        assert_int_equal(seen[pair->all[i].from][pair->all[i].to], count[i]);
        seen[pair->all[i].from][pair->all[i].to] = 0;
    }
    for (uint32_t i = 0; i < nodes * nodes; i++) {
        assert_int_equal(seen[i / nodes][i % nodes], 0);
    }
}

/* Whether there was one. */
static bool crowds_are_the_same(const struct pair *pair)
{
    struct orr_diag folded, whole;
    orr_diag_init(&folded);
    orr_diag_init(&whole);
    assert_int_equal(pair->found.overload.demands, pair->expected.overload.demands);
    if (pair->found.overload.set == WAVE_NONE) {
        assert_int_equal(pair->expected.overload.set, WAVE_NONE);
        return false;
    }
    orr_ocs_describe_overload(&pair->folded, &pair->found, &folded);
    orr_ocs_describe_overload(&pair->whole, &pair->expected, &whole);
    assert_string_equal(folded.message, whole.message);
    return true;
}

static void test_folded_circuits_are_those_of_all_groups(void **state)
{
    static struct pair pair;
    struct orr_rng rng;
    uint32_t crowded = 0;
    (void)state;
    orr_rng_init(&rng, 5, 3);
    for (uint32_t i = 0; i < CASES; i++) {
        struct orr_arena *arena = orr_arena_create();
        uint32_t count[MAX_GROUPS * MAX_DEMANDS], *peer, *all_peers;
        draw(&rng, &pair);
        expand(&pair);
        assert_int_equal(orr_ocs_circuits(arena, &pair.folded, &pair.found, NULL), ORR_OK);
        assert_int_equal(orr_ocs_circuits(arena, &pair.whole, &pair.expected, NULL), ORR_OK);
        if (!is_same(pair.found.bound, pair.expected.bound) ||
            !is_same(pair.found.rate, pair.expected.rate)) {
            fail_msg("case %" PRIu32 ": expected %" PRIu32 "/%" PRIu64 ", got %" PRIu32 "/%" PRIu64,
                     i, pair.expected.rate.circuits, pair.expected.rate.bytes,
                     pair.found.rate.circuits, pair.found.rate.bytes);
        }
        crowded += crowds_are_the_same(&pair);
        nothing_is_left(&pair);
        copy_counts(&pair, count);
        assert_int_equal(orr_ocs_switches(arena, &pair.folded, pair.found.count, &peer, NULL),
                         ORR_OK);
        switches_are_permutations(&pair, count, peer);
        assert_int_equal(orr_ocs_switches(arena, &pair.whole, count, &all_peers, NULL), ORR_OK);
        orr_arena_destroy(arena);
    }
    assert_true(crowded > CASES / 20 && crowded < CASES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded_circuits_are_those_of_all_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
