/* Trees on random graphs against all that there are: the ways of given trees against every choice
 * of detours, trees that are sought against every pair of spanning trees. What is used twice is
 * listed. */
#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "system/embedding/embedding.h"
#include "tests/unit/embedding_fixture.h"

enum { MAX = 6, CASES = 300 };

struct small {
    uint32_t n;
    uint32_t lanes[MAX][MAX]; /* both ways alike */
};

/* A random graph whose NPUs a random tree joins. */
static struct small make(struct fixture *f, struct orr_rng *rng)
{
    struct small small = {.n = 3 + (uint32_t)orr_rng_below(rng, MAX - 2)};
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, f->arena, small.n, 0);
    for (uint32_t b = 1; b < small.n; b++) {
        const uint32_t joined = (uint32_t)orr_rng_below(rng, b);
        for (uint32_t a = 0; a < b; a++) {
            const uint32_t more = (uint32_t)orr_rng_below(rng, 4);
            const uint32_t lanes = (a == joined ? 1 : 0) + (more > 1 ? more - 1 : 0);
            const struct net_link link = {.from = a, .to = b, .count = 1, .bytes_per_s = 1e9};
            small.lanes[a][b] = small.lanes[b][a] = lanes;
            for (uint32_t lane = 0; lane < lanes; lane++) {
                orr_net_graph_both(&builder, &link);
            }
        }
    }
    assert_int_equal(orr_net_graph_end(&builder, &f->graph, &f->diag), ORR_OK);
    return small;
}

/* ---- given trees ---- */

struct choices {
    const struct small *small;
    const struct sys_tree *tree;
    uint32_t trees;
    uint32_t uses[MAX][MAX]; /* directed */
    uint32_t best;           /* conflicts * 1000 + NPUs between */
    bool no_way;
};

static void use(struct choices *choices, uint32_t a, uint32_t b, int32_t times)
{
    choices->uses[a][b] += (uint32_t)times;
    choices->uses[b][a] += (uint32_t)times;
}

static uint32_t conflicts_of(const struct choices *choices)
{
    uint32_t conflicts = 0;
    for (uint32_t a = 0; a < choices->small->n; a++) {
        for (uint32_t b = 0; b < choices->small->n; b++) {
            const uint32_t uses = choices->uses[a][b], lanes = choices->small->lanes[a][b];
            conflicts += uses > lanes ? uses - lanes : 0;
        }
    }
    return conflicts;
}

static void choose(struct choices *choices, uint32_t edge, uint32_t between)
{
    const struct small *small = choices->small;
    if (edge == choices->trees * small->n) {
        const uint32_t cost = 1000 * conflicts_of(choices) + between;
        choices->best = cost < choices->best ? cost : choices->best;
        return;
    }
    const uint32_t child = edge % small->n;
    const uint32_t parent = choices->tree[edge / small->n].parent[child];
    bool any = parent == SYS_NO_PARENT;
    if (any || small->lanes[child][parent] > 0) {
        if (!any) {
            use(choices, child, parent, 1);
        }
        choose(choices, edge + 1, between);
        if (!any) {
            use(choices, child, parent, -1);
        }
        return;
    }
    for (uint32_t over = 0; over < small->n; over++) {
        if (small->lanes[child][over] > 0 && small->lanes[over][parent] > 0) {
            any = true;
            use(choices, child, over, 1);
            use(choices, over, parent, 1);
            choose(choices, edge + 1, between + 2);
            use(choices, child, over, -1);
            use(choices, over, parent, -1);
        }
    }
    choices->no_way = choices->no_way || !any;
}

