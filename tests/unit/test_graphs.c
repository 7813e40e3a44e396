/* Graphs, their builders and routes against counts by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "core/evq.h"
#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_metrics.h"
#include "network/graph_source.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "network/routing/routing.h"

static const struct net_link_kind kind = {.bytes_per_s = 12.5e9, .latency_ps = ORR_PS_PER_US};

struct fixture {
    struct orr_arena *arena;
    struct net_graph graph;
    struct net_router *router;
    struct orr_diag diag;
};

static int open_fixture(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.arena = orr_arena_create()};
    orr_diag_init(&fixture.diag);
    *state = &fixture;
    return fixture.arena == NULL;
}

static int close_fixture(void **state)
{
    orr_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

static void route(struct fixture *f, const struct net_routing *routing)
{
    assert_int_equal(orr_net_graph_check_connected(&f->graph, f->arena, &f->diag), ORR_OK);
    const struct net_route_options options = {.routing = routing, .seed = 1};
    assert_int_equal(orr_net_router_create(&f->router, &f->graph, &options, f->arena, &f->diag),
                     ORR_OK);
}

/* The links of a path lead from src to dst; returns how many there are. */
static uint32_t hops(struct fixture *f, uint32_t src, uint32_t dst, uint64_t key)
{
    struct net_route_links path;
    assert_int_equal(orr_net_router_path(f->router, src, dst, key, &path), ORR_OK);
    uint32_t node = src;
    for (uint32_t h = 0; h < path.hops; h++) {
        assert_int_equal(f->graph.link[path.link[h]].from, node);
        node = f->graph.link[path.link[h]].to;
    }
    assert_int_equal(node, dst);
    return path.hops;
}

static enum orr_status build_of(struct fixture *f, const char *text, uint32_t npus,
                                struct net_link_kind links)
{
    const struct net_fabric fabric = {.text = text, .npus = npus, .kind = links, .seed = 7};
    const struct net_routing *routing;
    return orr_net_build_fabric(&fabric, f->arena, &f->graph, &routing, &f->diag);
}

static enum orr_status build(struct fixture *f, const char *text, uint32_t npus)
{
    return build_of(f, text, npus, kind);
}

/* k = 4: 16 hosts, 8 edge, 8 aggregation and 4 core switches, 16 + 16 + 16 links, each both ways.
 * Two hosts of a switch are 2 links apart, of a pod 4, of two pods 6. */
static void test_fat_tree_of_four_ports_counts(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "fat-tree", 16), ORR_OK);
    assert_int_equal(f->graph.nodes, 36);
    assert_int_equal(f->graph.links, 96);
    route(f, &orr_routing_ecmp);
    assert_int_equal(hops(f, 0, 0, 1), 0);
    assert_int_equal(hops(f, 0, 1, 1), 2);
    assert_int_equal(hops(f, 0, 3, 1), 4);
    assert_int_equal(hops(f, 0, 15, 1), 6);
}

/* (k/2)^2 = 4 paths between pods; a thousand keys take each of them 250 times, give or take five
 * standard deviations of sqrt(1000 x 1/4 x 3/4) = 13.7. Equal keys, equal paths. */
static void test_ecmp_spreads_flows_over_all_paths_evenly(void **state)
{
    struct fixture *f = *state;
    uint32_t taken[36] = {0};
    assert_int_equal(build(f, "fat-tree:4", 16), ORR_OK);
    route(f, &orr_routing_ecmp);
    for (uint64_t key = 0; key < 1000; key++) {
        struct net_route_links path;
        (void)orr_net_router_path(f->router, 0, 15, key, &path);
        const uint32_t core = f->graph.link[path.link[2]].to;
        taken[core]++;
        (void)orr_net_router_path(f->router, 0, 15, key, &path);
        assert_int_equal(f->graph.link[path.link[2]].to, core);
    }
    for (uint32_t core = 32; core < 36; core++) {
        assert_in_range(taken[core], 250 - 69, 250 + 69);
    }
}

/* 20 hosts need k = 6: 3 hosts a switch, so 7 edge switches in 3 pods of 3 aggregation switches,
 * and 9 cores. Edge to aggregation 7 x 3, aggregation to core 9 x 3. */
