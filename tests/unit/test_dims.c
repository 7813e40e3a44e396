/* Ranks, coordinates and routes of stacked topologies; the registry of backends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/diag.h"
#include "core/divide.h"
#include "core/rng.h"
#include "network/coordinates.h"
#include "network/net.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_dims.h"

enum { MAX_DIMS = 5 };

static void random_shape(struct orr_rng *rng, struct net_config *config, struct net_dim *dim)
{
    *config = (struct net_config){.dims = 1 + (unsigned)orr_rng_below(rng, MAX_DIMS), .dim = dim};
    for (unsigned d = 0; d < config->dims; d++) {
        dim[d] = (struct net_dim){.block = (enum net_block)orr_rng_below(rng, NET_BLOCKS),
                                  .npus = 1 + (uint32_t)orr_rng_below(rng, 6)};
    }
}

static void test_coords_and_rank_random_shapes_are_inverse(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    for (unsigned round = 0; round < 100; round++) {
        struct net_config config;
        struct net_dim dim[MAX_DIMS];
        random_shape(&rng, &config, dim);
        for (uint32_t rank = 0; rank < orr_net_npus(&config); rank++) {
            uint32_t coords[MAX_DIMS];
            orr_net_coords(&config, rank, coords);
            for (unsigned d = 0; d < config.dims; d++) {
                assert_true(coords[d] < dim[d].npus);
            }
            assert_int_equal(orr_net_rank(&config, coords), rank);
        }
    }
}

static unsigned hops_by_walking(const struct net_dim *dim, uint32_t from, uint32_t to)
{
    if (!net_passes_on(dim->block)) {
        return dim->block == NET_SWITCH ? 2 : 1;
    }
    if (dim->block == NET_MESH) {
        return to > from ? to - from : from - to;
    }
    unsigned up = 0, down = 0;
    for (uint32_t at = from; at != to; at = (at + 1) % dim->npus) {
        up++;
    }
    for (uint32_t at = from; at != to; at = (at + dim->npus - 1) % dim->npus) {
        down++;
    }
    return up < down ? up : down;
}

/* The route names the first dimension that differs, and `forward` steps up lead there. */
static void check_route(const struct net_config *config, uint32_t src, uint32_t dst)
{
    uint32_t from[MAX_DIMS], to[MAX_DIMS];
    const struct net_route route = orr_net_route(config, src, dst);
    orr_net_coords(config, src, from);
    orr_net_coords(config, dst, to);
    struct orr_divisor by[MAX_DIMS];
    for (unsigned i = 0; i < config->dims; i++) {
        by[i] = orr_divisor_of(config->dim[i].npus);
    }
    const struct net_route same = orr_net_route_by(config, by, src, dst);
    assert_int_equal(same.dim, route.dim);
    assert_int_equal(same.forward, route.forward);
    assert_int_equal(same.hops, route.hops);
    uint32_t shift[MAX_DIMS];
    orr_net_coords(config, orr_net_shift(config, src, dst), shift);
    for (unsigned i = 0; i < config->dims; i++) {
        assert_int_equal((from[i] + shift[i]) % config->dim[i].npus, to[i]);
    }
    unsigned d = 0;
    while (d < config->dims && from[d] == to[d]) {
        d++;
    }
    assert_int_equal(route.dim, d);
    if (d < config->dims) {
        assert_int_equal((from[d] + route.forward) % config->dim[d].npus, to[d]);
        assert_in_range(route.forward, 1, config->dim[d].npus - 1);
        assert_int_equal(route.hops, hops_by_walking(&config->dim[d], from[d], to[d]));
    } else {
        assert_int_equal(src, dst);
        assert_int_equal(route.hops, 0);
    }
}

static void test_route_random_shapes_leads_to_the_destination(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 2, 0);
    for (unsigned round = 0; round < 2000; round++) {
        struct net_config config;
        struct net_dim dim[MAX_DIMS];
        random_shape(&rng, &config, dim);
        const uint32_t npus = orr_net_npus(&config);
        check_route(&config, (uint32_t)orr_rng_below(&rng, npus),
                    (uint32_t)orr_rng_below(&rng, npus));
    }
}

