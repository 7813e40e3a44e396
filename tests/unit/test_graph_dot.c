/* Graphs in DOT: what is read, what is refused, and that what is written reads back. */
#include "graph_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/rng.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_source.h"
#include "report/pictures/graph_dot.h"
#include "tests/unit/graph_fixture.h"

static const struct net_link_kind unknown = {.latency_ps = ORR_PS_PER_US};

static enum orr_status read_dot(struct fixture *f, const char *text, struct net_link_kind links)
{
    const struct net_dot dot = {
        .file = "net.dot", .text = text, .bytes = strlen(text), .kind = links};
    orr_diag_init(&f->diag);
    return orr_net_graph_parse_dot(f->arena, &dot, &f->graph, &f->diag);
}

static void link_is(const struct fixture *f, uint32_t from, uint32_t to,
                    const struct net_link *expected)
{
    const uint32_t i = orr_net_graph_find(&f->graph, from, to);
    assert_int_not_equal(i, NET_NO_LINK);
    const struct net_link *link = &f->graph.link[i];
    assert_int_equal(link->count, expected->count);
    assert_int_equal(link->latency_ps, expected->latency_ps);
    assert_true(link->bytes_per_s >= expected->bytes_per_s &&
                link->bytes_per_s <= expected->bytes_per_s);
}

/* NPUs b, a, c in the order in which they appear, then the switch: 0, 1, 2 and 3. */
static void test_dot_of_npus_and_a_switch(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_dot(f,
                              "graph rack { edge [bandwidth=\"100 Gb/s\"]\n"
                              "  b; tor [kind=switch]; a -- tor; b -- tor [latency=\"300 ns\"];\n"
                              "  c -- tor [bandwidth=\"50 GB/s\", count=3, color=red] }",
                              unknown),
                     ORR_OK);
    assert_int_equal(f->graph.npus, 3);
    assert_int_equal(f->graph.nodes, 4);
    assert_int_equal(f->graph.links, 6);
    assert_string_equal(f->graph.name[0], "b");
    assert_string_equal(f->graph.name[1], "a");
    assert_string_equal(f->graph.name[3], "tor");
    link_is(f, 1, 3,
            &(struct net_link){.count = 1, .bytes_per_s = 12.5e9, .latency_ps = ORR_PS_PER_US});
    link_is(
        f, 3, 0,
        &(struct net_link){.count = 1, .bytes_per_s = 12.5e9, .latency_ps = 300 * ORR_PS_PER_NS});
    link_is(f, 2, 3,
            &(struct net_link){.count = 3, .bytes_per_s = 50e9, .latency_ps = ORR_PS_PER_US});
}

/* Edges of a digraph are one way; nodes named by their numbers have no names; equal edges are
 * parallel links. */
static void test_digraph_is_one_way(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_dot(f, "digraph { 0 -> 1 -> 2 -> 0; 0 -> 1; }", kind), ORR_OK);
    assert_int_equal(f->graph.links, 3);
    assert_null(f->graph.name);
    assert_int_equal(f->graph.link[orr_net_graph_find(&f->graph, 0, 1)].count, 2);
    assert_int_equal(orr_net_graph_find(&f->graph, 1, 0), NET_NO_LINK);
}

struct bad {
    const char *text, *place, *message;
};

