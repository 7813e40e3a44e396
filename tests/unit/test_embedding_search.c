/* Searches of trees against counts by hand, and against all that there are. */
#include "embedding_fixture.h"

static struct sys_trees search(struct fixture *f, uint32_t n, struct sys_tree_search how)
{
    const struct sys_embed embed = {.graph = &f->graph, .n = n};
    struct sys_trees out;
    if (orr_sys_search_trees(&embed, &how, f->arena, &out, &f->diag) != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
    check_channels(&f->graph, &out);
    for (uint32_t t = 0; t < out.trees; t++) {
        struct sys_tree tree;
        assert_int_equal(orr_sys_tree_make(&tree, n, out.tree[t].parent, "found", &f->diag),
                         ORR_OK);
        assert_int_equal(tree.root, out.tree[t].root);
    }
    return out;
}

/* ---- all trees of the DGX-1 ---- */

enum { GPUS = 8, MAX_FOUND = 64 };

struct found {
    uint32_t count;
    uint32_t parent[MAX_FOUND][GPUS];
};

/* Puts GPUs on the labels of the usual shape, root 0 - 4 - (2, 6) - (1, 3, 5, 7), so that each edge
 * has an NVLink, and of two children the lower one is first. */
static void place(struct fixture *f, uint32_t *at, uint32_t label, struct found *found)
{
    static const uint32_t order[GPUS] = {0, 4, 2, 6, 1, 3, 5, 7}; /* parents first */
    static const uint32_t above[GPUS] = {0, 2, 4, 2, 0, 6, 4, 6};
    if (label == GPUS) {
        uint32_t *parent = found->parent[found->count++];
        assert_true(found->count < MAX_FOUND);
        for (uint32_t i = 0; i < GPUS; i++) {
            parent[at[i]] = i == 0 ? SYS_NO_PARENT : at[above[i]];
        }
        return;
    }
    const uint32_t here = order[label];
    for (uint32_t gpu = 0; gpu < GPUS; gpu++) {
        bool taken = false;
        for (uint32_t i = 0; i < label; i++) {
            const uint32_t other = order[i];
            const bool sibling = other != 0 && here != 0 && above[other] == above[here];
            taken = taken || at[other] == gpu || (sibling && at[other] > gpu);
        }
        if (!taken &&
            (label == 0 || orr_net_graph_find(&f->graph, gpu, at[above[here]]) != NET_NO_LINK)) {
            at[here] = gpu;
            place(f, at, label + 1, found);
        }
    }
}

/* Members with children; with the root, or without. */
static uint32_t inner_of(const uint32_t *parent, bool root)
{
    uint32_t inner = 0;
    for (uint32_t i = 0; i < GPUS; i++) {
        const uint32_t up = parent[i];
        inner |= up != SYS_NO_PARENT && (root || parent[up] != SYS_NO_PARENT) ? 1u << up : 0;
    }
    return inner;
}

static bool are_disjoint(const uint32_t *a, const uint32_t *b, bool root)
{
    return (inner_of(a, root) & inner_of(b, root)) == 0;
}

/* Whether trees use no NVLink of a pair more often than there are. */
static bool fit(struct fixture *f, const uint32_t *const *parent, size_t trees)
{
    uint32_t uses[GPUS][GPUS] = {{0}};
    for (size_t t = 0; t < trees; t++) {
        for (uint32_t i = 0; i < GPUS; i++) {
            const uint32_t up = parent[t][i];
            if (up != SYS_NO_PARENT &&
                ++uses[i < up ? i : up][i < up ? up : i] >
                    f->graph.link[orr_net_graph_find(&f->graph, i, up)].count) {
                return false;
            }
        }
    }
    return true;
}

/* 48 trees of the shape need no detour; 98 pairs of them share no channel and have other nodes with
 * two children, 20 other roots as well; every three share a channel. */
static void test_trees_of_the_dgx1_without_detours(void **state)
{
    struct fixture *f = *state;
    static struct found found;
    uint32_t at[GPUS], pairs = 0, all = 0, threes = 0;
    found.count = 0;
    assert_int_equal(build(f, "dgx1", GPUS), ORR_OK);
    place(f, at, 0, &found);
    assert_int_equal(found.count, 48);
    for (uint32_t a = 0; a < found.count; a++) {
        for (uint32_t b = a; b < found.count; b++) {
            const uint32_t *tree[3] = {found.parent[a], found.parent[b], NULL};
            const bool apart = fit(f, tree, 2);
            pairs += apart && are_disjoint(tree[0], tree[1], false) ? 1 : 0;
            all += apart && are_disjoint(tree[0], tree[1], true) ? 1 : 0;
            for (uint32_t c = b; c < found.count; c++) {
                tree[2] = found.parent[c];
                threes += fit(f, tree, 3) ? 1 : 0;
            }
        }
    }
    assert_int_equal(pairs, 98);
    assert_int_equal(all, 20);
    assert_int_equal(threes, 0);
}

/* Two of them, then: the first pair by parents, 3 hops deep. Both use 1-5, which has two
 * NVLinks; no other pair. */
static void test_a_search_finds_trees_without_detours(void **state)
{
    static const uint32_t first[GPUS] = {SYS_NO_PARENT, 2, 0, 1, 6, 1, 2, 6};
    static const uint32_t second[GPUS] = {3, 5, 3, 7, SYS_NO_PARENT, 7, 5, 4};
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", GPUS), ORR_OK);
    const struct sys_trees trees = search(f, GPUS, (struct sys_tree_search){.trees = 2});
    assert_int_equal(trees.conflicts, 0);
    assert_int_equal(trees.detours, 0);
    assert_int_equal(trees.depth, 3);
    assert_int_equal(trees.shared_inner, 0);
    assert_true(trees.fewest);
    assert_memory_equal(trees.tree[0].parent, first, sizeof first);
    assert_memory_equal(trees.tree[1].parent, second, sizeof second);
}

/* Of the usual shape three do not fit; of any shape they do: 21 edges on 24 NVLinks, 2 deep. */
static void test_three_trees_of_any_shape_fit_the_dgx1(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", GPUS), ORR_OK);
    struct sys_trees trees = search(f, GPUS, (struct sys_tree_search){.trees = 3, .seed = 1});
    assert_int_equal(trees.conflicts, 0);
    assert_int_equal(trees.detours, 0);
    assert_int_equal(trees.depth, 2);
    trees = search(f, GPUS, (struct sys_tree_search){.trees = 3, .shape = SYS_SHAPE_DOUBLE_BINARY});
    assert_true(trees.conflicts + trees.detours > 0);
}

/* ---- other graphs ---- */

/* Most edges that trees have without sharing a link, by hand. Torus 8x8: 128 links, two trees of 63
 * edges, three need 189: 61 too many, both ways. A ring of 8 has one tree of 7 edges and one link
 * left: the second lacks 6. Hypercube of 16: 32 links, two trees of 15. One port at a switch each:
 * two trees of 15 edges use 4 x 15 links into the switch and as many out of it, of which there are
 * 16: 44 conflicts each. */
static void test_searches_have_the_fewest_conflicts(void **state)
{
    static const struct {
        const char *text;
        uint32_t n, trees, conflicts, depth;
    } graphs[] = {
        {"torus:8x8", 64, 1, 0, 8},     {"torus:8x8", 64, 2, 0, 8}, {"torus:8x8", 64, 3, 122, 8},
        {"torus:8", 8, 1, 0, 4},        {"torus:8", 8, 2, 12, 4},   {"hypercube", 16, 2, 0, 4},
        {"ideal-switch", 16, 2, 88, 8}, {"full-mesh", 8, 2, 0, 3},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        assert_int_equal(build(f, graphs[i].text, graphs[i].n), ORR_OK);
        const struct sys_tree_search how = {.trees = graphs[i].trees, .seed = 1};
        const struct sys_trees trees = search(f, graphs[i].n, how);
        assert_int_equal(trees.conflicts, graphs[i].conflicts);
        assert_int_equal(trees.between, 0);
        assert_int_equal(trees.depth, graphs[i].depth);
    }
}

/* Four NPUs and their NVLinks: 0-1 1, 0-2 1, 0-3 2, 1-2 2, 1-3 1, 2-3 2; members in any order. */
static void test_searches_of_some_npus(void **state)
{
    static const uint32_t npu[4] = {3, 1, 0, 2};
    struct fixture *f = *state;
    assert_int_equal(build(f, "dgx1", GPUS), ORR_OK);
    const struct sys_embed embed = {.graph = &f->graph, .n = 4, .npu = npu};
    const struct sys_tree_search how = {.trees = 3, .seed = 1};
    struct sys_trees out;
    assert_int_equal(orr_sys_search_trees(&embed, &how, f->arena, &out, &f->diag), ORR_OK);
    check_channels(&f->graph, &out);
    assert_int_equal(out.conflicts, 0);
    assert_int_equal(out.detours, 0);
    const struct sys_embed one = {.graph = &f->graph, .n = 1};
    assert_int_equal(orr_sys_search_trees(&one, &how, f->arena, &out, &f->diag), ORR_OK);
    assert_int_equal(out.channels, 0);
}

static void test_the_same_seed_finds_the_same_trees(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(build(f, "torus:4x4", 16), ORR_OK);
    const struct sys_tree_search how = {.trees = 2, .seed = 5};
    const struct sys_trees one = search(f, 16, how), other = search(f, 16, how);
    for (uint32_t t = 0; t < 2; t++) {
        assert_memory_equal(one.tree[t].parent, other.tree[t].parent, 16 * sizeof(uint32_t));
    }
    assert_int_equal(one.conflicts, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_trees_of_the_dgx1_without_detours),
        TEST(test_a_search_finds_trees_without_detours),
        TEST(test_three_trees_of_any_shape_fit_the_dgx1),
        TEST(test_searches_have_the_fewest_conflicts),
        TEST(test_searches_of_some_npus),
        TEST(test_the_same_seed_finds_the_same_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
