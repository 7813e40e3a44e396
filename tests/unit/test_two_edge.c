/* Two-edge replacement (TopoOpt, NSDI'23, Algorithm 5, line 21): circuits that join all nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "network/optical/circuits.h"

extern const struct net_circuits_ops orr_circuits_utility, orr_circuits_longest_queue;

enum { MAX = 64, MAX_PORTS = 8 };

/* Demands, and the room that controllers work in. */
static struct {
    double waiting[MAX * MAX];
    uint16_t present[MAX * MAX], greedy[MAX * MAX], set[MAX * MAX];
    uint32_t waiting_pair[MAX * MAX], ends[2 * MAX], scratch[NET_CIRCUITS_SCRATCH(MAX, MAX_PORTS)];
    struct net_circuits_request request[MAX * MAX];
} all;

static struct net_circuits_view view_of(uint32_t nodes, uint32_t ports, bool duplex)
{
    uint32_t waiting_pairs = 0;
    for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
        if (all.waiting[pair] > 0) {
            all.waiting_pair[waiting_pairs++] = pair;
        }
    }
    return (struct net_circuits_view){.nodes = nodes,
                                      .ports = ports,
                                      .duplex = duplex,
                                      .discount = 0.5,
                                      .waiting = all.waiting,
                                      .waiting_pair = all.waiting_pair,
                                      .waiting_pairs = waiting_pairs,
                                      .present = all.present,
                                      .request = all.request,
                                      .ends = all.ends,
                                      .scratch = all.scratch};
}

/* How many nodes one reaches, itself too; with `back` how many reach it. */
static uint32_t reached(const uint16_t *set, uint32_t nodes, uint32_t from, bool back)
{
    uint32_t queue[MAX], head = 0, tail = 0;
    bool known[MAX] = {false};
    queue[tail++] = from;
    known[from] = true;
    while (head < tail) {
        const uint32_t node = queue[head++];
        for (uint32_t other = 0; other < nodes; other++) {
            if (!known[other] && set[back ? other * nodes + node : node * nodes + other] != 0) {
                known[other] = true;
                queue[tail++] = other;
            }
        }
    }
    return tail;
}

static bool is_joined(const uint16_t *set, uint32_t nodes)
{
    return reached(set, nodes, 0, false) == nodes && reached(set, nodes, 0, true) == nodes;
}

static void check_ports(const uint16_t *set, uint32_t nodes, uint32_t ports, bool duplex)
{
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t sends = 0, receives = 0;
        for (uint32_t other = 0; other < nodes; other++) {
            sends += set[node * nodes + other];
            receives += set[other * nodes + node];
            assert_true(!duplex || set[node * nodes + other] == set[other * nodes + node]);
        }
        assert_in_range(sends, 0, ports);
        assert_in_range(receives, 0, ports);
        assert_int_equal(set[node * nodes + node], 0);
    }
}

/* By hand: two ports, 0-1 and 2-3 each take both (10 and 4 wait). 0-1 counts 5 for its second one,
 * 2-3 counts 2. These are replaced, by 0-2 and 1-3: all the same for what waits, so as they come. 4
 * and 5, with 9, come in by one each: then the least are those that nobody waits for, 0-2, and 4-5.
 */
