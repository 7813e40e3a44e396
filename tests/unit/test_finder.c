/* Topologies for demands, against sums by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "planner/finder/finder.h"

enum { MOST_SERVERS = 128, MOST_GROUPS = 16 };

/* A demand with what it takes, and the answer. */
struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct finder_demand demand;
    struct finder_options options;
    struct finder_group group[MOST_GROUPS];
    uint64_t transfers[MOST_SERVERS * MOST_SERVERS];
    struct finder_topology found;
};

static int set_up(void **state)
{
    static struct fixture f;
    memset(&f, 0, sizeof f);
    f.arena = orr_arena_create();
    orr_diag_init(&f.diag);
    f.options.kind = (struct net_link_kind){12.5e9, 1000000};
    *state = &f;
    return f.arena == NULL;
}

static int tear_down(void **state)
{
    orr_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

static void ask(struct fixture *f, uint32_t servers, uint32_t degree, enum finder_links links)
{
    f->demand.servers = servers;
    f->demand.group = f->group;
    f->demand.transfers = f->transfers;
    f->options.degree = degree;
    f->options.links = links;
}

/* Servers first, first + stride, ... */
static void reduce(struct fixture *f, uint32_t first, uint32_t stride, uint32_t members,
                   uint64_t bytes)
{
    uint32_t *member = orr_arena_array(f->arena, members, sizeof *member);
    for (uint32_t i = 0; i < members; i++) {
        member[i] = first + i * stride;
    }
    f->group[f->demand.groups++] =
        (struct finder_group){.member = member, .members = members, .bytes = bytes};
}

static void send(struct fixture *f, uint32_t from, uint32_t to, uint64_t bytes)
{
    f->transfers[from * f->demand.servers + to] = bytes;
}

static void find(struct fixture *f)
{
    const enum orr_status status =
        orr_finder_find(f->arena, &f->demand, &f->options, &f->found, &f->diag);
    if (status != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
}

static void expect_error(struct fixture *f, const char *message)
{
    assert_int_equal(orr_finder_find(f->arena, &f->demand, &f->options, &f->found, &f->diag),
                     ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, message);
}

static void expect_jumps(const struct finder_class *of, uint32_t jumps, const uint32_t *jump)
{
    assert_int_equal(of->jumps.jumps, jumps);
    for (uint32_t i = 0; i < jumps; i++) {
        assert_int_equal(of->jumps.jump[i], jump[i]);
    }
}
#define EXPECT_JUMPS(of, ...)                                                                      \
    expect_jumps(of, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                         \
                 (uint32_t[]){__VA_ARGS__})

static void expect_members(const struct finder_ring *ring, uint32_t members, const uint32_t *member)
{
    assert_int_equal(ring->members, members);
    for (uint32_t i = 0; i < members; i++) {
        assert_int_equal(ring->member[i], member[i]);
    }
}
#define EXPECT_RING(ring, ...)                                                                     \
    expect_members(ring, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                     \
                   (uint32_t[]){__VA_ARGS__})

/* ---- rings ---- */

static void test_find_one_group_of_all_takes_the_degree(void **state)
{
    struct fixture *f = *state;
    ask(f, 16, 3, FINDER_ONE_WAY);
    reduce(f, 0, 1, 16, 1000);
    find(f);
    assert_int_equal(f->found.reduce_bytes, 30000); /* 2 x 15 x 1000 */
    assert_int_equal(f->found.ring_degree, 3);
    assert_int_equal(f->found.classes, 1);
    EXPECT_JUMPS(&f->found.of[0], 1, 3, 7);
    assert_int_equal(f->found.layers, 3);
    assert_int_equal(f->found.rings, 3);
    EXPECT_RING(&f->found.ring[1], 0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13);
    assert_int_equal(f->found.idle, 0);
}

static void test_find_duplex_has_rings_both_ways(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 5, FINDER_DUPLEX);
    reduce(f, 0, 1, 8, 1000);
    find(f);
    /* 5 interfaces are for rings: 4 of them, since rings take two */
    assert_int_equal(f->found.ring_degree, 4);
    EXPECT_JUMPS(&f->found.of[0], 1, 3);
    assert_int_equal(f->found.rings, 4);
    EXPECT_RING(&f->found.ring[0], 0, 1, 2, 3, 4, 5, 6, 7);
    EXPECT_RING(&f->found.ring[1], 0, 7, 6, 5, 4, 3, 2, 1);
    EXPECT_RING(&f->found.ring[3], 0, 5, 2, 7, 4, 1, 6, 3);
    assert_int_equal(f->found.idle, 8);
}

static void test_find_given_jumps_are_taken(void **state)
{
    static const uint32_t published[] = {1, 13};
    struct fixture *f = *state;
    ask(f, 128, 4, FINDER_DUPLEX);
    f->options.all = (struct finder_jumps){published, 2};
    reduce(f, 0, 1, 128, 1000);
    find(f);
    EXPECT_JUMPS(&f->found.of[0], 1, 13);
}

static void test_find_equal_groups_are_one(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 2, FINDER_ONE_WAY);
    reduce(f, 0, 1, 8, 1000);
    reduce(f, 0, 1, 8, 500);
    find(f);
    assert_int_equal(f->found.groups, 1);
    assert_int_equal(f->found.group[0].bytes, 1500);
    assert_int_equal(f->found.rings, 2);
}