/* Ring(4)_FC(2)_Switch(8): rank = x + 4 y + 8 z. */
static void test_route_by_hand(void **state)
{
    (void)state;
    const struct net_dim dim[] = {{.block = NET_RING, .npus = 4},
                                  {.block = NET_FULLY_CONNECTED, .npus = 2},
                                  {.block = NET_SWITCH, .npus = 8}};
    const struct net_config config = {.dims = 3, .dim = dim};
    static const struct {
        uint32_t src, dst;
        struct net_route route;
    } cases[] = {
        {0, 0, {3, 0, 0, false, false}},  {0, 1, {0, 1, 1, false, false}},
        {0, 2, {0, 2, 2, false, false}},  {0, 3, {0, 3, 1, false, false}},
        {3, 0, {0, 1, 1, false, true}},   {0, 4, {1, 1, 1, false, false}},
        {4, 0, {1, 1, 1, false, true}},   {0, 8, {2, 1, 2, false, false}},
        {56, 8, {2, 2, 2, false, true}},  {0, 63, {0, 3, 1, true, false}},
        {60, 56, {1, 1, 1, false, true}}, {63, 63, {3, 0, 0, false, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct net_route route = orr_net_route(&config, cases[i].src, cases[i].dst);
        assert_int_equal(route.dim, cases[i].route.dim);
        assert_int_equal(route.forward, cases[i].route.forward);
        assert_int_equal(route.hops, cases[i].route.hops);
        assert_int_equal(route.further, cases[i].route.further);
    }
}

static void test_npus_counts_up_to_two_to_the_31(void **state)
{
    (void)state;
    struct net_dim dim[] = {{.npus = 1u << 16}, {.npus = 1u << 15}, {.npus = 1}};
    const struct net_config config = {.dims = 3, .dim = dim};
    assert_int_equal(orr_net_npus(&config), 1u << 31);
    dim[2].npus = 2;
    assert_int_equal(orr_net_npus(&config), 0);
    dim[0].npus = dim[1].npus = dim[2].npus = UINT32_MAX;
    assert_int_equal(orr_net_npus(&config), 0);
    const struct net_config point = {.dims = 0, .dim = NULL};
    assert_int_equal(orr_net_npus(&point), 1);
}

static void test_block_names(void **state)
{
    (void)state;
    assert_string_equal(orr_net_block_name(NET_RING), "ring");
    assert_string_equal(orr_net_block_name(NET_FULLY_CONNECTED), "fully_connected");
    assert_string_equal(orr_net_block_name(NET_SWITCH), "switch");
    assert_string_equal(orr_net_block_name(NET_MESH), "mesh");
}

static void test_backend_find_finds_each_by_its_name(void **state)
{
    (void)state;
    for (size_t i = 0; orr_net_backends[i] != NULL; i++) {
        assert_ptr_equal(orr_net_backend_find(orr_net_backends[i]->name), orr_net_backends[i]);
    }
    assert_null(orr_net_backend_find("Analytical"));
}

static void expect_create_fails(const struct net_config *config, const char *message)
{
    struct net *net;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_net_create(&net, config, NULL, NULL, &diag), ORR_ERR_INPUT);
    assert_null(net);
    assert_string_equal(diag.message, message);
    orr_net_destroy(net);
}

static void test_create_bad_config_says_what_is_wrong(void **state)
{
    (void)state;
    const struct net_dim dim = {.npus = 0};
    expect_create_fails(&(struct net_config){.backend = "congestoin"},
                        "network backend: expected one of analytical, congestion, flow; got "
                        "\"congestoin\" (did you mean congestion?)");
    expect_create_fails(
        &(struct net_config){.backend = "ns3"},
        "network backend: expected one of analytical, congestion, flow; got \"ns3\"");
    expect_create_fails(&(struct net_config){.backend = "congestion", .dims = 1, .dim = &dim},
                        "network.dims: expected 1 to 2^31 NPUs in all dimensions together");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coords_and_rank_random_shapes_are_inverse),
        cmocka_unit_test(test_route_random_shapes_leads_to_the_destination),
        cmocka_unit_test(test_route_by_hand),
        cmocka_unit_test(test_npus_counts_up_to_two_to_the_31),
        cmocka_unit_test(test_block_names),
        cmocka_unit_test(test_backend_find_finds_each_by_its_name),
        cmocka_unit_test(test_create_bad_config_says_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
