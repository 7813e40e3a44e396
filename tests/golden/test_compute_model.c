/* Whole runs under the compute model: a straggler takes its factor exactly, in roofline and replay,
 * and curves set the time of a node by its kind and size. Times are exact, in ps. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/diag.h"
#include "core/time.h"
#include "orrery/orrery.h"
#include "tests/parity/parity_support.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

enum { NPUS = 4 };

/* A node of 312 GFLOP is 1 ms at 312 TFLOP/s. */
#define MS INT64_C(1000000000)

/* Two computations one after the other, then a reduce-scatter. Recorded: 500 us, 700 us, 300 us. */
static void write_trace(const struct parity_files *files, const char *name, enum orr_op_kind op)
{
    struct orr_diag diag;
    struct orr_et_writer *writer = NULL;
    orr_diag_init(&diag);
    assert_int_equal(orr_et_writer_create(&writer, files->workload, NULL, &diag), ORR_OK);
    const uint64_t before[] = {0, 1};
    struct orr_node_spec node = {.kind = ORR_NODE_COMP,
                                 .name = name,
                                 .op = op,
                                 .duration_ps = 500 * ORR_PS_PER_US,
                                 .num_ops = UINT64_C(312000000000),
                                 .tensor_bytes = 1000};
    assert_int_equal(orr_et_writer_add(writer, &node, &diag), ORR_OK);
    node.id = 1;
    node.duration_ps = 700 * ORR_PS_PER_US;
    node.data_deps = (struct orr_deps){&before[0], 1};
    assert_int_equal(orr_et_writer_add(writer, &node, &diag), ORR_OK);
    const struct orr_node_spec reduce = {.id = 2,
                                         .kind = ORR_NODE_COLL,
                                         .comm = ORR_COMM_REDUCE_SCATTER,
                                         .name = "reduce",
                                         .duration_ps = 300 * ORR_PS_PER_US,
                                         .comm_bytes = 4000,
                                         .data_deps = {&before[1], 1}};
    assert_int_equal(orr_et_writer_add(writer, &reduce, &diag), ORR_OK);
    assert_int_equal(orr_et_writer_finish(writer, &diag), ORR_OK);
    orr_et_writer_destroy(writer);
}

/* Direct on four NPUs, each pair of a link of 1 GB/s and 1 us: a block of 1000 B to each of the
 * others at once takes 2 us. */
#define REDUCE (2 * ORR_PS_PER_US)

