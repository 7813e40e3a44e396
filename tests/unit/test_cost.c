/* What hardware costs: the counts and ratios that the TopoOpt paper states. */
#include "graph_fixture.h"
#include "network/cost/cost.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "tests/unit/graph_fixture.h"

#include <math.h>
#include <string.h>

static enum orr_status try_cost(struct fixture *f, const char *text, uint32_t npus,
                                double gbit_per_s, const struct net_cost_rules *rules,
                                struct net_cost *cost)
{
    const struct net_fabric fabric = {
        .text = text, .npus = npus, .kind = {.bytes_per_s = gbit_per_s * 1e9 / 8}, .seed = 7};
    if (orr_net_build_fabric(&fabric, f->arena, &f->graph, &f->routing, &f->diag) != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
    return orr_net_graph_cost(&f->graph, rules, cost, &f->diag);
}

static struct net_cost cost_by(struct fixture *f, const char *text, uint32_t npus,
                               double gbit_per_s, const struct net_cost_rules *rules)
{
    struct net_cost cost;
    if (try_cost(f, text, npus, gbit_per_s, rules, &cost) != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
    return cost;
}

static struct net_cost cost_of(struct fixture *f, const char *text, uint32_t npus,
                               double gbit_per_s, enum net_optical optical)
{
    return cost_by(f, text, npus, gbit_per_s, &(struct net_cost_rules){.optical = optical});
}

/* Every interface has a card of its own. */
static struct net_cost singly(struct fixture *f, const char *text, uint32_t npus,
                              enum net_optical optical)
{
    return cost_by(f, text, npus, 100,
                   &(struct net_cost_rules){.optical = optical, .cards = NET_CARDS_SINGLE});
}

static void counts_are(const struct net_cost *cost, const uint64_t counts[NET_PARTS])
{
    for (size_t i = 0; i < NET_PARTS; i++) {
        if (cost->count[i] != counts[i]) {
            fail_msg("%s: %llu, expected %llu", orr_net_part_name(i),
                     (unsigned long long)cost->count[i], (unsigned long long)counts[i]);
        }
    }
}

static void is(double value, double expected)
{
    if (fabs(value - expected) > 1e-6 * fabs(expected)) {
        fail_msg("%.9g is not %.9g", value, expected);
    }
}

/* Appendix G: a fat-tree of k = 8 has 640 switch ports, a NIC for each of 128 hosts, and a
 * transceiver for each of these; 3 x 128 links. */
static void test_fat_tree_of_eight_ports(void **state)
{
    const struct net_cost cost = cost_of(*state, "fat-tree:8", 128, 100, NET_OPTICAL_NONE);
    counts_are(&cost, (const uint64_t[NET_PARTS]){128, 768, 640, 0, 0, 0, 384});
    is(cost.dollars[NET_PART_NIC], 128 * 678);
    is(cost.dollars[NET_PART_TRANSCEIVER], 768 * 99);
    is(cost.dollars[NET_PART_SWITCH_PORT], 640 * 187);
    is(cost.dollars[NET_PART_FIBRE], 384 * 150);
    is(cost.total_dollars, 340096);
}

/* Four jumps one way take as many interfaces, a transmitter and a receiver each, as two both ways.
 */
static void test_one_way_links_share_interfaces(void **state)
{
    const enum net_optical panel = NET_OPTICAL_PATCH_PANEL;
    const struct net_cost panels = singly(*state, "circulant:+1,+3,+11,+37", 128, panel);
    counts_are(&panels, (const uint64_t[NET_PARTS]){512, 512, 0, 1024, 0, 512, 512});
    const struct net_cost mixed = singly(*state, "circulant:1,+3,+11", 128, panel);
    counts_are(&mixed, (const uint64_t[NET_PARTS]){512, 512, 0, 1024, 0, 512, 512});
    const struct net_cost cables = cost_of(*state, "circulant:+1", 8, 100, NET_OPTICAL_NONE);
    counts_are(&cables, (const uint64_t[NET_PARTS]){8, 8, 0, 0, 0, 0, 8});
}

/* 0 sends to 1 and 2, and nothing comes back: two interfaces there, and one at each of these. */
static void test_one_way_links_that_only_enter_have_interfaces(void **state)
{
    struct fixture *f = *state;
    struct net_graph_builder builder;
    struct net_cost cost;
    orr_net_graph_begin(&builder, f->arena, 3, 0);
    for (uint32_t to = 1; to < 3; to++) {
        orr_net_graph_link(&builder,
                           &(struct net_link){.to = to, .count = 1, .bytes_per_s = 12.5e9});
    }
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    const struct net_cost_rules rules = {.optical = NET_OPTICAL_OCS};
    assert_int_equal(orr_net_graph_cost(&f->graph, &rules, &cost, &f->diag), ORR_OK);
    counts_are(&cost, (const uint64_t[NET_PARTS]){3, 4, 0, 0, 4, 0, 4}); /* 0 has one card */
}

/* The same: 128 x d NICs and transceivers, 128 x 2 x d panel ports, a 1x2 switch at each interface.
 */
static void test_patch_panels_of_128_servers(void **state)
{
    const struct net_cost cost = singly(*state, "circulant:1,5", 128, NET_OPTICAL_PATCH_PANEL);
    counts_are(&cost, (const uint64_t[NET_PARTS]){512, 512, 0, 1024, 0, 512, 512});
    is(cost.dollars[NET_PART_PANEL_PORT], 102400);
    is(cost.dollars[NET_PART_1X2_SWITCH], 12800);
    is(cost.total_dollars, 512 * (678 + 99 + 2 * 100 + 25 + 150));
    assert_int_equal(cost.joined, 128);
    const struct net_cost ocs = singly(*state, "circulant:1,5", 128, NET_OPTICAL_OCS);
    counts_are(&ocs, (const uint64_t[NET_PARTS]){512, 512, 0, 0, 512, 0, 512});
    const struct net_cost cables = singly(*state, "circulant:1,5", 128, NET_OPTICAL_NONE);
    counts_are(&cables, (const uint64_t[NET_PARTS]){512, 512, 0, 0, 0, 0, 256});
}

/* Two ports of 100 Gb/s on a card of 815, an odd one on one of 678: 4 ports, 3, and 3 lanes of 300
 * Gb/s. Of 40 Gb/s each has its own. */
static void test_ports_of_100_gbit_share_cards(void **state)
{
    static const struct {
        const char *fabric;
        double gbit_per_s;
        uint64_t cards;
        double dollars;
    } cases[] = {{"circulant:1,5", 100, 2, 1630},
                 {"circulant:+1,+3,+5", 100, 2, 815 + 678},
                 {"circulant:+1", 300, 2, 815 + 678},
                 {"circulant:1,5", 40, 4, 4 * 354},
                 {"circulant:1,5", 50, 2, 1630}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct net_cost cost =
            cost_of(*state, cases[i].fabric, 16, cases[i].gbit_per_s, NET_OPTICAL_NONE);
        assert_int_equal(cost.count[NET_PART_NIC], 16 * cases[i].cards);
        is(cost.dollars[NET_PART_NIC], 16 * cases[i].dollars);
    }
}

/* Rows of the table, what is between them, and 400 Gb/s: 4 transceivers, ports and fibres, 2 NICs.
 * A star of one NPU is a link. */
static void test_prices_by_bandwidth(void **state)
{
    static const struct net_cost_rules one = {.ideal = NET_IDEAL_ONE_SWITCH};
    static const double prices[][4] = {
        /* Gb/s, NIC, two transceivers, port */
        {1, 185, 40, 94},     {10, 185, 40, 94},    {25, 185, 78, 144},   {30, 354, 78, 144},
        {40, 354, 78, 144},   {50, 678, 198, 187},  {100, 678, 198, 187}, {200, 815, 396, 374},
        {150, 815, 396, 374}, {400, 1630, 792, 748}};
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++) {
        const struct net_cost cost = cost_by(*state, "ideal-switch", 1, prices[i][0], &one);
        is(cost.dollars[NET_PART_NIC], prices[i][1]);
        is(cost.dollars[NET_PART_TRANSCEIVER], prices[i][2]);
        is(cost.dollars[NET_PART_SWITCH_PORT], prices[i][3]);
    }
    const struct net_cost fast = cost_by(*state, "ideal-switch", 1, 400, &one);
    counts_are(&fast, (const uint64_t[NET_PARTS]){2, 8, 4, 0, 0, 0, 4});
}

/* A server's share of a full fat-tree: the NIC, 6 transceivers, 5 ports and 3 fibres for each 100
 * Gb/s begun. */
static void test_ideal_switch_is_a_full_fat_tree(void **state)
{
    static const double prices[][2] = {{10, 1225},  {25, 1589},  {40, 1758},   {100, 2657},
                                       {200, 4773}, {400, 9546}, {1600, 38184}};
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++) {
        for (uint32_t npus = 10; npus <= 128; npus += 118) {
            const struct net_cost cost =
                cost_of(*state, "ideal-switch", npus, prices[i][0], NET_OPTICAL_NONE);
            is(cost.total_dollars, npus * prices[i][1]);
        }
        is(cost_of(*state, "fat-tree:8", 128, prices[i][0], NET_OPTICAL_NONE).total_dollars,
           128 * prices[i][1]);
    }
    const struct net_cost servers =
        cost_of(*state, "ideal-switch/8@300GB/s", 32, 100, NET_OPTICAL_NONE);
    is(servers.total_dollars, 4 * 2657);
}

