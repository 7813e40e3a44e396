/* What is said of graphs that cannot be, by their builder and from files. */
#include "core/conf/conf.h"
#include "graph_fixture.h"
#include "network/graph_metrics.h"
#include "network/graph_source.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "network/route_options.h"
#include "tests/unit/graph_fixture.h"

#include <stdio.h>

/* Every builder, with a size that it cannot have. */
static void test_builders_refuse_what_they_cannot_build(void **state)
{
    static const struct {
        const char *text;
        uint32_t npus;
        const char *message;
    } bad[] = {
        {"fat-tree:4", 17,
         "fat-tree: expected at most 16 hosts on switches of 4 ports (ports^3 / 4), got 17"},
        {"fat-tree:5", 8,
         "fat-tree: expected switches with an even number of ports, 2 to 65534, got 5"},
        {"fat-tree:4,0", 8, "fat-tree: expected an oversubscription of 1 or more, got 0"},
        {"fat-tree", 1 << 23, "fat-tree: expected at most 4194304 hosts, got 8388608"},
        {"full-mesh", 20000,
         "network: expected at most 16777216 nodes and 268435456 links in a graph, got 20000 and "
         "399980000"},
        {"ideal-switch", 1 << 24,
         "network: expected at most 16777216 nodes and 268435456 links in a graph, got 16777217 "
         "and 33554432"},
        {"circulant:1,16", 16, "circulant: expected jumps from 1 to 15 among 16 NPUs, got 16"},
        {"circulant:3,13", 16,
         "circulant: expected each jump once, in either direction; got 3 and 13 among 16 NPUs"},
        {"circulant:+3,+3", 16,
         "circulant: expected each jump once, in either direction; got +3 and +3 among 16 NPUs"},
        {"circulant:3,+13", 16,
         "circulant: expected each jump once, in either direction; got 3 and +13 among 16 NPUs"},
        {"circulant:+0", 16, "circulant: expected jumps from 1 to 15 among 16 NPUs, got 0"},
        {"circulant:+4,+6", 16,
         "circulant: expected jumps that reach every NPU, got multiples of 2 among 16 NPUs: the "
         "graph has 2 components"},
        {"circulant:4,6", 16,
         "circulant: expected jumps that reach every NPU, got multiples of 2 among 16 NPUs: the "
         "graph has 2 components"},
        {"torus:4x4", 15,
         "torus: expected sizes whose product is the number of NPUs, 15, got at least 16"},
        {"torus:0x4", 4, "torus: expected sizes whose product is the number of NPUs, 4, got 0"},
        {"hypercube", 12, "hypercube: expected a power of two of NPUs, got 12"},
        {"expander:3", 7,
         "expander: expected a degree from 2 to 6, even for an odd number of NPUs, got 3 for 7 "
         "NPUs"},
        {"expander:8", 8,
         "expander: expected a degree from 2 to 7, even for an odd number of NPUs, got 8 for 8 "
         "NPUs"},
        {"expander:4", 20000, "expander: expected at most 16384 NPUs, got 20000"},
        {"dragonfly:1", 7,
         "dragonfly: expected 1 to 64 hosts at a router, or these, the routers of a group and the "
         "global links of a router, and at most 6 NPUs with 1, got 7"},
        {"dragonfly:2,4", 8,
         "dragonfly: expected 1 to 64 hosts at a router, or these, the routers of a group and the "
         "global links of a router, and at most 8 NPUs with 2, got 8"},
        {"slim-fly:9", 8, "slim-fly: expected an odd prime up to 181, got 9"},
        {"slim-fly:3", 100,
         "slim-fly: expected at most 54 NPUs with 3 at each of 18 switches, got 100"},
        {"jellyfish:4,3", 12,
         "jellyfish: expected switches with hosts at one port or more, and two ports or more for "
         "other switches, got 4 ports and 3 hosts"},
        {"jellyfish:8,2", 12,
         "jellyfish: expected a degree from 2 to 5, even for an odd number of switches, got 6 for "
         "6 switches"},
        {"hyperx:3x4", 16,
         "hyperx: expected sizes whose product, the number of switches, divides the number of "
         "NPUs, 16"},
        {"kautz:8", 8, "kautz: expected a degree from 1 to 7, got 8"},
        {"twisted-torus:4x4", 16,
         "twisted-torus: expected a size that is half of the largest, such as 4x8 or 4x4x8; "
         "without "
         "one it is a torus"},
        {"clos:8,1,4", 32,
         "clos: expected pairs M,W of each level, M nodes below a switch and W switches above each "
         "of these, 1 or more, whose M multiply to the number of NPUs, 32, such as clos:8,1,4,4 "
         "for "
         "32"},
        {"rail-optimized:3,4", 16,
         "rail-optimized: expected servers of one GPU or more that divide the NPUs, 16, got 3"},
        {"clusters:4,0", 8,
         "clusters: expected at most 4194304 NPUs in clusters of one or more, with an "
         "oversubscription of one or more, got 8 in clusters of 4 with 0"},
        {"dgx1", 16, "dgx1: expected 8 NPUs, got 16"},
        {"Ring(4)_FC(4)", 8,
         "Ring(4)_FC(4): expected sizes whose product is the number of NPUs, 8, got 16"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refused(f, bad[i].text, bad[i].npus, bad[i].message);
    }
}

/* One NPU is a graph of every kind that may be so small. */
static void test_one_npu_is_a_graph(void **state)
{
    static const char *const texts[] = {"ideal-switch", "full-mesh", "fat-tree",
                                        "torus:1",      "hypercube", "clusters:4",
                                        "dragonfly:1",  "Ring(1)",   "fat-tree/1"};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct net_graph_metrics figures;
        assert_int_equal(build(f, texts[i], 1), ORR_OK);
        const struct net_route_options options = {.routing = f->routing};
        route_by(f, &options);
        assert_int_equal(path_of(f, 0, 0, 1).hops, 0);
        assert_int_equal(orr_net_graph_metrics(&f->graph, f->arena, &figures, &f->diag), ORR_OK);
        assert_int_equal(figures.diameter, 0);
    }
}

