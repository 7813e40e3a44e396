/* What hardware costs: the counts and ratios that the TopoOpt paper states. */
#include "graph_fixture.h"

#include <math.h>

static struct net_cost cost_of(struct fixture *f, const char *text, uint32_t npus,
                               double gbit_per_s, enum net_optical optical)
{
    const struct net_fabric fabric = {
        .text = text, .npus = npus, .kind = {.bytes_per_s = gbit_per_s * 1e9 / 8}, .seed = 7};
    struct net_cost cost;
    if (orr_net_build_fabric(&fabric, f->arena, &f->graph, &f->routing, &f->diag) != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
    orr_net_graph_cost(&f->graph, optical, &cost);
    return cost;
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
    const struct net_cost panels =
        cost_of(*state, "circulant:+1,+3,+11,+37", 128, 100, NET_OPTICAL_PATCH_PANEL);
    counts_are(&panels, (const uint64_t[NET_PARTS]){512, 512, 0, 1024, 0, 512, 512});
    const struct net_cost mixed =
        cost_of(*state, "circulant:1,+3,+11", 128, 100, NET_OPTICAL_PATCH_PANEL);
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
    orr_net_graph_cost(&f->graph, NET_OPTICAL_OCS, &cost);
    counts_are(&cost, (const uint64_t[NET_PARTS]){4, 4, 0, 0, 4, 0, 4});
}

/* The same: 128 x d NICs and transceivers, 128 x 2 x d panel ports, a 1x2 switch at each interface.
 */
static void test_patch_panels_of_128_servers(void **state)
{
    const struct net_cost cost =
        cost_of(*state, "circulant:1,5", 128, 100, NET_OPTICAL_PATCH_PANEL);
    counts_are(&cost, (const uint64_t[NET_PARTS]){512, 512, 0, 1024, 0, 512, 512});
    is(cost.dollars[NET_PART_PANEL_PORT], 102400);
    is(cost.dollars[NET_PART_1X2_SWITCH], 12800);
    is(cost.total_dollars, 512 * (678 + 99 + 2 * 100 + 25 + 150));
    const struct net_cost ocs = cost_of(*state, "circulant:1,5", 128, 100, NET_OPTICAL_OCS);
    counts_are(&ocs, (const uint64_t[NET_PARTS]){512, 512, 0, 0, 512, 0, 512});
    const struct net_cost cables = cost_of(*state, "circulant:1,5", 128, 100, NET_OPTICAL_NONE);
    counts_are(&cables, (const uint64_t[NET_PARTS]){512, 512, 0, 0, 0, 0, 256});
}

/* Rows of the table, what is between them, and 400 Gb/s: 4 transceivers, ports and fibres, 2 NICs.
 * A star of one NPU is a link. */
static void test_prices_by_bandwidth(void **state)
{
    static const double prices[][4] = {
        /* Gb/s, NIC, two transceivers, port */
        {1, 185, 40, 94},     {10, 185, 40, 94},    {25, 185, 78, 144},   {30, 354, 78, 144},
        {40, 354, 78, 144},   {50, 678, 198, 187},  {100, 678, 198, 187}, {200, 815, 396, 374},
        {150, 815, 396, 374}, {400, 1630, 792, 748}};
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++) {
        const struct net_cost cost =
            cost_of(*state, "ideal-switch", 1, prices[i][0], NET_OPTICAL_NONE);
        is(cost.dollars[NET_PART_NIC], prices[i][1]);
        is(cost.dollars[NET_PART_TRANSCEIVER], prices[i][2]);
        is(cost.dollars[NET_PART_SWITCH_PORT], prices[i][3]);
    }
    const struct net_cost fast = cost_of(*state, "ideal-switch", 1, 400, NET_OPTICAL_NONE);
    counts_are(&fast, (const uint64_t[NET_PARTS]){2, 8, 4, 0, 0, 0, 4});
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
}

/* Section 5.2: an ideal switch, priced as a full fat-tree with links of d x B, costs 3.2 times as
 * much as TopoOpt on average, and optical circuit switches 1.33 times as much as patch panels. Here
 * over d = 4 at 100 Gb/s and d = 8 at 200 Gb/s, on 128 servers and on 432: within a fifth. By hand,
 * of a server: ideal 2 x 815 + 6 x 4 x 99 + 5 x 4 x 187 + 3 x 4 x 150 = 9546 and 8 x 815 + 6 x 16 x
 * 99 + 5 x 16 x 187 + 3 x 16 x 150 = 38184; TopoOpt 4 x 1152 = 4608 and 8 x (815 + 198 + 375) =
 * 11104. */
static void test_ratios_of_the_paper(void **state)
{
    static const struct {
        const char *jumps;
        double gbit_per_s, ideal, panels;
    } cases[] = {{"circulant:1,5", 100, 9546, 4608}, {"circulant:1,5,7,11", 200, 38184, 11104}};
    double ideal_ratio = 0, ocs_ratio = 0;
    for (size_t i = 0; i < 2; i++) {
        const double b = cases[i].gbit_per_s, d = i == 0 ? 4 : 8;
        for (uint32_t npus = 128; npus <= 432; npus += 432 - 128) {
            const double ideal =
                cost_of(*state, "fat-tree", npus, d * b, NET_OPTICAL_NONE).total_dollars;
            const double panels =
                cost_of(*state, cases[i].jumps, npus, b, NET_OPTICAL_PATCH_PANEL).total_dollars;
            const double ocs =
                cost_of(*state, cases[i].jumps, npus, b, NET_OPTICAL_OCS).total_dollars;
            is(ideal, npus * cases[i].ideal);
            is(panels, npus * cases[i].panels);
            ideal_ratio += ideal / panels / 4;
            ocs_ratio += ocs / panels / 4;
        }
    }
    is(ideal_ratio, (9546.0 / 4608 + 38184.0 / 11104) / 2); /* 2.76 */
    assert_true(ideal_ratio > 3.2 / 1.2 && ideal_ratio < 3.2 * 1.2);
    assert_true(ocs_ratio > 1.33 / 1.2 && ocs_ratio < 1.33 * 1.2); /* 1.23 */
    /* The expander is the cheapest of all. */
    assert_true(cost_of(*state, "expander:4", 128, 100, NET_OPTICAL_NONE).total_dollars <
                128 * 4608.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fat_tree_of_eight_ports),
        TEST(test_patch_panels_of_128_servers),
        TEST(test_one_way_links_share_interfaces),
        TEST(test_one_way_links_that_only_enter_have_interfaces),
        TEST(test_prices_by_bandwidth),
        TEST(test_servers_and_racks),
        TEST(test_ratios_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