/* Four trees of 100 Gb/s with a card each: 4 x 2657, 8 of 200 Gb/s as one of 1600. */
static void test_ideal_switch_as_parallel_trees(void **state)
{
    struct fixture *f = *state;
    struct net_cost_rules rules = {.ideal = NET_IDEAL_PARALLEL_TREES, .degree = 4};
    struct net_cost cost = cost_by(f, "ideal-switch", 128, 400, &rules);
    counts_are(&cost, (const uint64_t[NET_PARTS]){512, 128 * 24, 128 * 20, 0, 0, 0, 128 * 12});
    is(cost.total_dollars, 128 * 10628);
    rules.degree = 8;
    is(cost_by(f, "ideal-switch", 128, 1600, &rules).total_dollars, 128 * 38184);
    rules.degree = 0;
    assert_int_equal(try_cost(f, "ideal-switch", 128, 400, &rules, &cost), ORR_ERR_INPUT);
    assert_non_null(strstr(f->diag.message, "needs their number"));
}

/* The inside of servers is not counted: 4 servers at a fat-tree of 4 hosts: 4 + 4 links, 2 edge
 * switches with 2 + 2 ports and 2 aggregation switches with 2. Racks are: 16 x 4 servers, of each
 * rack 4 optical links. */
static void test_servers_and_racks(void **state)
{
    const struct net_cost servers =
        cost_of(*state, "fat-tree/8@300GB/s", 32, 100, NET_OPTICAL_NONE);
    counts_are(&servers, (const uint64_t[NET_PARTS]){4, 16, 12, 0, 0, 0, 8});
    const struct net_cost racks =
        cost_of(*state, "circulant:1,5/4", 64, 100, NET_OPTICAL_PATCH_PANEL);
    counts_are(&racks, (const uint64_t[NET_PARTS]){64, 128 + 64, 64 + 64, 128, 0, 64, 64 + 64});
    assert_int_equal(racks.joined, 16);
}