static struct orrery *run(const struct parity_files *files, const char *compute)
{
    parity_write(files->network,
                 "network:\n  topology: FC(4)\n  dims: [{bandwidth: 1 GB/s, latency: 1 us}]\n"
                 "system: {chunks: 1}\n"
                 "memory: {local: {bandwidth: 1 TB/s}}\n"
                 "compute: {%s}\n"
                 "workload: {traces: \"%s\"}\n",
                 compute, files->workload);
    const struct orrery_inputs inputs = {.platform = files->network};
    struct orrery *job = orrery_new();
    assert_non_null(job);
    if (orrery_load(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        print_error("%s\n", orrery_error(job));
        fail();
    }
    return job;
}

static int64_t compute_ps(const struct orrery *job, uint32_t rank)
{
    struct orrery_times times;
    assert_int_equal(orrery_npu_times(job, rank, &times), ORRERY_OK);
    assert_true(times.compute_ps == times.accelerator_compute_ps);
    parity_assert_breakdown(job, rank);
    return times.compute_ps;
}

static void assert_job(const struct parity_files *files, const char *compute,
                       const int64_t *rank_ps, int64_t wall_ps)
{
    struct orrery *job = run(files, compute);
    for (uint32_t rank = 0; rank < NPUS; rank++) {
        if (compute_ps(job, rank) != rank_ps[rank]) {
            print_error("%s: rank %" PRIu32 " computes %" PRId64 " ps, expected %" PRId64 "\n",
                        compute, rank, compute_ps(job, rank), rank_ps[rank]);
            fail();
        }
    }
    assert_int_equal(orrery_wall_ps(job), wall_ps);
    orrery_free(job);
}

/* 2 x 1 ms, then 2 us; the slowed rank 2 takes 1.3 x as long, and the others wait for it. */
static void test_run_roofline_straggler_takes_its_factor(void **state)
{
    write_trace(*state, "work", ORR_OP_DEFAULT);
    const int64_t plain[NPUS] = {2 * MS, 2 * MS, 2 * MS, 2 * MS};
    const int64_t slow[NPUS] = {2 * MS, 2 * MS, 2600000000, 2 * MS};
    assert_job(*state, "peak: 312 TFLOP/s", plain, 2 * MS + REDUCE);
    assert_job(*state, "peak: 312 TFLOP/s, slowdown: [{ranks: 2, factor: 1.3}]", slow,
               2600000000 + REDUCE);
}

/* 500 + 700 us; with replay_only the reduce-scatter takes its 300 us and is not slowed. Ranks do
 * not wait then: the fast ones finish at 1500 us and idle. */
static void test_run_replay_straggler_takes_its_factor(void **state)
{
    write_trace(*state, "work", ORR_OP_DEFAULT);
    const int64_t slow[NPUS] = {1200000000, 1800000000, 1200000000, 1800000000};
    assert_job(*state, "mode: replay, slowdown: [{ranks: \"1,3\", factor: 1.5}]", slow,
               1800000000 + REDUCE);
    assert_job(*state, "mode: replay, replay_only: true, slowdown: [{ranks: \"1,3\", factor: 1.5}]",
               slow, 1800000000 + 300000000);
}

/* Every rank draws other factors; the same seed gives the same times, another seed others. */
static void test_run_jitter_depends_on_the_seed_alone(void **state)
{
    static const char *const sections[] = {
        "peak: 312 TFLOP/s, slowdown: {jitter: {spread: 5 %}, seed: 1}",
        "peak: 312 TFLOP/s, slowdown: {jitter: {spread: 5 %}, seed: 1}",
        "peak: 312 TFLOP/s, slowdown: {jitter: {spread: 5 %}, seed: 2}"};
    int64_t times[3][NPUS];
    write_trace(*state, "work", ORR_OP_DEFAULT);
    for (unsigned i = 0; i < 3; i++) {
        struct orrery *job = run(*state, sections[i]);
        for (uint32_t rank = 0; rank < NPUS; rank++) {
            times[i][rank] = compute_ps(job, rank);
            assert_true(times[i][rank] != 2 * MS && times[i][rank] != times[i][(rank + 3) % NPUS]);
        }
        orrery_free(job);
    }
    assert_memory_equal(times[0], times[1], sizeof times[0]);
    for (uint32_t rank = 0; rank < NPUS; rank++) {
        assert_true(times[0][rank] != times[2][rank]);
    }
}

/* At half the peak a node takes 2 ms, at a fifth 5 ms; 312 GFLOP is half of the logarithm between
 * 3.12 GFLOP and 31.2 TFLOP, so a curve from 0.2 to 0.6 gives 0.4: 2.5 ms. */
static void test_run_curves_set_the_time_by_kind_and_size(void **state)
{
    static const char *const curves =
        "peak: 312 TFLOP/s, efficiency: [{kind: default, points: 0.5}, {kind: gemm, points: 0.2}, "
        "{kind: attention, points: [[3.12 GFLOP, 0.2], [31.2 TFLOP, 0.6]]}]";
    const int64_t half[NPUS] = {4 * MS, 4 * MS, 4 * MS, 4 * MS};
    const int64_t fifth[NPUS] = {10 * MS, 10 * MS, 10 * MS, 10 * MS};
    const int64_t curve[NPUS] = {5 * MS, 5 * MS, 5 * MS, 5 * MS};
    write_trace(*state, "work", ORR_OP_DEFAULT);
    assert_job(*state, curves, half, 4 * MS + REDUCE);
    write_trace(*state, "aten::mm", ORR_OP_DEFAULT);
    assert_job(*state, curves, fifth, 10 * MS + REDUCE);
    write_trace(*state, "aten::mm", ORR_OP_ELEMENTWISE); /* the attribute counts, not the name */
    assert_job(*state, curves, half, 4 * MS + REDUCE);
    write_trace(*state, "flash", ORR_OP_DEFAULT);
    assert_job(*state, curves, curve, 5 * MS + REDUCE);
}

/* Each node its constant: 2 x (1 ms / 0.5 + 105 us) as a product, 2 x (1 ms + 7 us) as attention,
 * which takes the operators' default. What says no kind is a whole layer: 2 x (1 ms / 0.25 + 1 us).
 */
static void test_run_constants_count_for_each_node_by_its_kind(void **state)
{
    static const char *const curves =
        "peak: 312 TFLOP/s, efficiency: [{kind: default, scope: layer, points: 0.25, constant: 1 "
        "us}, "
        "{kind: default, constant: 7 us}, {kind: gemm, points: 0.5, constant: 105 us}]";
    const int64_t layer[NPUS] = {8002000000, 8002000000, 8002000000, 8002000000};
    const int64_t product[NPUS] = {4210000000, 4210000000, 4210000000, 4210000000};
    const int64_t attention[NPUS] = {2014000000, 2014000000, 2014000000, 2014000000};
    write_trace(*state, "work", ORR_OP_DEFAULT);
    assert_job(*state, curves, layer, 8002000000 + REDUCE);
    write_trace(*state, "work", ORR_OP_GEMM);
    assert_job(*state, curves, product, 4210000000 + REDUCE);
    write_trace(*state, "work", ORR_OP_ATTENTION);
    assert_job(*state, curves, attention, 2014000000 + REDUCE);
}

/* 312 GFLOP at 312e6 TFLOP/s are 1 ns, and so are 1000 B at 1 TB/s; at a quarter of it 4 ns. */
static void test_run_bandwidth_share_bounds_what_memory_bounds(void **state)
{
    const int64_t memory[NPUS] = {8000, 8000, 8000, 8000};
    write_trace(*state, "aten::add", ORR_OP_DEFAULT);
    assert_job(*state,
               "peak: 312000000 TFLOP/s, efficiency: [{kind: default}, "
               "{kind: elementwise, bandwidth: 0.25}]",
               memory, 8000 + REDUCE);
}

#define IN_FILES(test) cmocka_unit_test_setup_teardown(test, parity_files_open, parity_files_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FILES(test_run_roofline_straggler_takes_its_factor),
        IN_FILES(test_run_replay_straggler_takes_its_factor),
        IN_FILES(test_run_jitter_depends_on_the_seed_alone),
        IN_FILES(test_run_curves_set_the_time_by_kind_and_size),
        IN_FILES(test_run_constants_count_for_each_node_by_its_kind),
        IN_FILES(test_run_bandwidth_share_bounds_what_memory_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
