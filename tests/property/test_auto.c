/* Algorithms that are picked (auto, the default) are never more than 5 % slower than the best that
 * anybody could name: each algorithm in all dimensions, and the blocks' own with each scheduler, as
 * bench-collective lists them. Random stacks of 1 to 3 dimensions, bandwidths, latencies up to 10
 * us, sizes from 1 KiB to 1 GiB, all kinds, all backends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "orrery/orrery.h"

enum { TEXT = 1024, DEFAULT_CASES = 400, MAX_SETS = 4, NAMED = 4 };

struct random_case {
    struct orr_rng rng;
    char network[TEXT], system[TEXT], workload[TEXT];
    const char *kind;
    unsigned dims;
};

static uint32_t below(struct random_case *job, uint32_t bound)
{
    return (uint32_t)orr_rng_below(&job->rng, bound);
}

/* Appends to a text. */
#define ADD(text, ...) (void)snprintf((text) + strlen(text), TEXT - strlen(text), __VA_ARGS__)

/* ---- cases ---- */

static const char *const kinds[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                    "broadcast",  "reduce",     "gather",         "scatter"};

static void random_network(struct random_case *job, uint32_t max)
{
    static const char *const blocks[] = {"ring", "fully_connected", "switch"};
    static const char *const sides[] = {"link", "npu"};
    static const uint32_t gb_per_s[] = {1, 5, 12, 25, 50, 100, 200, 300, 450, 900};
    uint32_t npus = 1;
    job->dims = 1 + below(job, 3);
    (void)snprintf(job->network, TEXT, "network={dims: [");
    for (unsigned d = 0; d < job->dims; d++) {
        const uint32_t room = max / npus;
        const uint32_t cap = job->dims == 1 ? 64 : 16;
        const uint32_t size = room > 1 ? 2 + below(job, (room < cap ? room : cap) - 1) : 1;
        npus *= size;
        ADD(job->network,
            "%s{block: %s, npus: %u, bandwidth: %u GB/s, latency: %u ns, bandwidth_is: %s}",
            d > 0 ? ", " : "", blocks[below(job, 3)], size, gb_per_s[below(job, 10)],
            below(job, 4) == 0 ? 0 : below(job, 10000), sides[below(job, 2)]);
    }
}

static void random_case(struct random_case *job, uint64_t seed)
{
    static const uint32_t chunks[] = {1, 4, 16, 64};
    orr_rng_init(&job->rng, seed, 17);
    const uint32_t backend = below(job, 10);
    random_network(job, backend < 7 ? 128 : backend < 9 ? 48 : 16);
    ADD(job->network, "], backend: %s}",
        backend < 7   ? "analytical"
        : backend < 9 ? "congestion"
                      : "flow");
    (void)snprintf(job->system, TEXT, "system={chunks: %u",
                   chunks[below(job, backend < 7 ? 4 : 3)]);
    job->kind = kinds[below(job, 3) != 0 ? below(job, 4) : below(job, 8)];
    const uint64_t bytes = (UINT64_C(1) << (10 + below(job, 20))) + below(job, 1024);
    (void)snprintf(job->workload, TEXT, "workload={generate: %s, bytes: %llu B}", job->kind,
                   (unsigned long long)bytes);
}

/* ---- runs ---- */

static int64_t time_of(const struct random_case *job, const char *system)
{
    char all[2 * TEXT];
    (void)snprintf(all, sizeof all, "%s%s}", job->system, system);
    const char *sets[] = {job->network, all, job->workload};
    const struct orrery_inputs inputs = {.set = sets, .set_count = 3};
    struct orrery *one = orrery_new();
    assert_non_null(one);
    int64_t time = -1; /* refused: the algorithm does not do it */
    if (orrery_load(one, &inputs) == ORRERY_OK && orrery_run(one) == ORRERY_OK) {
        time = orrery_wall_ps(one);
    }
    orrery_free(one);
    return time;
}

struct best {
    int64_t time;
    char system[256];
};

static void compare(const struct random_case *job, const char *system, struct best *best)
{
    const int64_t time = time_of(job, system);
    if (time >= 0 && (best->time < 0 || time < best->time)) {
        best->time = time;
        (void)snprintf(best->system, sizeof best->system, "%s", system);
    }
}

static struct best best_named(const struct random_case *job)
{
    static const char *const algorithms[] = {
        "ring", "bidirectional_ring", "direct", "pairwise", "halving_doubling",
        "tree", "double_binary_tree"};
    static const char *const schedulers[] = {"baseline", "themis", "best", "greedy"};
    struct best best = {.time = -1};
    char system[256];
    for (unsigned s = 0; s < (job->dims > 1 ? 4 : 1); s++) {
        (void)snprintf(system, sizeof system, ", scheduler: %s, algorithms: {default: by_block}",
                       schedulers[s]);
        compare(job, system, &best);
    }
    for (unsigned a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        (void)snprintf(system, sizeof system, ", scheduler: baseline, algorithms: {%s: %s}",
                       job->kind, algorithms[a]);
        compare(job, system, &best);
    }
    return best;
}

struct tally {
    unsigned cases, faster, slower;
    double worst;
};

static void check_seed(uint64_t seed, struct tally *tally)
{
    struct random_case job;
    random_case(&job, seed);
    const int64_t time = time_of(&job, "");
    const struct best best = best_named(&job);
    if (best.time < 0) {
        fail_msg("seed %llu: nothing runs: %s", (unsigned long long)seed, job.network);
    }
    const double ratio = best.time > 0 ? (double)time / (double)best.time : 1;
    tally->cases++;
    tally->faster += ratio < 0.999 ? 1 : 0;
    tally->slower += time < 0 || ratio > 1.05 ? 1 : 0;
    tally->worst = ratio > tally->worst ? ratio : tally->worst;
    if (time < 0 || ratio > 1.05) {
        print_error("seed %llu: %lld ps, %.3f times that of%s\n%s\n%s\n%s\n",
                    (unsigned long long)seed, (long long)time, ratio, best.system, job.network,
                    job.system, job.workload);
    }
}

/* ORRERY_AUTO_CASES sets how many, ORRERY_AUTO_SEED the first. */
static void test_auto_random_cases_are_within_five_percent_of_the_best(void **state)
{
    (void)state;
    const char *cases = getenv("ORRERY_AUTO_CASES"), *seed = getenv("ORRERY_AUTO_SEED");
    const uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 0;
    const uint64_t count = cases != NULL ? strtoull(cases, NULL, 10) : DEFAULT_CASES;
    struct tally tally = {0};
    for (uint64_t i = 0; i < count; i++) {
        check_seed(first + i, &tally);
    }
    print_message("%u cases, %u of them faster than any named, at worst %.3f times the best\n",
                  tally.cases, tally.faster, tally.worst);
    assert_int_equal(tally.slower, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_random_cases_are_within_five_percent_of_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
