/* The degree of rings and of matchings, topologies as graphs, and what none is found for. */
#include "finder_fixture.h"

/* ---- degrees and matchings ---- */

static void test_find_degree_is_split_by_bytes(void **state)
{
    static const struct {
        uint64_t sent;
        uint32_t rings, duplex;
    } cases[] = {{0, 4, 4}, {1, 4, 4}, {4666, 4, 4}, {4667, 3, 4}, {14000, 2, 2}, {42001, 1, 2}};
    struct fixture *f = *state;
    reduce(f, 0, 1, 8, 1000); /* 14000 on the wire */
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        ask(f, 8, 4, NET_ONE_WAY);
        send(f, 0, 4, cases[i].sent);
        find(f);
        assert_int_equal(f->found.ring_degree, cases[i].rings);
        ask(f, 8, 4, NET_DUPLEX);
        find(f);
        assert_int_equal(f->found.ring_degree, cases[i].duplex);
    }
}

/* Data parallelism with tables around, 128 servers and d = 4: what is sent is 2.7 % of all bytes of
 * DLRM of section 5.3, 7.7 % of NCF, and 44 % of the DLRM of section 5.4 with a batch of 2048: only
 * then one interface is for matchings, unless rings take two each. */
static void test_find_degrees_of_published_models(void **state)
{
    static const struct {
        uint64_t reduced, sent;
        uint32_t rings;
    } cases[] = {{1225056260, 8522825728, 4},
                 {604135436, 12784238592, 4},
                 {1359273988, UINT64_C(272730423296), 3}};
    for (unsigned i = 0; i < 3; i++) {
        struct fixture *f = *state;
        f->demand.groups = 0;
        ask(f, 128, 4, NET_ONE_WAY);
        reduce(f, 0, 1, 128, cases[i].reduced);
        send(f, 0, 1, cases[i].sent);
        find(f);
        assert_int_equal(f->found.ring_degree, cases[i].rings);
        ask(f, 128, 4, NET_DUPLEX);
        find(f);
        assert_int_equal(f->found.ring_degree, 4);
    }
}

static void test_find_given_ring_degree_is_taken(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 4, NET_ONE_WAY);
    reduce(f, 0, 1, 8, 1000);
    f->options.ring_degree = 3;
    find(f);
    assert_int_equal(f->found.ring_degree, 3);
    assert_int_equal(f->found.idle, 8);
}

static void expect_pairs(const struct finder_layer *layer, const uint32_t (*pair)[2])
{
    assert_int_equal(layer->kind, FINDER_MATCHING);
    assert_int_equal(layer->links, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(layer->link[i].from, pair[i][0]);
        assert_int_equal(layer->link[i].to, pair[i][1]);
    }
}

/* Weights 9 (0 1), 10 (1 2), 9 (2 3), 2 (3 4), 4 (4 5), 3 (0 5): first 22, where greedy gets 14;
 * then with halves 15. */
static void test_find_six_servers_are_matched_twice(void **state)
{
    static const uint32_t first[][2] = {{0, 1}, {2, 3}, {4, 5}};
    static const uint32_t second[][2] = {{0, 5}, {1, 2}, {3, 4}};
    struct fixture *f = *state;
    ask(f, 6, 4, NET_DUPLEX);
    send(f, 0, 1, 5);
    send(f, 1, 0, 4);
    send(f, 1, 2, 10);
    send(f, 3, 2, 9);
    send(f, 3, 4, 2);
    send(f, 5, 4, 4);
    send(f, 0, 5, 3);
    find(f);
    assert_int_equal(f->found.ring_degree, 2);
    assert_int_equal(f->found.layers, 3);
    expect_pairs(&f->found.layer[1], first);
    expect_pairs(&f->found.layer[2], second);
    assert_int_equal(f->found.idle, 0);
}

/* Pair 0 1 sends 16, pairs 0 2 and 1 3 send 3 each (6 together). With each cable of its own, 0 1
 * weighs 16, 8, 4 (6 is more), halving; 16, 12.8, 9.6, 6.4 of 5 interfaces, linear; 16, 8, 2.67,
 * factorial; 16 always. */
static void test_find_discounts_say_how_many_cables_a_pair_gets(void **state)
{
    static const uint32_t cables[FINDER_DISCOUNTS] = {2, 3, 2, 3};
    struct fixture *f = *state;
    ask(f, 6, 5, NET_DUPLEX);
    send(f, 0, 1, 16);
    send(f, 0, 2, 3);
    send(f, 1, 3, 3);
    for (unsigned d = 0; d < FINDER_DISCOUNTS; d++) {
        uint32_t got = 0;
        f->options.discount = (enum finder_discount)d;
        find(f);
        for (uint32_t l = 1; l < f->found.layers; l++) {
            for (uint32_t i = 0; i < f->found.layer[l].links; i++) {
                got += f->found.layer[l].link[i].from == 0 && f->found.layer[l].link[i].to == 1;
            }
        }
        assert_int_equal(got, cables[d]);
    }
}

/* ---- graphs ---- */

