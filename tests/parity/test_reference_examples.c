/* The ASTRA-sim simulator's own example inputs, read in place and run as its scripts run them, with
 * the cycles it prints; and a real trace, which must come to its end. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parity_support.h"

#define SYSTEMS "examples/system/native_collectives/"
#define NETWORKS "examples/network/analytical/"
#define WORKLOADS "examples/workload/microbenchmarks/"

/* Paths inside the files are relative to this folder. */
static int enter_examples(void **state)
{
    (void)state;
    char path[PARITY_PATH_BYTES];
    parity_find_data("astra_sim", path);
    return chdir(path);
}

/* One collective and nothing else: all ranks finish at once and all their time is exposed. */
static void assert_example(const struct orrery_astra_sim *inputs, uint32_t npus, int64_t cycles)
{
    struct orrery *job = parity_run(inputs);
    assert_int_equal(orrery_npus(job), npus);
    assert_int_equal(parity_wrong_ranks(job, inputs->workload, cycles), 0);
    for (uint32_t rank = 0; rank < npus; rank++) {
        assert_int_equal(parity_exposed_ps(job, rank), cycles * PARITY_PS_PER_CYCLE);
        parity_assert_breakdown(job, rank);
    }
    orrery_free(job);
}

static void test_example_hgx_h100_all_reduce_takes_57426_cycles(void **state)
{
    (void)state;
    const struct orrery_astra_sim inputs = {.workload = WORKLOADS "all_reduce/8npus_1MB/all_reduce",
                                            .system = SYSTEMS "HGX-H100-validated.json",
                                            .network = NETWORKS "HGX-H100-validated.yml",
                                            .backend = "congestion"};
    assert_example(&inputs, 8, 57426);
}

static void test_example_ring_all_gather_takes_323560_cycles(void **state)
{
    (void)state;
    const struct orrery_astra_sim inputs = {.workload =
                                                WORKLOADS "all_gather/16npus_1MB/all_gather",
                                            .system = SYSTEMS "Ring_4chunks.json",
                                            .network = NETWORKS "Ring_16npus.yml",
                                            .backend = "congestion"};
    assert_example(&inputs, 16, 323560);
}

static void test_example_custom_collective_takes_90174_cycles(void **state)
{
    (void)state;
    const struct orrery_astra_sim inputs = {
        .workload = WORKLOADS "all_reduce/8npus_1MB/all_reduce",
        .system = "examples/system/custom_collectives/custom_collective.json",
        .network = NETWORKS "Ring_8npus.yml",
        .backend = "congestion"};
    assert_example(&inputs, 8, 90174);
}

/* 4 chunks in turn, each of 14 steps of 32768 B (1 MiB / 4 / 8). Hand (ns): 500 + 32768 / 53.687 =
 * 1110, a reduction 3 * floor(32768 / 50) = 1965: 4 (10 + 14 (1110 + 10) + 7 * 1965) = 117780. */
static void test_example_slow_memory_all_reduce_takes_117780_cycles(void **state)
{
    const struct parity_files *files = *state;
    parity_write(files->system,
                 "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10,\n"
                 " \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4,\n"
                 " \"all-reduce-implementation\": [\"ring\"],\n"
                 " \"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 50}\n");
    const struct orrery_astra_sim inputs = {.workload = WORKLOADS "all_reduce/8npus_1MB/all_reduce",
                                            .system = files->system,
                                            .network = NETWORKS "Ring_8npus.yml",
                                            .backend = "congestion"};
    assert_example(&inputs, 8, 117780);
}

static void test_example_ring_reduce_scatter_takes_22240_cycles(void **state)
{
    (void)state;
    const struct orrery_astra_sim inputs = {.workload =
                                                WORKLOADS "reduce_scatter/4npus_1MB/reduce_scatter",
                                            .system = SYSTEMS "Ring_4chunks.json",
                                            .network = NETWORKS "Ring_4npus.yml",
                                            .backend = "analytical"};
    assert_example(&inputs, 4, 22240);
}

/* ---- every microbenchmark ---- */

enum { MICROBENCHMARKS = 12, COLLECTIVES = 4 };

/* By hand (ns), 1 MiB as 4 chunks one after another; D(m) = 500 + floor(m / 53.687); R(m) =
 * 3 floor(m / 1600):
 *   all-reduce      m = 2^18 / n: 4 (10 + 2 (n-1) (D + 10) + (n-1) R)
 *   reduce-scatter  m = 2^18 / n: 4 (10 + (n-1) (D + 10 + R))
 *   all-gather      m = 2^18    : 4 (10 + (n-1) (D + 10))
 *   all-to-all      m = 2^18 / n: 4 (10 + n (n-1) / 2 (D' + 10)): every message of the ring moves
 *                                 one hop, n (n-1) / 2 of them in turn */
static int64_t microbenchmark_cycles(const char *collective, int64_t n)
{
    const bool gathers = strcmp(collective, "all_gather") == 0;
    const int64_t m = gathers ? 262144 : 262144 / n;
    const int64_t hop = 500 + (int64_t)((double)m / (50 * 1.073741824)) + 10;
    const int64_t reduction = 3 * (m / 1600);
    if (strcmp(collective, "all_reduce") == 0) {
        return 4 * (10 + 2 * (n - 1) * hop + (n - 1) * reduction);
    }
    if (strcmp(collective, "reduce_scatter") == 0) {
        return 4 * (10 + (n - 1) * (hop + reduction));
    }
    return 4 * (10 + (gathers ? n - 1 : n * (n - 1) / 2) * hop);
}

