/* Folding changes nothing: random platforms and jobs give the same results, of every rank, with
 * every NPU simulated and with one for each class. Jobs that are refused, or that cannot finish,
 * say the same. */
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
#include "tests/property/fold_paths.h"

enum { TEXT = 2048, MAX_NPUS = 96, DEFAULT_CASES = 100, LONG_CASES = 20000, SANITIZED_CASES = 150 };

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

struct random_job {
    struct orr_rng rng;
    struct orr_rng more; /* of choices that came later: a seed's other choices stay as they were */
    unsigned dims;
    uint32_t size[4], npus;
    char network[TEXT], system[TEXT], compute[TEXT], memory[TEXT], workload[TEXT];
};

static uint32_t below(struct random_job *job, uint32_t bound)
{
    return (uint32_t)orr_rng_below(&job->rng, bound);
}

static bool chance(struct random_job *job, uint32_t of)
{
    return below(job, of) == 0;
}

static const char *one_of(struct random_job *job, const char *const *names, uint32_t count)
{
    return names[below(job, count)];
}

#define ONE_OF(job, names) one_of(job, names, sizeof(names) / sizeof *(names))

/* Appends to a text. */
#define ADD(text, ...) (void)snprintf((text) + strlen(text), TEXT - strlen(text), __VA_ARGS__)

/* ---- platforms ---- */

static const char *mesh_or(bool mesh, const char *block)
{
    return mesh ? "mesh" : block;
}

static void random_network(struct random_job *job)
{
    static const char *const blocks[] = {"ring", "fully_connected", "switch"};
    static const char *const sides[] = {"link", "npu"};
    job->dims = 1 + below(job, 4);
    job->npus = 1;
    (void)snprintf(job->network, TEXT, "network={dims: [");
    for (unsigned d = 0; d < job->dims; d++) {
        uint32_t size = 1 + below(job, job->dims == 1 ? 24 : 8);
        size = job->npus * size > MAX_NPUS ? 1 + below(job, 2) : size;
        job->size[d] = size;
        job->npus *= size;
        const bool mesh = size > 1 && orr_rng_below(&job->more, 6) == 0;
        ADD(job->network,
            "%s{block: %s, npus: %u, bandwidth: %u GB/s, latency: %u ns, bandwidth_is: %s}",
            d > 0 ? ", " : "", mesh_or(mesh, ONE_OF(job, blocks)), size, 10 + 10 * below(job, 9),
            100 * below(job, 4), ONE_OF(job, sides));
    }
    ADD(job->network, "], backend: %s}",
        chance(job, 5)   ? "congestion"
        : chance(job, 5) ? "flow"
                         : "analytical");
}

