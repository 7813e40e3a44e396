/* Trees on graphs: ways, lanes and conflicts against counts by hand. */
#include "core/diag.h"
#include "embedding_fixture.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "system/embedding/embedding.h"
#include "tests/unit/embedding_fixture.h"

/* The trees of the C-Cube paper's Fig. 10. */
static const int left[8] = {NONE, 2, 4, 2, 0, 6, 4, 6};
static const int right[8] = {3, NONE, 3, 5, 7, 1, 7, 5};

static struct sys_trees embed(struct fixture *f, const struct sys_embed *how,
                              const struct sys_tree *tree, uint32_t trees)
{
    struct sys_trees out;
    assert_int_equal(orr_sys_embed(how, tree, trees, f->arena, &out, &f->diag), ORR_OK);
    return out;
}

static const struct net_channel *way(const struct sys_trees *trees, uint32_t tree, uint32_t child,
                                     bool down)
{
    const uint32_t at = tree * trees->n + child;
    return &trees->channel[down ? trees->down[at] : trees->up[at]];
}

/* ---- the paper's trees ---- */

/* 2-4 goes over GPU 0 and 3-5 over GPU 1, as in Fig. 10; the longest way is 1 2 0 4 0: 4 hops. */
static void test_trees_of_the_paper_take_its_detours(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", 8), ORR_OK);
    const struct sys_tree tree[2] = {tree_of(f, left, 8), tree_of(f, right, 8)};
    const struct sys_embed how = {.graph = &f->graph, .n = 8};
    const struct sys_trees trees = embed(f, &how, tree, 2);
    check_channels(&f->graph, &trees);
    assert_int_equal(trees.conflicts, 0);
    assert_int_equal(trees.detours, 2);
    assert_int_equal(trees.between, 2);
    assert_int_equal(trees.depth, 4);
    assert_int_equal(trees.shared_inner, 0);
    assert_true(trees.fewest);
    for (uint32_t t = 0; t < 2; t++) {
        const struct net_channel *up = way(&trees, t, 2 + t, false);
        const struct net_channel *down = way(&trees, t, 2 + t, true);
        assert_int_equal(up->hops, 2);
        assert_int_equal(f->graph.link[up->hop[0].link].to, t);
        assert_int_equal(f->graph.link[down->hop[0].link].to, t);
    }
}

/* How many of the pairs of detours, over `a` for 2-4 and over `b` for 3-5, have no conflict. */
static uint32_t count_choices(struct fixture *f, const struct sys_tree *tree)
{
    uint32_t choices = 0;
    for (uint32_t a = 0; a < 8; a++) {
        for (uint32_t b = 0; b < 8; b++) {
            const struct sys_detour given[2] = {{.from = 2, .to = 4, .count = 1, .over = &a},
                                                {.from = 3, .to = 5, .count = 1, .over = &b}};
            const struct sys_embed how = {.graph = &f->graph, .n = 8, .given = given, .givens = 2};
            struct sys_trees trees;
            orr_diag_init(&f->diag);
            if (orr_sys_embed(&how, tree, 2, f->arena, &trees, &f->diag) == ORR_OK) {
                assert_true((a == 0 || a == 6) && (b == 1 || b == 7));
                choices += trees.conflicts == 0 ? 1 : 0;
            }
        }
    }
    orr_diag_init(&f->diag);
    return choices;
}

/* 2 and 4 have the neighbours 0 and 6 in common, 3 and 5 have 1 and 7. With a second tree that
 * swaps 2i and 2i + 1 only (0, 1) goes; with the mirror image of the first none of the four. */
static void test_only_those_detours_have_no_conflict(void **state)
{
    static const int mirror[8] = {1, 3, 1, 7, 5, 3, 5, NONE};
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", 8), ORR_OK);
    const struct sys_tree tree[2] = {tree_of(f, left, 8), tree_of(f, right, 8)};
    assert_int_equal(count_choices(f, tree), 1);
    const struct sys_tree other[2] = {tree[0], tree_of(f, mirror, 8)};
    assert_int_equal(count_choices(f, other), 0);
    const struct sys_embed how = {.graph = &f->graph, .n = 8};
    const struct sys_trees trees = embed(f, &how, other, 2);
    check_channels(&f->graph, &trees);
    assert_true(trees.conflicts > 0 && trees.fewest);
}

/* With one link for each pair, 0-4 is used by the edge 4-0 and the detour of the left tree, and
 * 3-2, 7-6 and 1-5 by both trees: each both ways, and the detour's 4-0, 0-4: 8 conflicts. */
