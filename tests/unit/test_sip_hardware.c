/* SiP-ML as hardware: the paper's numbers (sections 3.1, 3.3, 4.4 and 5), and switches made of
 * smaller ones against enumerations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "sipml/hardware/sip_hardware.h"
#include "sipml/wavelengths/wavelengths.h"

static void is(double value, double expected)
{
    const double off = value > expected ? value - expected : expected - value;
    if (off > 1e-9 * (expected > 1 ? expected : 1)) {
        fail_msg("%.12g is not %.12g", value, expected);
    }
}

/* ---- duty cycle, light, interfaces, cost ---- */

/* 250 / 275 and 225 / 250 of 10 x 25 us; (220 - 20) / 220 of the test bed; 100 / 125 of SiP-Ring.
 */
static void test_duty_cycle_of_the_paper(void **state)
{
    (void)state;
    const sim_time us = ORR_PS_PER_US;
    is(orr_duty_of_hold(250 * us, 25 * us), 250.0 / 275);
    is(orr_duty_of_slot(250 * us, 25 * us), 0.9);
    is(orr_duty_of_slot(220 * us, 20 * us), 200.0 / 220);
    is(orr_duty_of_hold(100 * us, 25 * us), 0.8);
    is(orr_duty_of_slot(20 * us, 25 * us), 0);
    is(orr_duty_of_hold(us, 0), 1);
    is(orr_min_hold_ps(0.9, 25 * us), 225e6);
    is(orr_min_slot_ps(0.9, 25 * us), 250e6);
}

/* A node takes 0.625 dB: 10 / 0.625 = 16; with 0.025 for rings 19. A circuit through three switches
 * takes 0.625 + 3 x 2 dB, through four 8.625, through five 10.625. */
static void test_light_budget_of_the_paper(void **state)
{
    (void)state;
    struct sip_rules rules = orr_sip_rules();
    is(orr_sip_node_db(&rules), 0.625);
    assert_int_equal(orr_sip_hardware(&rules).reach, 16);
    is(orr_sip_circuit_db(&rules, 3), 6.625);
    assert_true(orr_sip_is_lit(&rules, 3));
    assert_false(orr_sip_is_lit(&rules, 5));
    assert_int_equal(orr_sip_max_stages(&rules), 4);
    rules.ring_db = 0.025;
    assert_int_equal(orr_sip_hardware(&rules).reach, 19);
    rules.ocs_db = 0;
    assert_true(orr_sip_max_stages(&rules) == UINT32_MAX);
}

/* 10 Tb/s: 400 micro-rings, five chips of 80. 8192 Gb/s: 328, five chips; 320 wavelengths: four. */
static void test_interfaces_of_the_paper(void **state)
{
    (void)state;
    struct sip_rules rules = orr_sip_rules();
    assert_int_equal(orr_sip_wavelengths(&rules, 10e12 / 8), 400);
    assert_int_equal(orr_sip_wavelengths(&rules, 2e12 / 8), 80);
    const struct sip_interfaces ocs = orr_sip_ocs_interfaces(&rules);
    assert_int_equal(ocs.wavelengths, 328);
    assert_int_equal(ocs.of_gpu, 5);
    assert_int_equal(ocs.all, 5120);
    assert_int_equal(orr_sip_ring_interfaces(&rules).wavelengths, 328);
    rules.wavelengths = 320;
    const struct sip_interfaces ring = orr_sip_ring_interfaces(&rules);
    assert_int_equal(ring.of_gpu, 4);
    is(ring.bytes_per_s, 1000e9);
}

/* 80,000 euros are 88,160 dollars, 4,408 each of 20 chips; a tenth and 300 dollars; a GPU of
 * 8192 Gb/s has five chips, or 8192 Gb/s of optics for one and for three dollars. */
static void test_costs_of_the_paper(void **state)
{
    (void)state;
    const struct sip_rules rules = orr_sip_rules();
    const struct sip_hardware all = orr_sip_hardware(&rules);
    is(all.prices.run, 88160);
    is(all.prices.chip, 4408);
    is(all.prices.mass_chip, 440.8);
    is(all.prices.mass, 740.8);
    is(all.ocs_cost.run, 1024.0 * 5 * 4408);
    is(all.ocs_cost.mass, 1024 * 5 * 740.8);
    is(all.ocs_cost.optics, 1024.0 * 8192);
    is(all.ocs_cost.sr_optics, 1024.0 * 8192 * 3);
}

/* ---- Clos ---- */

