/* Circuits that are moved within an iteration (TopoOpt, NSDI'23, Algorithm 5), against calculations
 * by hand. Circuits have 10 GB/s and 1 us. */
#include "network/capacity_changes.h"
#include "network/flows/flows.h"
#include "tests/unit/changing_fixture.h"

/* Dark for 100 us of each millisecond, unless `more` says otherwise. */
#define CIRCUITS(npus, ports, more)                                                                \
    "graph: {npus: " npus "}\ncircuits: {ports: " ports                                            \
    ", bandwidth: 10 GB/s, latency: 1 us, reconfiguration: 100 us, " more "}\n"

/* 25 MB over one circuit, asked every 500 us: 5 MB until 0.5 ms; with a pause at every decision 4
 * MB in each of 0.6 to 1, 1.1 to 1.5, ..., 2.6 to 3 ms. */
static void test_the_usual_period_is_five_times_the_latency(void **state)
{
    (void)state;
    open_fixture(CIRCUITS("2", "1", "controller: utility, pauses: always"), "flow");
    const unsigned all = send(0, 0, 1, 25000000);
    run();
    assert_int_equal(fixture.there[all], 3001 * US);
    close_fixture();
}

/* Four NPUs with two duplex ports: 0-1, 1-2, 2-3 and 3-0 both ways to begin with, and 1 MB from 1
 * to 0 take 100 us. 4 MB from 0 to 2 have no circuit; at 1 ms 0-2 gets both ports of its ends, with
 * 20 GB/s from 1.1 ms on, and both ways: 2 MB back, sent at 1.1 ms, take 100 us. */
static void test_a_duplex_circuit_carries_both_ways(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(CIRCUITS("4", "2", "controller: utility, links: duplex, period: 1 ms"),
                     *backend);
        const unsigned first = send(0, 1, 0, 1000000), moved = send(0, 0, 2, 4000000);
        const unsigned back = send(1100 * US, 2, 0, 2000000);
        run();
        assert_int_equal(fixture.there[first], 101 * US);
        assert_int_equal(fixture.there[moved], 1301 * US);
        assert_int_equal(fixture.there[back], 1201 * US);
        close_fixture();
    }
}

/* Four NPUs, two one-way ports: i to i + 1 and to i + 2 to begin with, so that messages from 0 to 3
 * go over 1. 45 MB to 3 and 60 MB to 1 share 0-1; at 5 ms 20 and 35 MB are left. 0-1 gets a
 * circuit, 0-3 the other, which 0-2 had, and 1-3 stays. On its old way the one to 3 has 5 GB/s
 * from 5.1 ms on, until 9.1 ms, and 15 MB are left to 1; at 10 ms the last 6 MB get both ports, 20
 * GB/s from 10.1 to 10.4 ms. On the new circuit it has 10, until 7.1 ms, and the other too,
 * until 8.6. */
#define TWO_WAYS(routes)                                                                           \
    CIRCUITS("4", "2", "controller: utility, period: 5 ms, routes: " routes) "reroute: true\n"

static void test_flows_under_way_take_the_shortest_way(void **state)
{
    (void)state;
    static const char *const text[] = {TWO_WAYS("broken"), TWO_WAYS("shortest"),
                                       TWO_WAYS("as connect")};
    static const sim_time far[] = {9102, 7101, 9102}, near[] = {10401, 8601, 10401};
    for (int i = 0; i < 3; i++) {
        open_fixture(text[i], "flow");
        const unsigned to_3 = send(0, 0, 3, 45000000), to_1 = send(0, 0, 1, 60000000);
        run();
        assert_int_equal(fixture.there[to_3], far[i] * US);
        assert_int_equal(fixture.there[to_1], near[i] * US);
        close_fixture();
    }
}

/* The same with whole messages, of which the one to 1, 120 MB, is first. At 5 ms it has 70 MB left;
 * 0-3 with 45 comes before its second circuit. The one to 3 leaves its place in the line of 0-1,
 * and takes 4.5 ms; at 10 ms 21 MB to 1 get both ports, 1.05 ms from 10.1 on. */
static void test_messages_in_line_take_the_shortest_way(void **state)
{
    (void)state;
    open_fixture(TWO_WAYS("shortest"), "congestion");
    const unsigned to_1 = send(0, 0, 1, 120000000), to_3 = send(1 * US, 0, 3, 45000000);
    run();
    assert_int_equal(fixture.there[to_3], 9601 * US);
    assert_int_equal(fixture.there[to_1], 11151 * US);
    close_fixture();
    open_fixture(TWO_WAYS("broken"), "congestion");
    (void)send(0, 0, 1, 120000000);
    const unsigned stays = send(1 * US, 0, 3, 45000000);
    run();
    assert_true(fixture.there[stays] > 10000 * US);
    close_fixture();
}

/* Without forwarding a message without a circuit waits for its own; six NPUs, one port each, and 1
 * MB from 0 to 3 gets it at 0.6 ms. With it, on the ring that is there, it takes three links. */
static void test_with_and_without_forwarding(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(CIRCUITS("6", "1", "controller: utility"), *backend);
        const unsigned waits = send(0, 0, 3, 1000000);
        run();
        assert_int_equal(fixture.there[waits], 701 * US);
        close_fixture();
        open_fixture(CIRCUITS("6", "1", "controller: utility, connect: two-edge") "reroute: true\n",
                     *backend);
        const unsigned goes = send(0, 0, 3, 1000000);
        run();
        assert_int_equal(fixture.there[goes], strcmp(*backend, "flow") == 0 ? 103 * US : 303 * US);
        close_fixture();
    }
}

