/* Rings through NPUs that use no link twice. */
#include "graph_fixture.h"

#include "network/graph.h"
#include "network/graph_build.h"
#include "system/embedding/embedding.h"
#include "tests/unit/graph_fixture.h"

static struct sys_rings rings_of(struct fixture *f, const struct sys_embed *embed)
{
    struct sys_rings out;
    if (orr_sys_find_rings(embed, 1, f->arena, &out, &f->diag) != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
    return out;
}

/* Each ring has all members once, from the first on, and the second of each two is the first one
 * backwards; no link is used more often than there are; links in no ring are counted. */
static void check_rings(const struct net_graph *graph, const struct sys_rings *rings)
{
    static uint32_t uses[1 << 17];
    const uint32_t n = rings->n;
    memset(uses, 0, graph->links * sizeof *uses);
    for (uint32_t r = 0; r < rings->rings; r++) {
        const uint32_t *order = rings->order + r * n;
        bool seen[1024] = {false};
        assert_int_equal(order[0], 0);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t link =
                orr_net_graph_find(graph, rings->npu[order[i]], rings->npu[order[(i + 1) % n]]);
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
            assert_int_not_equal(link, NET_NO_LINK);
            assert_true(++uses[link] <= graph->link[link].count);
            if (r % 2 == 1) {
                assert_int_equal(order[i], rings->order[(r - 1) * n + (n - i) % n]);
            }
        }
    }
    assert_int_equal(rings->unused, rings->links - rings->rings * n);
}

/* 24 NVLinks, three circles of 8: all are used, both ways. */
static void test_rings_of_the_dgx1_use_every_link_once(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", 8), ORR_OK);
    const struct sys_embed embed = {.graph = &f->graph, .n = 8};
    const struct sys_rings rings = rings_of(f, &embed);
    check_rings(&f->graph, &rings);
    assert_int_equal(rings.rings, 6);
    assert_int_equal(rings.links, 48);
    assert_int_equal(rings.unused, 0);
    assert_true(rings.max);
}

/* Sets of GPUs. 0, 1: one link. 0, 3: two, a ring each. 0, 5: none. 0, 1, 2, 3: 9 links, of which 0
 * and 1 have 4: two circles, 8 links. 0, 1, 2: 0-1 and 0-2 are single: one circle. 0, 3, 7, 4: 0-3
 * 2, 3-7 1: one circle. 2, 3, 4, 5: nothing joins 2, 3 to 4, 5. */
static void test_rings_of_some_gpus(void **state)
{
    static const struct {
        uint32_t n, npu[4], rings, links;
    } sets[] = {{2, {0, 1}, 1, 2},        {2, {3, 0}, 2, 4},    {2, {0, 5}, 0, 0},
                {4, {0, 1, 2, 3}, 4, 18}, {3, {0, 1, 2}, 2, 8}, {4, {0, 3, 7, 4}, 2, 14},
                {4, {2, 3, 4, 5}, 0, 6},  {1, {6}, 0, 0}};
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", 8), ORR_OK);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const struct sys_embed embed = {.graph = &f->graph, .n = sets[i].n, .npu = sets[i].npu};
        const struct sys_rings rings = rings_of(f, &embed);
        assert_int_equal(rings.rings, sets[i].rings);
        assert_int_equal(rings.links, sets[i].links);
        assert_true(rings.max);
        if (sets[i].n > 2) {
            check_rings(&f->graph, &rings);
        }
    }
}

/* Full mesh of n: (n - 1) / 2 circles; tori and even hypercubes use all links; a mesh is a circle
 * at most, since its corners have two links. NPUs below a switch have no links among them. */