/* 1024 ports of 384: 3 switches outside each, n = 342 middle switches of 3 x 3, 128 of which are
 * one OCS: 3. 8 of 2 (Benes): 4 + 4, 2 x (2 + 2 + 2). 6 of 3: r = 2, n = 3 middle switches of 2 x
 * 2, none of which share an OCS of 3. 16 of 4: 4 + 4 + 4. 5 of 4: r = 2, n = 3; two share an OCS.
 */
static void test_clos_by_hand(void **state)
{
    static const struct {
        uint32_t nodes, ports, stages, outer, middle;
        uint64_t switches;
    } cases[] = {{1024, 384, 3, 3, 342, 9}, {8, 2, 5, 4, 2, 20}, {6, 3, 3, 2, 3, 7},
                 {16, 4, 3, 4, 4, 12},      {5, 4, 3, 2, 3, 6},  {384, 384, 1, 0, 0, 1},
                 {4, 2, 3, 2, 2, 6}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct clos clos = orr_clos(cases[i].nodes, cases[i].ports);
        if (clos.stages != cases[i].stages || clos.outer != cases[i].outer ||
            clos.middle != cases[i].middle || clos.switches != cases[i].switches) {
            fail_msg("%u of %u: %u stages, %u, %u, %llu switches", cases[i].nodes, cases[i].ports,
                     clos.stages, clos.outer, clos.middle, (unsigned long long)clos.switches);
        }
    }
    assert_int_equal(orr_clos(1024, 384).middle_shared, 128);
}

/* Whether the permutation of 6 ports can be set by so many middle switches of 2 x 2. */
static bool can_be_set(struct orr_arena *arena, const uint32_t *to, uint32_t middle)
{
    uint32_t circuits[4] = {0}, count[4], *peer;
    /* A circuit that comes back to its own outer switch takes a middle one too, and nodes are
     * different: the switches of the last stage are nodes of their own. */
    struct ocs_demand demand[4];
    struct ocs_problem problem = {.nodes = 4, .switches = middle, .demand = demand};
    struct orr_diag diag;
    orr_diag_init(&diag);
    for (uint32_t port = 0; port < 6; port++) {
        circuits[port / 3 * 2 + to[port] / 3]++;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (circuits[i] > 0) {
            count[problem.demands] = circuits[i];
            demand[problem.demands++] =
                (struct ocs_demand){.from = i / 2, .to = 2 + i % 2, .bytes = circuits[i]};
        }
    }
    return orr_ocs_switches(arena, &problem, count, &peer, &diag) == ORR_OK;
}

/* All 720 permutations of 6 ports through three middle switches (m = n); through two not that of
 * nobody, whose three circuits of a switch all go to one. */
static void test_clos_sets_every_permutation(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    uint32_t to[6] = {0, 1, 2, 3, 4, 5}, turn[6] = {0};
    uint32_t tried = 1;
    (void)state;
    assert_true(can_be_set(arena, to, 3));
    assert_false(can_be_set(arena, to, 2));
    for (uint32_t i = 0; i < 6;) { /* Heap's */
        if (turn[i] < i) {
            const uint32_t with = i % 2 == 0 ? 0 : turn[i], kept = to[with];
            to[with] = to[i];
            to[i] = kept;
            assert_true(can_be_set(arena, to, 3));
            tried++;
            turn[i]++;
            i = 0;
        } else {
            turn[i++] = 0;
        }
    }
    assert_int_equal(tried, 720);
    orr_arena_destroy(arena);
}

/* ---- BCube ---- */

static struct bcube bcube_of(uint32_t gpus, uint32_t ports, uint32_t radix, uint32_t ocs)
{
    struct sip_rules rules = orr_sip_rules();
    rules.gpus = gpus;
    rules.ocs_ports = ports;
    rules.radix = radix;
    rules.ocs = ocs;
    return orr_bcube(&rules);
}

/* 16 GPUs of 4 ports: two levels of four lines of four, a switch each; of 4 circuits two at each:
 * 16 switches, 2 x 3 peers. 1024 of 384: lines of 384, 384 and 256; 384 lines of three or two, 128
 * in a switch: 3 and 3; radix 32: 32 lines of 32, 12 in a switch: 3 and 3. */
