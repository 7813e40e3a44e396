/* Graphs of circuits that are set for demands (SiP-ML, sections 3.1 and 3.3), by hand. */
#include "tests/unit/allocation_fixture.h"

/* The records of a graph, each as {from, to, count}. */
static void links_are(const struct allocation_case *of, const uint32_t (*expected)[3], uint32_t all)
{
    assert_int_equal(of->graph.links, all);
    for (uint32_t i = 0; i < all; i++) {
        const struct net_link *link = &of->graph.link[i];
        if (link->from != expected[i][0] || link->to != expected[i][1] ||
            link->count != expected[i][2]) {
            fail_msg("record %u: expected %u to %u x %u, got %u to %u x %u", i, expected[i][0],
                     expected[i][1], expected[i][2], link->from, link->to, link->count);
        }
    }
}

static void rate_is(struct wave_rate rate, uint64_t circuits, uint64_t bytes)
{
    assert_true(rate.circuits * bytes == circuits * rate.bytes);
}

static void refused(struct allocation_case *of, const char *message)
{
    assert_int_equal(allocation_make(of), ORR_ERR_INPUT);
    assert_string_equal(of->diag.message, message);
}

/* Rows (0 3 1), (0 0 2), (4 0 0), four switches: 2 sends 4 bytes by 4 circuits, so the rate is 1,
 * by 3, 1, 2 and 4 circuits. 1 has two ports left, 2 receives by 3 of 4: 1 -> 2 gets a third. */
static void test_matrix_becomes_links_by_their_counts(void **state)
{
    (void)state;
    struct allocation_case of;
    allocation_open(&of, "sip_ocs", 3, 4);
    allocation_add(&of, 0, 1, 3);
    allocation_add(&of, 0, 2, 1);
    allocation_add(&of, 1, 2, 2);
    allocation_add(&of, 2, 0, 4);
    assert_true(orr_net_awaits_demands(&of.awaiting));
    assert_false(orr_net_moves_circuits(&of.awaiting));
    assert_int_equal(allocation_make(&of), ORR_OK);
    links_are(&of, (const uint32_t[][3]){{0, 1, 3}, {0, 2, 1}, {1, 2, 3}, {2, 0, 4}}, 4);
    rate_is(of.told.rate, 1, 1);
    assert_false(orr_net_awaits_demands(&of.graph));
    assert_false(orr_net_moves_circuits(&of.graph));
    assert_int_equal(of.graph.nodes, 3);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(of.graph.link[i].bytes_per_s == 10e9);
        assert_true(of.graph.link[i].latency_ps == ORR_PS_PER_US);
        assert_true(of.graph.circuits->allocated->total[i] == of.demand[i].bytes);
    }
    allocation_close(&of);
}

/* With 5 for 3: ceil(5 r) + ceil(r) <= 4 has r = 3/5 at most: 3, 1, 2, 3; what is left goes to 2 ->
 * 0 (4/3 bytes a circuit), then to 1 -> 2. */
static void test_larger_demand_has_the_lower_rate(void **state)
{
    (void)state;
    struct allocation_case of;
    allocation_open(&of, "sip_ocs", 3, 4);
    allocation_add(&of, 0, 1, 5);
    allocation_add(&of, 0, 2, 1);
    allocation_add(&of, 1, 2, 2);
    allocation_add(&of, 2, 0, 4);
    assert_int_equal(allocation_make(&of), ORR_OK);
    links_are(&of, (const uint32_t[][3]){{0, 1, 3}, {0, 2, 1}, {1, 2, 3}, {2, 0, 4}}, 4);
    rate_is(of.told.rate, 3, 5);
    allocation_close(&of);
}

/* A switch whose links were made half as fast has circuits of half the bandwidth; one that took its
 * latency by halves gives it back. */
static void test_circuits_are_scaled_as_the_switch_was(void **state)
{
    (void)state;
    struct allocation_case of;
    struct net_link link[4];
    allocation_open(&of, "sip_ocs", 2, 4);
    allocation_add(&of, 0, 1, 1);
    memcpy(link, of.awaiting.link, sizeof link);
    for (int i = 0; i < 4; i++) {
        link[i].bytes_per_s /= 2;
        link[i].latency_ps *= 3;
    }
    of.awaiting.link = link;
    assert_int_equal(allocation_make(&of), ORR_OK);
    assert_true(of.graph.link[0].bytes_per_s == 5e9);
    assert_true(of.graph.link[0].latency_ps == 3 * ORR_PS_PER_US);
    allocation_close(&of);
}

