/* Jobs whose all-reduces go along trees in one dimension and by another algorithm in the others
 * take the same times folded and unfolded, phased or not, with receive buffers or without; the
 * digits of the trees are kept, and those of the other dimensions fold. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "orrery/orrery.h"
#include "tests/property/fold_paths.h"
#include "tests/property/property_support.h"

enum { CASES = 60, TEXT = 2048, MAX_TREES = 3, SIZE = 6 };

/* Random parents, of as many trees as fit the text. */
static void put_trees(struct orr_rng *rng, uint32_t n, char *text)
{
    const uint32_t trees = 1 + (uint32_t)orr_rng_below(rng, MAX_TREES);
    size_t used = (size_t)snprintf(text, TEXT, "system.trees=[");
    for (uint32_t t = 0; t < trees; t++) {
        const uint32_t root = (uint32_t)orr_rng_below(rng, n);
        used += (size_t)snprintf(text + used, TEXT - used, "%s\"", t == 0 ? "" : ", ");
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t at = (i + n - root) % n; /* below one nearer to the root, around */
            if (at == 0) {
                used += (size_t)snprintf(text + used, TEXT - used, "- ");
            } else {
                used += (size_t)snprintf(text + used, TEXT - used, "%u ",
                                         (unsigned)((orr_rng_below(rng, at) + root) % n));
            }
        }
        used += (size_t)snprintf(text + used, TEXT - used, "\"");
    }
    (void)snprintf(text + used, TEXT - used, "]");
}

struct sets {
    char network[TEXT], trees[TEXT], algorithms[TEXT], rest[4][64];
    const char *of[8];
    size_t count;
};

static void put(struct sets *sets, const char *text)
{
    sets->of[sets->count++] = text;
}

static void draw(struct orr_rng *rng, struct sets *sets)
{
    static const char *const blocks[] = {"ring", "fully_connected", "switch"};
    static const char *const others[] = {"ring", "direct", "bidirectional_ring"};
    const unsigned dims = 2 + (unsigned)orr_rng_below(rng, 2);
    const unsigned of_trees = (unsigned)orr_rng_below(rng, dims);
    size_t network = (size_t)snprintf(sets->network, TEXT, "network={dims: [");
    size_t algorithms =
        (size_t)snprintf(sets->algorithms, TEXT, "system.algorithms={all_reduce: [");
    for (unsigned d = 0; d < dims; d++) {
        const uint32_t n = 2 + (uint32_t)orr_rng_below(rng, SIZE - 1);
        network += (size_t)snprintf(sets->network + network, TEXT - network,
                                    "%s{block: %s, npus: %u, bandwidth: %u GB/s, latency: %u ns}",
                                    d == 0 ? "" : ", ", blocks[orr_rng_below(rng, 3)], n,
                                    1 + (unsigned)orr_rng_below(rng, 3),
                                    (unsigned)orr_rng_below(rng, 2) * 500);
        algorithms += (size_t)snprintf(sets->algorithms + algorithms, TEXT - algorithms, "%s%s",
                                       d == 0 ? "" : ", ",
                                       d == of_trees ? "trees" : others[orr_rng_below(rng, 3)]);
        if (d == of_trees) {
            put_trees(rng, n, sets->trees);
        }
    }
    (void)snprintf(sets->network + network, TEXT - network, "]}");
    (void)snprintf(sets->algorithms + algorithms, TEXT - algorithms, "]}");
    (void)snprintf(sets->rest[0], 64, "system.chunks=%u", 1 + (unsigned)orr_rng_below(rng, 9));
    (void)snprintf(sets->rest[1], 64, "system.phased=%s",
                   orr_rng_below(rng, 2) != 0 ? "true" : "false");
    (void)snprintf(sets->rest[2], 64, "system.receive_buffers=%u",
                   1 + (unsigned)orr_rng_below(rng, 3));
    (void)snprintf(sets->rest[3], 64, "workload={generate: all_reduce, bytes: %u B}",
                   1000 + (unsigned)orr_rng_below(rng, 1000000));
    sets->count = 0;
    put(sets, sets->network);
    put(sets, sets->algorithms);
    put(sets, sets->trees);
    for (unsigned i = 0; i < 4; i++) {
        put(sets, sets->rest[i]);
    }
}

static struct orrery *run(const struct sets *sets, bool fold)
{
    struct orrery *job = orrery_new();
    const struct orrery_inputs inputs = {
        .platform = "fold_trees.yml", .set = sets->of, .set_count = sets->count};
    assert_non_null(job);
    orrery_record(job, ORRERY_RECORD_PATH);
    orrery_fold(job, fold);
    if (orrery_load(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        for (size_t i = 0; i < sets->count; i++) {
            print_error("%s\n", sets->of[i]);
        }
        fail_msg("%s", orrery_error(job));
    }
    return job;
}

static int remove_platform(void **state)
{
    (void)state;
    (void)remove("fold_trees.yml");
    return 0;
}

static void test_fold_of_trees_changes_nothing(void **state)
{
    (void)state;
    FILE *file = fopen("fold_trees.yml", "w");
    assert_non_null(file);
    assert_true(fputs("name: trees\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    unsigned folds = 0;
    for (unsigned i = 0; i < prop_cases(CASES); i++) {
        struct orr_rng rng;
        struct sets sets;
        orr_rng_init(&rng, prop_first_seed() + i, 0);
        draw(&rng, &sets);
        struct orrery *folded = run(&sets, true), *whole = run(&sets, false);
        const char *path = fold_path_differs(whole, folded);
        if (orrery_wall_ps(folded) != orrery_wall_ps(whole) || path != NULL) {
            for (size_t s = 0; s < sets.count; s++) {
                print_error("%s\n", sets.of[s]);
            }
        }
        assert_int_equal(orrery_wall_ps(folded), orrery_wall_ps(whole));
        if (path != NULL) {
            fail_msg("the %s differ", path);
        }
        folds += orrery_fold_classes(folded) < orrery_fold_classes(whole) ? 1 : 0;
        orrery_free(folded);
        orrery_free(whole);
    }
    print_message("%u of them folded\n", folds);
    assert_true(folds > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_of_trees_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, remove_platform);
}