static void test_bcube_by_hand(void **state)
{
    (void)state;
    struct bcube bcube = bcube_of(16, 4, 0, 4);
    assert_int_equal(bcube.levels, 2);
    assert_int_equal(bcube.peers, 6);
    assert_int_equal(bcube.switches, 16);
    for (uint32_t l = 0; l < 2; l++) {
        assert_int_equal(bcube.level[l].lines, 4);
        assert_int_equal(bcube.level[l].circuits, 2);
    }
    bcube = bcube_of(1024, 384, 0, 16);
    assert_int_equal(bcube.levels, 2);
    assert_int_equal(bcube.level[0].lines, 3);
    assert_int_equal(bcube.level[1].lines, 384);
    assert_int_equal(bcube.level[1].max, 3);
    assert_int_equal(bcube.switches, 8 * 3 + 8 * 3);
    assert_int_equal(bcube.peers, 383 + 2);
    bcube = bcube_of(1024, 384, 32, 3);
    assert_int_equal(bcube.level[0].circuits, 2);
    assert_int_equal(bcube.level[1].circuits, 1);
    assert_int_equal(bcube.switches, 9);
    assert_int_equal(bcube.peers, 62);
    assert_int_equal(bcube_of(1024, 384, 32, 1).peers, 31);
    assert_int_equal(bcube_of(1 << 24, 2, 0, 24).levels, 24);
}

/* Digit by digit, of all pairs of up to 40 GPUs: the level in common, the lines and the peers. */
static void test_bcube_against_enumeration(void **state)
{
    (void)state;
    for (uint32_t gpus = 2; gpus <= 40; gpus++) {
        for (uint32_t radix = 2; radix <= 6; radix++) {
            const struct bcube bcube = bcube_of(gpus, 6, radix, 6);
            uint32_t firsts[BCUBE_MAX_LEVELS] = {0}, peers = 0;
            for (uint32_t a = 0; a < gpus; a++) {
                bool first[BCUBE_MAX_LEVELS];
                memset(first, true, sizeof first);
                for (uint32_t b = 0; b < gpus; b++) {
                    uint32_t differ = 0, at = WAVE_NONE, stride = 1;
                    for (uint32_t l = 0; l < bcube.levels; l++, stride *= radix) {
                        const bool other = a / stride % radix != b / stride % radix;
                        differ += other;
                        at = other ? l : at;
                    }
                    if (a == b) {
                        continue;
                    }
                    assert_int_equal(orr_bcube_common(&bcube, a, b), differ == 1 ? at : WAVE_NONE);
                    if (differ == 1) {
                        first[at] = first[at] && b > a;
                        peers += a == 0;
                    }
                }
                for (uint32_t l = 0; l < bcube.levels; l++) {
                    firsts[l] += first[l];
                }
            }
            for (uint32_t l = 0; l < bcube.levels; l++) {
                assert_int_equal(bcube.level[l].lines, firsts[l]);
            }
            assert_int_equal(bcube.peers, peers);
        }
    }
}

/* ---- who sends to whom ---- */

/* 16 GPUs, groups of 2, radix 4: 16 pairs inside, all direct; i -> i + 2 is where i % 4 < 2, else
 * both digits differ: 8 of 16. Groups of 4: i -> i + 4 differs in the upper digit alone: all. With
 * one circuit, at the lower level, none of these. */
static void test_sip_pairs_in_bcube(void **state)
{
    (void)state;
    struct sip_rules rules = orr_sip_rules();
    rules.gpus = 16;
    rules.ocs_ports = 4;
    rules.group = 2;
    struct sip_pairs pairs = orr_sip_hardware(&rules).bcube_switches.pairs;
    assert_int_equal(pairs.inside, 16);
    assert_int_equal(pairs.inside_direct, 16);
    assert_int_equal(pairs.around, 16);
    assert_int_equal(pairs.around_direct, 8);
    rules.group = 4;
    pairs = orr_sip_hardware(&rules).bcube_switches.pairs;
    assert_int_equal(pairs.inside, 48);
    assert_int_equal(pairs.inside_direct, 48);
    assert_int_equal(pairs.around_direct, 16);
    rules.ocs = 1;
    assert_int_equal(orr_sip_hardware(&rules).bcube_switches.pairs.around_direct, 0);
    rules.group = 16;
    pairs = orr_sip_hardware(&rules).flat_switches.pairs;
    assert_int_equal(pairs.inside, 240);
    assert_int_equal(pairs.around, 0);
}

/* ---- rows and columns of rings ---- */

/* 1024 GPUs as 32 x 32: 64 rings; five chips as 3 and 2, 328 wavelengths as 196 and 132. Light gets
 * to all 31 others of a ring of 32, and to 2 x 16 of one of 64. */