/* Two groups of two, 0 -> 1 and 1 -> 0 inside, 0 -> 2 and 1 -> 3 between them, 6 bytes each, four
 * switches. Node 0 sends to two: equal bytes, two circuits each. Weighted 2 inside: 12 and 6 bytes,
 * rate 1/6 needs 2 + 1; the one that is left goes to the inside, 6 bytes a circuit as the other,
 * and first: 3 and 1. Weighted 1/4: 2 (rounded up) and 6 bytes: 1 and 3, at 1/2. All groups have
 * the same, turned: 2 -> 0 is what 0 -> 2 is. */
static void test_groups_are_turned_and_weights_count_inside(void **state)
{
    (void)state;
    static const struct {
        double weight;
        uint32_t inside, between;
    } cases[] = {{1, 2, 2}, {2, 3, 1}, {0.25, 1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct allocation_case of;
        allocation_open(&of, "sip_ocs", 4, 4);
        of.demands.group = 2;
        of.demands.weight = cases[i].weight;
        allocation_add(&of, 0, 1, 6);
        allocation_add(&of, 0, 2, 6);
        allocation_add(&of, 1, 0, 6);
        allocation_add(&of, 1, 3, 6);
        assert_true(orr_net_allocates_groups(&of.awaiting, &of.demands));
        assert_int_equal(allocation_make(&of), ORR_OK);
        const uint32_t in = cases[i].inside, out = cases[i].between;
        links_are(&of,
                  (const uint32_t[][3]){{0, 1, in},
                                        {0, 2, out},
                                        {1, 0, in},
                                        {1, 3, out},
                                        {2, 0, out},
                                        {2, 3, in},
                                        {3, 1, out},
                                        {3, 2, in}},
                  8);
        assert_int_equal(of.graph.circuits->allocated->group, 2);
        assert_int_equal(of.graph.circuits->allocated->demands, 4);
        assert_true(of.graph.circuits->allocated->total[0] == 6); /* as offered, not as weighted */
        allocation_close(&of);
    }
}

/* Circuits that are set anew: a record of all ports for each pair, whatever its bytes. */
static void test_moving_circuits_have_a_record_of_all_ports(void **state)
{
    (void)state;
    struct allocation_case of;
    allocation_open(&of, "sip_ocs", 4, 2);
    of.allocated.hold_ps = 100 * ORR_PS_PER_US;
    of.circuits.dark_ps = 25 * ORR_PS_PER_US;
    allocation_add(&of, 0, 1, 1);
    allocation_add(&of, 0, 2, 1000);
    allocation_add(&of, 0, 3, 0);
    assert_int_equal(allocation_make(&of), ORR_OK); /* three peers of two ports take turns */
    links_are(&of, (const uint32_t[][3]){{0, 1, 2}, {0, 2, 2}, {0, 3, 2}}, 3);
    assert_true(orr_net_moves_circuits(&of.graph));
    allocation_close(&of);
}

static void test_too_many_peers_are_refused_by_name(void **state)
{
    (void)state;
    struct allocation_case of;
    allocation_open(&of, "sip_ocs", 4, 2);
    allocation_add(&of, 1, 0, 1);
    allocation_add(&of, 1, 2, 1);
    allocation_add(&of, 1, 3, 0); /* messages without bytes need a circuit too */
    refused(&of, "network.circuits: GPU 1 sends to 3 others, for which there are 2 switches; "
                 "expected as many, or circuits that are reconfigured (hold)");
    allocation_close(&of);
    allocation_open(&of, "sip_ring", 6, 1);
    allocation_add(&of, 0, 2, 1);
    allocation_add(&of, 1, 2, 1);
    refused(&of, "network.circuits: the segment from 1 to 2 is part of 2 arcs, for which there is "
                 "1 wavelength; expected as many, or circuits that are reconfigured (hold)");
    allocation_close(&of);
}

/* Five arcs around five nodes, every two of which overlap: no segment lies below more than two, but
 * they need five wavelengths. */
static void test_arcs_that_overlap_all_are_refused(void **state)
{
    (void)state;
    struct allocation_case of;
    for (uint32_t ports = 2; ports <= 5; ports += 3) {
        allocation_open(&of, "sip_ring", 5, ports);
        allocation_add(&of, 0, 2, 10);
        allocation_add(&of, 1, 3, 10);
        allocation_add(&of, 2, 4, 10);
        allocation_add(&of, 3, 0, 10);
        allocation_add(&of, 4, 1, 10);
        if (ports == 2) {
            refused(&of, "network.circuits: no wavelength is left for 1 of 5 pairs, first of them "
                         "GPU 3 to GPU 0: arcs that overlap have different ones; expected more "
                         "than 2, another method, or circuits that are reconfigured (hold)");
        } else {
            assert_int_equal(allocation_make(&of), ORR_OK);
        }
        allocation_close(&of);
    }
}

static void test_far_pairs_of_a_ring_are_refused(void **state)
{
    (void)state;
    struct allocation_case of;
    allocation_open(&of, "sip_ring", 40, 4);
    allocation_add(&of, 1, 0, 9);
    allocation_add(&of, 3, 26, 7); /* 17 down, 23 up */
    refused(&of, "network.circuits: GPU 3 sends 7 bytes to GPU 26, but it is 17 GPUs away, and "
                 "light reaches 16");
    of.allocated.rules.reach = 17;
    assert_int_equal(allocation_make(&of), ORR_OK);
    of.allocated.rules.reach = 0;
    assert_int_equal(allocation_make(&of), ORR_OK);
    allocation_close(&of);
}

/* Groups of 4 of 16: 0 -> 5 is one past the next group's place, so that a ring of 4 does not hold
 * the arc; nor does any with rows and columns. Switches take all. */
static void test_groups_that_reach_too_far_do_not_stand_for_all(void **state)
{
    (void)state;
    struct allocation_case of;
    allocation_open(&of, "sip_ring", 16, 4);
    of.demands.group = 4;
    allocation_add(&of, 0, 4, 1);
    assert_true(orr_net_allocates_groups(&of.awaiting, &of.demands));
    of.allocated.rules.rows = 4;
    assert_false(orr_net_allocates_groups(&of.awaiting, &of.demands));
    of.allocated.rules.rows = 1;
    allocation_add(&of, 0, 5, 1);
    assert_false(orr_net_allocates_groups(&of.awaiting, &of.demands));
    refused(&of, "network.circuits: GPU 0 sends 1 bytes to GPU 5, but it is 5 GPUs away, beyond "
                 "the neighbouring group of 4 GPUs");
    of.circuits.controller = allocation_controller("sip_ocs");
    assert_true(orr_net_allocates_groups(&of.awaiting, &of.demands));
    assert_int_equal(allocation_make(&of), ORR_OK);
    allocation_close(&of);
}

/* 3 rows of 4: 0 and 5 share neither; 1 and 3 are 2 apart on their row's ring, 0 and 8 one on that
 * of their column, around it. */
static void test_rows_and_columns_join_their_own(void **state)
{
    (void)state;
    struct allocation_case of;
    allocation_open(&of, "sip_ring", 12, 4);
    of.allocated.rules.rows = 3;
    of.allocated.rules.reach = 1;
    allocation_add(&of, 0, 8, 1);
    assert_int_equal(allocation_make(&of), ORR_OK);
    links_are(&of, (const uint32_t[][3]){{0, 8, 3}}, 1); /* the rows keep one of four */
    allocation_add(&of, 1, 3, 1);
    refused(&of,
            "network.circuits: GPU 1 sends 1 bytes to GPU 3, but it is 2 GPUs away on the ring "
            "of their row, and light reaches 1");
    of.demand[1].to = 6;
    refused(&of, "network.circuits: GPU 1 sends 1 bytes to GPU 6, but no ring of the 3 rows and 4 "
                 "columns connects the two");
    allocation_close(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix_becomes_links_by_their_counts),
        cmocka_unit_test(test_larger_demand_has_the_lower_rate),
        cmocka_unit_test(test_circuits_are_scaled_as_the_switch_was),
        cmocka_unit_test(test_groups_are_turned_and_weights_count_inside),
        cmocka_unit_test(test_moving_circuits_have_a_record_of_all_ports),
        cmocka_unit_test(test_too_many_peers_are_refused_by_name),
        cmocka_unit_test(test_arcs_that_overlap_all_are_refused),
        cmocka_unit_test(test_far_pairs_of_a_ring_are_refused),
        cmocka_unit_test(test_groups_that_reach_too_far_do_not_stand_for_all),
        cmocka_unit_test(test_rows_and_columns_join_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