static void random_system(struct random_job *job)
{
    static const char *const orders[] = {"age", "age", "smallest_first", "smallest_input_first"};
    static const char *const schedulers[] = {"auto",   "auto", "baseline",
                                             "themis", "best", "greedy"};
    static const char *const priorities[] = {"fifo", "lifo"};
    static const char *const ways[] = {"hierarchical", "hierarchical", "per_dimension"};
    static const char *const sharings[] = {"streams", "streams", "messages"};
    static const char *const services[] = {"message", "message", "phase"};
    static const char *const algorithms[] = {
        "ring", "bidirectional_ring", "direct",   "halving_doubling",
        "tree", "double_binary_tree", "pairwise", "by_block"};
    static const char *const kinds[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
    (void)snprintf(job->system, TEXT,
                   "system={chunks: %u, port_order: %s, port_sharing: %s, scheduler: %s, priority: "
                   "%s, all_reduce: %s, dimension_service: %s, endpoint_delay: %u ns",
                   1 + below(job, 6), ONE_OF(job, orders), sharings[orr_rng_below(&job->more, 3)],
                   ONE_OF(job, schedulers), ONE_OF(job, priorities), ONE_OF(job, ways),
                   ONE_OF(job, services), chance(job, 3) ? 10 : 0);
    if (chance(job, 2)) {
        ADD(job->system, ", algorithms: {default: %s, %s: %s}",
            chance(job, 3) ? "by_block" : "auto", ONE_OF(job, kinds), ONE_OF(job, algorithms));
    }
    ADD(job->system, "}");
}

static void random_compute(struct random_job *job)
{
    (void)snprintf(job->compute, TEXT, "compute={peak: %u TFLOP/s", 1 + below(job, 3));
    if (chance(job, 4)) {
        ADD(job->compute, ", slowdown: {stragglers: [{ranks: \"%u-%u\", factor: 1.5}]}",
            below(job, job->npus), job->npus - 1);
    } else if (chance(job, 10)) {
        ADD(job->compute,
            ", slowdown: {stragglers: [{ranks: %u, factor: 2}], jitter: {spread: 10 %%}}",
            below(job, job->npus));
    }
    ADD(job->compute, "}");
    static const char *const remotes[] = {"none", "none", "per_npu", "pool"};
    (void)snprintf(job->memory, TEXT,
                   "memory={local: {bandwidth: 1 TB/s}, remote: {type: %s, bandwidth: 10 GB/s}}",
                   ONE_OF(job, remotes));
}

/* ---- workloads ---- */

static void random_simple(struct random_job *job)
{
    static const char *const kinds[] = {
        "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce",
        "gather",     "scatter",    "barrier",        "mlp",        "mlp",       "p2p"};
    (void)snprintf(job->workload, TEXT,
                   "workload={generate: %s, bytes: %u kB, repeat: %u, root: %u, layers: %u, batch: "
                   "%u, optimizer: true}",
                   ONE_OF(job, kinds), 1 + below(job, 999), 1 + below(job, 3),
                   below(job, job->npus), 1 + below(job, 4), 1 + below(job, 64));
}

/* A divisor of n. */
static uint32_t divisor(struct random_job *job, uint32_t n)
{
    uint32_t d = 1 + below(job, n < 8 ? n : 8);
    while (n % d != 0) {
        d--;
    }
    return d;
}

static void random_transformer(struct random_job *job)
{
    static const char *const orders[] = {"tp-cp-ep-dp-pp", "tp-cp-pp-ep-dp", "pp-tp-cp-ep-dp",
                                         "ep-dp-tp-cp-pp", "cp-tp-dp-pp"};
    static const char *const recomputes[] = {"none", "selective", "full"};
    uint32_t left = job->npus;
    const uint32_t tensor = divisor(job, left);
    left /= tensor;
    const uint32_t pipeline = divisor(job, left);
    left /= pipeline;
    const uint32_t context = chance(job, 3) ? divisor(job, left) : 1;
    left /= context;
    const bool experts = chance(job, 3);
    const uint32_t expert = experts ? divisor(job, left) : 1;
    const bool interleaved = pipeline > 1 && chance(job, 3);
    const uint32_t micros = interleaved ? pipeline : 1 + below(job, 3);
    (void)snprintf(job->workload, TEXT,
                   "workload={transformer: {layers: %u, hidden: %u, heads: %u, sequence: %u, "
                   "vocabulary: %u%s%s}, parallel: {tensor: %u, pipeline: %u, context: %u, expert: "
                   "%u, sequence: %s, zero: %u, order: %s, schedule: %s}, training: {batch: %u, "
                   "recompute: %s, overlap: %s, overlap_gather: %s}}",
                   pipeline * (interleaved ? 2 : 1) * (1 + below(job, 2)), 16 * tensor, tensor,
                   8 * tensor * context, chance(job, 2) ? 0 : 100, experts ? ", experts: " : "",
                   experts ? "840" : "", tensor, pipeline, context, expert,
                   experts || chance(job, 2) ? "true" : "false", below(job, 4), ONE_OF(job, orders),
                   interleaved      ? "interleaved"
                   : chance(job, 2) ? "1f1b"
                                    : "gpipe",
                   micros * left, ONE_OF(job, recomputes), chance(job, 2) ? "true" : "false",
                   orr_rng_below(&job->more, 2) == 0 ? "true" : "false");
}

/* A communication library's collectives, on the one backend that has them. */
static void random_library(struct random_job *job)
{
    static const char *const libraries[] = {
        "{name: nccl, gpu: a100}", "{name: nccl, gpu: h100, nvls_tree: true, launch: 0 us}",
        "{name: nccl, gpu: v100, fabric: mesh, inner_bandwidth: 0.5}",
        "{name: rccl, gpu: mi300x, fabric: nvswitch}", "{name: nccl, gpu: v100, fabric: dgx1}"};
    const bool analytical = strstr(job->network, "backend: analytical") != NULL;
    const uint32_t count =
        (uint32_t)(sizeof libraries / sizeof *libraries) - (job->size[0] == 8 ? 0 : 1);
    if (analytical && chance(job, 3)) {
        job->system[strlen(job->system) - 1] = '\0';
        ADD(job->system, ", library: %s}", one_of(job, libraries, count));
    }
}

static void make_job(struct random_job *job, uint64_t seed)
{
    orr_rng_init(&job->rng, seed, 7);
    orr_rng_init(&job->more, seed, 8);
    random_network(job);
    random_system(job);
    random_compute(job);
    if (chance(job, 3)) {
        random_simple(job);
    } else {
        random_transformer(job);
    }
    random_library(job);
}

/* ---- running ---- */

static struct orrery *run_job(const struct random_job *random, bool fold,
                              enum orrery_status *status)
{
    const char *const set[] = {random->network, random->system, random->compute, random->memory,
                               random->workload};
    const struct orrery_inputs inputs = {.set = set, .set_count = 5};
    struct orrery *job = orrery_new();
    assert_non_null(job);
    orrery_record(job, ORRERY_RECORD_NODES | ORRERY_RECORD_PATH);
    orrery_fold(job, fold);
    *status = orrery_load(job, &inputs);
    if (*status == ORRERY_OK) {
        *status = orrery_run(job);
    }
    return job;
}

static bool same_times(const struct orrery *a, const struct orrery *b)
{
    for (uint32_t rank = 0; rank < orrery_npus(a); rank++) {
        struct orrery_times first, second;
        if (orrery_npu_times(a, rank, &first) != ORRERY_OK ||
            orrery_npu_times(b, rank, &second) != ORRERY_OK ||
            memcmp(&first, &second, sizeof first) != 0) {
            return false;
        }
    }
    return memcmp(orrery_finish_order(a), orrery_finish_order(b),
                  orrery_npus(a) * sizeof(uint32_t)) == 0;
}

static bool same_dims(const struct orrery *a, const struct orrery *b)
{
    for (unsigned d = 0; d < orrery_dims(a); d++) {
        struct orrery_dim_stats first, second;
        (void)orrery_dim(a, d, &first);
        (void)orrery_dim(b, d, &second);
        if (first.messages != second.messages || first.bytes != second.bytes ||
            first.busy_ps != second.busy_ps || first.servers != second.servers) {
            return false;
        }
    }
    return true;
}

/* When each node of each rank ran. */
static bool same_nodes(const struct orrery *a, const struct orrery *b)
{
    for (uint32_t rank = 0; rank < orrery_npus(a); rank++) {
        if (orrery_nodes(a, rank) != orrery_nodes(b, rank)) {
            return false;
        }
        for (size_t i = 0; i < orrery_nodes(a, rank); i++) {
            struct orrery_node first, second;
            (void)orrery_node(a, rank, i, &first);
            (void)orrery_node(b, rank, i, &second);
            if (first.start_ps != second.start_ps || first.end_ps != second.end_ps ||
                first.transfer_ps != second.transfer_ps || first.peer != second.peer ||
                strcmp(first.name, second.name) != 0) {
                return false;
            }
        }
    }
    return true;
}

static bool same_summary(struct orrery *a, struct orrery *b)
{
    size_t rows, other;
    if (orrery_summarize(a, &rows) != ORRERY_OK || orrery_summarize(b, &other) != ORRERY_OK ||
        rows != other) {
        return false;
    }
    for (size_t i = 0; i < rows; i++) {
        struct orrery_summary_row first, second;
        (void)orrery_summary(a, i, &first);
        (void)orrery_summary(b, i, &second);
        if (strcmp(first.name, second.name) != 0 || first.count != second.count ||
            first.bytes != second.bytes || first.time_ps != second.time_ps ||
            first.exposed_ps != second.exposed_ps || first.longest_ps != second.longest_ps ||
            first.waiting_ps != second.waiting_ps ||
            first.exposed_waiting_ps != second.exposed_waiting_ps) {
            return false;
        }
    }
    return true;
}

/* NPUs that are told apart may be late by the same time, in one instant. The critical path may then
 * go by the other one: all times and the path's parts are the same. It happens on meshes (seeds
 * 3431, 11360) and under congestion (10858). */
static bool has_equal_paths(const struct random_job *job)
{
    return strstr(job->network, "block: mesh") != NULL ||
           strstr(job->network, "congestion") != NULL;
}

static const char *difference(const struct random_job *job, struct orrery *a, struct orrery *b)
{
    if (orrery_wall_ps(a) != orrery_wall_ps(b)) {
        return "wall time";
    }
    if (!same_times(a, b)) {
        return "times of ranks";
    }
    if (orrery_messages(a) != orrery_messages(b) || !same_dims(a, b)) {
        return "messages";
    }
    if (!same_nodes(a, b)) {
        return "nodes";
    }
    const char *path =
        has_equal_paths(job) ? fold_path_parts_differ(a, b) : fold_path_differs(a, b);
    if (path != NULL) {
        return path;
    }
    return same_summary(a, b) ? NULL : "summary";
}

struct tally {
    unsigned folded, refused, run;
    uint64_t npus, classes;
};

static void check_seed(uint64_t seed, struct tally *tally)
{
    struct random_job random;
    enum orrery_status first, second;
    make_job(&random, seed);
    struct orrery *all = run_job(&random, false, &first), *one = run_job(&random, true, &second);
    const char *differs = first != second ? "status" : NULL;
    if (differs == NULL && first != ORRERY_OK) {
        differs = strcmp(orrery_error(all), orrery_error(one)) != 0 ? "error" : NULL;
        tally->refused++;
    } else if (differs == NULL) {
        differs = difference(&random, all, one);
        tally->run++;
        tally->npus += orrery_npus(one);
        tally->classes += orrery_fold_classes(one);
        tally->folded += orrery_fold_classes(one) < orrery_npus(one) ? 1 : 0;
    }
    if (differs != NULL) {
        print_message(
            "seed %llu: %s differ\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%lld %lld ps, %u classes\n",
            (unsigned long long)seed, differs, random.network, random.system, random.compute,
            random.memory, random.workload, orrery_error(all), orrery_error(one),
            (long long)orrery_wall_ps(all), (long long)orrery_wall_ps(one),
            orrery_fold_classes(one));
        fail();
    }
    orrery_free(all);
    orrery_free(one);
}

/* ORRERY_LONG: more cases; under sanitizers it is the same number in any run. */
static uint64_t usual_cases(void)
{
    if (SANITIZED) {
        return SANITIZED_CASES;
    }
    return getenv("ORRERY_LONG") != NULL ? LONG_CASES : DEFAULT_CASES;
}

/* ORRERY_FOLD_CASES sets how many, ORRERY_FOLD_SEED the first. */
static void test_fold_random_jobs_are_the_same_as_unfolded(void **state)
{
    (void)state;
    const char *cases = getenv("ORRERY_FOLD_CASES"), *seed = getenv("ORRERY_FOLD_SEED");
    const uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 0;
    const uint64_t count = cases != NULL ? strtoull(cases, NULL, 10) : usual_cases();
    struct tally tally = {0};
    for (uint64_t i = 0; i < count; i++) {
        check_seed(first + i, &tally);
    }
    print_message("%u jobs run, %u of them folded (%llu NPUs in %llu classes), %u refused\n",
                  tally.run, tally.folded, (unsigned long long)tally.npus,
                  (unsigned long long)tally.classes, tally.refused);
    /* Where links are shared, all of a dimension folds or nothing. */
    assert_true(count < 100 || (tally.folded > count / 8 && tally.refused < count / 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_random_jobs_are_the_same_as_unfolded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
