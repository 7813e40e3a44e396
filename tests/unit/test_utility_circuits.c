/* The circuits that the controller `utility` decides on (TopoOpt, NSDI'23, Algorithm 5), by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "network/optical/circuits.h"

extern const struct net_circuits_ops orr_circuits_utility;

enum { MAX = 8 };

/* What is decided of demands [nodes * nodes] is `expected`. */
static void decides_on(bool duplex, uint32_t nodes, uint32_t ports, double discount,
                       const double *waiting, const uint16_t *present, const uint16_t *expected)
{
    uint16_t set[MAX * MAX] = {0};
    struct net_circuits_request request[MAX * MAX];
    uint32_t ends[2 * MAX], waiting_pair[MAX * MAX], waiting_pairs = 0;
    for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
        if (waiting[pair] > 0) {
            waiting_pair[waiting_pairs++] = pair;
        }
    }
    const struct net_circuits_view view = {.nodes = nodes,
                                           .ports = ports,
                                           .discount = discount,
                                           .duplex = duplex,
                                           .waiting = waiting,
                                           .waiting_pair = waiting_pair,
                                           .waiting_pairs = waiting_pairs,
                                           .present = present,
                                           .request = request,
                                           .ends = ends};
    orr_circuits_utility.decide(&view, set);
    for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
        if (set[pair] != expected[pair]) {
            fail_msg("from %u to %u: expected %u, got %u", pair / nodes, pair % nodes,
                     expected[pair], set[pair]);
        }
    }
}

static void decides(uint32_t nodes, uint32_t ports, double discount, const double *waiting,
                    const uint16_t *present, const uint16_t *expected)
{
    decides_on(false, nodes, ports, discount, waiting, present, expected);
}

static const uint16_t none[MAX * MAX] = {0};

/* Two ports. Half: 0-1 (8) gets one and counts 4; 1-2 (6) one and counts 3; 0-2 (5) takes the last
 * port of 0 and of 2's receivers, of which 1-2 had the other; 2-0 (1) one, 0.5, and another, as
 * nobody else wants them; 1-0 has no demand. */
static void test_half_counts_each_further_circuit_for_less(void **state)
{
    (void)state;
    const double waiting[] = {0, 8, 5, 0, 0, 6, 1, 0, 0};
    const uint16_t half[] = {0, 1, 1, 0, 0, 1, 2, 0, 0};
    decides(3, 2, 0.5, waiting, none, half);
    /* One: 0-1 takes both of 0, 1-2 both of 1, 2-0 both of 2; 0-2 none. */
    const uint16_t one[] = {0, 2, 0, 0, 0, 2, 2, 0, 0};
    decides(3, 2, 1, waiting, none, one);
}

/* Three ports of each of four: 0-1 (16) one, 8; 0-2 (9) one, 4.5; 0-1 (8) the last of 0. 3-1 (7)
 * takes the last of 1's receivers; 3-2 (6) one, 3, and one more, 1.5: 2 has no receiver left. */
static void test_receivers_run_out_too(void **state)
{
    (void)state;
    const double waiting[] = {0, 16, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 6, 0};
    const uint16_t half[] = {0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0};
    decides(4, 3, 0.5, waiting, none, half);
    /* One: 0-1 has all of 0 and of 1; 3-1 gets none, and 3-2 all of 3. */
    const uint16_t one[] = {0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0};
    decides(4, 3, 1, waiting, none, one);
    /* A tenth: 0-1, 0-2, 3-1, 3-2, then 0-1 at 1.6, which was the last of 0 and of 1, and 3-2 at
     * 0.6. */
    const uint16_t tenth[] = {0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0};
    decides(4, 3, 0.1, waiting, none, tenth);
}

/* Equal demands of one port each: the lower first node, then the lower second one. 0-1 comes before
 * 0-2 and 1-0; 1-0 is next, of those that have both ports; 2 has 2-3, 3 has 3-2, of five 4 has
 * none.
 */
static void test_lower_nodes_win_ties(void **state)
{
    (void)state;
    double waiting[5 * 5];
    uint16_t expected[5 * 5] = {0};
    for (uint32_t pair = 0; pair < 5 * 5; pair++) {
        waiting[pair] = pair / 5 == pair % 5 ? 0 : 100;
    }
    expected[0 * 5 + 1] = expected[1 * 5 + 0] = expected[2 * 5 + 3] = expected[3 * 5 + 2] = 1;
    decides(5, 1, 1, waiting, none, expected);
    decides(5, 1, 0.5, waiting, none, expected);
    /* Half, two ports: 0-1, 0-2, 1-0, 1-2, 2-0 and 2-1 come first, with all ports of these three;
     * then 3-4 and 4-3 at 100, and once more at 50. */
    const uint16_t two[] = {0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0,
                            0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0};
    decides(5, 2, 0.5, waiting, none, two);
}

/* What nobody waits for stays, on the ports that are left. */
static void test_present_circuits_stay_on_free_ports(void **state)
{
    (void)state;
    const double waiting[] = {0, 3, 0, 0, 0, 0, 0, 0, 0};
    const uint16_t present[] = {0, 0, 2, 2, 0, 0, 0, 2, 0};
    /* With a discount 0-1 takes both, as nobody else wants a port. */
    const uint16_t both[] = {0, 2, 0, 2, 0, 0, 0, 0, 0};
    decides(3, 2, 0.5, waiting, present, both);
    decides(3, 2, 1, waiting, present, both);
    const double nothing[9] = {0};
    decides(3, 2, 1, nothing, present, present);
}

/* Duplex, two ports: 0-1 has 8 (and 3 back), 1-2 has 6 back, 0-2 has 5, 3 none. 0-1 gets one, 4
 * then; 2-1's 6 gives 1-2 the other port of 1; 0-2 at 5 the last of 0 and of 2. With one port 0-1
 * alone, and what was there between 2 and 3 stays. With a discount of 1 0-1 takes both. */
static void test_duplex_circuits_serve_the_way_that_has_more(void **state)
{
    (void)state;
    const double waiting[] = {0, 8, 5, 0, 3, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0};
    const uint16_t present[] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0};
    const uint16_t two[] = {0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0};
    const uint16_t one[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0};
    const uint16_t sip[] = {0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0};
    decides_on(true, 4, 2, 0.5, waiting, none, two);
    decides_on(true, 4, 1, 0.5, waiting, present, one);
    decides_on(true, 4, 2, 1, waiting, present, sip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_counts_each_further_circuit_for_less),
        cmocka_unit_test(test_receivers_run_out_too),
        cmocka_unit_test(test_lower_nodes_win_ties),
        cmocka_unit_test(test_present_circuits_stay_on_free_ports),
        cmocka_unit_test(test_duplex_circuits_serve_the_way_that_has_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
