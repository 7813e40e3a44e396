/* Collectives chunk by chunk on networks that are graphs give the same times, messages and bytes
 * over links whether NPUs that do alike are simulated once or each: random fabrics, kinds, sizes,
 * algorithms and routes. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "orrery/orrery.h"
#include "tests/property/fold_paths.h"
#include "tests/property/property_support.h"

enum { CASES = 300, TEXT = 256 };

struct fabric {
    const char *text;
    uint32_t npus;
};

static const struct fabric fabrics[] = {{"circulant:1,3", 8},
                                        {"circulant:1,5", 12},
                                        {"circulant:1", 9},
                                        {"circulant:+1,+3", 10},
                                        {"circulant:1,2/2", 10},
                                        {"torus:4x3", 12},
                                        {"torus:3x3x2", 18},
                                        {"hypercube", 16},
                                        {"Ring(4)_FC(3)", 12},
                                        {"Ring(3)_Switch(4)", 12},
                                        {"Switch(3)_Ring(5)", 15},
                                        {"FC(4)_Switch(2)", 8},
                                        {"full-mesh", 7},
                                        {"ideal-switch", 8},
                                        {"ideal-switch", 6},
                                        {"clusters:3", 12},
                                        {"fat-tree:4", 16},
                                        {"expander:3", 8},
                                        {"dgx1", 8},
                                        {"dragonfly:1", 6},
                                        {"mesh:2x3", 6},
                                        {"mesh:4x2x2", 16}};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

struct sets {
    char text[12][TEXT];
    const char *of[12];
    size_t count;
};

static void put(struct sets *sets, const char *format, ...) ORR_PRINTF(2, 3);
static void put(struct sets *sets, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sets->text[sets->count], TEXT, format, args);
    va_end(args);
    sets->of[sets->count] = sets->text[sets->count];
    sets->count++;
}

#define ONE_OF(rng, list) ((list)[orr_rng_below(rng, sizeof(list) / sizeof *(list))])

static void draw(struct orr_rng *rng, const struct fabric *fabric, struct sets *sets)
{
    static const char *const kinds[] = {"all_reduce", "all_reduce", "all_gather", "all_to_all",
                                        "reduce_scatter"};
    static const char *const algorithms[] = {"ring", "direct", "bidirectional_ring", "pairwise",
                                             "halving_doubling"};
    *sets = (struct sets){.count = 0};
    put(sets,
        "network={backend: flow, shares: maxmin, graph: {npus: %u, fabric: \"%s\", bandwidth: %u "
        "GB/s, latency: %u ns}}",
        fabric->npus, fabric->text, 1 + (unsigned)orr_rng_below(rng, 3),
        (unsigned)orr_rng_below(rng, 2) * 500);
    put(sets, "system.chunks=%u", 1 + (unsigned)orr_rng_below(rng, 9));
    put(sets, "workload={generate: %s, bytes: %u B}", ONE_OF(rng, kinds),
        1 + (unsigned)orr_rng_below(rng, 1000000));
    if (orr_rng_below(rng, 2) == 0) {
        put(sets, "system.algorithms={all_reduce: %s, all_to_all: direct}",
            ONE_OF(rng, algorithms));
    }
    if (orr_rng_below(rng, 4) == 0) {
        put(sets, "network.messages_per_link=%u", 1 + (unsigned)orr_rng_below(rng, 5));
    }
    if (orr_rng_below(rng, 6) == 0) {
        put(sets, "network.routing=%s", orr_rng_below(rng, 2) == 0 ? "shortest" : "k-shortest:2");
    }
    if (orr_rng_below(rng, 6) == 0) {
        put(sets, "network.message_overhead=100 ns");
    }
    if (orr_rng_below(rng, 6) == 0) {
        put(sets, "system.phased=true");
    }
    if (orr_rng_below(rng, 6) == 0) {
        put(sets, "system.endpoint_delay=300 ns");
    }
}

static struct orrery *run(const struct sets *sets, bool fold, bool *refused)
{
    struct orrery *job = orrery_new();
    const struct orrery_inputs inputs = {.set = sets->of, .set_count = sets->count};
    assert_non_null(job);
    orrery_record(job, ORRERY_RECORD_PATH);
    orrery_fold(job, fold);
    *refused = orrery_load(job, &inputs) != ORRERY_OK;
    if (!*refused && orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    return job;
}

static bool same_links(const struct orrery *one, const struct orrery *other)
{
    struct orrery_link a, b;
    bool same = orrery_links(one) == orrery_links(other);
    for (size_t i = 0; i < orrery_links(one) && same; i++) {
        assert_int_equal(orrery_link(one, i, &a), ORRERY_OK);
        assert_int_equal(orrery_link(other, i, &b), ORRERY_OK);
        same = a.bytes == b.bytes;
    }
    return same;
}

static bool same(const struct orrery *one, const struct orrery *other)
{
    bool same = orrery_wall_ps(one) == orrery_wall_ps(other) &&
                orrery_messages(one) == orrery_messages(other) && same_links(one, other);
    for (uint32_t rank = 0; rank < orrery_npus(one) && same; rank++) {
        struct orrery_times a, b;
        assert_int_equal(orrery_npu_times(one, rank, &a), ORRERY_OK);
        assert_int_equal(orrery_npu_times(other, rank, &b), ORRERY_OK);
        same = memcmp(&a, &b, sizeof a) == 0;
    }
    return same;
}

static void test_fold_on_graphs_changes_nothing(void **state)
{
    (void)state;
    unsigned folds = 0, runs = 0, wrong = 0;
    for (unsigned i = 0; i < prop_cases(CASES); i++) {
        struct orr_rng rng;
        struct sets sets;
        bool refused[2];
        orr_rng_init(&rng, prop_first_seed() + i, 0);
        draw(&rng, &fabrics[i % FABRICS], &sets);
        struct orrery *folded = run(&sets, true, &refused[0]);
        struct orrery *whole = run(&sets, false, &refused[1]);
        assert_int_equal(refused[0], refused[1]);
        runs += !refused[0];
        const char *path = refused[0] ? NULL : fold_path_differs(whole, folded);
        if (!refused[0] && (!same(folded, whole) || path != NULL)) {
            wrong++;
            print_error("%" PRIu64 " and %" PRIu64 " ps in %u classes, %s:\n",
                        (uint64_t)orrery_wall_ps(folded), (uint64_t)orrery_wall_ps(whole),
                        orrery_fold_classes(folded), path != NULL ? path : "the same path");
            for (size_t s = 0; s < sets.count; s++) {
                print_error("  %s\n", sets.of[s]);
            }
        }
        folds += !refused[0] && orrery_fold_classes(folded) < orrery_fold_classes(whole);
        orrery_free(folded);
        orrery_free(whole);
    }
    print_message("%u run, %u of them folded\n", runs, folds);
    assert_int_equal(wrong, 0);
    assert_true(3 * folds > runs && 2 * runs > prop_cases(CASES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fold_on_graphs_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