static void test_bad_dot_is_refused(void **state)
{
    static const struct bad bad[] = {
        {"graph { a [kind=router] }", "net.dot:1:17",
         "node a: kind: expected npu, server or switch, got \"router\""},
        {"graph {\n  a -- b [bandwidth=\"-1 GB/s\"]\n}", "net.dot:2:22",
         "edge a -- b: bandwidth: expected a positive bandwidth such as \"50 GB/s\", got \"-1 "
         "GB/s\"; it is negative"},
        {"digraph {\n\n edge [bandwidth=\"0 GB/s\"] a -> b }", "net.dot:3:19",
         "edge a -> b: bandwidth: expected a positive bandwidth such as \"50 GB/s\", got \"0 "
         "GB/s\"; it is zero"},
        {"graph { a -- b }", "net.dot",
         "edge a -- b: bandwidth: expected a positive bandwidth such as \"50 GB/s\", got \"\"; or "
         "one "
         "of all links: --bandwidth, or network.graph.bandwidth"},
        {"graph { a -- b [bandwidth=\"1 GB/s\", latency=soon] }", "net.dot:1:45",
         "edge a -- b: latency: expected a time such as \"500 ns\", got \"soon\""},
        {"graph { a -- b [bandwidth=\"1 GB/s\", count=0] }", "net.dot:1:43",
         "edge a -- b: count: expected a whole number from 1 to 1048576, got \"0\""},
        {"graph { a -- a [bandwidth=\"1 GB/s\"] }", "net.dot",
         "edge a -- a: expected an edge between two nodes, got \"a\""},
        {"graph { a [kind=switch] }", "net.dot",
         "expected nodes that are NPUs, got 1 nodes that are switches"},
        {"graph { }", "net.dot", "expected nodes that are NPUs, got 0 nodes that are switches"},
        {"graph { edge [bandwidth=\"1 GB/s\"] a -- b; a -- b [latency=\"1 ns\"] }", "net.dot",
         "network.graph: expected identical parallel links, got links of different bandwidth or "
         "latency from node a to node b"},
        {"", "net.dot", "expected a graph as DOT: no graph"},
        {"graph x { a -- b } graph y { c -- d } graph {}", "net.dot", "expected one graph, got 3"},
        {"graph { a -- b } a -- c }", "net.dot",
         "expected a graph as DOT: syntax error in line 1 near 'a'"},
        {"graph { \"%3\" -- b; \"%3\" -- c }", "net.dot",
         "expected names of nodes that do not begin with '%'"},
        /* a value is compared as a whole, behind its own name, and in its own line */
        {"graph { edge [bandwidth=\"1 GB/s\"]\n a -- b [count=10]; b -- c [discount=0]\n"
         " c -- d [count = 0] }",
         "net.dot:3:18",
         "edge c -- d: count: expected a whole number from 1 to 1048576, got \"0\""},
        {"graph { edge [bandwidth=\"1 GB/s\"]\n a -- b [count=0.5]\n c -- d [label=\"x\"] }",
         "net.dot:2:16",
         "edge a -- b: count: expected a whole number from 1 to 1048576, got \"0.5\""},
        /* one of two places: which one is not known */
        {"graph { edge [bandwidth=\"1 GB/s\"]\n a [count=0]\n c -- d [count=0] }", "net.dot",
         "edge c -- d: count: expected a whole number from 1 to 1048576, got \"0\""},
        {"graph { a -- ", "net.dot", "expected a graph as DOT: syntax error in line 1"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[600], expected[600];
        assert_int_equal(read_dot(f, bad[i].text, unknown), ORR_ERR_INPUT);
        (void)orr_diag_render(&f->diag, text, sizeof text);
        (void)snprintf(expected, sizeof expected, "%s: %s", bad[i].place, bad[i].message);
        assert_string_equal(text, expected);
    }
    const struct net_dot zero = {.file = "net.dot", .text = "graph\0{}", .bytes = 8};
    orr_diag_init(&f->diag);
    assert_int_equal(orr_net_graph_parse_dot(f->arena, &zero, &f->graph, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, "expected text, got a zero byte at byte offset 5");
    orr_diag_init(&f->diag);
    assert_int_equal(orr_net_graph_read_dot(f->arena, "no such.dot", kind, &f->graph, &f->diag),
                     ORR_ERR_IO);
    assert_string_equal(f->diag.message, "cannot be opened: No such file or directory");
}

/* Subgraphs nested deeper than libcgraph's parser goes: it returns the graph without its end. What
 * is read afterwards is not touched by what was left over. */
static void test_graph_nested_too_deep_is_refused(void **state)
{
    enum { DEEP = 3500, BYTES = 2 * DEEP + 100 };
    struct fixture *f = *state;
    char text[BYTES] = "graph { a -- b; b -- c; ";
    size_t at = strlen(text);
    memset(text + at, '{', DEEP);
    at += DEEP;
    at += (size_t)snprintf(text + at, BYTES - at, "c -- d");
    memset(text + at, '}', DEEP);
    at += DEEP;
    (void)snprintf(text + at, BYTES - at, "; d -- e }");
    assert_int_equal(read_dot(f, text, kind), ORR_ERR_INPUT);
    assert_non_null(strstr(f->diag.message, "expected a graph as DOT: memory exhausted"));
    assert_int_equal(read_dot(f, "graph { a -- b }", kind), ORR_OK);
    assert_int_equal(f->graph.npus, 2);
}

/* The place of a mistake in a long file, which takes no longer than reading it. */
static void test_place_in_a_long_file(void **state)
{
    enum { LINES = 200000, BYTES = 40 * LINES };
    struct fixture *f = *state;
    char *text = malloc(BYTES);
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, BYTES, "graph {\n");
    for (unsigned i = 0; i < LINES; i++) {
        at += (size_t)snprintf(text + at, BYTES - at, "a%u -- b [count=1]\n", i % 1000);
    }
    (void)snprintf(text + at, BYTES - at, "c -- b [count=-1] }");
    assert_int_equal(read_dot(f, text, kind), ORR_ERR_INPUT);
    free(text);
    assert_int_equal(f->diag.place.kind, ORR_LOCATION_TEXT);
    assert_int_equal(f->diag.place.line, LINES + 2);
}

/* ---- what is written ---- */

static void reads_back(struct fixture *f)
{
    const struct net_graph before = f->graph;
    char *text = NULL, first[NET_NODE_BYTES], second[NET_NODE_BYTES];
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    Agraph_t *dot = orr_graph_dot(&before, false);
    assert_non_null(dot);
    assert_int_equal(agwrite(dot, file), 0);
    assert_int_equal(fclose(file), 0);
    (void)agclose(dot);
    if (read_dot(f, text, unknown) != ORR_OK) {
        fail_msg("%s in\n%s", f->diag.message, text);
    }
    free(text);
    assert_int_equal(f->graph.npus, before.npus);
    assert_int_equal(f->graph.nodes, before.nodes);
    assert_int_equal(f->graph.links, before.links);
    assert_int_equal(f->graph.servers, before.servers);
    for (uint32_t i = 0; i < before.links; i++) {
        assert_int_equal(f->graph.link[i].from, before.link[i].from);
        assert_int_equal(f->graph.link[i].to, before.link[i].to);
        link_is(f, before.link[i].from, before.link[i].to, &before.link[i]);
    }
    assert_int_equal(f->graph.name == NULL, before.name == NULL);
    for (uint32_t i = 0; i < before.nodes; i++) {
        assert_string_equal(orr_net_node_name(&before, i, first),
                            orr_net_node_name(&f->graph, i, second));
    }
}

static void test_fabrics_read_back_from_their_dot(void **state)
{
    static const struct {
        const char *text;
        uint32_t npus;
    } fabrics[] = {{"ideal-switch", 8},  {"full-mesh", 7},       {"circulant:1,5", 16},
                   {"circulant:1,4", 8}, {"circulant:+1,+3", 8}, {"circulant:1,+3,+5", 8},
                   {"fat-tree:4,3", 16}, {"torus:2x3", 6},       {"expander:3", 20},
                   {"dgx1", 8},          {"clusters:3,7", 6},    {"fat-tree/4x4@300GB/s", 16},
                   {"dragonfly:1", 6},   {"Ring(4)_SW(3)", 12}};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        assert_int_equal(build(f, fabrics[i].text, fabrics[i].npus), ORR_OK);
        reads_back(f);
    }
}