static void test_rings_of_other_graphs(void **state)
{
    static const struct {
        const char *text;
        uint32_t n, rings;
    } graphs[] = {{"full-mesh", 8, 6},
                  {"full-mesh", 7, 6},
                  {"full-mesh", 16, 14},
                  {"torus:8", 8, 2},
                  {"torus:8x8", 64, 4},
                  {"torus:4x4", 16, 4},
                  {"torus:3x3", 9, 4},
                  {"torus:4x4x4", 64, 6},
                  {"hypercube", 16, 4},
                  {"hypercube", 64, 6},
                  {"torus:16x16", 256, 4},
                  {"ideal-switch", 8, 0},
                  {"circulant:1,2", 16, 4},
                  {"torus:32x32", 1024, 4},
                  {"torus:8x2", 16, 2},
                  {"torus:3x4x5", 60, 6},
                  {"torus:3x3x2x2", 36, 6},
                  {"torus:5x7x2", 70, 4},
                  {"torus:3x3x3x3", 81, 8},
                  {"hypercube", 512, 8},
                  {"full-mesh", 17, 16},
                  {"full-mesh", 64, 62},
                  {"full-mesh", 9, 8},
                  {"FC(6)_FC(10)", 60, 14},
                  {"FC(5)_FC(6)", 30, 8},
                  {"Ring(4)_FC(4)_Ring(4)", 64, 6},
                  {"Ring(8)_Ring(2)_Ring(2)", 32, 6}};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        assert_int_equal(build(f, graphs[i].text, graphs[i].n), ORR_OK);
        const struct sys_embed embed = {.graph = &f->graph, .n = graphs[i].n};
        const struct sys_rings rings = rings_of(f, &embed);
        check_rings(&f->graph, &rings);
        if (rings.rings != graphs[i].rings) {
            fail_msg("%s: %u rings are not %u", graphs[i].text, rings.rings, graphs[i].rings);
        }
        assert_true(rings.max);
    }
}

/* What all-reduces of a group go around, with rings by members. */
static uint32_t group_rings(struct fixture *f, uint32_t n, const uint32_t *npu)
{
    const struct sys_ring_group group = {.graph = &f->graph, .n = n, .npu = npu};
    struct sys_group_rings out;
    assert_int_equal(orr_sys_group_rings(&group, f->arena, &out, &f->diag), ORR_OK);
    for (uint32_t r = 0; r < out.rings; r++) {
        assert_int_equal(out.ring[r].npus, n);
    }
    return out.rings;
}

/* Planes and lines of a torus, a part of a full mesh; every other NPU of a torus has no links;
 * where rings are given, or said to be the group's own, none are looked for; auto:2 takes two. */
static void test_groups_go_around_links_among_their_members(void **state)
{
    static const uint32_t line[] = {0, 4, 8, 12}, others[] = {0, 2, 8, 10};
    static const uint32_t plane[] = {16, 17, 18, 19, 20, 21, 22, 23,
                                     24, 25, 26, 27, 28, 29, 30, 31};
    struct fixture *f = *state;
    assert_int_equal(build(f, "torus:4x4x4", 64), ORR_OK);
    assert_int_equal(group_rings(f, 64, NULL), 6);
    assert_int_equal(group_rings(f, 16, plane), 4);
    assert_int_equal(group_rings(f, 4, line), 2);
    assert_int_equal(group_rings(f, 4, others), 0);
    assert_true(orr_net_graph_choose_rings(&f->graph, "auto:2"));
    assert_int_equal(group_rings(f, 64, NULL), 2);
    assert_true(orr_net_graph_choose_rings(&f->graph, "own"));
    assert_int_equal(group_rings(f, 64, NULL), 0);
    assert_false(orr_net_graph_choose_rings(&f->graph, "auto:0"));
    assert_int_equal(build(f, "full-mesh", 32), ORR_OK);
    assert_int_equal(group_rings(f, 16, plane), 14);
    assert_int_equal(build(f, "circulant:1,5", 16), ORR_OK);
    assert_int_equal(group_rings(f, 16, NULL), 0);
}

/* A ring of four on 100 GB/s whose diagonals have 10 GB/s: three rings on both would carry 30 GB/s,
 * the two on fast links 200. Below a switch of 400 GB/s none is as good as the switch. */
static void test_slow_links_do_not_slow_rings_down(void **state)
{
    static const double speeds[] = {0, 400e9};
    struct fixture *f = *state;
    for (unsigned s = 0; s < 2; s++) {
        struct net_graph_builder builder;
        orr_net_graph_begin(&builder, f->arena, 4, 1);
        for (uint32_t i = 0; i < 4; i++) {
            for (uint32_t j = i + 1; j < 4; j++) {
                const bool fast = j == i + 1 || j == i + 3;
                orr_net_graph_both(
                    &builder,
                    &(struct net_link){
                        .from = i, .to = j, .count = 1, .bytes_per_s = fast ? 100e9 : 10e9});
            }
            if (speeds[s] > 0) {
                orr_net_graph_both(
                    &builder,
                    &(struct net_link){.from = i, .to = 4, .count = 1, .bytes_per_s = speeds[s]});
            }
        }
        assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
        assert_int_equal(group_rings(f, 4, NULL), s == 0 ? 2 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rings_of_the_dgx1_use_every_link_once),
        TEST(test_rings_of_some_gpus),
        TEST(test_rings_of_other_graphs),
        TEST(test_groups_go_around_links_among_their_members),
        TEST(test_slow_links_do_not_slow_rings_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