static void test_the_circuits_that_count_least_are_crossed(void **state)
{
    (void)state;
    memset(&all, 0, sizeof all);
    all.waiting[0 * 4 + 1] = 10;
    all.waiting[3 * 4 + 2] = 4;
    const struct net_circuits_view four = view_of(4, 2, true);
    orr_circuits_utility.decide(&four, all.set);
    assert_int_equal(all.set[0 * 4 + 1], 2);
    assert_int_equal(all.set[2 * 4 + 3], 2);
    assert_true(orr_circuits_connect(&four, &orr_circuits_utility, all.set));
    const uint16_t crossed[] = {0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0};
    assert_memory_equal(all.set, crossed, sizeof crossed);
    /* 1 to 2 waits, with less than what has its ports: then they are crossed the other way. */
    memset(&all, 0, sizeof all);
    all.waiting[0 * 4 + 1] = 10;
    all.waiting[3 * 4 + 2] = 4;
    all.waiting[2 * 4 + 1] = 1;
    const struct net_circuits_view other = view_of(4, 2, true);
    orr_circuits_utility.decide(&other, all.set);
    assert_true(orr_circuits_connect(&other, &orr_circuits_utility, all.set));
    const uint16_t otherwise[] = {0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0};
    assert_memory_equal(all.set, otherwise, sizeof otherwise);
}

/* One-way, a port: 0-1 and 1-0, 2-3 and 3-2. 1-0 (2) and 3-2 (1) wait least: 1-2 and 3-0 instead.
 */
static void test_one_way_circuits_become_one_cycle(void **state)
{
    (void)state;
    memset(&all, 0, sizeof all);
    all.waiting[0 * 4 + 1] = 8;
    all.waiting[1 * 4 + 0] = 2;
    all.waiting[2 * 4 + 3] = 6;
    all.waiting[3 * 4 + 2] = 1;
    const struct net_circuits_view view = view_of(4, 1, false);
    orr_circuits_utility.decide(&view, all.set);
    assert_true(orr_circuits_connect(&view, &orr_circuits_utility, all.set));
    const uint16_t cycle[] = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0};
    assert_memory_equal(all.set, cycle, sizeof cycle);
}

/* Nobody waits: ports that are free join everybody, and nothing is replaced. */
static void test_free_ports_are_filled_first(void **state)
{
    (void)state;
    for (int duplex = 0; duplex < 2; duplex++) {
        memset(&all, 0, sizeof all);
        all.waiting[0 * 5 + 1] = 1;
        const struct net_circuits_view view = view_of(5, 2, duplex != 0);
        all.set[0 * 5 + 1] = 1;
        all.set[1 * 5 + 0] = duplex != 0;
        assert_true(orr_circuits_connect(&view, &orr_circuits_utility, all.set));
        assert_true(all.set[0 * 5 + 1] >= 1);
        assert_true(is_joined(all.set, 5));
        check_ports(all.set, 5, 2, duplex != 0);
    }
}

/* One duplex port each: pairs, and no more. */
static void test_one_duplex_port_joins_two(void **state)
{
    (void)state;
    memset(&all, 0, sizeof all);
    const struct net_circuits_view two = view_of(2, 1, true);
    assert_true(orr_circuits_connect(&two, &orr_circuits_utility, all.set));
    assert_int_equal(all.set[1], 1);
    memset(&all, 0, sizeof all);
    const struct net_circuits_view four = view_of(4, 1, true);
    assert_false(orr_circuits_connect(&four, &orr_circuits_utility, all.set));
    check_ports(all.set, 4, 1, true);
}

static uint64_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t value = *state;
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (value ^ (value >> 27)) >> 11;
}

/* Demands of a few kinds: between few, within groups, or of everybody. */
static void draw_demands(uint64_t *seed, uint32_t nodes)
{
    const uint32_t group = 2 + (uint32_t)(draw(seed) % 4), part = (uint32_t)(draw(seed) % 4);
    for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
        const uint32_t from = pair / nodes, to = pair % nodes;
        const bool waiting_pair = part == 0   ? draw(seed) % nodes == 0
                                  : part == 1 ? from / group == to / group
                                  : part == 2 ? to == (from ^ 1)
                                              : true;
        all.waiting[pair] = from != to && waiting_pair ? 1 + (double)(draw(seed) % 1000000) : 0;
    }
}

/* What a circuit of the pair that it lost last counted for. */
static double counted(const struct net_circuits_view *view, const struct net_circuits_ops *ops,
                      uint32_t pair)
{
    return ops->need(view, net_circuits_demand(view, pair), all.greedy[pair] - 1u);
}

