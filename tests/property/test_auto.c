/* Algorithms that are picked (auto, the default) are never more than 5 % slower than the best that
 * anybody could name: each algorithm in all dimensions, and the blocks' own with each scheduler, as
 * bench-collective lists them. Random stacks of 1 to 3 dimensions, bandwidths, latencies up to 10
 * us, sizes from 1 KiB to 1 GiB, all kinds, all backends. The same for groups that fill parts of
 * dimensions or are spaced, alone and several at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"

enum {
    TEXT = 1024,
    DEFAULT_CASES = 100,
    DEFAULT_GROUPS = 80,

    MAX_DIMS = 3,
    MAX_NPUS = 128
};

struct random_case {
    struct orr_rng rng;
    char network[TEXT], system[TEXT], workload[TEXT];
    const char *kind;
    unsigned dims;
    uint32_t npus, size[MAX_DIMS];
    uint64_t bytes;
    uint32_t groups, group[MAX_NPUS]; /* of each NPU: 1 to `groups`; 0: none. No groups: all NPUs */
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
    static const char *const blocks[] = {"ring", "fully_connected", "switch", "mesh"};
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
        job->size[d] = size;
        job->npus = npus;
        const char *block = blocks[below(job, size > 1 ? 4 : 3)];
        const uint32_t bandwidth = gb_per_s[below(job, 10)];
        const uint32_t latency = below(job, 4) == 0 ? 0 : below(job, 10000);
        ADD(job->network,
            "%s{block: %s, npus: %u, bandwidth: %u GB/s, latency: %u ns, bandwidth_is: %s}",
            d > 0 ? ", " : "", block, size, bandwidth, latency, sides[below(job, 2)]);
    }
}

static void random_case(struct random_case *job, uint64_t seed)
{
    static const uint32_t chunks[] = {1, 4, 16, 64};
    memset(job, 0, sizeof *job);
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
    job->bytes = UINT64_C(1) << (10 + below(job, 20));
    job->bytes += below(job, 1024);
    (void)snprintf(job->workload, TEXT, "workload={generate: %s, bytes: %llu B}", job->kind,
                   (unsigned long long)job->bytes);
}

/* Cuts a dimension: the NPUs that differ in `part` only are in one group. Parts are consecutive or
 * spaced NPUs, as many as one draws; what is left of the dimension is in no group, or in one less.
 */
static void cut_dim(struct random_case *job, uint32_t n, uint32_t *part)
{
    const uint32_t way = below(job, 6), width = 1 + below(job, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t spaced = (n + width - 1) / width;
        part[i] = way == 0 ? 1 : way == 1 ? 1 + i : way < 5 ? 1 + i / width : 1 + i % spaced;
        if (way == 2 && i / width == n / width) {
            part[i] = 0;
        }
    }
}

/* Groups that are the products of the parts of dimensions: all of them, one, or some. */
static void random_groups(struct random_case *job)
{
    uint32_t part[MAX_DIMS][MAX_NPUS], number[MAX_NPUS + 1] = {0};
    for (unsigned d = 0; d < job->dims; d++) {
        cut_dim(job, job->size[d], part[d]);
    }
    const uint32_t keep = below(job, 3), one = below(job, job->npus);
    for (uint32_t r = 0; r < job->npus; r++) {
        uint32_t at = r, place = 0, in = 1;
        for (unsigned d = 0; d < job->dims; d++) {
            const uint32_t of = part[d][at % job->size[d]];
            place = place * job->size[d] + (of != 0 ? of - 1 : 0);
            in = of != 0 ? in : 0;
            at /= job->size[d];
        }
        job->group[r] = in != 0 ? place + 1 : 0;
    }
    const uint32_t only = job->group[one];
    for (uint32_t r = 0; r < job->npus; r++) {
        const uint32_t of = job->group[r];
        if (of != 0 && number[of] == 0) {
            const bool kept = keep == 0 || (keep == 1 ? of == only : below(job, 2) == 0);
            number[of] = kept ? ++job->groups : UINT32_MAX;
        }
        job->group[r] = of != 0 && number[of] != UINT32_MAX ? number[of] : 0;
    }
}

/* ---- runs ---- */

static void add_node(struct orrery_workload *workload, const struct random_case *job, uint32_t rank)
{
    char name[16];
    struct orrery_trace_node node = {ORRERY_SIZED(orrery_trace_node), .id = 1, .name = "c"};
    (void)snprintf(name, sizeof name, "g%u", job->group[rank]);
    if (job->group[rank] != 0) {
        node.kind = ORRERY_NODE_COLLECTIVE;
        node.collective = job->kind;
        node.group = name;
        node.bytes = job->bytes;
        while (job->group[node.root] != job->group[rank]) {
            node.root++;
        }
    } else {
        node.kind = ORRERY_NODE_COMPUTE;
        node.duration_ps = 1;
    }
    assert_int_equal(orrery_workload_add(workload, rank, &node), ORRERY_OK);
}