/* ---- files ---- */

static void says(struct fixture *f, const char *text, const char *expected)
{
    const struct orr_conf *root = NULL;
    char message[600];
    orr_diag_init(&f->diag);
    assert_int_equal(orr_conf_parse(f->arena, text, strlen(text), "net.yml", &root, &f->diag),
                     ORR_OK);
    struct net_config config;
    assert_int_equal(orr_net_config_read(f->arena, root, &config, &f->diag), ORR_ERR_INPUT);
    (void)orr_diag_render(&f->diag, message, sizeof message);
    assert_string_equal(message, expected);
}

/* The same of whole network sections. */
static void test_sections_refuse_what_does_not_go_together(void **state)
{
    struct fixture *f = *state;
    says(f, "{graph: {npus: 2, fabric: full-mesh, bandwidth: 1 GB/s}, bandwidth: 1 GB/s}",
         "net.yml:1:58: bandwidth: network.graph gives its links' own; remove one of the two");
    says(f, "{graph: {npus: 2, fabric: full-mesh, bandwidth: 1 GB/s}, backend: analytical}",
         "net.yml:1:58: backend: this backend does not support graphs; expected congestion or "
         "flow");
    says(f, "{graph: {npus: 2, fabric: full-mesh}}",
         "net.yml:1:27: graph.fabric: expected the key \"bandwidth\" as well, such as bandwidth: "
         "12.5 GB/s, got \"none\"");
    says(f, "{graph: {npus: 2, fabric: full-mesh, links: [], bandwidth: 1 GB/s}}",
         "net.yml:1:38: graph.links: the fabric gives the graph already; remove one of the two");
    says(
        f,
        "{graph: {npus: 2, links: [{from: 0, to: 1}], bandwidth: 1 GB/s, routes: [{from: 0, to: 0, "
        "nodes: [0]}]}}",
        "net.yml:1:74: graph.routes[0]: expected a route from one node to another, got \"0\"");
    says(f, "{graph: {npus: 2, file: a.dot}}",
         "net.yml:1:10: graph.npus: the file gives the graph already; remove one of the two");
    says(f, "{graph: {bandwidth: 1 GB/s}}",
         "net.yml:1:9: graph: a graph needs the key \"npus\" (nodes 0 and on), such as npus: 16, "
         "with links or a fabric; or \"file\"");
    says(f, "{graph: {npus: 4, fabric: full-mesh, bandwidth: 1 GB/s}, topology: Ring(3)}",
         "net.yml:1:68: topology: expected dimensions of the graph's 4 NPUs together, got "
         "\"Ring(3)\"");
    says(f, "{graph: {npus: 4, fabric: full-mesh, bandwidth: 1 GB/s}, routing: dimension-order}",
         "net.yml:1:58: routing: this graph has no dimensions");
    says(f, "{graph: {npus: 4, fabric: \"fat-tree:2\", bandwidth: 1 GB/s}}",
         "net.yml:1:27: fat-tree: expected at most 2 hosts on switches of 2 ports (ports^3 / 4), "
         "got 4");
    says(f, "{graph: {npus: 4, links: [{from: 0, to: 1}, {from: 2, to: 3}], bandwidth: 1 GB/s}}",
         "net.yml:1:9: network: expected links that connect all 4 NPUs, got a graph of 2 "
         "components: NPU 0 is not connected to NPU 2 (the component of NPU 0 has 2 NPUs)");
    says(f, "{graph: {npus: 4, fabric: \"circulant:1\", bandwidth: 1 GB/s}, failures: [0-1, 2-3]}",
         "net.yml:1:9: network: expected links that connect all 4 NPUs, got a graph of 2 "
         "components: NPU 0 is not connected to NPU 1 (the component of NPU 0 has 2 NPUs)");
    says(f, "{topology: Ring(4), bandwidth: 1 GB/s, failures: [0-1]}",
         "net.yml:1:40: failures: only a network.graph can have failures");
    says(f,
         "{graph: {npus: 4, fabric: \"circulant:1\", bandwidth: 1 GB/s}, reroute: true, changes: "
         "[{at: 1 us, link: 0-1, working: 0}, {at: 3 us, link: 1-2, working: 1}, "
         "{at: 2 us, link: 2-3, bandwidth: 0}]}",
         "net.yml:1:86: changes: the changes partition the network for good at 2.000 us: NPUs 0,3 "
         "cannot reach NPUs 1-2 (or the reverse); expected changes that keep it connected, or "
         "links that are restored");
    says(f,
         "{graph: {npus: 2, fabric: full-mesh, bandwidth: 1 GB/s}, changes: [{at: 1 us, link: 0-1, "
         "working: 2}]}",
         "net.yml:1:99: changes[0].working: expected at most the number of parallel links, got "
         "\"2\"");
    says(f,
         "{graph: {npus: 2, fabric: full-mesh, bandwidth: 1 GB/s}, changes: [{at: 1 us, link: "
         "0-1}]}",
         "net.yml:1:68: changes[0]: expected a bandwidth, or how many are working, got "
         "\"neither\"");
    says(f,
         "{topology: Ring(4), bandwidth: 1 GB/s, changes: [{at: 1 us, link: 0-1, bandwidth: 0}]}",
         "net.yml:1:40: changes: only links of a network.graph change");
    says(f, "{topology: Ring(4), bandwidth: 1 GB/s, routing: ecmp}",
         "net.yml:1:40: routing: only a network.graph has routing");
    says(f, "{topology: Ring(4), bandwidth: 1 GB/s, shares: windows}",
         "net.yml:1:40: shares: windows count packets; expected network.packet too, such as "
         "packet: 9000 B");
}

