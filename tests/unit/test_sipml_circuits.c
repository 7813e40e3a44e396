/* Circuits for a strategy that is searched for: the worked examples of docs/models.md, section 16,
 * through the search's own module; one group stands for all; estimates on them, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "core/arena.h"
#include "core/divide.h"
#include "network/graph.h"
#include "planner/plan_file/plan_job.h"
#include "sipml/plan/sipml_job.h"
#include "sipml/plan/sipml_map.h"
#include "sipml/search/sipml_circuits.h"
#include "sipml/search/sipml_estimate.h"
#include "sipml/search/sipml_routes.h"
#include "sipml/search/sipml_search.h"
#include "sipml/search/sipml_traffic.h"
#include "sipml/wavelengths/wavelengths.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy.h"

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct plan_job job;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture.arena = orr_arena_create();
    assert_non_null(fixture.arena);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    orr_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

/* Two operators of 10 us forwards and 20 us backwards for both samples; the first gives 1000 B of
 * each, and both have 1 MB of weights. */
#define MODEL                                                                                      \
    "plan:\n"                                                                                      \
    "  model:\n"                                                                                   \
    "    batch: 2\n"                                                                               \
    "    element_bytes: 1\n"                                                                       \
    "    operators:\n"                                                                             \
    "      - data: {name: x, shape: [8]}\n"                                                        \
    "      - measured: {name: a, out: 1000, forward: 10 us, backward: 20 us, weights: 1000000}\n"  \
    "      - measured: {name: b, out: 8, forward: 10 us, backward: 20 us, weights: 1000000}\n"

/* Circuits of 1 GB/s and 0.5 us. */
static void read_job(struct fixture *fixture, const char *design, uint32_t devices, uint32_t ports)
{
    char text[2048];
    (void)snprintf(text, sizeof text,
                   MODEL
                   "network: {design: {name: %s, servers: %u, degree: %u, bandwidth: %u Gb/s, "
                   "latency: 0.5 us}}\n",
                   design, devices, ports, 8 * ports);
    const struct plan_source source = {.kind = &orr_plan_kind_sip_ml, .text = text};
    orr_diag_init(&fixture->diag);
    if (orr_plan_job_read(fixture->arena, &source, &fixture->job, &fixture->diag) != ORR_OK) {
        fail_msg("%s", fixture->diag.message);
    }
}

static enum orr_status set(struct fixture *fixture, const struct sipml_traffic *traffic,
                           double weight, struct sipml_circuits *out)
{
    orr_diag_init(&fixture->diag);
    return orr_sipml_circuits(fixture->arena, fixture->job.network.graph, traffic, weight, out,
                              &fixture->diag);
}

static void circuits_are(struct fixture *fixture, const struct sipml_traffic *traffic,
                         const uint32_t *expected)
{
    struct sipml_circuits circuits;
    assert_int_equal(set(fixture, traffic, 1, &circuits), ORR_OK);
    for (uint32_t i = 0; i < traffic->rows; i++) {
        const struct sipml_row *row = &traffic->row[i];
        const uint32_t link = orr_net_graph_find(&circuits.graph, row->from, row->to);
        if (circuits.set.circuits[i] != expected[i]) {
            fail_msg("%u -> %u: %u circuits, expected %u", row->from, row->to,
                     circuits.set.circuits[i], expected[i]);
        }
        assert_int_equal(circuits.graph.link[link].count, expected[i]);
    }
    assert_int_equal(circuits.graph.links, traffic->rows);
}

/* ---- the worked examples ---- */

/* Rows (0 3 1), (0 0 2), (4 0 0), four switches: rate 1, by 3, 1, 2, 4 circuits, and one is left
 * that 1 -> 2 can have. With 5 for 3 the rate is 0.6, by 3, 1, 2, 3, and 2 -> 0 gets one too. */