/* Optics join nodes of one kind: the levels of a tree are joined by cables. */
static void test_trees_have_no_optics(void **state)
{
    const struct net_cost cost = cost_of(*state, "fat-tree:8", 128, 100, NET_OPTICAL_OCS);
    counts_are(&cost, (const uint64_t[NET_PARTS]){128, 768, 640, 0, 0, 0, 384});
    assert_int_equal(cost.joined, 0);
}

/* ---- what the paper states ---- */

struct reading {
    struct net_cost_rules rules; /* but for the degree */
    double ideal, ocs;           /* over panels, on average */
};

/* Section 5.2: an ideal switch, priced as a full fat-tree with links of d x B, costs 3.2 times as
 * much as TopoOpt on average, and optical circuit switches 1.33 times as much as patch panels. Here
 * over d = 4 at 100 Gb/s and d = 8 at 200 Gb/s, on 128 servers and on 432, which need circuit
 * switches of more ports than 384. By hand, of a server with two ports on a card: ideal 1630 + 6 x
 * 4 x 99 + 5 x 4 x 187 + 3 x 4 x 150 = 9546 and 8 x 815 + 6 x 16 x 99 + 5 x 16 x 187 + 3 x 16 x 150
 * = 38184; TopoOpt 1630 + 4 x (99 + 225 + 150) = 3526 and 8 x (815 + 198 + 225 + 150) = 11104; with
 * circuit switches 4706 and 13464. */
