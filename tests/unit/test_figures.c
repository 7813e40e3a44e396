/* Figures of topologies, by hand and against walks over all pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "network/coordinates.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/net_metrics.h"

#define GB 1e9

static void expect_near(double found, double expected)
{
    const double allowed = 1e-12 * (expected > 1 ? expected : 1);
    assert_true(found - expected <= allowed && expected - found <= allowed);
}

static void expect_dim(const struct net_config *config, unsigned d,
                       const struct net_dim_metrics *expected)
{
    const struct net_dim_metrics found = orr_net_dim_metrics(config, d);
    assert_int_equal(found.stride, expected->stride);
    assert_int_equal(found.lines, expected->lines);
    assert_int_equal(found.links, expected->links);
    assert_int_equal(found.links_per_npu, expected->links_per_npu);
    expect_near(found.link_bytes_per_s, expected->link_bytes_per_s);
    expect_near(found.npu_bytes_per_s, expected->npu_bytes_per_s);
    assert_int_equal(found.hops_max, expected->hops_max);
    assert_int_equal(found.hops_from_one, expected->hops_from_one);
    expect_near(found.hops_mean, expected->hops_mean);
    expect_near(found.bisection_bytes_per_s, expected->bisection_bytes_per_s);
}

static void expect_alone(struct net_dim dim, const struct net_dim_metrics *expected)
{
    expect_dim(&(struct net_config){.dims = 1, .dim = &dim}, 0, expected);
}

static struct net_dim dim_of(enum net_block block, uint32_t npus, bool per_npu)
{
    return (struct net_dim){
        .block = block, .npus = npus, .bandwidth_bytes_per_s = 60 * GB, .per_npu = per_npu};
}

/* 6 x 2 links; to the others 1 + 2 + 3 + 2 + 1 = 9 hops, 9 / 5 each; two links cross the middle. */
static void test_dim_figures_even_ring(void **state)
{
    (void)state;
    expect_alone(dim_of(NET_RING, 6, false),
                 &(struct net_dim_metrics){1, 1, 12, 2, 60 * GB, 120 * GB, 3, 9, 1.8, 120 * GB});
    /* 60 GB/s an NPU are 30 a link. */
    expect_alone(dim_of(NET_RING, 6, true),
                 &(struct net_dim_metrics){1, 1, 12, 2, 30 * GB, 60 * GB, 3, 9, 1.8, 60 * GB});
}

/* 1 + 2 + 2 + 1 = 6 hops, 6 / 4 each; 2 and 3 NPUs are cut apart by two links. */
static void test_dim_figures_odd_ring(void **state)
{
    (void)state;
    expect_alone(dim_of(NET_RING, 5, false),
                 &(struct net_dim_metrics){1, 1, 10, 2, 60 * GB, 120 * GB, 2, 6, 1.5, 120 * GB});
    expect_alone(dim_of(NET_RING, 3, false),
                 &(struct net_dim_metrics){1, 1, 6, 2, 60 * GB, 120 * GB, 1, 2, 1, 120 * GB});
}

/* Two links to the same NPU; counted per NPU a single one has all of it. */
static void test_dim_figures_ring_of_two(void **state)
{
    (void)state;
    expect_alone(dim_of(NET_RING, 2, false),
                 &(struct net_dim_metrics){1, 1, 4, 2, 60 * GB, 120 * GB, 1, 1, 1, 120 * GB});
    expect_alone(dim_of(NET_RING, 2, true),
                 &(struct net_dim_metrics){1, 1, 2, 1, 60 * GB, 60 * GB, 1, 1, 1, 60 * GB});
}

/* 5 x 4 links; 2 x 3 of them go from the one part to the other. */
static void test_dim_figures_fully_connected(void **state)
{
    (void)state;
    expect_alone(dim_of(NET_FULLY_CONNECTED, 5, false),
                 &(struct net_dim_metrics){1, 1, 20, 4, 60 * GB, 240 * GB, 1, 4, 1, 360 * GB});
    expect_alone(dim_of(NET_FULLY_CONNECTED, 4, true),
                 &(struct net_dim_metrics){1, 1, 12, 3, 20 * GB, 60 * GB, 1, 3, 1, 80 * GB});
}

/* One link up and one down for each; 4 of 8 (2 of 5) send to the others at once. */
static void test_dim_figures_switch(void **state)
{
    (void)state;
    expect_alone(dim_of(NET_SWITCH, 8, false),
                 &(struct net_dim_metrics){1, 1, 16, 1, 60 * GB, 60 * GB, 2, 14, 2, 240 * GB});
    expect_alone(dim_of(NET_SWITCH, 5, true),
                 &(struct net_dim_metrics){1, 1, 10, 1, 60 * GB, 60 * GB, 2, 8, 2, 120 * GB});
}