static void test_every_microbenchmark_takes_the_cycles_of_its_formula(void **state)
{
    (void)state;
    static const char *const collectives[COLLECTIVES] = {"all_gather", "all_reduce", "all_to_all",
                                                         "reduce_scatter"};
    unsigned ran = 0;
    for (size_t i = 0; i < COLLECTIVES; i++) {
        for (unsigned npus = 4; npus <= 16; npus *= 2) {
            char workload[128], network[128];
            (void)snprintf(workload, sizeof workload, WORKLOADS "%s/%unpus_1MB/%s", collectives[i],
                           npus, collectives[i]);
            (void)snprintf(network, sizeof network, NETWORKS "Ring_%unpus.yml", npus);
            const struct orrery_astra_sim inputs = {
                .workload = workload, .system = SYSTEMS "Ring_4chunks.json", .network = network};
            assert_example(&inputs, npus, microbenchmark_cycles(collectives[i], npus));
            ran++;
        }
    }
    assert_int_equal(ran, MICROBENCHMARKS);
}

/* ---- a real trace: a training step of 3664 nodes from a profile ---- */

#define REAL_TRACE "../chakra/chakra.0.et.gz"

/* One NPU of 312 Tflop/s and 1555 GB/s. */
static struct orrery_astra_sim one_npu(const struct parity_files *files, bool roofline)
{
    if (access(REAL_TRACE, R_OK) != 0) {
        print_message("skipped: no recorded data at data/chakra/chakra.0.et.gz\n");
        skip();
    }
    parity_write(files->network, "topology: [ Ring ]\nnpus_count: [ 1 ]\n"
                                 "bandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
    parity_write(files->system,
                 "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10,\n"
                 " \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 1,\n"
                 " \"all-reduce-implementation\": [\"ring\"],\n"
                 " \"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1555,\n"
                 " \"peak-perf\": 312, \"roofline-enabled\": %d}\n",
                 roofline);
    struct orrery_astra_sim inputs = parity_inputs(files);
    inputs.workload = REAL_TRACE;
    return inputs;
}

struct warnings {
    unsigned count;
    char last[512];
};

static void keep_warning(void *user, const char *text)
{
    struct warnings *warnings = user;
    warnings->count++;
    (void)snprintf(warnings->last, sizeof warnings->last, "%s", text);
}

/* Of the trace's control dependencies 1277 name nodes that it lacks, and others run against the
 * data dependencies: 3317 waits for 3318 by control, 3318 for 3317 by data. The data dependencies
 * are complete and free of cycles, and stand alone. */
static void assert_real_times(const struct parity_files *files, bool roofline,
                              int64_t accelerator_ps, int64_t wall_ps)
{
    const struct orrery_astra_sim inputs = one_npu(files, roofline);
    struct warnings warnings = {.count = 0};
    struct orrery *job = orrery_new();
    struct orrery_times times;
    assert_non_null(job);
    orrery_on_warning(job, keep_warning, &warnings);
    assert_int_equal(orrery_load_astra_sim(job, &inputs), ORRERY_OK);
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.last, "data dependencies alone"));
    assert_int_equal(orrery_run(job), ORRERY_OK);
    assert_int_equal(orrery_npus(job), 1);
    assert_int_equal(orrery_npu_times(job, 0, &times), ORRERY_OK);
    parity_assert_breakdown(job, 0);
    assert_int_equal(times.accelerator_compute_ps, accelerator_ps);
    assert_int_equal(times.finish_ps, wall_ps);
    assert_int_equal(orrery_wall_ps(job), wall_ps);
    orrery_free(job);
}

/* Accelerator: durations add up to 292828 us, and 157 nodes of no duration take 1 ns each. The wall
 * time is recorded; it lies between that and the sum with the CPU's 50941 + 1311 us. */
static void test_real_trace_replay_takes_297046_us(void **state)
{
    assert_real_times(*state, false, 292828157000, 297046000000);
}

/* The profile has no operation counts or sizes, so its kernels are skipped as the reference does;
 * the CPU's durations stay: 50941 us of operators and 1311 us of collective calls, in turn. */
static void test_real_trace_roofline_leaves_the_cpu_durations(void **state)
{
    assert_real_times(*state, true, 0, (50941 + 1311) * INT64_C(1000000));
}

#define WITH_FILES(test)                                                                           \
    cmocka_unit_test_setup_teardown(test, parity_files_open, parity_files_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_hgx_h100_all_reduce_takes_57426_cycles),
        cmocka_unit_test(test_example_ring_all_gather_takes_323560_cycles),
        cmocka_unit_test(test_example_custom_collective_takes_90174_cycles),
        WITH_FILES(test_example_slow_memory_all_reduce_takes_117780_cycles),
        cmocka_unit_test(test_example_ring_reduce_scatter_takes_22240_cycles),
        cmocka_unit_test(test_every_microbenchmark_takes_the_cycles_of_its_formula),
        WITH_FILES(test_real_trace_replay_takes_297046_us),
        WITH_FILES(test_real_trace_roofline_leaves_the_cpu_durations)};
    return cmocka_run_group_tests(tests, enter_examples, NULL);
}