static void ratios_are(struct fixture *f, const struct reading *reading)
{
    static const char *const jumps[] = {"circulant:1,5", "circulant:1,5,7,11"};
    double ideal = 0, ocs = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const double gbit_per_s = i == 0 ? 100 : 200;
        for (uint32_t npus = 128; npus <= 432; npus += 432 - 128) {
            struct net_cost_rules rules = reading->rules;
            rules.optical_ports = 432;
            rules.degree = i == 0 ? 4 : 8;
            rules.optical = NET_OPTICAL_PATCH_PANEL;
            const double panels = cost_by(f, jumps[i], npus, gbit_per_s, &rules).total_dollars;
            rules.optical = NET_OPTICAL_OCS;
            ocs += cost_by(f, jumps[i], npus, gbit_per_s, &rules).total_dollars / panels / 4;
            ideal +=
                cost_by(f, "ideal-switch", npus, gbit_per_s * rules.degree, &rules).total_dollars /
                panels / 4;
        }
    }
    is(ideal, reading->ideal);
    is(ocs, reading->ocs);
}

static void test_ratios_of_the_paper(void **state)
{
    static const struct reading readings[] = {
        /* 3.07 and 1.27 */
        {{.cards = NET_CARDS_PAIRED},
         (9546.0 / 3526 + 38184.0 / 11104) / 2,
         (4706.0 / 3526 + 13464.0 / 11104) / 2},
        /* 3.23 and 1.27 */
        {{.ideal = NET_IDEAL_PARALLEL_TREES},
         (10628.0 / 3526 + 38184.0 / 11104) / 2,
         (4706.0 / 3526 + 13464.0 / 11104) / 2},
        /* 3.07 and 1.32 */
        {{.ideal = NET_IDEAL_PARALLEL_TREES, .without_fibres = true},
         (8828.0 / 2926 + 30984.0 / 9904) / 2,
         (4106.0 / 2926 + 12264.0 / 9904) / 2},
        /* 2.76 and 1.23 */
        {{.cards = NET_CARDS_SINGLE},
         (9546.0 / 4608 + 38184.0 / 11104) / 2,
         (5788.0 / 4608 + 13464.0 / 11104) / 2}};
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        ratios_are(*state, &readings[i]);
    }
}

/* 50 % off panel ports: 9546 / 3126 = 3.05, 10628 / 3126 = 3.40. */
static void test_discounts_by_part(void **state)
{
    struct net_cost_rules rules = {.optical = NET_OPTICAL_PATCH_PANEL,
                                   .discount = {[NET_PART_PANEL_PORT] = 0.5}};
    const struct net_cost half = cost_by(*state, "circulant:1,5", 128, 100, &rules);
    is(half.dollars[NET_PART_PANEL_PORT], 51200);
    is(half.total_dollars, 128 * 3126);
    rules.discount[NET_PART_NIC] = 1;
    is(cost_by(*state, "circulant:1,5", 128, 100, &rules).total_dollars, 128 * (3126 - 1630));
}