static void test_fat_tree_holds_any_number_of_hosts(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "fat-tree", 20), ORR_OK);
    assert_int_equal(f->graph.nodes, 20 + 7 + 9 + 9);
    assert_int_equal(f->graph.links, 2 * (20 + 21 + 27));
    route(f, &orr_routing_shortest);
    assert_int_equal(hops(f, 0, 19, 0), 6);
}

static void test_fat_tree_too_small_is_refused(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "fat-tree:4", 17), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, "fat-tree: expected at most 16 hosts on switches of 4 "
                                         "ports (ports^3 / 4), got 17");
}

/* Jumps 1 and 5 among 16: 4 links from each NPU, 4 rings. 0 to 6 = 1 + 5 takes two links, 0 to 8 =
 * 5 + 5 - 1 - 1 four, 3 = 5 - 1 - 1 three. */
static void test_circulant_jumps_one_and_five(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "circulant:1,5", 16), ORR_OK);
    assert_int_equal(f->graph.links, 64);
    assert_int_equal(f->graph.rings, 4);
    route(f, &orr_routing_shortest);
    assert_int_equal(hops(f, 0, 11, 0), 1);
    assert_int_equal(hops(f, 0, 6, 0), 2);
    assert_int_equal(hops(f, 0, 3, 0), 3);
    assert_int_equal(hops(f, 0, 8, 0), 4);
}

static void test_circulant_in_pieces_is_refused(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "circulant:2,4", 16), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message,
                        "circulant: expected jumps that reach every NPU, got multiples of 2 among "
                        "16 NPUs: the graph has 2 components");
}

static void add_link(struct net_graph_builder *builder, uint32_t from, uint32_t to, bool both)
{
    const struct net_link link = {
        .from = from, .to = to, .count = 1, .bytes_per_s = 1e9, .latency_ps = 1};
    if (both) {
        orr_net_graph_both(builder, &link);
    } else {
        orr_net_graph_link(builder, &link);
    }
}

static void test_graph_in_two_parts_is_told(void **state)
{
    struct fixture *f = *state;
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, f->arena, 4, 0);
    add_link(&builder, 0, 1, true);
    add_link(&builder, 2, 3, true);
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    assert_int_equal(orr_net_graph_check_connected(&f->graph, f->arena, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message,
                        "network: expected links that connect all 4 NPUs, got a graph of 2 "
                        "components: NPU 0 is not connected to NPU 2 (the component of NPU 0 has "
                        "2 NPUs)");
}

static void test_one_way_graph_is_told(void **state)
{
    struct fixture *f = *state;
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, f->arena, 2, 0);
    add_link(&builder, 0, 1, false);
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    assert_int_equal(orr_net_graph_check_connected(&f->graph, f->arena, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, "network: expected a path from every NPU to every other, "
                                         "got none from NPU 1 to NPU 0, only the reverse: "
                                         "no link leads from the NPUs 1 to the NPUs 0");
}

/* Two records of one link and one of three make a link of five. */
static void test_parallel_links_are_joined(void **state)
{
    struct fixture *f = *state;
    struct net_graph_builder builder;
    struct net_link link = {.from = 0, .to = 1, .count = 3, .bytes_per_s = 1e9, .latency_ps = 1};
    orr_net_graph_begin(&builder, f->arena, 2, 0);
    add_link(&builder, 0, 1, true);
    orr_net_graph_both(&builder, &link);
    add_link(&builder, 0, 1, false);
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    assert_int_equal(f->graph.links, 2);
    assert_int_equal(f->graph.link[orr_net_graph_find(&f->graph, 0, 1)].count, 5);
    assert_int_equal(f->graph.link[orr_net_graph_find(&f->graph, 1, 0)].count, 4);
}

/* ---- by name, and from files ---- */

struct counts {
    const char *text;
    uint32_t npus, nodes, links, max_hops; /* of NPU 0 */
};

/* torus 4x4: 2 links a NPU and dimension, 16 x 2 x 2 directed ones; 2 + 2 hops. torus 2x3: 3 single
 * links and 6 of rings. hypercube of 16: 4 links each. dgx1: 16 pairs, 2 hops. dragonfly p = 1: 3
 * groups of 2 routers with a host each, 6 + 3 + 3 links; host, local, global, local, host.
 * clusters: 6 hosts, 2 + 1 switches. expander: 20 NPUs of degree 3. clos: a host has W1 leaves, a
 * leaf W2 spines. slim-fly q: 2q^2 switches of (3q - d)/2 links, two hops apart. kautz: d links a
 * NPU but for loops (2 of 10 and 3). Twisted tori: 6 hops, where the tori have 8 and 10. */