/* Rows and columns of a square of servers. */
static void test_find_groups_of_a_stride_share_jumps(void **state)
{
    struct fixture *f = *state;
    ask(f, 16, 4, FINDER_ONE_WAY);
    for (uint32_t i = 0; i < 4; i++) {
        reduce(f, i, 4, 4, 50);
        reduce(f, 4 * i, 1, 4, 100);
    }
    find(f);
    /* rows 4 x 6 x 100 of 3600: ceil(4 x 2/3) = 3, but there are two jumps; columns ceil(4 / 3) = 2
     * of the two that are left */
    assert_int_equal(f->found.classes, 2);
    assert_int_equal(f->found.of[0].wire_bytes, 2400);
    assert_int_equal(f->found.of[0].stride, 1);
    assert_int_equal(f->found.of[0].degree, 2);
    EXPECT_JUMPS(&f->found.of[0], 1, 3);
    assert_int_equal(f->found.of[1].stride, 4);
    EXPECT_JUMPS(&f->found.of[1], 1, 3);
    assert_int_equal(f->found.layers, 4);
    assert_int_equal(f->found.layer[0].links, 16);
    assert_int_equal(f->found.rings, 16);
    assert_int_equal(f->found.idle, 0);
}

static void test_find_groups_that_overlap_do_not_share(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 4, FINDER_ONE_WAY);
    reduce(f, 0, 1, 3, 100);
    reduce(f, 2, 1, 3, 100);
    reduce(f, 4, 1, 3, 100);
    find(f);
    assert_int_equal(f->found.classes, 2); /* 0 and 4; 2 */
    assert_int_equal(f->found.of[0].groups, 2);
    assert_int_equal(f->found.of[1].groups, 1);
}

/* The share is one of the first d_A: 0.4 of 5 are 2, 0.4 are 2, and 1 is left. */
static void test_find_shares_are_of_the_first_degree(void **state)
{
    struct fixture *f = *state;
    ask(f, 16, 5, FINDER_ONE_WAY);
    reduce(f, 0, 1, 16, 400); /* x 30 = 12000 */
    reduce(f, 0, 2, 8, 857);  /* x 14 = 11998 */
    reduce(f, 0, 4, 4, 1000); /* x 6 = 6000 */
    find(f);
    assert_int_equal(f->found.of[0].degree, 3); /* ceil(5 x 12000 / 29998) */
    assert_int_equal(f->found.of[1].degree, 2);
    assert_int_equal(f->found.of[2].degree, 0);
}

/* 3, 2 and 7 coins lead from 3 to 0 of {0, 1, 2, 3}: 13 = 1 + 3 + 3 + 3 + 3. */
static void test_find_groups_without_degree_use_coins(void **state)
{
    struct fixture *f = *state;
    ask(f, 16, 2, FINDER_ONE_WAY);
    reduce(f, 0, 1, 16, 100000);
    reduce(f, 0, 1, 4, 1);
    find(f);
    EXPECT_JUMPS(&f->found.of[0], 1, 3);
    assert_int_equal(f->found.of[1].jumps.jumps, 0);
    assert_int_equal(f->found.rings, 3);
    const struct finder_ring *ring = &f->found.ring[0]; /* of the smaller group */
    EXPECT_RING(ring, 0, 1, 2, 3);
    assert_int_equal(ring->first_between[3], 0);
    assert_int_equal(ring->first_between[4], 4);
    assert_int_equal(ring->between[0], 4); /* coin 1 first: 3 comes last in order */
    assert_int_equal(ring->between[1], 7);
    assert_int_equal(ring->between[3], 13);
}