static void test_switches_of_the_worked_example(void **state)
{
    struct fixture *fixture = *state;
    struct sipml_row row[] = {{0, 1, 3, 0}, {0, 2, 1, 0}, {1, 2, 2, 0}, {2, 0, 4, 0}};
    const struct sipml_traffic traffic = {.devices = 3, .group = 3, .row = row, .rows = 4};
    struct sipml_circuits circuits;
    read_job(fixture, "sip-ocs", 3, 4);
    circuits_are(fixture, &traffic, (const uint32_t[]){3, 1, 3, 4});
    row[0].parallel = 5;
    circuits_are(fixture, &traffic, (const uint32_t[]){3, 1, 3, 4});
    assert_int_equal(set(fixture, &traffic, 1, &circuits), ORR_OK);
    assert_int_equal(5 * circuits.set.rate.circuits, 3 * circuits.set.rate.bytes);
}

/* 0 -> 1: 1, 0 -> 2: 4, 1 -> 2: 1, 2 -> 0: 3 on four nodes with ten wavelengths: rate 2, and four
 * that are left are of 2 -> 0. */
static void test_wavelengths_of_the_worked_example(void **state)
{
    struct fixture *fixture = *state;
    const struct sipml_row row[] = {{0, 1, 1, 0}, {0, 2, 4, 0}, {1, 2, 1, 0}, {2, 0, 3, 0}};
    const struct sipml_traffic traffic = {.devices = 4, .group = 4, .row = row, .rows = 4};
    struct sipml_circuits circuits;
    struct sipml_map map;
    read_job(fixture, "sip-ring", 4, 10);
    circuits_are(fixture, &traffic, (const uint32_t[]){2, 8, 2, 10});
    assert_int_equal(set(fixture, &traffic, 1, &circuits), ORR_OK);
    assert_int_equal(circuits.set.rate.circuits, 2 * circuits.set.rate.bytes);
    assert_int_equal(orr_sipml_map(fixture->arena, &fixture->job, &traffic, &circuits, &map, NULL),
                     ORR_OK);
    assert_true(map.known && map.ring);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(map.first[i + 1] - map.first[i], circuits.set.circuits[i]);
        assert_false(map.down[i]);
    }
}

/* Two devices of a group of eight: 30 B to each other, 10 B to the next group. Counted four times,
 * of 130 B 120 are inside: 13 wavelengths, or switches, of 14; of half of it 15 of 25. */
static void test_weights_count_bytes_inside_of_a_group(void **state)
{
    struct fixture *fixture = *state;
    const struct sipml_row row[] = {{0, 1, 30, 0}, {0, 2, 0, 10}, {1, 0, 30, 0}, {1, 3, 0, 10}};
    const struct sipml_traffic traffic = {.devices = 8, .group = 2, .row = row, .rows = 4};
    struct sipml_circuits circuits;
    read_job(fixture, "sip-ocs", 8, 13);
    assert_int_equal(set(fixture, &traffic, 4, &circuits), ORR_OK);
    assert_int_equal(circuits.bytes[0], 120);
    assert_int_equal(circuits.set.circuits[0], 12);
    assert_int_equal(circuits.set.circuits[1], 1);
    read_job(fixture, "sip-ocs", 8, 5);
    assert_int_equal(set(fixture, &traffic, 0.5, &circuits), ORR_OK);
    assert_int_equal(circuits.bytes[0], 15);
    assert_int_equal(circuits.set.circuits[0], 3);
    assert_int_equal(circuits.set.circuits[1], 2);
}

/* ---- one group for all ---- */

/* All groups' rows as those of one. */
static struct sipml_traffic unfolded(struct fixture *fixture, const struct sipml_traffic *of)
{
    const uint32_t n = of->devices, k = of->group;
    struct sipml_row *row =
        orr_arena_array(fixture->arena, (size_t)of->rows * (n / k), sizeof *row);
    uint32_t rows = 0;
    for (uint32_t from = 0; from < n; from++) {
        for (uint32_t to = 0; to < n; to++) {
            for (uint32_t i = 0; i < of->rows; i++) {
                const struct sipml_row *one = &of->row[i];
                if (one->from == from % k && (one->to + from / k * k) % n == to) {
                    row[rows++] = (struct sipml_row){from, to, one->parallel, one->ring};
                }
            }
        }
    }
    return (struct sipml_traffic){.devices = n, .group = n, .row = row, .rows = rows};
}

