/* How a job's time depends on its parts, told by one run (ORRERY_RECORD_SLOPES): parts add up to
 * the time, are those of the run of every NPU, and are what the time does when values change. */
#include "tests/unit/slopes_fixture.h"

/* Times of operators of all kinds, none so that two parts of a job end at once as a rule. */
#define EFFICIENCY(gemm, constant, attention, elementwise, memory)                                 \
    "compute.efficiency=[{kind: gemm, points: " gemm ", constant: " constant " us}, {kind: "       \
    "attention, points: " attention "}, {kind: elementwise, bandwidth: " elementwise "}, {kind: "  \
    "memory, bandwidth: " memory "}, {kind: default, points: " gemm "}]"

static const char machine[] =
    "network:\n"
    "  topology: Switch(4)_Switch(4)\n"
    "  bandwidth_is: npu\n"
    "  dims: [{bandwidth: 60 GB/s, latency: 1 us}, {bandwidth: 12.5 GB/s, latency: 3 us}]\n"
    "system: {chunks: 4, port_sharing: messages}\n" /* shared ports: slopes are near only */
    "memory: {local: {bandwidth: 1555 GB/s}}\n"
    "compute: {peak: 312 TFLOP/s, fitted: {sigma: 0.05, parameters: [\n"
    "  {name: compute.efficiency.gemm.points, spread: 0.1},\n"
    "  {name: compute.efficiency.gemm.constant, spread: 0.1},\n"
    "  {name: compute.efficiency.attention.points, spread: 0.1},\n"
    "  {name: compute.efficiency.elementwise.bandwidth, spread: 0.1},\n"
    "  {name: compute.peak, spread: 0.1},\n"
    "  {name: \"network.dims[0].bandwidth\", spread: 0.1},\n"
    "  {name: \"network.dims[1].bandwidth\", spread: 0.1},\n"
    "  {name: \"network.dims[0].latency\", spread: 0.1},\n"
    "  {name: \"network.dims[1].latency\", spread: 0.1}]}}\n";

static const char model[] =
    "workload:\n"
    "  transformer: {layers: 8, hidden: 2048, heads: 16, sequence: 1024, vocabulary: 32000}\n"
    "  training: {batch: 16, micro_batch: 1}\n";

static const char *const layouts[] = {
    "workload.parallel={tensor: 4, pipeline: 4}",
    "workload.parallel={tensor: 2, pipeline: 2, schedule: interleaved, chunks: 2, sequence: true}",
    "workload.parallel={tensor: 2, pipeline: 2, context: 2, schedule: gpipe}",
    "workload.parallel={tensor: 1}",
    "workload.parallel={tensor: 4, zero: 3}",
};
static const char *const networks[] = {
    "network.backend=analytical",
    "network.backend=congestion",
    "network.topology=Ring(4)_Ring(4)",
    "network.topology=Switch(4)_Ring(4)",
    "system.library={name: nccl, gpu: a100}",
    "network.backend=flow", /* the last: in it several starts tell an end */
};
enum {
    LAYOUTS = sizeof layouts / sizeof *layouts,
    NETWORKS = sizeof networks / sizeof *networks,
    CHAINED = NETWORKS - 1
};

/* ---- parts ---- */

static int64_t sum_of_parts(const struct orrery *job)
{
    struct orrery_path_part part;
    int64_t sum = 0;
    for (size_t i = 0; orrery_path_part(job, i, &part) == ORRERY_OK; i++) {
        assert_true(part.ps > 0);
        sum += part.ps;
    }
    return sum;
}

static void check_equal(const struct orrery *a, const struct orrery *b)
{
    struct orrery_path_part of_a, of_b;
    assert_int_equal(orrery_path_parts(a), orrery_path_parts(b));
    for (size_t i = 0; orrery_path_part(a, i, &of_a) == ORRERY_OK; i++) {
        assert_int_equal(orrery_path_part(b, i, &of_b), ORRERY_OK);
        assert_string_equal(of_a.what, of_b.what);
        assert_int_equal(of_a.ps, of_b.ps);
    }
}

static void test_parts_add_up_to_the_time_folded_and_not(void **state)
{
    (void)state;
    unsigned folds = 0;
    for (unsigned l = 0; l < LAYOUTS; l++) {
        for (unsigned n = 0; n < NETWORKS; n++) {
            struct slopes_case of = {
                .platform = machine,
                .workload = model,
                .set = {layouts[l], networks[n], EFFICIENCY("0.74", "105", "0.4", "0.8", "0.8")},
                .record = ORRERY_RECORD_SLOPES};
            struct orrery *folded = run_case(&of);
            of.unfolded = true;
            struct orrery *unfolded = run_case(&of);
            of.record = 0;
            struct orrery *plain = run_case(&of);
            folds += orrery_fold_classes(folded) < orrery_fold_classes(unfolded) ? 1 : 0;
            assert_int_equal(orrery_wall_ps(folded), orrery_wall_ps(plain));
            assert_int_equal(sum_of_parts(folded), orrery_wall_ps(plain));
            assert_int_equal(sum_of_parts(unfolded), orrery_wall_ps(plain));
            check_equal(folded, unfolded);
            orrery_free(folded);
            orrery_free(unfolded);
            orrery_free(plain);
        }
    }
    assert_true(folds > LAYOUTS * NETWORKS / 2);
}

/* ---- differences ---- */