/* Random digraphs with odd bandwidths, latencies and names. */
static void test_random_graphs_read_back_from_their_dot(void **state)
{
    static const char *const names[] = {"a",  "b c",   "\"d\"", "e\\f",
                                        "-5", "graph", "<x>",   "\xc3\xa9"};
    struct fixture *f = *state;
    struct orr_rng rng;
    orr_rng_init(&rng, 5, 0);
    for (unsigned round = 0; round < 50; round++) {
        struct net_graph_builder builder;
        orr_net_graph_begin(&builder, f->arena, 5, 3);
        builder.name = round % 2 == 0 ? names : NULL;
        for (uint32_t pair = 0; pair < 64; pair++) {
            const struct net_link link = {.from = pair / 8,
                                          .to = pair % 8,
                                          .count = 1 + (uint32_t)orr_rng_below(&rng, 3),
                                          .bytes_per_s = 1 + 1e12 * orr_rng_unit(&rng),
                                          .latency_ps = (sim_time)orr_rng_below(&rng, 1 << 30)};
            if (link.from != link.to && orr_rng_below(&rng, 2) != 0) {
                orr_net_graph_link(&builder, &link);
            }
        }
        assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
        reads_back(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_dot_of_npus_and_a_switch),
        TEST(test_digraph_is_one_way),
        TEST(test_bad_dot_is_refused),
        TEST(test_graph_nested_too_deep_is_refused),
        TEST(test_place_in_a_long_file),
        TEST(test_fabrics_read_back_from_their_dot),
        TEST(test_random_graphs_read_back_from_their_dot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