static void list_groups(struct orrery_workload *workload, const struct random_case *job)
{
    char text[4 * TEXT] = "workload={groups: {";
    for (uint32_t g = 1; g <= job->groups; g++) {
        const char *comma = "";
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%sg%u: [",
                       g > 1 ? ", " : "", g);
        for (uint32_t r = 0; r < job->npus; r++) {
            if (job->group[r] == g) {
                (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", comma, r);
                comma = ", ";
            }
        }
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "]");
    }
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "}}");
    assert_int_equal(orrery_workload_set(workload, text), ORRERY_OK);
}

static enum orrery_status load_groups(struct orrery *one, const struct random_case *job,
                                      const char *const *sets)
{
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery_workload *workload = orrery_workload_new();
    assert_true(platform != NULL && workload != NULL);
    assert_int_equal(orrery_platform_set(platform, sets[0]), ORRERY_OK);
    assert_int_equal(orrery_platform_set(platform, sets[1]), ORRERY_OK);
    list_groups(workload, job);
    for (uint32_t r = 0; r < job->npus; r++) {
        add_node(workload, job, r);
    }
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform,
                                       .workload = workload};
    const enum orrery_status status = orrery_load_parts(one, &parts);
    orrery_platform_free(platform);
    orrery_workload_free(workload);
    return status;
}

static int64_t time_of(const struct random_case *job, const char *system)
{
    char all[2 * TEXT];
    (void)snprintf(all, sizeof all, "%s%s}", job->system, system);
    const char *sets[] = {job->network, all, job->workload};
    const struct orrery_inputs inputs = {.set = sets, .set_count = 3};
    struct orrery *one = orrery_new();
    assert_non_null(one);
    const enum orrery_status status =
        job->groups > 0 ? load_groups(one, job, sets) : orrery_load(one, &inputs);
    int64_t time = -1; /* refused: the algorithm does not do it */
    if (status == ORRERY_OK && orrery_run(one) == ORRERY_OK) {
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
        "tree", "double_binary_tree", "chain"};
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

static void print_groups(const struct random_case *job)
{
    for (uint32_t r = 0; r < job->npus && job->groups > 0; r++) {
        print_error("%s%u", r > 0 ? " " : "groups of the NPUs: ", job->group[r]);
    }
    print_error("%s", job->groups > 0 ? "\n" : "");
}

static void check_seed(uint64_t seed, bool groups, struct tally *tally)
{
    struct random_case job;
    random_case(&job, seed);
    if (groups) {
        random_groups(&job);
    }
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
        print_groups(&job);
    }
}

static void check_all(bool groups, uint64_t count)
{
    const char *cases = getenv("ORRERY_AUTO_CASES"), *seed = getenv("ORRERY_AUTO_SEED");
    const uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 0;
    struct tally tally = {0};
    count = cases != NULL ? strtoull(cases, NULL, 10) : count;
    for (uint64_t i = 0; i < count; i++) {
        check_seed(first + i, groups, &tally);
    }
    print_message("%u cases, %u of them faster than any named, at worst %.3f times the best\n",
                  tally.cases, tally.faster, tally.worst);
    assert_int_equal(tally.slower, 0);
}

/* ORRERY_AUTO_CASES sets how many (the long run: 2000), ORRERY_AUTO_SEED the first. */
static void test_auto_random_cases_are_within_five_percent_of_the_best(void **state)
{
    (void)state;
    check_all(false, DEFAULT_CASES);
}

static void test_auto_random_groups_are_within_five_percent_of_the_best(void **state)
{
    (void)state;
    check_all(true, DEFAULT_GROUPS);
}

/* Estimates as short as each other: only a larger simulation tells. */
static void test_auto_breaks_ties_of_estimates(void **state)
{
    (void)state;
    struct tally tally = {0};
    check_seed(1098, false, &tally); /* a reduce-scatter of 40 NPUs in a line, 64 chunks */
    assert_int_equal(tally.slower, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_random_cases_are_within_five_percent_of_the_best),
        cmocka_unit_test(test_auto_random_groups_are_within_five_percent_of_the_best),
        cmocka_unit_test(test_auto_breaks_ties_of_estimates),
    };
    cmocka_set_test_filter(getenv("ORRERY_AUTO_TEST")); /* NULL: all */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