static void test_graph_has_links_and_rings(void **state)
{
    struct fixture *f = *state;
    struct net_graph graph;
    ask(f, 16, 2, NET_ONE_WAY);
    reduce(f, 0, 1, 16, 100000);
    reduce(f, 0, 1, 4, 1);
    find(f);
    assert_int_equal(orr_finder_graph(f->arena, &f->found, &graph, &f->diag), ORR_OK);
    assert_int_equal(graph.npus, 16);
    assert_int_equal(graph.links, 32);
    assert_int_not_equal(orr_net_graph_find(&graph, 15, 2), NET_NO_LINK);
    assert_int_equal(orr_net_graph_find(&graph, 2, 15), NET_NO_LINK);
    assert_int_equal(graph.link[0].latency_ps, 1000000);
    assert_int_equal(graph.rings, 3);
    assert_int_equal(graph.ring[0].npus, 4);
    assert_int_equal(graph.ring[0].way, 1);
    assert_int_equal(graph.ring[1].way, 0);
    assert_int_equal(graph.ways, 4);
    assert_int_equal(graph.way[2].hops, 1);
    assert_int_equal(graph.way[3].hops, 5);
    assert_int_equal(graph.link[graph.way[3].link[0]].from, 3);
    assert_int_equal(graph.link[graph.way[3].link[4]].to, 0);
}

static void test_graph_cables_of_a_pair_are_parallel(void **state)
{
    struct fixture *f = *state;
    struct net_graph graph;
    ask(f, 4, 3, NET_DUPLEX);
    send(f, 0, 1, 16);
    find(f);
    assert_int_equal(orr_finder_graph(f->arena, &f->found, &graph, &f->diag), ORR_OK);
    assert_int_equal(graph.links, 8);
    assert_int_equal(graph.link[orr_net_graph_find(&graph, 0, 1)].count, 2);
    assert_int_equal(graph.link[orr_net_graph_find(&graph, 1, 2)].count, 1);
}

/* ---- errors ---- */

static void test_find_degree_out_of_range_fails(void **state)
{
    struct fixture *f = *state;
    ask(f, 16, 0, NET_ONE_WAY);
    expect_error(f, "degree: expected from 1 to 15 interfaces of each of 16 servers, got 0");
    orr_diag_init(&f->diag);
    ask(f, 16, 16, NET_DUPLEX);
    expect_error(f, "degree: expected from 1 to 15 interfaces of each of 16 servers, got 16");
    orr_diag_init(&f->diag);
    ask(f, 1, 1, NET_DUPLEX);
    expect_error(f, "servers: expected from 2 to 16384 servers, got 1");
    orr_diag_init(&f->diag);
    ask(f, 8, 1, NET_DUPLEX);
    expect_error(f, "degree: expected at least 2 interfaces of a server, since a ring of duplex "
                    "cables takes two, got 1; one-way links need one");
    orr_diag_init(&f->diag);
    ask(f, 8, 4, NET_DUPLEX);
    f->options.ring_degree = 5;
    expect_error(f, "ring_degree: expected at most the 4 interfaces of a server for rings, got 5");
}

static void test_find_odd_duplex_fails_and_says_why(void **state)
{
    struct fixture *f = *state;
    ask(f, 15, 4, NET_DUPLEX);
    reduce(f, 0, 1, 15, 100);
    expect_error(f, "links: duplex cables cannot use all interfaces of 15 servers, an odd number: "
                    "panel i joins the interfaces i in pairs and leaves one server out, so that a "
                    "ring of them all has no two panels. Expected an even number of servers, "
                    "one-way links, or cables between any ports");
    f->options.any_port = true;
    find(f);
    EXPECT_JUMPS(&f->found.of[0], 1, 4); /* sqrt(15) = 3.9 */
}

static void test_find_bad_groups_fail(void **state)
{
    static const uint32_t twice[] = {3, 4, 3};
    struct fixture *f = *state;
    ask(f, 8, 2, NET_ONE_WAY);
    reduce(f, 0, 1, 8, 100);
    reduce(f, 3, 1, 1, 100);
    expect_error(f, "groups[1]: expected at least 2 servers that reduce, got 1");
    orr_diag_init(&f->diag);
    f->demand.groups = 1;
    reduce(f, 5, 2, 3, 100);
    expect_error(f, "groups[1]: expected servers from 0 to 7, each once, got 9");
    orr_diag_init(&f->diag);
    f->group[1] = (struct finder_group){twice, 3, 100};
    expect_error(f, "groups[1]: expected servers from 0 to 7, each once, got 3");
}

static void test_find_one_interface_for_several_groups_fails(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 1, NET_ONE_WAY);
    reduce(f, 0, 1, 4, 100);
    reduce(f, 4, 1, 4, 100);
    expect_error(f, "degree: expected one group of servers that reduce, since one interface makes "
                    "one ring, got 2 groups; expected at least 2 interfaces for them");
}

static void test_find_given_jumps_that_make_no_ring_fail(void **state)
{
    static const uint32_t divisor[] = {1, 4}, back[] = {3, 13};
    struct fixture *f = *state;
    ask(f, 16, 4, NET_DUPLEX);
    reduce(f, 0, 1, 16, 100);
    f->options.all = (struct net_jumps){divisor, 2};
    expect_error(
        f, "jumps: expected jumps from 1 that are coprime with the number of servers, 16, got 4");
    orr_diag_init(&f->diag);
    f->options.all = (struct net_jumps){back, 2};
    expect_error(f, "jumps: expected each ring once, got 3 and 13 among 16 servers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_find_degree_is_split_by_bytes),
        TEST(test_find_degrees_of_published_models),
        TEST(test_find_given_ring_degree_is_taken),
        TEST(test_find_six_servers_are_matched_twice),
        TEST(test_find_discounts_say_how_many_cables_a_pair_gets),
        TEST(test_graph_has_links_and_rings),
        TEST(test_graph_cables_of_a_pair_are_parallel),
        TEST(test_find_degree_out_of_range_fails),
        TEST(test_find_odd_duplex_fails_and_says_why),
        TEST(test_find_bad_groups_fail),
        TEST(test_find_one_interface_for_several_groups_fails),
        TEST(test_find_given_jumps_that_make_no_ring_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
