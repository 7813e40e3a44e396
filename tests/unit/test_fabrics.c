/* Fabrics by their text: levels below them, and what is said of bad ones. */
#include <stdio.h>

#include "graph_fixture.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_metrics.h"
#include "network/route_options.h"
#include "tests/unit/graph_fixture.h"

static void counts(struct fixture *f, const char *text, uint32_t npus, uint32_t nodes,
                   uint32_t links)
{
    assert_int_equal(build(f, text, npus), ORR_OK);
    assert_int_equal(f->graph.npus, npus);
    assert_int_equal(f->graph.nodes, nodes);
    assert_int_equal(f->graph.links, links);
    assert_int_equal(f->graph.rings, 0);
    const struct net_route_options options = {.routing = f->routing, .seed = 1};
    route_by(f, &options);
}

static const struct net_link *link_between(const struct fixture *f, uint32_t from, uint32_t to)
{
    const uint32_t link = orr_net_graph_find(&f->graph, from, to);
    assert_int_not_equal(link, NET_NO_LINK);
    return &f->graph.link[link];
}

static void bandwidth_is(const struct net_link *link, double bytes_per_s)
{
    assert_true(link->bytes_per_s >= bytes_per_s && link->bytes_per_s <= bytes_per_s);
}

/* Four servers of 4 GPUs at 300 GB/s each below a fat-tree of k = 4 for 4 hosts: 2 edge and 2
 * aggregation switches of one pod. Links: 16 + 4 + 4, both ways. GPUs of a server are 2 links
 * apart, of servers at one switch 4, else 6; a server has one uplink of 100 Gb/s that its GPUs
 * share. */
static void test_servers_below_a_fat_tree_share_a_nic(void **state)
{
    struct fixture *f = *state;
    counts(f, "fat-tree/4@300GB/s", 16, 16 + 4 + 4, 2 * 24);
    assert_int_equal(path_of(f, 0, 3, 1).hops, 2);
    assert_int_equal(path_of(f, 0, 4, 1).hops, 4);
    assert_int_equal(path_of(f, 0, 15, 1).hops, 6);
    bandwidth_is(link_between(f, 5, 17), 300e9);
    bandwidth_is(link_between(f, 17, 20), 12.5e9);
    assert_int_equal(link_between(f, 17, 20)->count, 1);
    assert_int_equal(f->graph.servers, 4);
}

/* Four NICs for each server: its link is four in parallel, those between switches are not. */
static void test_servers_with_several_nics(void **state)
{
    struct fixture *f = *state;
    counts(f, "fat-tree/4x4@2.4 Tb/s", 16, 16 + 4 + 4, 2 * 24);
    bandwidth_is(link_between(f, 0, 16), 300e9);
    assert_int_equal(link_between(f, 17, 20)->count, 4);
    assert_int_equal(link_between(f, 20, 17)->count, 4);
    assert_int_equal(link_between(f, 20, 22)->count, 1);
}

/* TopoOpt's optical layer above ToR switches: 16 of these in a circulant with 4 neighbours each, 16
 * servers below each; 256 + 32 links both ways. No ring of the circulant is one of the servers. */
static void test_circulant_of_racks(void **state)
{
    struct fixture *f = *state;
    counts(f, "circulant:1,5/16", 256, 272, 2 * (256 + 32));
    assert_int_equal(path_of(f, 0, 15, 1).hops, 2);
    assert_int_equal(path_of(f, 0, 16, 1).hops, 3); /* the next rack */
    assert_int_equal(f->graph.servers, 0);
}

/* 4 rows of 3 links and 3 columns of 3: 4 * 2 + 3 * 3 duplex links; from corner to corner 3 + 2
 * hops; no link closes a row. */
static void test_mesh_has_lines_in_every_dimension(void **state)
{
    struct fixture *f = *state;
    counts(f, "mesh:3x4", 12, 12, 2 * (4 * 2 + 3 * 3));
    assert_int_equal(path_of(f, 0, 11, 1).hops, 5);
    assert_int_equal(path_of(f, 0, 2, 1).hops, 2);
    assert_int_equal(path_of(f, 3, 8, 1).hops, 3);
    counts(f, "mesh:2x2x2", 8, 8, 2 * 12);
}

static struct net_graph_metrics figures_of(struct fixture *f, const char *text, uint32_t npus)
{
    struct net_graph_metrics figures;
    assert_int_equal(build(f, text, npus), ORR_OK);
    assert_int_equal(orr_net_graph_metrics(&f->graph, f->arena, &figures, &f->diag), ORR_OK);
    return figures;
}

/* TopoOpt's Figs. 7 and 9: three permutations of 16 servers, i sends to i + 1, i + 3 and i + 7. To
 * 2 = 1 + 1 two hops, to 15 = 7 + 7 + 1 three, to 12 = 3 + 3 + 3 + 3 four; rings go forward. */