static void test_single_links_are_shared(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", 8), ORR_OK);
    struct net_link link[64];
    memcpy(link, f->graph.link, f->graph.links * sizeof *link);
    for (uint32_t i = 0; i < f->graph.links; i++) {
        link[i].count = 1;
    }
    f->graph.link = link;
    const struct sys_tree tree[2] = {tree_of(f, left, 8), tree_of(f, right, 8)};
    const struct sys_embed how = {.graph = &f->graph, .n = 8};
    const struct sys_trees trees = embed(f, &how, tree, 2);
    check_channels(&f->graph, &trees);
    assert_int_equal(trees.conflicts, 8);
    const struct sys_embed strict = {.graph = &f->graph, .n = 8, .strict = true};
    struct sys_trees out;
    assert_int_equal(orr_sys_embed(&strict, tree, 2, f->arena, &out, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(
        f->diag.message,
        "the trees need more channels than there are links: 0 to 4 has 1 and 2 are "
        "asked for, 1 to 5 has 1 and 2 are asked for, 2 to 3 has 1 and 2 are asked "
        "for, 3 to 2 has 1 and 2 are asked for, 4 to 0 has 1 and 2 are asked for, 5 "
        "to 1 has 1 and 2 are asked for, 6 to 7 has 1 and 2 are asked for, 7 to 6 "
        "has 1 and 2 are asked for");
}

/* ---- other ways ---- */

/* A chain of 4, 0-1-2-3 in a row of links: the edge 3-0 goes over two NPUs, where that is allowed.
 */
static void test_longer_detours_are_an_option(void **state)
{
    static const int parent[4] = {NONE, 0, 0, 0};
    struct fixture *f = *state;
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, f->arena, 4, 0);
    for (uint32_t i = 0; i < 3; i++) {
        const struct net_link link = {.from = i, .to = i + 1, .count = 1, .bytes_per_s = 1e9};
        orr_net_graph_both(&builder, &link);
    }
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    const struct sys_tree tree = tree_of(f, parent, 4);
    struct sys_embed how = {.graph = &f->graph, .n = 4};
    struct sys_trees out;
    assert_int_equal(orr_sys_embed(&how, &tree, 1, f->arena, &out, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message,
                        "the edge of a tree from 3 to 0: no duplex link, no detour over 1 NPU at "
                        "most, and no path through switches");
    how.max_between = 2;
    out = embed(f, &how, &tree, 1);
    check_channels(&f->graph, &out);
    /* 1-0 carries three edges, 2-1 two: 3 conflicts each way. */
    assert_int_equal(out.conflicts, 6);
    assert_int_equal(out.between, 3);
    assert_int_equal(out.depth, 3);
}

/* Detours off: the DGX-1 alone has no way from 2 to 4; with a switch below all the way goes through
 * it, and with detours on it still goes over an NPU. */
static void test_without_detours_edges_go_through_switches(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", 8), ORR_OK);
    const struct net_graph dgx1 = f->graph;
    const struct sys_tree tree[2] = {tree_of(f, left, 8), tree_of(f, right, 8)};
    struct sys_embed how = {.graph = &f->graph, .n = 8, .detours = SYS_DETOURS_OFF};
    struct sys_trees out;
    assert_int_equal(orr_sys_embed(&how, tree, 2, f->arena, &out, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, "the edge of a tree from 2 to 4: no duplex link, no path "
                                         "through switches, and detours are off");
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, f->arena, 8, 1);
    for (uint32_t i = 0; i < dgx1.links; i++) {
        orr_net_graph_link(&builder, &dgx1.link[i]);
    }
    for (uint32_t i = 0; i < 8; i++) {
        const struct net_link link = {.from = i, .to = 8, .count = 1, .bytes_per_s = 12e9};
        orr_net_graph_both(&builder, &link);
    }
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    out = embed(f, &how, tree, 2);
    check_channels(&f->graph, &out);
    assert_int_equal(out.conflicts, 0);
    assert_int_equal(out.detours, 0);
    assert_int_equal(out.switched, 2);
    assert_int_equal(f->graph.link[way(&out, 0, 2, false)->hop[0].link].to, 8);
    how.detours = SYS_DETOURS_ON;
    out = embed(f, &how, tree, 2);
    assert_int_equal(out.switched, 0);
    assert_int_equal(out.detours, 2);
}

/* ---- bad input ---- */

static void refused_detour(struct fixture *f, struct sys_detour given, const char *message)
{
    const struct sys_tree tree = tree_of(f, left, 8);
    const struct sys_embed how = {.graph = &f->graph, .n = 8, .given = &given, .givens = 1};
    struct sys_trees out;
    orr_diag_init(&f->diag);
    assert_int_equal(orr_sys_embed(&how, &tree, 1, f->arena, &out, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, message);
    orr_diag_init(&f->diag);
}

static void test_detours_that_are_none_are_refused(void **state)
{
    static const uint32_t beyond = 20, link_less = 7, end = 2, twice[2] = {0, 0}, a_switch = 8;
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", 8), ORR_OK);
    refused_detour(f, (struct sys_detour){.from = 2, .to = 4, .count = 1, .over = &beyond},
                   "the detour from 2 to 4: expected an NPU from 0 to 7, got 20");
    refused_detour(f, (struct sys_detour){.from = 2, .to = 4, .count = 1, .over = &link_less},
                   "the detour from 2 to 4: there is no duplex link between 2 and 7");
    refused_detour(f, (struct sys_detour){.from = 2, .to = 4, .count = 1, .over = &end},
                   "the detour from 2 to 4 over 2: expected an NPU that is neither end");
    refused_detour(f, (struct sys_detour){.from = 2, .to = 4, .count = 2, .over = twice},
                   "the detour from 2 to 4 over 0: expected each NPU once");
    refused_detour(f, (struct sys_detour){.from = 2, .to = 9, .count = 1, .over = twice},
                   "a detour: expected two NPUs from 0 to 7, got 2 and 9");
    assert_int_equal(build(f, "ideal-switch", 8), ORR_OK);
    refused_detour(f, (struct sys_detour){.from = 2, .to = 4, .count = 1, .over = &a_switch},
                   "the detour from 2 to 4 over 8: expected an NPU, got a switch");
}

static void refused_tree(struct fixture *f, const int *parent, const char *message)
{
    uint32_t copy[4];
    struct sys_tree tree;
    for (size_t i = 0; i < 4; i++) {
        copy[i] = parent[i] < 0 ? SYS_NO_PARENT : (uint32_t)parent[i];
    }
    orr_diag_init(&f->diag);
    assert_int_equal(orr_sys_tree_make(&tree, 4, copy, "trees[1]", &f->diag), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, message);
    orr_diag_init(&f->diag);
}

static void test_parents_that_are_no_tree_are_refused(void **state)
{
    struct fixture *f = *state;
    refused_tree(f, (const int[]){NONE, 0, NONE, 0},
                 "trees[1]: expected one root, got two, 0 and 2");
    refused_tree(f, (const int[]){1, 2, 3, 0}, "trees[1]: expected a root, got none");
    refused_tree(f, (const int[]){NONE, 2, 3, 1},
                 "trees[1]: the parents of 1 form a cycle through 2");
    refused_tree(f, (const int[]){NONE, 0, 4, 0},
                 "trees[1]: the parent of 2: expected a rank from 0 to 3, got 4");
}

/* Two pairs that nothing joins. */
static void test_a_graph_in_pieces_is_refused(void **state)
{
    struct fixture *f = *state;
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, f->arena, 4, 0);
    for (uint32_t i = 0; i < 4; i += 2) {
        const struct net_link link = {.from = i, .to = i + 1, .count = 1, .bytes_per_s = 1e9};
        orr_net_graph_both(&builder, &link);
    }
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    const struct sys_tree tree = tree_of(f, (const int[]){NONE, 0, 1, 2}, 4);
    const struct sys_embed how = {.graph = &f->graph, .n = 4};
    struct sys_trees out;
    assert_int_equal(orr_sys_embed(&how, &tree, 1, f->arena, &out, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(
        f->diag.message,
        "network: expected links that connect all 4 NPUs, got a graph of 2 components: NPU 0 is "
        "not connected to NPU 2 (the component of NPU 0 has 2 NPUs)");
}

/* The shape of double_binary_tree: for 8 a root with one child 4, below it 2 and 6. */
static void test_the_usual_shape(void **state)
{
    uint32_t parent[8];
    (void)state;
    orr_sys_tree_double_binary(8, parent);
    const uint32_t expected[8] = {SYS_NO_PARENT, 2, 4, 2, 0, 6, 4, 6};
    assert_memory_equal(parent, expected, sizeof expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_trees_of_the_paper_take_its_detours),
        TEST(test_only_those_detours_have_no_conflict),
        TEST(test_single_links_are_shared),
        TEST(test_longer_detours_are_an_option),
        TEST(test_without_detours_edges_go_through_switches),
        TEST(test_detours_that_are_none_are_refused),
        TEST(test_parents_that_are_no_tree_are_refused),
        TEST(test_a_graph_in_pieces_is_refused),
        TEST(test_the_usual_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
