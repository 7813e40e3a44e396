/* Circuits that are set anew (SiP-ML, sections 3.1 and 4.3), by hand: circuits of 10 GB/s without
 * latency, lit for 100 us and dark for 25, so that a hold carries 1,000,000 bytes by each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "inputs_fixture.h"
#include "orrery/orrery.h"

enum { US = 1000000, TEXT = 2048 };

#define SEND(from, to, bytes)                                                                      \
    "{\"role\": \"transfer\", \"from\": " #from ", \"to\": " #to ", \"bytes\": \"" #bytes " B\"}"
/* Behind a time on the sender, by tasks 2 n and 2 n + 1. */
#define SEND_AT(us, next, from, to, bytes)                                                         \
    "{\"role\": \"compute\", \"npu\": " #from ", \"time\": \"" #us " us\", \"next\": [" #next      \
    "]}, " SEND(from, to, bytes)

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

/* The tasks on NPUs with circuits of what `circuits` says beside their bandwidth. */
static struct orrery *load(const char *circuits, unsigned npus, const char *tasks)
{
    char text[TEXT];
    struct orrery *job = orrery_new();
    (void)snprintf(text, sizeof text,
                   "network: {graph: {npus: %u}, fluid: true, circuits: {bandwidth: 10 GB/s, %s}}\n"
                   "workload: {taskgraph: g.json}\n",
                   npus, circuits);
    put("p.yml", text);
    (void)snprintf(
        text, sizeof text,
        "{\"format\": \"orrery task graph\", \"version\": 1, \"npus\": %u, \"tasks\": [%s]}\n",
        npus, tasks);
    put("g.json", text);
    const struct orrery_inputs inputs = {.platform = "p.yml"};
    if (orrery_load(job, &inputs) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    return job;
}

/* The job ends so many ns after its beginning. */
static void takes(const char *circuits, unsigned npus, const char *tasks, int64_t expected_ns)
{
    struct orrery *job = load(circuits, npus, tasks);
    if (orrery_run(job) != ORRERY_OK) {
        fail_msg("%s: %s", circuits, orrery_error(job));
    }
    if (orrery_wall_ps(job) != 1000 * expected_ns) {
        fail_msg("%s; %s: expected %lld ns, got %lld ps", circuits, tasks, (long long)expected_ns,
                 (long long)orrery_wall_ps(job));
    }
    orrery_free(job);
}

#define OCS(ports) "controller: sip_ocs, ports: " #ports ", "
#define MOVING "hold: 100 us, reconfiguration: 25 us"

/* 1,000,000 bytes are a whole hold; one more byte waits for 125 us and takes 0.1 ns. 2,500,000
 * bytes: 100, 25 dark, 100, 25 dark, 50. */
static void test_bytes_wait_in_the_dark(void **state)
{
    (void)state;
    takes(OCS(1) MOVING, 2, SEND(0, 1, 1000000), 100000);
    takes(OCS(1) MOVING, 2, SEND(0, 1, 1000010), 125001);
    takes(OCS(1) MOVING, 2, SEND(0, 1, 2500000), 300000);
    takes(OCS(1) MOVING ", latency: 1 us", 2, SEND(0, 1, 2500000), 301000);
    takes(OCS(1) MOVING, 2, SEND(0, 1, 0), 0);
    /* Two circuits carry twice as much: 100, 25, 25 us. */
    takes(OCS(2) MOVING, 2, SEND(0, 1, 2500000), 150000);
    /* Without a dark time, or with never: 250 us. 5 x 20 us of light where only darkness is said.
     */
    takes(OCS(1) "hold: 100 us, reconfiguration: 0 us", 2, SEND(0, 1, 2500000), 250000);
    takes(OCS(1) "hold: never", 2, SEND(0, 1, 2500000), 250000);
    takes(OCS(1) "reconfiguration: 20 us", 2, SEND(0, 1, 2500000), 290000);
}

/* What stays is dark too, or not. */
static void test_circuits_that_stay_are_kept_lit(void **state)
{
    (void)state;
    takes(OCS(1) MOVING ", kept: lit", 2, SEND(0, 1, 2500000), 250000);
    takes(OCS(1) MOVING ", kept: dark", 2, SEND(0, 1, 2500000), 300000);
}

/* Holds go on while nobody sends: they end at 100, 225, ..., 600, 725 us. What comes at 610 waits
 * until 625; at 600 too; at 625 and at 700 it goes at once; 10,000 bytes take 1 us. */
static void test_idle_circuits_keep_their_periods(void **state)
{
    (void)state;
    takes(OCS(1) MOVING, 2, SEND_AT(600, 1, 0, 1, 10000), 626000);
    takes(OCS(1) MOVING, 2, SEND_AT(610, 1, 0, 1, 10000), 626000);
    takes(OCS(1) MOVING, 2, SEND_AT(625, 1, 0, 1, 10000), 626000);
    takes(OCS(1) MOVING, 2, SEND_AT(700, 1, 0, 1, 10000), 701000);
    takes(OCS(1) MOVING, 2, SEND_AT(725, 1, 0, 1, 10000), 751000);
    /* 1000 s later, 8,000,000 periods: at once again. */
    takes(OCS(1) MOVING, 2, SEND_AT(1000000610, 1, 0, 1, 10000), 1000000626000);
    takes(OCS(1) MOVING ", kept: lit", 2, SEND_AT(1000000610, 1, 0, 1, 10000), 1000000611000);
}

/* One port for two peers, 1,500,000 and 1,000,000 bytes. By what is offered and waits the larger
 * begins; at 100 us it has offered more (1,500,000) and goes on, 125 to 175; at 225 only the other
 * waits: 250 to 350. By the total it is the same, as only those that wait share ports that are too
 * few. By what comes next nothing counts at 100 us but what waits, 500,000 and 1,000,000: the other
 * goes at 125 to 225, and the rest at 250 to 300. */
static void test_too_few_ports_are_taken_in_turns(void **state)
{
    (void)state;
    static const char two[] = SEND(0, 1, 1500000) ", " SEND(0, 2, 1000000);
    takes(OCS(1) MOVING, 3, two, 350000);
    takes(OCS(1) MOVING ", demand: total", 3, two, 350000);
    takes(OCS(1) MOVING ", demand: next", 3, two, 300000);
}

/* Two ports of each, 0 -> 1 and 0 -> 2 have one each by totals of 1,500,000 and 1,000,000 (rate
 * 1/1,500,000), and end at 125 + 50 and at 100 us. Literally the same, as both were offered in the
 * first hold. Then 0 -> 2 is silent: see below. */
static void test_each_has_its_own_with_ports_enough(void **state)
{
    (void)state;
    static const char two[] = SEND(0, 1, 1500000) ", " SEND(0, 2, 1000000);
    takes(OCS(2) MOVING, 3, two, 175000);
    takes(OCS(2) MOVING ", literal: true", 3, two, 175000);
}

/* 0 -> 1 sends 3,000,000 bytes at once, 0 -> 2 10,000 at 130 us. By the total of 3,010,000 and two
 * ports both have one. At 100 us what waits for 0 -> 1 has one, and the thousandth of 0 -> 2's 10
 * bytes the other, so that it goes at 130 us, for 1 us; the first ends at 100 + 25 + 100 + 25 +
 * 100. Literally 0 -> 2 was silent, and 0 -> 1 has both ports from 125 to 225, when it is done. 0
 * -> 2 waits until it is looked at again at 225, and goes at 250. */
static void test_silent_pairs_wait_literally(void **state)
{
    (void)state;
    static const char late[] = SEND_AT(130, 1, 0, 2, 10000) ", " SEND(0, 1, 3000000);
    takes(OCS(2) MOVING, 3, late, 350000);
    /* By both ports: 250.5 for 10,000 bytes. */
    takes(OCS(2) MOVING ", literal: true", 3, late, 250500);
}

/* By the total of an iteration, 3 : 1, three and one of four ports, to the end: 0 -> 1's bytes,
 * which come at 130 us, take 95 us of the second hold and 5 of the third, by three circuits. By
 * what comes next the same: all bytes are 0 -> 1's then, but a thousandth keeps 0 -> 2 a port. */
static void test_total_keeps_the_shares_of_the_iteration(void **state)
{
    (void)state;
    static const char late[] = SEND_AT(130, 1, 0, 1, 3000000) ", " SEND(0, 2, 1000000);
    takes(OCS(4) MOVING ", demand: total", 3, late, 255000);
    takes(OCS(4) MOVING ", demand: next", 3, late, 255000);
}

/* Five arcs of a ring of five, every two of which overlap, by two wavelengths of each: by load it
 * would do; colours are enough for four. The fifth takes its turn at 125 us, when it alone waits.
 */
static void test_arcs_without_a_colour_take_turns(void **state)
{
    (void)state;
    takes("controller: sip_ring, ports: 2, " MOVING, 5,
          SEND(0, 2, 500000) ", " SEND(1, 3, 500000) ", " SEND(2, 4, 500000) ", " SEND(
              3, 0, 500000) ", " SEND(4, 1, 500000),
          275000);
}

/* Nothing has any bytes: messages get through at once even where the total is nothing. */
static void test_messages_without_bytes_have_circuits(void **state)
{
    (void)state;
    takes(OCS(1) MOVING ", literal: true", 3, SEND(0, 1, 0) ", " SEND(1, 2, 0), 0);
}

/* Literally, with a port for two peers: 0 -> 1 has it by the total; 0 -> 2 is offered in the first
 * hold, with less; then both are silent, and the total holds again, for ever. */
static void test_pair_without_circuits_for_ever_is_a_standstill(void **state)
{
    (void)state;
    struct orrery *job =
        load(OCS(1) MOVING ", literal: true", 3, SEND(0, 1, 1500000) ", " SEND(0, 2, 1000000));
    assert_int_equal(orrery_run(job), ORRERY_ERROR_DEADLOCK);
    assert_non_null(strstr(orrery_error(job), "the link from 0 to 2 carries nothing"));
    assert_non_null(
        strstr(orrery_error(job),
               "network.circuits (sip_ocs) last set its circuits at 125.000 us: 0-1 x 1; "
               "1 of 2 pairs have none"));
    orrery_free(job);
}

/* An iteration of 60 us, 600,000 bytes, five times on end: 300 us of light, in three holds. */
static void test_iterations_go_through_holds(void **state)
{
    (void)state;
    static const char *const set[] = {"workload.iterations=5"};
    const struct orrery_inputs inputs = {.platform = "p.yml", .set = set, .set_count = 1};
    orrery_free(load(OCS(1) MOVING, 2, SEND(0, 1, 600000)));
    struct orrery *job = orrery_new();
    assert_int_equal(orrery_load(job, &inputs), ORRERY_OK);
    assert_int_equal(orrery_run(job), ORRERY_OK);
    assert_int_equal(orrery_iterations(job), 5);
    assert_int_equal(orrery_wall_ps(job), INT64_C(350) * US);
    int64_t sum = 0;
    for (uint32_t i = 0; i < 5; i++) {
        sum += orrery_iteration_ps(job, i);
    }
    assert_int_equal(sum, INT64_C(350) * US);
    assert_int_equal(orrery_iteration_ps(job, 0), INT64_C(60) * US);
    assert_int_equal(orrery_iteration_ps(job, 1), INT64_C(85) * US);
    struct orrery_circuits circuits;
    assert_true(orrery_circuits(job, &circuits));
    assert_int_equal(circuits.switch_ps, INT64_C(60) * US);
    assert_int_equal(circuits.pairs, 1);
    orrery_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_wait_in_the_dark),
        cmocka_unit_test(test_circuits_that_stay_are_kept_lit),
        cmocka_unit_test(test_idle_circuits_keep_their_periods),
        cmocka_unit_test(test_too_few_ports_are_taken_in_turns),
        cmocka_unit_test(test_each_has_its_own_with_ports_enough),
        cmocka_unit_test(test_silent_pairs_wait_literally),
        cmocka_unit_test(test_total_keeps_the_shares_of_the_iteration),
        cmocka_unit_test(test_arcs_without_a_colour_take_turns),
        cmocka_unit_test(test_messages_without_bytes_have_circuits),
        cmocka_unit_test(test_pair_without_circuits_for_ever_is_a_standstill),
        cmocka_unit_test(test_iterations_go_through_holds),
    };
    return cmocka_run_group_tests(tests, inputs_set_up, inputs_tear_down);
}