static void test_fabrics_by_name_count(void **state)
{
    static const struct counts counts[] = {
        {"ideal-switch", 8, 9, 16, 2},
        {"full-mesh", 8, 8, 56, 1},
        {"torus:4x4", 16, 16, 64, 4},
        {"torus:2x3", 6, 6, 18, 2},
        {"hypercube", 16, 16, 64, 4},
        {"dgx1", 8, 8, 32, 2},
        {"dragonfly:1", 6, 12, 24, 5},
        {"clusters:3", 6, 9, 16, 4},
        {"expander:3", 20, 20, 60, 19},
        {"fat-tree:4,2", 16, 36, 96, 6},
        {"clos:8,1,4,4", 32, 40, 96, 4},
        {"clos:4,2,4,4", 16, 32, 128, 4},
        {"clos:4,1,4,2,2,4", 32, 52, 128, 6},
        {"dragonfly:3,2,1", 12, 16, 30, 4},
        {"slim-fly:5", 200, 250, 750, 4},
        {"slim-fly:7", 98, 196, 1274, 4},
        {"slim-fly:11", 300, 542, 4714, 4},
        {"hyperx:4x4x4", 64, 128, 704, 5},
        {"kautz:2", 12, 12, 24, 3},
        {"kautz:3", 100, 100, 300, 4},
        {"kautz:3", 10, 10, 28, 2},
        {"twisted-torus:4x4x8", 128, 128, 768, 6},
        {"twisted-torus:4x8x8", 256, 256, 1536, 6},
        {"rail-only:8", 64, 80, 256, 4},
        {"rail-optimized:8,4", 64, 92, 384, 4},
        {"jellyfish:5,2", 20, 30, 70, 19},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint32_t max = 0;
        assert_int_equal(build(f, counts[i].text, counts[i].npus), ORR_OK);
        assert_int_equal(f->graph.nodes, counts[i].nodes);
        assert_int_equal(f->graph.links, counts[i].links);
        route(f, &orr_routing_shortest);
        for (uint32_t n = 0; n < counts[i].npus; n++) {
            const uint32_t hops_to = hops(f, 0, n, 0);
            max = hops_to > max ? hops_to : max;
        }
        assert_in_range(
            max,
            strstr("expander:3 jellyfish:5,2", counts[i].text) != NULL ? 1 : counts[i].max_hops,
            counts[i].max_hops);
    }
}

static void test_dgx1_gpus_have_six_links(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", 8), ORR_OK);
    for (uint32_t n = 0; n < 8; n++) {
        uint32_t count = 0;
        for (uint32_t i = f->graph.first_out[n]; i < f->graph.first_out[n + 1]; i++) {
            count += f->graph.link[i].count;
        }
        assert_int_equal(count, 6);
    }
}

static void test_expander_is_regular_and_of_its_seed(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "expander:5", 64), ORR_OK);
    const struct net_graph first = f->graph;
    for (uint32_t n = 0; n < 64; n++) {
        assert_int_equal(first.first_out[n + 1] - first.first_out[n], 5);
    }
    assert_int_equal(build(f, "expander:5", 64), ORR_OK);
    assert_int_equal(first.links, f->graph.links);
    for (uint32_t i = 0; i < first.links; i++) {
        const struct net_link *one = &first.link[i], *other = &f->graph.link[i];
        assert_true(one->from == other->from && one->to == other->to && one->count == other->count);
        assert_true(one->bytes_per_s <= other->bytes_per_s &&
                    one->bytes_per_s >= other->bytes_per_s);
        assert_int_equal(one->latency_ps, other->latency_ps);
    }
}

static enum orr_status read_text(struct fixture *f, const char *text)
{
    const struct orr_conf *root = NULL;
    assert_int_equal(orr_conf_parse(f->arena, text, strlen(text), "net.yml", &root, &f->diag),
                     ORR_OK);
    struct net_config config;
    assert_int_equal(orr_conf_set(f->arena, root, "graph.bandwidth=12.5 GB/s", &root, NULL),
                     ORR_OK);
    assert_int_equal(orr_conf_set(f->arena, root, "graph.latency=1 us", &root, NULL), ORR_OK);
    const enum orr_status status = orr_net_config_read(f->arena, root, &config, &f->diag);
    if (status == ORR_OK) {
        f->graph = *config.graph;
    }
    return status;
}