/* What is set for a parameter's value times a factor. */
static void vary(const char *name, double factor, char set[512])
{
    static const struct {
        const char *name;
        double value;
        const char *unit;
    } given[] = {{"compute.peak", 312, "TFLOP/s"},
                 {"network.dims[0].bandwidth", 60, "GB/s"},
                 {"network.dims[1].bandwidth", 12.5, "GB/s"},
                 {"network.dims[0].latency", 1, "us"},
                 {"network.dims[1].latency", 3, "us"}};
    static const char *const shares[] = {
        "compute.efficiency.gemm.points", "compute.efficiency.gemm.constant",
        "compute.efficiency.attention.points", "compute.efficiency.elementwise.bandwidth"};
    double value[] = {0.74, 105, 0.4, 0.8};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (strcmp(name, given[i].name) == 0) {
            (void)snprintf(set, 512, "%s=%.15g %s", name, given[i].value * factor, given[i].unit);
            return;
        }
    }
    for (size_t i = 0; i < 4; i++) {
        value[i] *= strcmp(name, shares[i]) == 0 ? factor : 1;
    }
    (void)snprintf(set, 512, EFFICIENCY("%.15g", "%.15g", "%.15g", "%.15g", "%.15g"), value[0],
                   value[1], value[2], value[3], value[3], value[0]);
}

static double time_of(const struct slopes_case *of, const char *name, double factor)
{
    char set[512];
    struct slopes_case varied = *of;
    varied.record = 0;
    varied.set[3] = set;
    vary(name, factor, set);
    struct orrery *job = run_case(&varied);
    const double time = (double)orrery_wall_ps(job);
    orrery_free(job);
    return time;
}

/* d log T / d log value over 0.01 % to either side; 0.1 % is beyond where another path takes over
 * in some. */
static double difference_of(const struct slopes_case *of, const char *name)
{
    const double step = 1e-4;
    return log(time_of(of, name, 1 + step) / time_of(of, name, 1 - step)) /
           log((1 + step) / (1 - step));
}

static void check_slopes(const char *layout, const char *network)
{
    const struct slopes_case of = {
        .platform = machine,
        .workload = model,
        .set = {layout, network, EFFICIENCY("0.74", "105", "0.4", "0.8", "0.8")},
        .record = ORRERY_RECORD_UNCERTAINTY};
    struct orrery *job = run_case(&of);
    struct orrery_slope slope;
    size_t i = 0;
    for (; orrery_slope(job, i, &slope) == ORRERY_OK; i++) {
        const double expected = difference_of(&of, slope.name);
        if (!(fabs(slope.slope - expected) <= 0.01 * fabs(expected) + 2e-6)) {
            fail_msg("%s, %s: %s has %.6f, expected %.6f", layout, network, slope.name, slope.slope,
                     expected);
        }
    }
    assert_int_equal(i, 9);
    orrery_free(job);
}

static void test_slopes_are_what_the_time_does(void **state)
{
    (void)state;
    for (unsigned l = 0; l < LAYOUTS; l++) {
        for (unsigned n = 0; n < CHAINED; n++) {
            check_slopes(layouts[l], networks[n]);
        }
    }
}

/* Time is homogeneous in rates and times: what 1 % more of all rates saves, 1 % less of all times
 * does. Memory operations and those of no known kind go with elementwise ones and products. */
static void test_slopes_of_all_parameters_add_up_to_the_whole(void **state)
{
    (void)state;
    struct orrery *job = run_case(&(struct slopes_case){
        .platform = machine,
        .workload = model,
        .set = {layouts[1], networks[0], EFFICIENCY("0.74", "105", "0.4", "0.8", "0.8")},
        .record = ORRERY_RECORD_UNCERTAINTY});
    struct orrery_slope slope;
    double sum = 0;
    for (size_t i = 0; orrery_slope(job, i, &slope) == ORRERY_OK; i++) {
        sum += strcmp(slope.name, "compute.peak") != 0 ? fabs(slope.slope) : 0;
    }
    assert_true(fabs(sum - 1) < 1e-12);
    orrery_free(job);
}

/* Where flows share links the slopes are near only, which is said. */
static void test_slopes_of_flows_have_a_warning(void **state)
{
    (void)state;
    struct orrery *job = run_case(&(struct slopes_case){.platform = machine,
                                                        .workload = model,
                                                        .set = {layouts[0], networks[CHAINED]},
                                                        .record = ORRERY_RECORD_UNCERTAINTY});
    struct orrery_uncertainty told;
    assert_int_equal(orrery_uncertainty(job, &told), ORRERY_OK);
    assert_string_equal(
        orrery_warning(job, 0),
        "warning: network.backend: flow: the end of a flow depends on all flows on its links, of "
        "which sensitivities follow one: the parameters' part of the uncertainty is approximate");
    assert_null(orrery_warning(job, 1));
    orrery_free(job);
}

/* The utilization's interval is the time's, turned around. */
static void test_interval_of_the_utilization(void **state)
{
    (void)state;
    struct orrery *job = run_case(&(struct slopes_case){
        .platform = machine, .workload = model, .record = ORRERY_RECORD_UNCERTAINTY});
    struct orrery_uncertainty told;
    struct orrery_rates rates;
    const double wall = (double)orrery_wall_ps(job);
    orrery_rates(job, &rates);
    assert_int_equal(orrery_uncertainty(job, &told), ORRERY_OK);
    assert_true(rates.model_flops_utilization > 0);
    assert_true(
        fabs(told.low_utilization * (double)told.high_ps / (rates.model_flops_utilization * wall) -
             1) < 1e-9);
    assert_true(
        fabs(told.high_utilization * (double)told.low_ps / (rates.model_flops_utilization * wall) -
             1) < 1e-9);
    orrery_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_add_up_to_the_time_folded_and_not),
        cmocka_unit_test(test_slopes_are_what_the_time_does),
        cmocka_unit_test(test_slopes_of_all_parameters_add_up_to_the_whole),
        cmocka_unit_test(test_slopes_of_flows_have_a_warning),
        cmocka_unit_test(test_interval_of_the_utilization),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