/* Groups of four that talk each with each, and half each way around. */
static void folds(struct fixture *fixture, const char *design, uint32_t ports)
{
    enum { N = 16, K = 4 };
    struct sipml_row row[K * (K + 1)];
    uint32_t rows = 0;
    for (uint32_t i = 0; i < K; i++) {
        for (uint32_t j = 0; j < K; j++) {
            if (i != j) {
                row[rows++] = (struct sipml_row){i, j, 100 + 37 * i + 11 * j, 0};
            }
        }
        row[rows++] = (struct sipml_row){i, i + K, 0, 450};
        row[rows++] = (struct sipml_row){i, N - K + i, 0, 450};
    }
    const struct sipml_traffic folded = {.devices = N, .group = K, .row = row, .rows = rows};
    const struct sipml_traffic whole = unfolded(fixture, &folded);
    struct sipml_circuits of_group, of_all;
    assert_int_equal(whole.rows, rows * (N / K));
    read_job(fixture, design, N, ports);
    assert_int_equal(set(fixture, &folded, 1, &of_group), ORR_OK);
    assert_int_equal(set(fixture, &whole, 1, &of_all), ORR_OK);
    const struct wave_rate a = of_group.set.rate, b = of_all.set.rate;
    assert_true((orr_wide)a.circuits * b.bytes == (orr_wide)b.circuits * a.bytes);
}

static void test_one_group_gets_what_all_get(void **state)
{
    folds(*state, "sip-ocs", 16);
    folds(*state, "sip-ocs", 40);
    folds(*state, "sip-ring", 64);
}

static void test_map_of_switches_has_each_circuit_once(void **state)
{
    struct fixture *fixture = *state;
    const struct sipml_row row[] = {{0, 1, 30, 0}, {0, 2, 0, 10}, {1, 0, 30, 0}, {1, 3, 0, 10}};
    const struct sipml_traffic traffic = {.devices = 8, .group = 2, .row = row, .rows = 4};
    struct sipml_circuits circuits;
    struct sipml_map map;
    read_job(fixture, "sip-ocs", 8, 5);
    assert_int_equal(set(fixture, &traffic, 1, &circuits), ORR_OK);
    assert_int_equal(orr_sipml_map(fixture->arena, &fixture->job, &traffic, &circuits, &map, NULL),
                     ORR_OK);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(map.first[i + 1] - map.first[i], circuits.set.circuits[i]);
        for (uint32_t c = map.first[i]; c < map.first[i + 1]; c++) {
            assert_int_equal(map.peer[map.channel[c] * 2 + row[i].from], row[i].to);
        }
    }
    for (uint32_t s = 0; s < 5; s++) {
        /* A switch joins the places of a group one to one. */
        assert_int_not_equal(map.peer[2 * s] % 2, map.peer[2 * s + 1] % 2);
    }
}

/* ---- what is refused ---- */

static void refused(struct fixture *fixture, const struct sipml_traffic *traffic, const char *why)
{
    struct sipml_circuits circuits;
    assert_int_equal(set(fixture, traffic, 1, &circuits), ORR_ERR_INPUT);
    assert_string_equal(fixture->diag.message, why);
}

static void test_pairs_without_circuits_are_named(void **state)
{
    struct fixture *fixture = *state;
    const struct sipml_row many[] = {{1, 0, 9, 0}, {1, 2, 9, 0}, {1, 3, 9, 0}};
    const struct sipml_row far[] = {{2, 18, 9, 0}, {3, 20, 9, 0}};
    const struct sipml_traffic overload = {.devices = 4, .group = 4, .row = many, .rows = 3};
    const struct sipml_traffic away = {.devices = 64, .group = 64, .row = far, .rows = 2};
    read_job(fixture, "sip-ocs", 4, 2);
    refused(fixture, &overload, "GPU 1 sends to 3 others, for which there are 2 switches");
    read_job(fixture, "sip-ring", 64, 8);
    refused(fixture, &away, "GPU 3 sends to GPU 20, but it is 17 GPUs away, and light reaches 16");
}

