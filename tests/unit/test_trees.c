/* Trees that are given: their programs do what their collectives promise, for any trees and roots;
 * and collectives along them take the steps of the schedules of C-Cube (HPCA 2023, section III). */
#include "core/rng.h"
#include "system/collectives/checker.h"
#include "tests/unit/algorithms_fixture.h"
#include "tests/unit/tree_run.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZER 1
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

/* Every third number of chunks, in turns; sanitized builds are slow, and take every ninth. */
enum { CHUNK_STRIDE = UNDER_SANITIZER ? 9 : 3 };

static uint32_t log2_up(uint32_t n)
{
    uint32_t log = 0;
    while (UINT32_C(1) << log < n) {
        log++;
    }
    return log;
}

static struct tree_job usual(uint32_t n, uint32_t chunks)
{
    struct tree_job job = {.n = n, .trees = 1, .kind = COLL_ALL_REDUCE, .chunks = chunks};
    orr_sys_tree_double_binary(n, job.parent[0]);
    return job;
}

/* ---- programs ---- */

/* Each rank below one of those before it in a random order. */
static void draw_tree(struct orr_rng *rng, uint32_t n, uint32_t *parent)
{
    uint32_t order[TREE_MAX_RANKS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (uint32_t)orr_rng_below(rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    parent[order[0]] = COLL_NO_PARENT;
    for (uint32_t i = 1; i < n; i++) {
        parent[order[i]] = order[orr_rng_below(rng, i)];
    }
}

static void check_programs(const struct coll_trees *trees, enum coll_kind kind, uint32_t root)
{
    for (uint32_t variant = 0; variant < trees->trees; variant++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct orr_arena *arena = orr_arena_create();
            const struct coll_args args = {.kind = kind,
                                           .n = trees->n,
                                           .root = root,
                                           .variant = variant,
                                           .bytes = 1000003,
                                           .trees = trees};
            struct orr_diag diag;
            orr_diag_init(&diag);
            if (orr_coll_check(&orr_coll_trees, &args, seed, arena, &diag) != ORR_OK) {
                fail_msg("%s", diag.message);
            }
            orr_arena_destroy(arena);
        }
    }
}

static void test_trees_of_any_shape_keep_their_promises(void **state)
{
    static const enum coll_kind kinds[] = {COLL_ALL_REDUCE, COLL_BROADCAST, COLL_REDUCE,
                                           COLL_BARRIER};
    struct orr_rng rng;
    (void)state;
    orr_rng_init(&rng, 11, 0);
    for (uint32_t n = 1; n <= 14; n++) {
        struct orr_arena *arena = orr_arena_create();
        struct tree_job job = {.n = n, .trees = 3};
        struct coll_trees trees;
        for (uint32_t t = 0; t < job.trees; t++) {
            draw_tree(&rng, n, job.parent[t]);
        }
        tree_fill(&job, arena, &trees);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const bool rooted = kinds[k] == COLL_BROADCAST || kinds[k] == COLL_REDUCE;
            for (uint32_t root = 0; root < (rooted ? n : 1); root++) {
                check_programs(&trees, kinds[k], root);
            }
        }
        orr_arena_destroy(arena);
    }
}

/* Hung up at another root a tree has the same edges: 1 under 0 under 2, and the channels of its
 * edges with the other end up. */