/* ---- runs that would never end ---- */

static const char *told(void)
{
    struct orr_diag *diag = &fixture.diag;
    (void)orr_diag_fail(diag, ORR_ERR_DEADLOCK, NULL, "stuck");
    orr_net_control_describe(fixture.net->control, diag);
    return diag->message;
}

/* Three NPUs, one port. 21 and 20 MB from 1 to 2 and to 0, which a circuit takes two windows for.
 * What is sent first has less left then than the other, which gets the circuit; the one that loses
 * it starts anew over the other one's, whole. Flows keep what they have sent. */
#define ANEW                                                                                       \
    CIRCUITS("3", "1", "period: 1 ms, controller: utility, connect: two-edge") "reroute: true\n"

static void test_circuits_that_move_for_ever_are_told(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture(ANEW, *backend);
        const unsigned two = send(0, 1, 2, 40000000), none = send(1000 * US, 1, 0, 20000000);
        (void)send(500 * US, 0, 1, 20000000);
        run();
        if (strcmp(*backend, "flow") == 0) {
            assert_int_not_equal(fixture.there[two], NEVER);
            assert_int_not_equal(fixture.there[none], NEVER);
            assert_null(strstr(told(), "for ever"));
        } else {
            assert_int_equal(fixture.there[two], NEVER);
            assert_int_equal(fixture.there[none], NEVER);
            assert_in_range(orr_evq_now(fixture.queue), 6000 * US, 100000 * US);
            const struct net_flows_stuck stuck = fixture.net->ops->stuck(fixture.net);
            assert_int_equal(stuck.flows, 2);
            assert_non_null(strstr(told(), "livelock, circuits would move for ever: no message has "
                                           "come or arrived since 6.000 ms"));
            assert_non_null(
                strstr(told(), "pairs that wait: 1-0 (2e+07 bytes), 1-2 (2.1e+07 bytes)"));
        }
        close_fixture();
    }
}

/* While anybody else has an event the end is not known: here of a message that is sent at 1 s. */
static void test_it_goes_on_while_others_have_events(void **state)
{
    (void)state;
    open_fixture(ANEW, "congestion");
    (void)send(0, 1, 2, 40000000);
    (void)send(1000 * US, 1, 0, 20000000);
    (void)send(500 * US, 0, 1, 20000000);
    const unsigned late = send(1000000 * US, 2, 0, 1000);
    run();
    assert_int_not_equal(fixture.there[late], NEVER);
    assert_in_range(orr_evq_now(fixture.queue), 1000000 * US, 1200000 * US);
    assert_non_null(strstr(told(), "for ever"));
    close_fixture();
}

/* A controller that is asked every picosecond, with nothing to decide: messages that meet nowhere,
 * one that has no circuit until others have gone, and long after them another one. */
static void test_a_period_of_a_picosecond_ends(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture("graph: {npus: 3}\ncircuits: {ports: 1, bandwidth: 10 GB/s, latency: 1 us, "
                     "period: 1 ps}\n",
                     *backend);
        const unsigned one = send(0, 0, 1, 10000000), back = send(0, 1, 2, 20000000);
        const unsigned late = send(10000000 * US, 1, 2, 10000000);
        run();
        assert_int_equal(fixture.there[one], 1001 * US);
        assert_int_equal(fixture.there[back], 2001 * US);
        assert_int_equal(fixture.there[late], 10000000 * US + 1001 * US);
        assert_in_range(orr_evq_handled(fixture.queue), 1, 20000);
        close_fixture();
    }
}

/* What no circuit helps, as its only route is over a link that has died, while somebody computes.
 */
static void test_a_standstill_is_not_ticked_through(void **state)
{
    (void)state;
    EACH_BACKEND(backend)
    {
        open_fixture("graph: {npus: 3, switches: 1, links: [{from: 0, to: 3}, {from: 3, to: 2}], "
                     "routes: [{from: 0, to: 2, nodes: [0, 3, 2]}]}\n"
                     "circuits: {ports: 1, bandwidth: 10 GB/s, period: 1 ps}\n"
                     "changes: [{at: 10 us, link: 0-3, working: 0}]\n",
                     *backend);
        const unsigned still = send(0, 0, 2, 1000000), late = send(1000000 * US, 1, 0, 1000000);
        run();
        assert_int_equal(fixture.there[still], NEVER);
        assert_in_range(fixture.there[late], 1000100 * US, 1000101 * US);
        assert_in_range(orr_evq_handled(fixture.queue), 1, 20000);
        close_fixture();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_usual_period_is_five_times_the_latency),
        cmocka_unit_test(test_a_duplex_circuit_carries_both_ways),
        cmocka_unit_test(test_flows_under_way_take_the_shortest_way),
        cmocka_unit_test(test_messages_in_line_take_the_shortest_way),
        cmocka_unit_test(test_with_and_without_forwarding),
        cmocka_unit_test(test_circuits_that_move_for_ever_are_told),
        cmocka_unit_test(test_it_goes_on_while_others_have_events),
        cmocka_unit_test(test_a_period_of_a_picosecond_ends),
        cmocka_unit_test(test_a_standstill_is_not_ticked_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