static void test_one_way_circulant(void **state)
{
    static const uint8_t hops[16] = {0, 1, 2, 1, 2, 3, 2, 1, 2, 3, 2, 3, 4, 3, 2, 3};
    struct fixture *f = *state;
    const struct net_graph_metrics figures = figures_of(f, "circulant:+1,+3,+7", 16);
    assert_int_equal(figures.links, 3 * 16);
    assert_int_equal(figures.min_degree, 3);
    assert_int_equal(figures.max_degree, 3);
    assert_int_equal(figures.diameter, 4);
    for (uint32_t h = 1; h <= 4; h++) {
        static const uint32_t distances[] = {0, 3, 6, 5, 1};
        assert_true(figures.pairs[h] == 16.0 * distances[h]);
    }
    assert_int_equal(f->graph.rings, 3);
    assert_int_equal(f->graph.ring[0].jump, 1);
    assert_int_equal(f->graph.ring[2].jump, 7);
    assert_int_equal(orr_net_graph_find(&f->graph, 1, 0), NET_NO_LINK);
    route_by(f, &(struct net_route_options){.routing = f->routing, .seed = 1});
    for (uint32_t to = 1; to < 16; to++) {
        assert_int_equal(path_of(f, 0, to, to).hops, hops[to]);
    }
}

/* The jumps of TopoOpt's Algorithm 3 for 128 servers of degree 4: mean path 4.520, diameter 8. */
static void test_one_way_circulant_of_128(void **state)
{
    const struct net_graph_metrics figures = figures_of(*state, "circulant:+1,+3,+11,+37", 128);
    assert_true(figures.hops_mean > 4.5195 && figures.hops_mean < 4.5205);
    assert_int_equal(figures.diameter, 8);
}

/* A jump and its reverse are two permutations; a jump by half leads back to where it came from; 4
 * has no ring among 16. */
static void test_circulants_one_way_and_both(void **state)
{
    struct fixture *f = *state;
    struct net_graph_metrics figures = figures_of(f, "circulant:+3,+13", 16);
    assert_int_equal(figures.links, 2 * 16);
    assert_int_equal(f->graph.rings, 2);
    assert_int_equal(figures.diameter, 8);
    figures = figures_of(f, "circulant:1,+4,+8", 16);
    assert_int_equal(figures.links, 4 * 16);
    assert_int_equal(f->graph.rings, 2);
    assert_int_not_equal(orr_net_graph_find(&f->graph, 8, 0), NET_NO_LINK);
    assert_int_not_equal(orr_net_graph_find(&f->graph, 0, 15), NET_NO_LINK);
    assert_int_equal(orr_net_graph_find(&f->graph, 4, 0), NET_NO_LINK);
    assert_int_equal(figures_of(f, "circulant:+1", 2).links, 2);
}

/* Racks of 4 below: the switches are linked one way. */
static void test_one_way_circulant_of_racks(void **state)
{
    struct fixture *f = *state;
    counts(f, "circulant:+1,+3/4", 64, 80, 2 * 64 + 2 * 16);
    assert_int_equal(path_of(f, 0, 4, 1).hops, 3);
    assert_int_equal(path_of(f, 4, 0, 1).hops, 2 + 5); /* 15 = 5 x 3 */
}

/* The same above spine switches: 8 of them with jumps 1 and 2, 4 ToR switches each, 16 servers
 * each: 512 + 32 + 16 links both ways. Up two, across one, down two. */
static void test_circulant_of_spines(void **state)
{
    struct fixture *f = *state;
    counts(f, "circulant:1,2/4/16@25Gb/s", 512, 512 + 32 + 8, 2 * (512 + 32 + 16));
    bandwidth_is(link_between(f, 0, 512), 25e9 / 8);
    bandwidth_is(link_between(f, 512, 544), 12.5e9);
    assert_int_equal(path_of(f, 0, 16, 1).hops, 4);
    assert_int_equal(path_of(f, 0, 64, 1).hops, 5);
}

/* Racks in a torus of 4 x 4 with 2 NPUs each: 32 NPUs, switches 32..47. From 1 in rack 0 to 20 in
 * rack 10 = (2, 2): up, four steps in dimension order, down. */
static void test_torus_of_racks_routes_by_dimensions(void **state)
{
    struct fixture *f = *state;
    const uint32_t nodes[] = {32, 33, 34, 38, 42, 20};
    counts(f, "torus:4x4/2", 32, 48, 2 * (32 + 32));
    const struct net_route_links path = path_of(f, 1, 20, 1);
    assert_int_equal(path.hops, 6);
    for (uint32_t h = 0; h < 6; h++) {
        assert_int_equal(f->graph.link[path.link[h]].to, nodes[h]);
    }
    assert_int_equal(path_of(f, 0, 1, 1).hops, 2);
    counts(f, "Ring(4)_FC(2)/2/3", 48, 48 + 16 + 8, 2 * (48 + 16 + 8 + 4));
    assert_int_equal(path_of(f, 0, 5, 1).hops, 4);  /* two switches of a rank: 0 and 1 */
    assert_int_equal(path_of(f, 0, 47, 1).hops, 6); /* rank 7 = (3, 1): back, and across */
}