static void test_trees_hung_up_elsewhere_keep_their_channels(void **state)
{
    static const uint32_t up[] = {0, 11, 12}, down[] = {0, 21, 22};
    struct orr_arena *arena = orr_arena_create();
    const struct tree_job job = {.n = 3, .trees = 1, .parent = {{COLL_NO_PARENT, 0, 0}}};
    struct coll_trees trees;
    (void)state;
    tree_fill(&job, arena, &trees);
    struct coll_tree tree = *trees.tree;
    tree.up = up;
    tree.down = down;
    trees.tree = &tree;
    struct coll_args args = {
        .kind = COLL_REDUCE, .n = 3, .rank = 0, .root = 2, .bytes = 8, .trees = &trees};
    struct coll_send send;
    orr_coll_trees.send(&args, 0, &send); /* 0 to 2: where 2's data came down */
    assert_int_equal(send.peer, 2);
    assert_int_equal(send.channel, 22);
    args.rank = 1;
    orr_coll_trees.send(&args, 0, &send);
    assert_int_equal(send.peer, 0);
    assert_int_equal(send.channel, 11);
    args.kind = COLL_BROADCAST;
    args.rank = 2;
    orr_coll_trees.send(&args, 0, &send);
    assert_int_equal(send.peer, 0);
    assert_int_equal(send.channel, 12);
    orr_arena_destroy(arena);
}

/* ---- schedules ---- */

/* Fig. 5: four ranks, four chunks; 6 steps around a ring, which are not split. */
static void test_trees_of_figure_5_take_10_and_7_steps(void **state)
{
    (void)state;
    struct tree_job job = usual(4, 4);
    assert_int_equal(tree_steps(&job), 7);
    job.phased = true;
    assert_int_equal(tree_steps(&job), 10);
    job = usual(4, 1);
    job.algorithm = "ring";
    job.bytes = 4000;
    assert_int_equal(tree_steps(&job), 6);
}

/* A step for each chunk on each edge: 2 (L + K - 1) phased, 2 L + K - 1 overlapped. */
static void test_trees_take_the_steps_of_the_schedule(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= TREE_MAX_RANKS; n++) {
        for (uint32_t chunks = 1 + n % CHUNK_STRIDE; chunks <= 64; chunks += CHUNK_STRIDE) {
            struct tree_job job = usual(n, chunks);
            assert_int_equal(tree_steps(&job), 2 * log2_up(n) + chunks - 1);
            job.phased = true;
            assert_int_equal(tree_steps(&job), 2 * (log2_up(n) + chunks - 1));
        }
    }
}

/* The first chunk is back at every rank after 2 L steps, phased after 2 L + K - 1: when overlapped
 * all of them are. */
static void test_trees_turn_around_in_the_steps_of_the_schedule(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= TREE_MAX_RANKS; n += 3) {
        for (uint32_t chunks = 1; chunks <= 64; chunks += 9) {
            struct tree_job job = usual(n, chunks);
            const struct tree_times overlapped = tree_times(&job);
            assert_int_equal(overlapped.turnaround, 2 * log2_up(n));
            job.phased = true;
            assert_int_equal(tree_times(&job).turnaround, 2 * log2_up(n) + chunks - 1);
            assert_int_equal(tree_times(&job).turnaround, overlapped.steps);
        }
    }
}

/* One block a step, in 2 (P - 1) of them. */
static void test_ring_takes_the_steps_of_the_schedule(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= TREE_MAX_RANKS; n++) {
        struct tree_job job = usual(n, 1);
        job.algorithm = "ring";
        job.bytes = UINT64_C(1000) * n;
        assert_int_equal(tree_steps(&job), 2 * (n - 1));
    }
}

/* The second tree is the first one with its ranks renamed so that no link is in both. */
static void draw_second(struct orr_rng *rng, struct tree_job *job)
{
    uint32_t name[TREE_MAX_RANKS], shared = 1;
    job->trees = 2;
    while (shared != 0) {
        for (uint32_t i = 0; i < job->n; i++) {
            const uint32_t at = (uint32_t)orr_rng_below(rng, i + 1);
            name[i] = name[at];
            name[at] = i;
        }
        for (uint32_t i = 0; i < job->n; i++) {
            const uint32_t parent = job->parent[0][i];
            job->parent[1][name[i]] = parent == COLL_NO_PARENT ? parent : name[parent];
        }
        shared = 0;
        for (uint32_t i = 0; i < job->n; i++) {
            const uint32_t parent = job->parent[1][i];
            shared += parent != COLL_NO_PARENT &&
                      (job->parent[0][i] == parent || job->parent[0][parent] == i);
        }
    }
}