static void test_find_nothing_reduced_nothing_sent_lays_rings(void **state)
{
    struct fixture *f = *state;
    ask(f, 12, 4, FINDER_ONE_WAY);
    f->demand.transfers = NULL;
    find(f);
    assert_int_equal(f->found.layers, 4);
    assert_int_equal(f->found.layer[1].kind, FINDER_CONNECTION);
    assert_int_equal(f->found.layer[2].jump, 11); /* 1, 5, 11, 7 */
    assert_int_equal(f->found.idle, 0);
}

static void test_find_two_servers_have_one_cable_a_jump(void **state)
{
    struct fixture *f = *state;
    ask(f, 2, 1, FINDER_DUPLEX);
    reduce(f, 0, 1, 2, 100);
    find(f);
    assert_int_equal(f->found.layers, 1);
    assert_int_equal(f->found.layer[0].links, 1);
    assert_int_equal(f->found.rings, 1);
    assert_int_equal(f->found.idle, 0);
}

/* Of 12 servers 1 and 5 make duplex rings: 4 of 8 interfaces; 1 takes 2 more, and 5, and 2 servers
 * have 4 cables. */
static void test_find_idle_interfaces_take_rings_again(void **state)
{
    struct fixture *f = *state;
    ask(f, 12, 8, FINDER_DUPLEX);
    reduce(f, 0, 1, 12, 1000);
    find(f);
    EXPECT_JUMPS(&f->found.of[0], 1, 5, 1, 5);
    assert_int_equal(f->found.of[0].degree, 8);
    assert_int_equal(f->found.rings, 8);
    assert_int_equal(f->found.idle, 0);
    f->options.spare = true;
    find(f);
    EXPECT_JUMPS(&f->found.of[0], 1, 5);
    assert_int_equal(f->found.idle, 48);
}

/* One interface is for cables, but nothing is sent between servers that could have it: pair 0 4 of
 * 1200 bytes. Of all others the ring of +1 and its like get what is left, if all have it: none. */
static void test_find_idle_interfaces_of_some_stay_idle(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 4, FINDER_ONE_WAY);
    reduce(f, 0, 1, 8, 1000);
    reduce(f, 1, 1, 3, 10);
    send(f, 0, 4, 7000);
    find(f);
    assert_int_equal(f->found.ring_degree, 3);
    assert_int_equal(f->found.of[0].degree, 3);
    /* 1, 2 and 3 have one left each: a ring of their own */
    EXPECT_JUMPS(&f->found.of[1], 1);
    assert_int_equal(f->found.idle, 3);
}

/* ---- connectivity ---- */

static void test_find_what_falls_apart_gets_a_ring_of_all(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 2, FINDER_ONE_WAY);
    reduce(f, 0, 1, 4, 100);
    reduce(f, 4, 1, 4, 100);
    find(f);
    assert_int_equal(f->found.taken_back, 1);
    EXPECT_JUMPS(&f->found.of[0], 1);
    assert_int_equal(f->found.layers, 2);
    assert_int_equal(f->found.layer[1].kind, FINDER_CONNECTION);
    assert_int_equal(f->found.layer[1].links, 8);
    assert_int_equal(f->found.idle, 0);
}

static void test_find_matchings_may_join_what_rings_do_not(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 2, FINDER_ONE_WAY);
    reduce(f, 0, 1, 4, 100);
    reduce(f, 4, 1, 4, 100);
    send(f, 0, 4, 1200); /* as much as is reduced: one interface for each */
    find(f);
    assert_int_equal(f->found.ring_degree, 1);
    assert_int_equal(f->found.taken_back, 0);
    assert_int_equal(f->found.layers, 2);
    assert_int_equal(f->found.layer[1].kind, FINDER_MATCHING);
}