/* Levels of one NPU and of other kinds of top. */
static void test_levels_below_any_fabric(void **state)
{
    struct fixture *f = *state;
    counts(f, "ideal-switch/8", 64, 64 + 8 + 1, 2 * (64 + 8));
    counts(f, "full-mesh/1", 4, 8, 2 * (4 + 6));
    counts(f, "expander:3/4", 40, 50, 2 * (40 + 15));
    counts(f, "dgx1/2", 16, 24, 2 * (16 + 16));
}

/* The error that lists all forms. */
/* Of a fabric that is there the numbers or levels are wrong. */
static void misformed(struct fixture *f, const char *text)
{
    char expected[512];
    (void)snprintf(expected, sizeof expected,
                   "fabric: expected fat-tree[:PORTS[,OVERSUBSCRIPTION]], such as fat-tree:4,2, "
                   "with /NPUS[xUPLINKS][@BANDWIDTH][:tor|:server] for each level of switches "
                   "below, or /SERVERS@logical as the last one; got \"%s\"",
                   text);
    refused(f, text, 8, expected);
}

static void unknown(struct fixture *f, const char *text)
{
    char expected[1024] = "fabric: expected one of ";
    for (size_t i = 0; orr_net_fabric_form(i) != NULL; i++) {
        const size_t used = strlen(expected);
        (void)snprintf(expected + used, sizeof expected - used, "%s%s", i > 0 ? ", " : "",
                       orr_net_fabric_form(i));
    }
    const size_t used = strlen(expected);
    (void)snprintf(
        expected + used, sizeof expected - used,
        "; with /NPUS[xUPLINKS][@BANDWIDTH][:tor|:server] for each level of switches below, or "
        "/SERVERS@logical as the last one; got "
        "\"%s\"",
        text);
    refused(f, text, 8, expected);
}

static void test_forms_are_listed(void **state)
{
    static const char *const first[] = {"ideal-switch",
                                        "full-mesh",
                                        "circulant:JUMP,...",
                                        "fat-tree[:PORTS[,OVERSUBSCRIPTION]]",
                                        "torus:AxBx...",
                                        "mesh:AxBx...",
                                        "hypercube",
                                        "expander:DEGREE",
                                        "dragonfly:HOSTS[,ROUTERS,LINKS]",
                                        "slim-fly:Q[,HOSTS]",
                                        "jellyfish:PORTS,HOSTS",
                                        "hyperx:AxB...",
                                        "kautz:DEGREE",
                                        "twisted-torus:AxBx...",
                                        "clos:M,W[,M,W...]",
                                        "rail-optimized:GPUS,SERVERS[,GB/S]",
                                        "rail-only:GPUS[,GB/S]",
                                        "clusters:SIZE[,OVERSUBSCRIPTION]",
                                        "dgx1"};
    (void)state;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        assert_string_equal(orr_net_fabric_form(i), first[i]);
    }
}

/* ---- what every fabric keeps ---- */

static void same_graph(const struct net_graph *a, const struct net_graph *b)
{
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->links, b->links);
    for (uint32_t l = 0; l < a->links; l++) {
        assert_int_equal(a->link[l].from, b->link[l].from);
        assert_int_equal(a->link[l].to, b->link[l].to);
        assert_int_equal(a->link[l].count, b->link[l].count);
    }
}

/* As many links lead to a node as from it; of all fabrics but those of one-way links each has one
 * that leads back. */
static void check_both_ways(const struct net_graph *graph, bool one_way)
{
    for (uint32_t n = 0; n < graph->nodes; n++) {
        uint32_t in = 0, out = 0;
        for (uint32_t l = 0; l < graph->links; l++) {
            in += graph->link[l].to == n ? graph->link[l].count : 0;
            out += graph->link[l].from == n ? graph->link[l].count : 0;
        }
        assert_int_equal(in, out);
    }
    for (uint32_t l = 0; l < graph->links && !one_way; l++) {
        const uint32_t back = orr_net_graph_find(graph, graph->link[l].to, graph->link[l].from);
        assert_int_not_equal(back, NET_NO_LINK);
        assert_int_equal(graph->link[back].count, graph->link[l].count);
    }
}

/* Its example has the NPUs asked for, all joined, with a way back for each link; the same when
 * built again; a level of switches goes below it; and its own routes lead everywhere. */