/* Fig. 6, 6 chunks: 2 (L + 5) on one tree, 2 (L + 2) on two of 3 chunks each; overlapped 2 L + 5
 * and 2 L + 2. */
static void test_trees_of_figure_6_take_the_steps_of_the_schedule(void **state)
{
    struct orr_rng rng;
    (void)state;
    orr_rng_init(&rng, 5, 0);
    for (uint32_t n = 8; n <= TREE_MAX_RANKS; n += 7) {
        const uint32_t depth = log2_up(n);
        struct tree_job job = usual(n, 6);
        assert_int_equal(tree_steps(&job), 2 * depth + 5);
        job.phased = true;
        assert_int_equal(tree_steps(&job), 2 * (depth + 5));
        draw_second(&rng, &job);
        assert_int_equal(tree_steps(&job), 2 * (depth + 2));
        job.phased = false;
        assert_int_equal(tree_steps(&job), 2 * depth + 2);
    }
}

/* With a root a tree is as deep as it hangs there: from a leaf of the usual tree of 8 (0 over 4,
 * over 2 and 6, over 1, 3, 5, 7) the farthest is 4 edges away, and 3 from its root. */
static void test_trees_broadcast_and_reduce_in_a_pipeline(void **state)
{
    (void)state;
    struct tree_job job = usual(8, 5);
    job.kind = COLL_BROADCAST;
    assert_int_equal(tree_steps(&job), 3 + 4);
    job.root = 1;
    assert_int_equal(tree_steps(&job), 4 + 4);
    job.kind = COLL_REDUCE;
    assert_int_equal(tree_steps(&job), 4 + 4);
    job.root = 0;
    assert_int_equal(tree_steps(&job), 3 + 4);
}

/* A root with three children sends each of them each chunk over a link of its own. */
static void test_trees_may_have_many_children(void **state)
{
    const struct tree_job job = {.n = 5,
                                 .trees = 1,
                                 .parent = {{1, COLL_NO_PARENT, 1, 1, 1}},
                                 .kind = COLL_ALL_REDUCE,
                                 .chunks = 6};
    (void)state;
    assert_int_equal(tree_steps(&job), 2 + 5);
}

/* The gate of a tree waits for its own chunks: of two trees, 5 chunks, the one with 2 of them is
 * done in 2 (L + 1), the other in 2 (L + 2) steps. `tree` and `double_binary_tree` have roots as
 * well. */
static void test_phased_holds_for_all_that_have_a_root(void **state)
{
    (void)state;
    struct tree_job job = usual(8, 16);
    job.algorithm = "double_binary_tree";
    const uint32_t overlapped = tree_steps(&job);
    job.phased = true;
    assert_int_equal(tree_steps(&job), 2 * (3 + 8 - 1)); /* 8 chunks on each tree */
    assert_true(overlapped < tree_steps(&job));
    job.algorithm = "tree"; /* 8 ranks in a heap: depth 3 */
    assert_int_equal(tree_steps(&job), 2 * (3 + 16 - 1));
    job.phased = false;
    assert_int_equal(tree_steps(&job), 2 * 3 + 16 - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_of_any_shape_keep_their_promises),
        cmocka_unit_test(test_trees_hung_up_elsewhere_keep_their_channels),
        cmocka_unit_test(test_trees_of_figure_5_take_10_and_7_steps),
        cmocka_unit_test(test_trees_take_the_steps_of_the_schedule),
        cmocka_unit_test(test_trees_turn_around_in_the_steps_of_the_schedule),
        cmocka_unit_test(test_ring_takes_the_steps_of_the_schedule),
        cmocka_unit_test(test_trees_of_figure_6_take_the_steps_of_the_schedule),
        cmocka_unit_test(test_trees_broadcast_and_reduce_in_a_pipeline),
        cmocka_unit_test(test_trees_may_have_many_children),
        cmocka_unit_test(test_phased_holds_for_all_that_have_a_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