static struct sys_tree random_tree(struct fixture *f, struct orr_rng *rng, uint32_t n)
{
    int parent[MAX];
    uint32_t order[MAX] = {0};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (uint32_t)orr_rng_below(rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    parent[order[0]] = NONE;
    for (uint32_t i = 1; i < n; i++) {
        parent[order[i]] = (int)order[orr_rng_below(rng, i)];
    }
    return tree_of(f, parent, n);
}

static void test_ways_of_given_trees_are_the_best(void **state)
{
    struct fixture *f = *state;
    struct orr_rng rng;
    uint32_t with_ways = 0;
    orr_rng_init(&rng, 11, 0);
    for (uint32_t i = 0; i < CASES; i++) {
        const struct small small = make(f, &rng);
        const struct sys_tree tree[2] = {random_tree(f, &rng, small.n),
                                         random_tree(f, &rng, small.n)};
        struct choices choices = {.small = &small, .tree = tree, .trees = 2, .best = UINT32_MAX};
        const struct sys_embed embed = {.graph = &f->graph, .n = small.n};
        struct sys_trees out;
        choose(&choices, 0, 0);
        orr_diag_init(&f->diag);
        const enum orr_status status = orr_sys_embed(&embed, tree, 2, f->arena, &out, &f->diag);
        assert_int_equal(status, choices.best == UINT32_MAX ? ORR_ERR_INPUT : ORR_OK);
        if (status == ORR_OK) {
            check_channels(&f->graph, &out);
            assert_int_equal(1000 * out.conflicts + 2 * out.between, choices.best);
            assert_true(out.fewest);
            with_ways++;
        }
        orr_diag_init(&f->diag);
        orr_arena_reset(f->arena);
    }
    assert_true(with_ways > CASES / 2);
}

/* ---- trees that are sought ---- */

struct spanning {
    const struct small *small;
    uint32_t uses[MAX][MAX]; /* a < b, of both trees */
    uint32_t best;
};

static uint32_t find_part(const uint32_t *part, uint32_t member)
{
    while (part[member] != member) {
        member = part[member];
    }
    return member;
}

/* All spanning trees over pairs with lanes, from a pair on; behind the first tree the second. */
static void span(struct spanning *all, uint32_t pair, uint32_t left, uint32_t trees,
                 const uint32_t *part)
{
    const uint32_t n = all->small->n;
    uint32_t fresh[MAX];
    if (left == 0 && trees == 1) {
        uint32_t conflicts = 0;
        for (uint32_t i = 0; i < n * n; i++) {
            const uint32_t uses = all->uses[i / n][i % n], lanes = all->small->lanes[i / n][i % n];
            conflicts += uses > lanes ? uses - lanes : 0;
        }
        all->best = conflicts < all->best ? conflicts : all->best;
        return;
    }
    if (left == 0) {
        for (uint32_t i = 0; i < n; i++) {
            fresh[i] = i;
        }
        span(all, 0, n - 1, trees - 1, fresh);
        return;
    }
    if (pair == n * n) {
        return;
    }
    const uint32_t a = pair / n, b = pair % n;
    span(all, pair + 1, left, trees, part);
    if (a < b && all->small->lanes[a][b] > 0 && find_part(part, a) != find_part(part, b)) {
        memcpy(fresh, part, n * sizeof *fresh);
        fresh[find_part(part, a)] = find_part(part, b);
        all->uses[a][b]++;
        span(all, pair + 1, left - 1, trees, fresh);
        all->uses[a][b]--;
    }
}

static void test_trees_of_any_shape_have_the_fewest_conflicts(void **state)
{
    struct fixture *f = *state;
    struct orr_rng rng;
    orr_rng_init(&rng, 12, 0);
    for (uint32_t i = 0; i < CASES / 10; i++) {
        const struct small small = make(f, &rng);
        struct spanning all = {.small = &small, .best = UINT32_MAX};
        uint32_t part[MAX];
        for (uint32_t m = 0; m < small.n; m++) {
            part[m] = m;
        }
        if (small.n > 5) {
            continue;
        }
        span(&all, 0, small.n - 1, 2, part);
        const struct sys_embed embed = {.graph = &f->graph, .n = small.n};
        const struct sys_tree_search how = {.trees = 2, .shape = SYS_SHAPE_FREE, .seed = i + 1};
        struct sys_trees out;
        assert_int_equal(orr_sys_search_trees(&embed, &how, f->arena, &out, &f->diag), ORR_OK);
        check_channels(&f->graph, &out);
        assert_int_equal(out.conflicts, 2 * all.best);
        assert_int_equal(out.between, 0);
        const struct sys_tree_search any = {.trees = 2, .seed = i + 1};
        assert_int_equal(orr_sys_search_trees(&embed, &any, f->arena, &out, &f->diag), ORR_OK);
        assert_true(out.conflicts <= 2 * all.best);
        orr_arena_reset(f->arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ways_of_given_trees_are_the_best),
        TEST(test_trees_of_any_shape_have_the_fewest_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