static void test_find_a_ring_of_all_takes_the_only_degree(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 1, FINDER_ONE_WAY);
    reduce(f, 2, 1, 4, 100);
    find(f);
    assert_int_equal(f->found.taken_back, 1);
    assert_int_equal(f->found.layers, 1);
    assert_int_equal(f->found.rings, 1);
    EXPECT_RING(&f->found.ring[0], 2, 3, 4, 5);
    assert_int_equal(f->found.ring[0].first_between[4], 4); /* 5, 6, 7, 0, 1, 2 */
}

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
        ask(f, 8, 4, FINDER_ONE_WAY);
        send(f, 0, 4, cases[i].sent);
        find(f);
        assert_int_equal(f->found.ring_degree, cases[i].rings);
        ask(f, 8, 4, FINDER_DUPLEX);
        find(f);
        assert_int_equal(f->found.ring_degree, cases[i].duplex);
    }
}

static void test_find_given_ring_degree_is_taken(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 4, FINDER_ONE_WAY);
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
    ask(f, 6, 4, FINDER_DUPLEX);
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
    ask(f, 6, 5, FINDER_DUPLEX);
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
    ask(f, 16, 2, FINDER_ONE_WAY);
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
    ask(f, 4, 3, FINDER_DUPLEX);
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
    ask(f, 16, 0, FINDER_ONE_WAY);
    expect_error(f, "degree: expected from 1 to 15 interfaces of each of 16 servers, got 0");
    orr_diag_init(&f->diag);
    ask(f, 16, 16, FINDER_DUPLEX);
    expect_error(f, "degree: expected from 1 to 15 interfaces of each of 16 servers, got 16");
    orr_diag_init(&f->diag);
    ask(f, 1, 1, FINDER_DUPLEX);
    expect_error(f, "servers: expected from 2 to 16384 servers, got 1");
    orr_diag_init(&f->diag);
    ask(f, 8, 1, FINDER_DUPLEX);
    expect_error(f, "degree: expected at least 2 interfaces of a server, since a ring of duplex "
                    "cables takes two, got 1; one-way links need one");
    orr_diag_init(&f->diag);
    ask(f, 8, 4, FINDER_DUPLEX);
    f->options.ring_degree = 5;
    expect_error(f, "ring_degree: expected at most the 4 interfaces of a server for rings, got 5");
}

static void test_find_odd_duplex_fails_and_says_why(void **state)
{
    struct fixture *f = *state;
    ask(f, 15, 4, FINDER_DUPLEX);
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
    ask(f, 8, 2, FINDER_ONE_WAY);
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
    ask(f, 8, 1, FINDER_ONE_WAY);
    reduce(f, 0, 1, 4, 100);
    reduce(f, 4, 1, 4, 100);
    expect_error(f, "degree: expected one group of servers that reduce, since one interface makes "
                    "one ring, got 2 groups; expected at least 2 interfaces for them");
}

static void test_find_given_jumps_that_make_no_ring_fail(void **state)
{
    static const uint32_t divisor[] = {1, 4}, back[] = {3, 13};
    struct fixture *f = *state;
    ask(f, 16, 4, FINDER_DUPLEX);
    reduce(f, 0, 1, 16, 100);
    f->options.all = (struct finder_jumps){divisor, 2};
    expect_error(f, "jumps: expected jumps that lead around all 16 servers, from 1 and without a "
                    "common divisor with them, got 4");
    orr_diag_init(&f->diag);
    f->options.all = (struct finder_jumps){back, 2};
    expect_error(f, "jumps: expected each ring once, got 3 and 13 among 16 servers");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_find_one_group_of_all_takes_the_degree),
        TEST(test_find_duplex_has_rings_both_ways),
        TEST(test_find_given_jumps_are_taken),
        TEST(test_find_equal_groups_are_one),
        TEST(test_find_groups_of_a_stride_share_jumps),
        TEST(test_find_groups_that_overlap_do_not_share),
        TEST(test_find_shares_are_of_the_first_degree),
        TEST(test_find_groups_without_degree_use_coins),
        TEST(test_find_nothing_reduced_nothing_sent_lays_rings),
        TEST(test_find_two_servers_have_one_cable_a_jump),
        TEST(test_find_idle_interfaces_take_rings_again),
        TEST(test_find_idle_interfaces_of_some_stay_idle),
        TEST(test_find_what_falls_apart_gets_a_ring_of_all),
        TEST(test_find_matchings_may_join_what_rings_do_not),
        TEST(test_find_a_ring_of_all_takes_the_only_degree),
        TEST(test_find_degree_is_split_by_bytes),
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