/* The circuits taken out of one part, but for at most one each, leave none in any other part that
 * counts for less and is on a cycle. One-way every circuit is; of duplex ones, those side by side
 * surely are. */
static void check_min(const struct net_circuits_view *view, const struct net_circuits_ops *ops)
{
    const uint32_t nodes = view->nodes;
    double max[MAX] = {0}, min[MAX];
    uint32_t part[MAX], taken[MAX] = {0};
    for (uint32_t node = 0; node < nodes; node++) {
        part[node] = node;
        min[node] = 1e300;
        for (uint32_t other = 0; other < node && part[node] == node; other++) {
            uint32_t queue[MAX], head = 0, tail = 0;
            bool known[MAX] = {false};
            queue[tail++] = other;
            known[other] = true;
            while (head < tail) {
                const uint32_t at = queue[head++];
                for (uint32_t to = 0; to < nodes; to++) {
                    if (!known[to] &&
                        (all.greedy[at * nodes + to] != 0 || all.greedy[to * nodes + at] != 0)) {
                        known[to] = true;
                        queue[tail++] = to;
                    }
                }
            }
            part[node] = known[node] ? part[other] : node;
        }
    }
    for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
        const uint32_t of = part[pair / nodes];
        if (all.greedy[pair] == 0) {
            continue;
        }
        const double counts = counted(view, ops, pair);
        if (all.set[pair] < all.greedy[pair]) {
            taken[of] += all.greedy[pair] - all.set[pair];
            max[of] = counts > max[of] ? counts : max[of];
        } else if (!view->duplex || all.greedy[pair] > 1) {
            min[of] = counts < min[of] ? counts : min[of];
        }
    }
    for (uint32_t node = 0; node < nodes; node++) {
        assert_true(taken[node] <= (view->duplex ? 2 : 1)); /* both directions of one */
        assert_true(taken[node] == 0 || max[node] <= min[node]);
    }
}

static void test_random_demands_are_joined(void **state)
{
    (void)state;
    uint64_t seed = 7;
    uint32_t replaced = 0;
    for (uint32_t round = 0; round < 600; round++) {
        const bool duplex = round % 2 != 0;
        const struct net_circuits_ops *ops =
            round % 3 == 0 ? &orr_circuits_longest_queue : &orr_circuits_utility;
        const uint32_t nodes = 2 + (uint32_t)(draw(&seed) % (MAX - 1));
        const uint32_t ports = 2 + (uint32_t)(draw(&seed) % (MAX_PORTS - 1));
        memset(&all, 0, sizeof all);
        draw_demands(&seed, nodes);
        const struct net_circuits_view view = view_of(nodes, ports, duplex);
        ops->decide(&view, all.set);
        check_ports(all.set, nodes, ports, duplex);
        memcpy(all.greedy, all.set, sizeof all.set);
        assert_true(orr_circuits_connect(&view, ops, all.set));
        assert_true(is_joined(all.set, nodes));
        check_ports(all.set, nodes, ports, duplex);
        check_min(&view, ops);
        for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
            replaced += all.set[pair] < all.greedy[pair];
        }
        uint16_t again[MAX * MAX]; /* the same again; and once joined, it stays */
        memcpy(again, all.greedy, sizeof again);
        assert_true(orr_circuits_connect(&view, ops, again));
        assert_memory_equal(again, all.set, sizeof again);
        assert_true(orr_circuits_connect(&view, ops, again));
        assert_memory_equal(again, all.set, sizeof again);
    }
    assert_true(replaced > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_circuits_that_count_least_are_crossed),
        cmocka_unit_test(test_one_way_circuits_become_one_cycle),
        cmocka_unit_test(test_free_ports_are_filled_first),
        cmocka_unit_test(test_one_duplex_port_joins_two),
        cmocka_unit_test(test_random_demands_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