/* 2 x 4 links in a line of 5, the ends have one each; one crosses the middle. Hops to the others
 * 10, 7, 6, 7, 10: 8 on average, 2 each. 60 GB/s an NPU are 30 a link, at the ends too. */
static void test_dim_figures_mesh(void **state)
{
    (void)state;
    expect_alone(dim_of(NET_MESH, 5, false),
                 &(struct net_dim_metrics){1, 1, 8, 2, 60 * GB, 120 * GB, 4, 8, 2, 60 * GB});
    expect_alone(dim_of(NET_MESH, 5, true),
                 &(struct net_dim_metrics){1, 1, 8, 2, 30 * GB, 60 * GB, 4, 8, 2, 30 * GB});
    expect_alone(dim_of(NET_MESH, 2, true),
                 &(struct net_dim_metrics){1, 1, 2, 1, 60 * GB, 60 * GB, 1, 1, 1, 60 * GB});
    const struct net_dim dim[] = {dim_of(NET_MESH, 3, false), dim_of(NET_MESH, 2, false)};
    const struct net_config config = {.dims = 2, .dim = dim};
    /* 3 x 2: two lines of 4 links and three of 2, one way each */
    expect_near(orr_net_metrics(&config).network_bytes_per_s, 14 * 60 * GB);
    assert_int_equal(orr_net_metrics(&config).links, 14);
    assert_int_equal(orr_net_servers(&config, 0, 2), 8);
    assert_int_equal(orr_net_servers(&config, 0, 1), 6);
    assert_int_equal(orr_net_neighbours(&config, 3, 0), 1);
    assert_int_equal(orr_net_neighbour(&config, 3, 0, 0), 4);
    assert_int_equal(orr_net_neighbours(&config, 4, 0), 2);
    assert_int_equal(orr_net_neighbour(&config, 4, 0, 1), 5);
    assert_int_equal(orr_net_neighbours(&config, 5, 0), 1);
    assert_int_equal(orr_net_neighbour(&config, 5, 0, 0), 4);
}

static void test_dim_figures_one_npu_has_no_links(void **state)
{
    (void)state;
    for (unsigned block = 0; block < NET_BLOCKS; block++) {
        const struct net_dim dim = dim_of((enum net_block)block, 1, false);
        const struct net_config config = {.dims = 1, .dim = &dim};
        expect_dim(&config, 0, &(struct net_dim_metrics){.stride = 1, .lines = 1});
        const struct net_metrics all = orr_net_metrics(&config);
        assert_int_equal(all.bisection_dim, 1);
        assert_int_equal(all.diameter, 0);
        expect_near(all.hops_mean, 0);
        expect_near(all.mean_path_ps, 0);
    }
}

/* Ring(4)_FC(3)_Switch(2) of 24 NPUs: 60 GB/s and 1 ns, 30 GB/s and 2 ns, 15 GB/s and 5 ns a link.
 * Links 24 x 2 + 24 x 2 + 24 x 2 (up and down) = 144. An NPU sends 120 + 60 + 15 = 195 GB/s, all of
 * them 4680. Bisections: 6 rings x 2 x 60 = 720, 8 cliques x 1 x 2 x 30 = 480, 12 switches x 15 =
 * 180. Diameter 2 + 1 + 2. From an NPU the hops to all others: (1 + 2 + 1) x 6 + 2 x 8 + 2 x 12 =
 * 64 over 23. Latency: 2 x 1 + 2 + 2 x 5 = 14 ns; 24 x 1 + 16 x 2 + 24 x 5 = 176 ns over 23. */
static void test_figures_stack_by_hand(void **state)
{
    (void)state;
    const struct net_dim dim[] = {
        {.block = NET_RING, .npus = 4, .bandwidth_bytes_per_s = 60 * GB, .latency_ps = 1000},
        {.block = NET_FULLY_CONNECTED,
         .npus = 3,
         .bandwidth_bytes_per_s = 30 * GB,
         .latency_ps = 2000},
        {.block = NET_SWITCH, .npus = 2, .bandwidth_bytes_per_s = 15 * GB, .latency_ps = 5000}};
    const struct net_config config = {.dims = 3, .dim = dim};
    expect_dim(&config, 0,
               &(struct net_dim_metrics){1, 6, 48, 2, 60 * GB, 120 * GB, 2, 4, 4.0 / 3, 720 * GB});
    expect_dim(&config, 1,
               &(struct net_dim_metrics){4, 8, 48, 2, 30 * GB, 60 * GB, 1, 2, 1, 480 * GB});
    expect_dim(&config, 2,
               &(struct net_dim_metrics){12, 12, 48, 1, 15 * GB, 15 * GB, 2, 2, 2, 180 * GB});
    const struct net_metrics all = orr_net_metrics(&config);
    assert_int_equal(all.links, 144);
    expect_near(all.npu_bytes_per_s, 195 * GB);
    expect_near(all.network_bytes_per_s, 4680 * GB);
    expect_near(all.bisection_bytes_per_s, 180 * GB);
    assert_int_equal(all.bisection_dim, 2);
    assert_int_equal(all.diameter, 5);
    expect_near(all.hops_mean, 64.0 / 23);
    assert_int_equal(all.longest_path_ps, 14000);
    expect_near(all.mean_path_ps, 176000.0 / 23);
}