static void test_ring_rows_by_hand(void **state)
{
    (void)state;
    struct sip_rules rules = orr_sip_rules();
    assert_int_equal(orr_ring_even_rows(1024), 32);
    assert_int_equal(orr_ring_even_rows(12), 3);
    assert_int_equal(orr_ring_even_rows(13), 1);
    struct ring_rows rows = orr_ring_rows(&rules, 32);
    assert_int_equal(rows.rings, 64);
    assert_int_equal(rows.row_chips, 3);
    assert_int_equal(rows.column_chips, 2);
    assert_int_equal(rows.row_wavelengths, 196);
    assert_int_equal(rows.column_wavelengths, 132);
    assert_int_equal(rows.row_peers, 31);
    assert_int_equal(rows.column_peers, 31);
    rows = orr_ring_rows(&rules, 16);
    assert_int_equal(rows.rings, 80);
    assert_int_equal(rows.row_peers, 32);
    assert_int_equal(rows.column_peers, 15);
    rows = orr_ring_rows(&rules, 1);
    assert_int_equal(rows.rings, 1);
    assert_int_equal(rows.row_chips, 5);
    assert_int_equal(rows.row_peers, 32);
    assert_int_equal(rows.column_wavelengths, 0);
    rules.wavelengths = 3; /* one chip would do for a ring, and cannot be divided */
    rows = orr_ring_rows(&rules, 32);
    assert_int_equal(rows.row_chips + rows.column_chips, 2);
    assert_int_equal(rows.row_wavelengths + rows.column_wavelengths, 3);
}

/* 16 GPUs, groups of 4. One ring with a reach of 16: all. 4 x 4: groups are rows, i -> i + 4 the
 * next of a column: all. 2 x 8: i -> i + 4 is in the row of 8 for columns 0 to 3, the others go to
 * another row and column: 8 of 16. With a reach of 2 nodes a group of 4 on a row of 8 lacks its
 * ends: 3 x 4 - 2 of 12 pairs. */
static void test_sip_pairs_on_rings(void **state)
{
    (void)state;
    struct sip_rules rules = orr_sip_rules();
    rules.gpus = 16;
    rules.group = 4;
    static const uint32_t rows[] = {1, 2, 4}, around[] = {16, 8, 16};
    for (size_t i = 0; i < 3; i++) {
        const struct sip_pairs pairs = orr_sip_rows_pairs(&rules, rows[i]);
        assert_int_equal(pairs.inside_direct, 48);
        assert_int_equal(pairs.around_direct, around[i]);
    }
    rules.budget_db = 2 * 0.625;
    assert_int_equal(orr_sip_rows_pairs(&rules, 2).inside_direct, 4 * 10);
    assert_int_equal(orr_sip_rows_pairs(&rules, 2).around_direct, 0);
}

/* ---- what cannot be ---- */

static void test_rules_that_cannot_be_are_refused(void **state)
{
    struct sip_rules rules[6];
    static const char *const said[] = {
        "gpus: expected a whole number from 2 to 16777216, got \"1\"",
        "ocs-ports: expected a whole number from 2 to 16777216, got \"1\"",
        "radix: expected a whole number from 2 to 384, got \"385\"",
        "budget-db: expected at least the 0.625 dB that light loses at one node, got \"0.6\"",
        "group: expected a whole number from 1 to 1024, got \"2048\"",
        "bandwidth: expected at most 4096 wavelengths of 25 Gb/s, got 200000 Gb/s"};
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        rules[i] = orr_sip_rules();
    }
    rules[0].gpus = 1;
    rules[1].ocs_ports = 1;
    rules[2].radix = 385;
    rules[3].budget_db = 0.6;
    rules[4].group = 2048;
    rules[5].bytes_per_s = 25e12;
    for (size_t i = 0; i < 6; i++) {
        struct orr_diag diag;
        orr_diag_init(&diag);
        assert_int_equal(orr_sip_check(&rules[i], &diag), ORR_ERR_INPUT);
        assert_string_equal(diag.message, said[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_duty_cycle_of_the_paper),
        cmocka_unit_test(test_light_budget_of_the_paper),
        cmocka_unit_test(test_interfaces_of_the_paper),
        cmocka_unit_test(test_costs_of_the_paper),
        cmocka_unit_test(test_clos_by_hand),
        cmocka_unit_test(test_clos_sets_every_permutation),
        cmocka_unit_test(test_bcube_by_hand),
        cmocka_unit_test(test_bcube_against_enumeration),
        cmocka_unit_test(test_sip_pairs_in_bcube),
        cmocka_unit_test(test_ring_rows_by_hand),
        cmocka_unit_test(test_sip_pairs_on_rings),
        cmocka_unit_test(test_rules_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