/* ---- estimates ---- */

/* Both operators whole, on these devices of a group, on circuits for what they send, without what
 * begins a flow: microseconds of an iteration. */
static double estimated(struct fixture *fixture, uint32_t copies, uint32_t a, uint32_t b)
{
    const struct plan_job *job = &fixture->job;
    const uint32_t whole[MODEL_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct sipml_network network = {.circuits = true, .bidirectional = job->circuits.bidirectional};
    struct strategy_draft draft;
    struct sipml_traffic traffic;
    struct sipml_circuits circuits;
    struct sipml_estimate estimate;
    assert_true(orr_strategy_draft_init(&draft, fixture->arena, &job->model, job->servers, copies));
    draft.strategy.server = job->server;
    assert_true(orr_strategy_set(&draft, 0, whole, &a));
    assert_true(orr_strategy_set(&draft, 1, whole, &b));
    const struct strategy strategy = orr_strategy_drafted(&draft);
    assert_int_equal(orr_sipml_traffic(fixture->arena, &job->model, &strategy,
                                       network.bidirectional, &traffic, &fixture->diag),
                     ORR_OK);
    assert_int_equal(set(fixture, &traffic, 1, &circuits), ORR_OK);
    network.graph = &circuits.graph;
    const struct sipml_estimate_input of = {&job->model, &strategy, &job->speed, &network};
    assert_int_equal(orr_sipml_estimate(&of, &estimate, &fixture->diag), ORR_OK);
    return (double)estimate.iteration_ps * 1e-6;
}

static void equal(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * expected)) {
        fail_msg("%.12g, expected %.12g", value, expected);
    }
}

/* a 10; 2000 B over two circuits in 1 us, and 0.5; b 10, and back 20; 1.5; a 20. */
static void test_estimate_of_a_chain_takes_circuits(void **state)
{
    struct fixture *fixture = *state;
    read_job(fixture, "sip-ocs", 2, 2);
    equal(estimated(fixture, 1, 0, 1), 10 + 1.5 + 10 + 20 + 1.5 + 20);
}

/* A sample each: a 5, 1000 B over the one circuit in 1 us, and 0.5; b 5, and back 10: 21.5. The
 * gradient goes back beside b's ring, which has a circuit of its own: a is back at 33, and its ring
 * of 2 (1/2) 1 MB is there 1000.5 us later. */
static void test_estimate_keeps_rings_and_transfers_apart(void **state)
{
    struct fixture *fixture = *state;
    read_job(fixture, "sip-ocs", 4, 2);
    equal(estimated(fixture, 2, 0, 1), 33 + 1000.5);
}

/* Two devices without groups: two samples, and the ring of two groups of one by all four circuits.
 * b is back at 20, a at 30; 1 MB takes 250 us: b's until 270, a's until 520. */
static void test_estimate_of_rings_has_all_circuits(void **state)
{
    struct fixture *fixture = *state;
    read_job(fixture, "sip-ocs", 2, 4);
    equal(estimated(fixture, 2, 0, 0), 520.5);
}

/* The same on a ring: both ways lead to the other one, which is half around, as light goes up: all
 * four wavelengths of that fibre. They are lit 100 of 125 us: 312.5 us for each. */
static void test_estimate_counts_the_time_without_light(void **state)
{
    struct fixture *fixture = *state;
    read_job(fixture, "sip-ring", 2, 4);
    equal(estimated(fixture, 2, 0, 0), 20 + 625 + 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_switches_of_the_worked_example, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wavelengths_of_the_worked_example, setup, teardown),
        cmocka_unit_test_setup_teardown(test_weights_count_bytes_inside_of_a_group, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_one_group_gets_what_all_get, setup, teardown),
        cmocka_unit_test_setup_teardown(test_map_of_switches_has_each_circuit_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_pairs_without_circuits_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(test_estimate_of_a_chain_takes_circuits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_estimate_keeps_rings_and_transfers_apart, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_estimate_of_rings_has_all_circuits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_estimate_counts_the_time_without_light, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