static void test_contract_examples_are_built(void **state)
{
    struct fixture *f = *state;
    const char *text;
    char below[64];
    uint32_t npus;
    for (size_t i = 0; (text = orr_net_fabric_example(i, &npus)) != NULL; i++) {
        assert_int_equal(build(f, text, npus), ORR_OK);
        assert_int_equal(f->graph.npus, npus);
        const struct net_graph once = f->graph;
        assert_int_equal(build(f, text, npus), ORR_OK);
        same_graph(&once, &f->graph);
        check_both_ways(&once, strncmp(text, "kautz", 5) == 0);
        const struct net_route_options options = {.routing = f->routing, .seed = 1};
        route_by(f, &options);
        for (uint32_t dst = 1; dst < npus; dst++) {
            assert_true(path_of(f, 0, dst, 1).hops > 0);
        }
        (void)snprintf(below, sizeof below, "%s/2", text);
        assert_int_equal(build(f, below, 2 * npus), ORR_OK);
        assert_int_equal(f->graph.npus, 2 * npus);
    }
}

/* More numbers than a form has, none where it needs them, and what is no number: never a crash, and
 * an error that names the fabric or lists the forms. NPUs from 1 to 70 are built or refused by its
 * name (or as a graph with too many). */
static void test_contract_bad_numbers_are_refused(void **state)
{
    static const char *const bad[] = {":", ":,", ":x", ":-1", ":1,2,3,", ":99999999999"};
    struct fixture *f = *state;
    char text[80];
    uint32_t npus;
    for (size_t i = 0; orr_net_fabric_example(i + 1, &npus) != NULL; i++) {
        const char *example = orr_net_fabric_example(i, &npus);
        const int length = (int)strcspn(example, ":");
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            (void)snprintf(text, sizeof text, "%.*s%s", length, example, bad[b]);
            assert_int_equal(build(f, text, npus), ORR_ERR_INPUT);
        }
        for (npus = 1; npus <= 70; npus++) {
            if (build(f, example, npus) != ORR_OK) {
                assert_memory_equal(f->diag.message, example, (size_t)length);
            } else {
                assert_int_equal(f->graph.npus, npus);
            }
        }
    }
}

static void test_bad_fabrics_are_refused(void **state)
{
    struct fixture *f = *state;
    refused(f, "fat-tree/8", 12, "fat-tree/8: expected a multiple of 8 NPUs, got 12");
    refused(f, "circulant:1/4/16", 32, "circulant:1/4/16: expected a multiple of 64 NPUs, got 32");
    refused(f, "mesh:1", 1, "mesh: expected sizes of at least 2, got 1");
    refused(f, "mesh:4x4", 12,
            "mesh: expected sizes whose product is the number of NPUs, 12, got at least 16");
    misformed(f, "fat-tree/0");
    misformed(f, "fat-tree/8@fast");
    misformed(f, "fat-tree/8x0");
    misformed(f, "fat-tree/8y");
    misformed(f, "fat-tree/1/1/1/1/1/1/1/1/1");
    unknown(f, "cube");
    unknown(f, "");
    refused(f, "fat-tree:2/8", 64,
            "fat-tree: expected at most 2 hosts on switches of 2 ports (ports^3 / 4), got 8");
}

/* 2^25 NPUs: two links out of each in a ring of more than two, one in a ring of two. */
static void test_too_large_fabrics_are_refused(void **state)
{
    struct fixture *f = *state;
    refused(f, "torus:8192x4096", 1 << 25,
            "network: expected at most 16777216 nodes and 268435456 links in a graph, got 33554432 "
            "and 134217728 of 33554432 NPUs");
    refused(f, "hypercube", 1 << 25,
            "network: expected at most 16777216 nodes and 268435456 links in a graph, got 33554432 "
            "and 838860800 of 33554432 NPUs");
    refused(f, "ideal-switch", 1 << 24,
            "network: expected at most 16777216 nodes and 268435456 links in a graph, got 16777217 "
            "and 33554432");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_servers_below_a_fat_tree_share_a_nic),
        TEST(test_servers_with_several_nics),
        TEST(test_mesh_has_lines_in_every_dimension),
        TEST(test_circulant_of_racks),
        TEST(test_circulant_of_spines),
        TEST(test_one_way_circulant),
        TEST(test_one_way_circulant_of_128),
        TEST(test_circulants_one_way_and_both),
        TEST(test_one_way_circulant_of_racks),
        TEST(test_torus_of_racks_routes_by_dimensions),
        TEST(test_levels_below_any_fabric),
        TEST(test_forms_are_listed),
        TEST(test_contract_examples_are_built),
        TEST(test_contract_bad_numbers_are_refused),
        TEST(test_bad_fabrics_are_refused),
        TEST(test_too_large_fabrics_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
