/* What traces hold, by operator, device and group; and their critical paths. */
#include "core/rng.h"
#include "tests/unit/trace_fixture.h"
#include "workload/trace/op_name.h"
#include "workload/trace/trace_ops.h"
#include "workload/trace/trace_path.h"
#include "workload/trace/trace_query.h"
#include "workload/trace/trace_stats.h"

enum { CPU = ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG, GPU = ORR_NODE_HAS_CPU_FLAG };

static void test_kernels_are_named_by_their_function(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEENS_6detail5"
         "ArrayIPcLi3EEEEEviT0_T1_",
         "at::native::vectorized_elementwise_kernel"},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
         "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)",
         "at::native::vectorized_elementwise_kernel"},
        {"void (anonymous namespace)::softmax_warp_forward<float, 10>(float*, int)",
         "(anonymous)::softmax_warp_forward"},
        {"_ZN12_GLOBAL__N_13fooEv", "(anonymous)::foo"},
        {"_Z7vec_addPfS_S_i", "vec_add"},
        {"void cutlass::Kernel2<cutlass_80_gemm>(cutlass_80_gemm::Params)",
         "cutlass::Kernel2<cutlass_80_gemm>"},
        {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"},
        {"aten::mm", "aten::mm"},
        {"layer 3 fwd (mb 1)", "layer 3 fwd (mb 1)"},
        {"_ZN", "_ZN"},
        {"_ZN99foo", "_ZN99foo"},
        {"_ZN3fooILi4", "_ZN3fooILi4"},
        {"void a::b<c(", "void a::b<c("},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char out[ORR_KERNEL_NAME_BYTES];
        assert_string_equal(orr_kernel_name(names[i][0], out), names[i][1]);
    }
}

static void test_stats_operators_join_names_that_differ_in_numbers(void **state)
{
    static const struct written nodes[] = {{AT(1, "layer 1 mm", 30), .flags = GPU},
                                           {AT(2, "layer 2 mm", 10), .parents = {1}, .flags = GPU},
                                           {AT(3, "launch", 5), .flags = CPU},
                                           {AT(4, "launch", 0), .parents = {3}, .flags = GPU},
                                           {AT(5, "layer 3 mm", 2), .parents = {2}, .flags = CPU},
                                           {AT(6, "mm(0)", 1)},
                                           {AT(7, "mm(1)", 1)}};
    struct orr_trace_stats stats;
    assert_int_equal(orr_trace_stats(*state, MAKE_TRACE(state, nodes), &stats, NULL), ORR_OK);
    const struct orr_op_row *row = stats.compute.row;
    assert_int_equal(stats.compute.rows, 6);
    assert_string_equal(row[0].name, "layer # mm");
    assert_true(row[0].several_names);
    assert_int_equal(row[0].nodes, 2);
    assert_int_equal(row[0].device, ORR_DEVICE_ACCELERATOR);
    assert_int_equal(row[0].duration_ps, 40 * ORR_PS_PER_US);
    assert_int_equal(row[0].shortest_ps, 10 * ORR_PS_PER_US);
    assert_int_equal(row[0].longest_ps, 30 * ORR_PS_PER_US);
    assert_string_equal(row[1].name, "launch");
    assert_false(row[1].several_names);
    assert_string_equal(row[2].name, "layer 3 mm"); /* on the CPU it is alone */
    assert_string_equal(row[3].name, "mm(0)");      /* no number that is a word */
    assert_string_equal(row[4].name, "mm(1)");
    assert_int_equal(row[5].device, ORR_DEVICE_ACCELERATOR);
    assert_int_equal(stats.device[ORR_DEVICE_CPU].nodes, 2);
    assert_int_equal(stats.device[ORR_DEVICE_CPU].duration_ps, 7 * ORR_PS_PER_US);
    assert_int_equal(stats.device[ORR_DEVICE_ACCELERATOR].nodes, 3);
    assert_int_equal(stats.device[ORR_DEVICE_ACCELERATOR].timed, 2);
    assert_int_equal(stats.device[ORR_DEVICE_UNKNOWN].nodes, 2);
    assert_int_equal(stats.kind[ORR_NODE_COMP].duration_ps, 49 * ORR_PS_PER_US);
}

/* A name longer than what is looked at in place. */
static void test_stats_long_names_are_told_apart(void **state)
{
    char first[600], second[600];
    memset(first, 'x', sizeof first);
    memset(second, 'x', sizeof second);
    first[598] = 'a';
    first[599] = second[599] = '\0';
    const struct written nodes[] = {{AT(1, first, 1)}, {AT(2, second, 2)}, {AT(3, first, 4)}};
    struct orr_trace_stats stats;
    assert_int_equal(orr_trace_stats(*state, MAKE_TRACE(state, nodes), &stats, NULL), ORR_OK);
    assert_int_equal(stats.compute.rows, 2);
    assert_string_equal(stats.compute.row[0].name, first);
    assert_int_equal(stats.compute.row[0].duration_ps, 5 * ORR_PS_PER_US);
}