static void test_files_refuse_what_is_no_graph(void **state)
{
    struct fixture *f = *state;
    says(f, "graph: {npus: 2, links: [{from: 0, to: 1, bandwidth: -1 GB/s}]}",
         "net.yml:1:54: graph.links[0].bandwidth: expected a positive bandwidth such as \"50 "
         "GB/s\", "
         "got \"-1 GB/s\"; it is negative");
    says(f, "graph: {npus: 2, links: [{from: 0, to: 1, bandwidth: 0 GB/s}]}",
         "net.yml:1:54: graph.links[0].bandwidth: expected a positive bandwidth such as \"50 "
         "GB/s\", "
         "got \"0 GB/s\"; it is zero");
    says(f, "graph: {npus: 2, links: [{from: 0, to: 1}]}",
         "net.yml:1:26: graph.links[0]: expected a bandwidth, such as bandwidth: 12.5 GB/s, got "
         "\"none\"");
    says(
        f, "graph: {npus: 2, links: [{from: 0, to: 1, count: 0}]}",
        "net.yml:1:50: graph.links[0].count: expected a whole number from 1 to 1048576, got \"0\"");
    says(f, "graph: {npus: 2, names: [a, a]}",
         "net.yml:1:25: graph.names: expected a name of its own for each node, got \"a\"");
    says(f, "graph: {npus: 0}",
         "net.yml:1:15: graph.npus: expected a whole number from 1 to 8388608, got \"0\"");
    says(f,
         "graph: {npus: 3, links: [{from: 0, to: 1, bandwidth: 1 GB/s}],"
         " routes: [{from: 0, to: 2, nodes: [0, 1, 2]}]}",
         "net.yml:1:73: graph.routes[0]: expected a link to each node of the route, got \"2\"");
    says(f,
         "graph: {npus: 2, links: [{from: 0, to: 1, bandwidth: 1 GB/s},"
         " {from: 1, to: 0, bandwidth: 2 GB/s}]}",
         "net.yml:1:8: network.graph: expected identical parallel links, got links of different "
         "bandwidth or latency from node 0 to node 1");
}