#define SQUARE                                                                                     \
    "graph:\n  npus: 4\n  names: [a, b, c, d]\n  links:\n"                                         \
    "    - {from: a, to: b}\n    - {from: b, to: c}\n    - {from: c, to: d}\n"                     \
    "    - {from: d, to: a, count: 2, latency: 3 us}\n"                                            \
    "  routes: [{from: a, to: b, nodes: [a, d, c, b]}]\n"

/* A square: a to b goes the long way that is given, 3 links; b to a the short one. */
static void test_graph_file_with_names_and_routes(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, SQUARE), ORR_OK);
    assert_int_equal(f->graph.links, 8);
    assert_int_equal(f->graph.link[orr_net_graph_find(&f->graph, 0, 3)].count, 2);
    assert_int_equal(f->graph.link[orr_net_graph_find(&f->graph, 0, 3)].latency_ps,
                     3 * ORR_PS_PER_US);
    route(f, &orr_routing_table);
    assert_int_equal(hops(f, 0, 1, 0), 3);
    assert_int_equal(hops(f, 1, 0, 0), 1);
}

/* Without c-d the route given is gone, and c reaches d over b and a. */
static void test_failed_link_is_gone_around(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, SQUARE "failures: [c-d]\n"), ORR_OK);
    route(f, &orr_routing_table);
    assert_int_equal(hops(f, 0, 1, 0), 1);
    assert_int_equal(hops(f, 2, 3, 0), 3);
}

struct bad {
    const char *text, *message;
};

static void test_bad_graph_files_are_refused(void **state)
{
    static const struct bad bad[] = {
        {"graph: {npus: 2, names: [a, a]}",
         "graph.names: expected a name of its own for each node, got \"a\""},
        {"graph: {npus: 2, links: [{from: 0, to: 2}]}",
         "graph.links[0]: expected a node, 0 to 1, got \"2\""},
        {"graph: {npus: 2, links: [{from: 0, to: 0}]}",
         "graph.links[0]: expected a link between two nodes, got \"0\""},
        {"graph: {npus: 2, links: [{from: 0, to: 1}], routes: [{from: 0, to: 1, nodes: [0]}]}",
         "graph.routes[0]: expected nodes from one end to the other, over at least one link, got "
         "\"0\""},
        {"graph: {npus: 3, links: [{from: 0, to: 1}], routes: [{from: 0, to: 2, nodes: [0, 2]}]}",
         "graph.routes[0]: expected a link to each node of the route, got \"2\""},
        {"{graph: {npus: 2, links: [{from: 0, to: 1}]}, failures: [0-1, 0-1]}",
         "failures[1]: expected a working node or an existing link, got \"0-1\""},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        orr_diag_init(&f->diag);
        assert_int_equal(read_text(f, bad[i].text), ORR_ERR_INPUT);
        assert_string_equal(f->diag.message, bad[i].message);
    }
    orr_diag_init(&f->diag);
    assert_int_equal(
        read_text(f, "graph: {npus: 2, links: [{from: 0, to: 1, bandwidth: -1 GB/s}]}"),
        ORR_ERR_INPUT);
}

/* ---- flows ---- */

struct ends {
    sim_time time[8];
};

static void ended(void *context, uint64_t cookie, sim_time time)
{
    ((struct ends *)context)->time[cookie] = time;
}

/* Sends from src[i] to dst[i] at time 0 over a star of 4 at 1 GB/s and 1 us. */
static struct ends send(struct fixture *f, struct net_flow_model model, const uint32_t (*pair)[2],
                        const uint64_t *bytes, size_t count)
{
    struct ends ends = {{0}};
    struct net_flows *flows = NULL;
    const struct net_link_kind slow = {.bytes_per_s = 1e9, .latency_ps = ORR_PS_PER_US};
    assert_int_equal(build_of(f, "ideal-switch", 4, slow), ORR_OK);
    route(f, &orr_routing_shortest);
    struct orr_evq *queue = orr_evq_create(ORR_ORDER_INSERTION, 1);
    const struct net_flows_config config = {.graph = &f->graph,
                                            .router = f->router,
                                            .model = model,
                                            .queue = queue,
                                            .ended = ended,
                                            .context = &ends};
    assert_int_equal(orr_net_flows_create(&flows, &config, &f->diag), ORR_OK);
    for (size_t i = 0; i < count; i++) {
        orr_net_flows_start(flows, pair[i][0], pair[i][1], bytes[i], i, i);
    }
    assert_int_equal(orr_evq_run(queue, &f->diag), ORR_OK);
    orr_net_flows_destroy(flows);
    orr_evq_destroy(queue);
    return ends;
}