/* 2^31 NPUs: nothing overflows. 2^31 x (2^31 - 1) links, one hop to each. */
static void test_figures_largest_clique(void **state)
{
    (void)state;
    const struct net_dim dim = dim_of(NET_FULLY_CONNECTED, UINT32_C(1) << 31, false);
    const struct net_metrics all = orr_net_metrics(&(struct net_config){.dims = 1, .dim = &dim});
    assert_true(all.links == (UINT64_C(1) << 31) * ((UINT64_C(1) << 31) - 1));
    expect_near(all.hops_mean, 1);
    expect_near(all.bisection_bytes_per_s, 0x1p60 * 60 * GB);
}

/* Hops from one rank to another, a dimension after the other. */
static unsigned walk(const struct net_config *config, uint32_t src, uint32_t dst)
{
    unsigned hops = 0;
    uint32_t coords[5], to[5];
    orr_net_coords(config, src, coords);
    orr_net_coords(config, dst, to);
    for (unsigned d = 0; d < config->dims; d++) {
        hops += orr_net_route(config, orr_net_rank(config, coords), dst).dim == d
                    ? orr_net_route(config, orr_net_rank(config, coords), dst).hops
                    : 0;
        coords[d] = to[d];
    }
    return hops;
}

static void test_figures_random_shapes_agree_with_all_pairs(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 7, 0);
    for (unsigned round = 0; round < 100; round++) {
        struct net_dim dim[4];
        const struct net_config config = {.dims = 1 + (unsigned)orr_rng_below(&rng, 4), .dim = dim};
        for (unsigned d = 0; d < config.dims; d++) {
            dim[d] = dim_of((enum net_block)orr_rng_below(&rng, NET_BLOCKS),
                            1 + (uint32_t)orr_rng_below(&rng, 5), false);
        }
        const uint32_t npus = orr_net_npus(&config);
        const struct net_metrics all = orr_net_metrics(&config);
        unsigned longest = 0;
        uint64_t sum = 0;
        for (uint32_t pair = 0; pair < npus * npus; pair++) {
            const unsigned hops = walk(&config, pair / npus, pair % npus);
            longest = hops > longest ? hops : longest;
            sum += hops;
        }
        assert_int_equal(all.diameter, longest);
        expect_near(all.hops_mean, npus > 1 ? (double)sum / npus / (npus - 1) : 0);
    }
}

/* Ring(4)_FC(3)_Ring(2): rank 6 is at 2, 1, 0. */
static void test_neighbours_by_hand(void **state)
{
    (void)state;
    const struct net_dim dim[] = {dim_of(NET_RING, 4, false), dim_of(NET_FULLY_CONNECTED, 3, false),
                                  dim_of(NET_RING, 2, false), dim_of(NET_SWITCH, 1, false)};
    const struct net_config config = {.dims = 4, .dim = dim};
    static const uint32_t counts[] = {2, 2, 1, 0};
    static const uint32_t neighbours[3][2] = {{5, 7}, {2, 10}, {18, 0}};
    for (unsigned d = 0; d < 4; d++) {
        assert_int_equal(orr_net_neighbours(&config, 6, d), counts[d]);
        for (uint32_t i = 0; i < counts[d]; i++) {
            assert_int_equal(orr_net_neighbour(&config, 6, d, i), neighbours[d][i]);
        }
    }
    assert_int_equal(orr_net_neighbour(&config, 4, 0, 0), 7); /* around */
    assert_int_equal(orr_net_neighbour(&config, 7, 0, 1), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dim_figures_even_ring),
        cmocka_unit_test(test_dim_figures_odd_ring),
        cmocka_unit_test(test_dim_figures_ring_of_two),
        cmocka_unit_test(test_dim_figures_fully_connected),
        cmocka_unit_test(test_dim_figures_switch),
        cmocka_unit_test(test_dim_figures_mesh),
        cmocka_unit_test(test_dim_figures_one_npu_has_no_links),
        cmocka_unit_test(test_figures_stack_by_hand),
        cmocka_unit_test(test_figures_largest_clique),
        cmocka_unit_test(test_figures_random_shapes_agree_with_all_pairs),
        cmocka_unit_test(test_neighbours_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