/* By Fig. 10 the expander costs least. (At d = 4 and 40 Gb/s, where a fat-tree of the price of
 * Table 2 has one NIC of 354 in place of four, 1758 is less than 1872.) */
static void test_expander_is_cheapest(void **state)
{
    static const struct {
        const char *expander, *jumps;
        double degree, gbit_per_s;
    } cases[] = {{"expander:4", "circulant:1,5", 4, 100},
                 {"expander:8", "circulant:1,5,7,11", 8, 100},
                 {"expander:8", "circulant:1,5,7,11", 8, 200}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double b = cases[i].gbit_per_s, all = cases[i].degree * b;
        const enum net_optical none = NET_OPTICAL_NONE;
        const double expander = cost_of(*state, cases[i].expander, 128, b, none).total_dollars;
        const double others[] = {
            cost_of(*state, cases[i].jumps, 128, b, NET_OPTICAL_PATCH_PANEL).total_dollars,
            cost_of(*state, cases[i].jumps, 128, b, NET_OPTICAL_OCS).total_dollars,
            cost_of(*state, "ideal-switch", 128, all, none).total_dollars,
            cost_of(*state, "fat-tree:8", 128, all / 4, none).total_dollars};
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            assert_true(expander < others[j]);
        }
    }
    is(cost_of(*state, "expander:4", 128, 100, NET_OPTICAL_NONE).total_dollars, 128 * 2326);
}

/* ---- optics ---- */

static void is_refused(struct fixture *f, uint32_t npus, const struct net_cost_rules *rules,
                       const char *text)
{
    struct net_cost cost;
    orr_diag_init(&f->diag);
    assert_int_equal(try_cost(f, "circulant:1,5", npus, 100, rules, &cost), ORR_ERR_INPUT);
    if (strstr(f->diag.message, text) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", text, f->diag.message);
    }
}

static void test_too_few_optical_ports_are_refused(void **state)
{
    is_refused(
        *state, 432, &(struct net_cost_rules){.optical = NET_OPTICAL_OCS},
        "432 NPUs need as many ports on each optical circuit switch (3D MEMS), which has 384");
    is_refused(*state, 1009, &(struct net_cost_rules){.optical = NET_OPTICAL_PATCH_PANEL},
               "1009 NPUs need as many ports on each patch panel, which has 1008");
    is_refused(*state, 128,
               &(struct net_cost_rules){.optical = NET_OPTICAL_PATCH_PANEL, .optical_ports = 100},
               "128 NPUs need as many ports on each patch panel, which has 100");
    (void)cost_of(*state, "circulant:1,5", 384, 100, NET_OPTICAL_OCS);
    (void)cost_of(*state, "circulant:1,5/4", 1536, 100, NET_OPTICAL_OCS);
}

/* A panel 0.5 dB and two 1x2 switches of 0.73 dB: 1.96; an optical circuit switch at most 2.7. */
static void test_loss_beyond_the_budget_is_refused(void **state)
{
    struct net_cost_rules rules = {
        .optical = NET_OPTICAL_PATCH_PANEL, .has_loss_budget = true, .loss_budget_db = 1.9};
    is_refused(
        *state, 16, &rules,
        "a circuit loses 1.96 dB (patch panel 0.5 dB, 1x2 switch at each end 0.73 dB), which "
        "is more than the budget of 1.9 dB");
    rules.loss_budget_db = 1.96;
    (void)cost_by(*state, "circulant:1,5", 16, 100, &rules);
    rules = (struct net_cost_rules){
        .optical = NET_OPTICAL_OCS, .has_loss_budget = true, .loss_budget_db = 2.6};
    is_refused(*state, 16, &rules, "(optical circuit switch (3D MEMS) 2.7 dB)");
}