static void test_stats_communication_is_by_kind_and_group(void **state)
{
    static const struct written nodes[] = {
        {AT(1, "a", 1), .kind = ORR_NODE_COLL, .bytes = 100, .comm = ORR_COMM_ALL_REDUCE},
        {AT(2, "b", 2), .kind = ORR_NODE_COLL, .bytes = 300, .comm = ORR_COMM_ALL_REDUCE},
        {AT(3, "c", 4), .kind = ORR_NODE_COLL, .bytes = 50, .comm = ORR_COMM_ALL_REDUCE,
         .group = "7"},
        {AT(4, "d", 8), .kind = ORR_NODE_COLL, .bytes = 60, .comm = ORR_COMM_BROADCAST,
         .group = "7"},
        {AT(5, "e", 16), .kind = ORR_NODE_SEND, .bytes = 55},
        {AT(6, "f", 32), .kind = ORR_NODE_RECV, .bytes = 55}};
    struct orr_trace_stats stats;
    assert_int_equal(orr_trace_stats(*state, MAKE_TRACE(state, nodes), &stats, NULL), ORR_OK);
    assert_int_equal(stats.comms, 5);
    assert_int_equal(stats.comm[0].nodes, 2);
    assert_int_equal(stats.comm[0].bytes, 400);
    assert_int_equal(stats.comm[0].smallest_bytes, 100);
    assert_int_equal(stats.comm[0].largest_bytes, 300);
    assert_int_equal(stats.comm[0].duration_ps, 3 * ORR_PS_PER_US);
    assert_string_equal(stats.comm[0].group, "");
    assert_int_equal(stats.comm[1].comm, ORR_COMM_BROADCAST);
    assert_string_equal(stats.comm[1].group, "7");
    assert_int_equal(stats.comm[2].kind, ORR_NODE_RECV);
    assert_int_equal(stats.comm[3].kind, ORR_NODE_SEND);
    assert_int_equal(stats.comm[4].bytes, 50);
    assert_int_equal(stats.compute.rows, 0);
}

/* 1 (10) -> 2 (20) -> 4 (5): 35. 1 -> 3 (12) -> 4: 27, so 3 has a slack of 8. 5 (30) alone: 5.
 * Ids are such that the order of ids is not that of time. */
static void test_path_is_the_longest_chain(void **state)
{
    static const struct written nodes[] = {{AT(9, "first", 10)},
                                           {AT(7, "long", 20), .parents = {9}},
                                           {AT(8, "short", 12), .parents = {9}},
                                           {AT(1, "last", 5), .parents = {7, 8}},
                                           {AT(2, "alone", 30)},
                                           {AT(3, "none", 0), .parents = {1}}};
    struct orr_trace_path path;
    const struct orr_trace *trace = MAKE_TRACE(state, nodes);
    assert_int_equal(orr_trace_find_path(*state, trace, &path, NULL), ORR_OK);
    assert_int_equal(path.length_ps, 35 * ORR_PS_PER_US);
    assert_int_equal(path.nodes, 3);
    assert_int_equal(trace->node[path.node[0]].id, 9);
    assert_int_equal(trace->node[path.node[1]].id, 7);
    assert_int_equal(trace->node[path.node[2]].id, 1);
    assert_int_equal(path.start_ps[path.node[2]], 30 * ORR_PS_PER_US);
    assert_int_equal(path.kind_ps[ORR_NODE_COMP], 35 * ORR_PS_PER_US);
    assert_int_equal(path.ops.rows, 3);
    assert_string_equal(path.ops.row[0].name, "long");
    static const uint64_t slack_us[] = {0, 5, 0, 0, 8, 0}; /* of 1, 2, 3, 7, 8, 9 */
    for (uint32_t i = 0; i < trace->nodes; i++) {
        assert_int_equal(path.slack_ps[i], slack_us[i] * ORR_PS_PER_US);
    }
}

static void test_path_without_durations_is_empty(void **state)
{
    static const struct written nodes[] = {{AT(1, "a", 0)}, {AT(2, "b", 0), .parents = {1}}};
    struct orr_trace_path path;
    assert_int_equal(orr_trace_find_path(*state, MAKE_TRACE(state, nodes), &path, NULL), ORR_OK);
    assert_int_equal(path.nodes, 0);
    assert_int_equal(path.length_ps, 0);
}

/* The path is as long as what the summary of the trace says, and its nodes follow each other. */
static void test_path_of_random_traces_agrees_with_the_summary(void **state)
{
    struct orr_rng rng;
    orr_rng_init(&rng, 5, 0);
    for (unsigned round = 0; round < 50; round++) {
        struct written nodes[40] = {{.id = 0}};
        for (uint64_t i = 0; i < 40; i++) {
            nodes[i] = (struct written){AT(i + 1, "n", orr_rng_below(&rng, 9))};
            for (unsigned p = 0; i > 0 && p < orr_rng_below(&rng, 4); p++) {
                nodes[i].parents[p] = 1 + orr_rng_below(&rng, (uint32_t)i);
            }
        }
        struct orr_trace_path path;
        struct orr_trace_summary summary;
        const struct orr_trace *trace = MAKE_TRACE(state, nodes);
        assert_int_equal(orr_trace_find_path(*state, trace, &path, NULL), ORR_OK);
        assert_int_equal(orr_trace_summarize(*state, trace, &summary, NULL), ORR_OK);
        assert_int_equal(path.length_ps, summary.critical_duration_ps);
        uint64_t at_ps = 0;
        for (uint32_t i = 0; i < path.nodes; i++) {
            assert_int_equal(path.start_ps[path.node[i]], at_ps);
            assert_int_equal(path.slack_ps[path.node[i]], 0);
            at_ps += trace->node[path.node[i]].duration_ps;
        }
        assert_int_equal(at_ps, path.length_ps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_are_named_by_their_function),
        cmocka_unit_test_setup_teardown(test_stats_operators_join_names_that_differ_in_numbers,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_stats_long_names_are_told_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stats_communication_is_by_kind_and_group, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_path_is_the_longest_chain, setup, teardown),
        cmocka_unit_test_setup_teardown(test_path_without_durations_is_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(test_path_of_random_traces_agrees_with_the_summary, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