/* ---- one way ---- */

static void not_joined(struct fixture *f, const char *text, const char *message)
{
    const struct net_dot dot = {
        .file = "net.dot", .text = text, .bytes = strlen(text), .kind = kind};
    orr_diag_init(&f->diag);
    assert_int_equal(orr_net_graph_parse_dot(f->arena, &dot, &f->graph, &f->diag), ORR_OK);
    assert_int_equal(orr_net_graph_check_connected(&f->graph, f->arena, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, message);
}

/* b reaches a, a does not reach b, or the other way, or neither: both only send to c. */
static void test_ways_that_lead_only_there_are_told(void **state)
{
    struct fixture *f = *state;
    not_joined(f, "digraph { a; b -> a }",
               "network: expected a path from every NPU to every other, got none from NPU a to "
               "NPU b, only the reverse: no link leads from the NPUs 0 to the NPUs 1");
    not_joined(f, "digraph { a -> b }",
               "network: expected a path from every NPU to every other, got none from NPU b to "
               "NPU a, only the reverse: no link leads from the NPUs 1 to the NPUs 0");
    not_joined(f, "digraph { a -> c; c -> a; b -> c }",
               "network: expected a path from every NPU to every other, got none from NPU a to "
               "NPU b, only the reverse: no link leads from the NPUs 0-1 to the NPUs 2");
    not_joined(f, "digraph { a; b; c [kind=switch]; a -> c; b -> c }",
               "network: expected a path from every NPU to every other, got none from NPU b to "
               "NPU a: no link leads from the NPUs 1 to the NPUs 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_builders_refuse_what_they_cannot_build),
        TEST(test_one_npu_is_a_graph),
        TEST(test_files_refuse_what_is_no_graph),
        TEST(test_sections_refuse_what_does_not_go_together),
        TEST(test_ways_that_lead_only_there_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