/* Not commercial: the parts are counted. */
static void test_technologies_without_price_have_none(void **state)
{
    const struct net_cost cost =
        cost_of(*state, "circulant:1,5", 16, 100, NET_OPTICAL_SILICON_PHOTONICS);
    counts_are(&cost, (const uint64_t[NET_PARTS]){32, 64, 0, 0, 64, 0, 64});
    assert_string_equal(cost.unpriced, "silicon photonics switch");
    is(cost.dollars[NET_PART_TRANSCEIVER], 64 * 99);
    assert_true(!(cost.total_dollars > 0) && !(cost.dollars[NET_PART_OCS_PORT] > 0));
}

/* Four circuits of 100 Gb/s at each of 8 NPUs: as SiP-ML without a price, with circuit switches as
 * OCS-reconfig. */
static void test_circuits_have_the_price_of_their_technology(void **state)
{
    struct fixture *f = *state;
    struct net_graph_builder builder;
    struct net_cost cost;
    const struct net_circuits circuits = {.ports = 4, .bytes_per_s = 12.5e9};
    orr_net_graph_begin(&builder, f->arena, 8, 0);
    for (uint32_t i = 0; i < 64; i++) {
        if (i / 8 < i % 8) {
            orr_net_graph_both(
                &builder,
                &(struct net_link){.from = i / 8, .to = i % 8, .count = 4, .bytes_per_s = 12.5e9});
        }
    }
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    f->graph.circuits = &circuits;
    struct net_cost_rules rules = {.optical = NET_OPTICAL_NONE};
    assert_int_equal(orr_net_graph_cost(&f->graph, &rules, &cost, &f->diag), ORR_OK);
    assert_non_null(cost.unpriced);
    rules.optical = NET_OPTICAL_OCS;
    assert_int_equal(orr_net_graph_cost(&f->graph, &rules, &cost, &f->diag), ORR_OK);
    counts_are(&cost, (const uint64_t[NET_PARTS]){16, 32, 0, 0, 32, 0, 32});
    assert_null(cost.unpriced);
    is(cost.total_dollars, 8 * 4706);
}

/* 10 W a card, 3.5 a transceiver, 5 a switch port; optics none. */
static void test_watts_are_counted_with_parts(void **state)
{
    struct net_cost_rules rules = {
        .optical = NET_OPTICAL_PATCH_PANEL,
        .has_watts = true,
        .watts = {[NET_PART_NIC] = 10, [NET_PART_TRANSCEIVER] = 3.5, [NET_PART_SWITCH_PORT] = 5}};
    is(cost_by(*state, "circulant:1,5", 128, 100, &rules).total_watts, 128 * (20 + 14));
    is(cost_by(*state, "fat-tree:8", 128, 100, &rules).total_watts, 128 * (10 + 21 + 25));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fat_tree_of_eight_ports),
        TEST(test_patch_panels_of_128_servers),
        TEST(test_ports_of_100_gbit_share_cards),
        TEST(test_one_way_links_share_interfaces),
        TEST(test_one_way_links_that_only_enter_have_interfaces),
        TEST(test_prices_by_bandwidth),
        TEST(test_ideal_switch_is_a_full_fat_tree),
        TEST(test_ideal_switch_as_parallel_trees),
        TEST(test_servers_and_racks),
        TEST(test_trees_have_no_optics),
        TEST(test_ratios_of_the_paper),
        TEST(test_discounts_by_part),
        TEST(test_expander_is_cheapest),
        TEST(test_too_few_optical_ports_are_refused),
        TEST(test_loss_beyond_the_budget_is_refused),
        TEST(test_technologies_without_price_have_none),
        TEST(test_circuits_have_the_price_of_their_technology),
        TEST(test_watts_are_counted_with_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