/* 1000 bytes at 1 GB/s: 1 us; and two links of 1 us. */
static void test_one_flow_takes_bytes_over_rate_and_latency(void **state)
{
    const uint32_t pair[1][2] = {{0, 1}};
    const uint64_t bytes[1] = {1000};
    const struct ends ends = send(*state, (struct net_flow_model){0}, pair, bytes, 1);
    assert_int_equal(ends.time[0], 3 * ORR_PS_PER_US);
}

/* 0 to 2 and 1 to 2 share the last link: 500 MB/s each. The first, 1000 bytes, ends after 2 us. The
 * other has 2000 left of 3000 then and gets 1 GB/s: 2 us more. 0 to 3 shares the first link with
 * the first flow and gets 500 MB/s, as the first does: of 3000 bytes 1000 are sent after 2 us, and
 * the rest takes 2 us. Latency of two links: 2 us. */
static void test_flows_share_links_and_speed_up_when_one_ends(void **state)
{
    const uint32_t pair[3][2] = {{0, 2}, {1, 2}, {0, 3}};
    const uint64_t bytes[3] = {1000, 3000, 3000};
    const struct ends ends = send(*state, (struct net_flow_model){0}, pair, bytes, 3);
    assert_int_equal(ends.time[0], 4 * ORR_PS_PER_US);
    assert_int_equal(ends.time[1], 6 * ORR_PS_PER_US);
    assert_int_equal(ends.time[2], 6 * ORR_PS_PER_US);
}

/* Two flows over one path: 1000 and 2000 bytes at 500 MB/s each; the second has 1000 left after
 * 2 us: 1 us at 1 GB/s. */
static void test_flows_of_one_path_share_it(void **state)
{
    const uint32_t pair[2][2] = {{0, 1}, {0, 1}};
    const uint64_t bytes[2] = {1000, 2000};
    const struct ends ends = send(*state, (struct net_flow_model){0}, pair, bytes, 2);
    assert_int_equal(ends.time[0], 4 * ORR_PS_PER_US);
    assert_int_equal(ends.time[1], 5 * ORR_PS_PER_US);
}

/* With packets: joins after 2 x (1 us + 1 ns); 10000 bytes are two packets of 8936, 17.872 us; then
 * 2 us and a packet on the second link, 8.936 us: 30.81 us. */
static void test_one_flow_of_packets_by_the_rules(void **state)
{
    const uint32_t pair[1][2] = {{0, 1}};
    const uint64_t bytes[1] = {10000};
    const struct ends plain = send(*state, orr_net_flow_packets(false), pair, bytes, 1);
    const struct ends windows = send(*state, orr_net_flow_packets(true), pair, bytes, 1);
    assert_int_equal(plain.time[0], 30810 * ORR_PS_PER_NS);
    assert_int_equal(windows.time[0], 30810 * ORR_PS_PER_NS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fat_tree_of_four_ports_counts),
        TEST(test_ecmp_spreads_flows_over_all_paths_evenly),
        TEST(test_fat_tree_holds_any_number_of_hosts),
        TEST(test_fat_tree_too_small_is_refused),
        TEST(test_circulant_jumps_one_and_five),
        TEST(test_circulant_in_pieces_is_refused),
        TEST(test_graph_in_two_parts_is_told),
        TEST(test_one_way_graph_is_told),
        TEST(test_parallel_links_are_joined),
        TEST(test_fabrics_by_name_count),
        TEST(test_dgx1_gpus_have_six_links),
        TEST(test_expander_is_regular_and_of_its_seed),
        TEST(test_graph_file_with_names_and_routes),
        TEST(test_failed_link_is_gone_around),
        TEST(test_bad_graph_files_are_refused),
        TEST(test_one_flow_takes_bytes_over_rate_and_latency),
        TEST(test_flows_share_links_and_speed_up_when_one_ends),
        TEST(test_flows_of_one_path_share_it),
        TEST(test_one_flow_of_packets_by_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
