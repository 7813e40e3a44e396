/* compute.efficiency: curves between, at and outside of their points, what a list says, and the
 * kind of an operation by its name; times with constants. */
#include <math.h>

#include "tests/unit/conf_fixture.h"
#include "workload/roofline/roofline.h"
#include "workload/trace/op_kind.h"

/* exp and log round; what is compared is a share. */
static void assert_share(double actual, double expected)
{
    if (fabs(actual - expected) > 1e-12) {
        print_error("expected %.15g, got %.15g\n", expected, actual);
        fail();
    }
}

static const struct wl_efficiency *read_list(struct fixture *fixture, const char *text)
{
    const struct wl_efficiency *efficiency = NULL;
    double share = 0;
    const enum orr_status status = orr_wl_efficiency_read(fixture->arena, parse(fixture, text),
                                                          &share, &efficiency, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    assert_int_equal(status, ORR_OK);
    assert_true(share == 1);
    return efficiency;
}

static void refuses(struct fixture *fixture, const char *text, const char *message)
{
    const struct wl_efficiency *efficiency = NULL;
    double share = 0;
    assert_int_equal(orr_wl_efficiency_read(fixture->arena, parse(fixture, text), &share,
                                            &efficiency, &fixture->diag),
                     ORR_ERR_INPUT);
    says(fixture, message);
}

/* Three points at 1, 100 and 10^4 GFLOP. Between the first two, at 10 GFLOP, half of the logarithm
 * is gone: (0.2 + 0.6) / 2; at 1 TFLOP between the others: (0.6 + 0.7) / 2. */
static void test_curve_at_is_linear_in_the_logarithm(void **state)
{
    const struct wl_efficiency *efficiency =
        read_list(*state, "- kind: default\n"
                          "  points: [[1e9 FLOP, 0.2], [100 GFLOP, 0.6], [10 TFLOP, 0.7]]\n");
    const struct wl_curve *curve = &efficiency->of[ORR_OP_DEFAULT].peak;
    assert_true(orr_wl_curve_at(curve, 1e9) == 0.2);
    assert_true(orr_wl_curve_at(curve, 1e11) == 0.6);
    assert_true(orr_wl_curve_at(curve, 1e13) == 0.7);
    assert_share(orr_wl_curve_at(curve, 1e10), 0.4);
    assert_share(orr_wl_curve_at(curve, 1e12), 0.65);
    /* A quarter of the way: 0.2 + 0.4 / 4. */
    assert_share(orr_wl_curve_at(curve, 1e9 * sqrt(10)), 0.3);
}

static void test_curve_at_outside_of_the_points_is_constant(void **state)
{
    const struct wl_efficiency *efficiency = read_list(
        *state, "- {kind: default, points: 0.5, bandwidth: [[1 KiB, 0.1], [1 MiB, 0.8]]}\n");
    const struct wl_curve *memory = &efficiency->of[ORR_OP_DEFAULT].memory;
    assert_true(orr_wl_curve_at(memory, 0) == 0.1);
    assert_true(orr_wl_curve_at(memory, 1) == 0.1);
    assert_true(orr_wl_curve_at(memory, 1024) == 0.1);
    assert_true(orr_wl_curve_at(memory, 1048576) == 0.8);
    assert_true(orr_wl_curve_at(memory, 1e18) == 0.8);
    assert_true(orr_wl_curve_at(&efficiency->of[ORR_OP_DEFAULT].peak, 0) == 0.5);
    assert_true(orr_wl_curve_at(&efficiency->of[ORR_OP_DEFAULT].peak, 1e15) == 0.5);
}

static void test_read_kinds_without_an_entry_take_the_default(void **state)
{
    const struct wl_efficiency *efficiency =
        read_list(*state, "- {kind: gemm, points: 0.7, bandwidth: 0.9}\n"
                          "- {kind: default, points: 0.4}\n"
                          "- {kind: memory, bandwidth: 0.5}\n");
    assert_true(orr_wl_curve_at(&efficiency->of[ORR_OP_GEMM].peak, 1) == 0.7);
    assert_true(orr_wl_curve_at(&efficiency->of[ORR_OP_GEMM].memory, 1) == 0.9);
    assert_true(orr_wl_curve_at(&efficiency->of[ORR_OP_ATTENTION].peak, 1) == 0.4);
    assert_true(orr_wl_curve_at(&efficiency->of[ORR_OP_ELEMENTWISE].memory, 1) == 1);
    assert_true(orr_wl_curve_at(&efficiency->of[ORR_OP_MEMORY].peak, 1) == 1);
    assert_true(orr_wl_curve_at(&efficiency->of[ORR_OP_MEMORY].memory, 1) == 0.5);
}

static void test_read_a_number_is_the_share_of_all(void **state)
{
    struct fixture *fixture = *state;
    const struct wl_efficiency *efficiency = NULL;
    double share = 0;
    assert_int_equal(orr_wl_efficiency_read(fixture->arena, parse(fixture, "0.25"), &share,
                                            &efficiency, &fixture->diag),
                     ORR_OK);
    assert_true(share == 0.25);
    assert_null(efficiency);
}

/* 312 GFLOP at 312 TFLOP/s are 1 ms, at a half of it 2 ms; 1 GB at 1 TB/s is 1 ms, at a quarter 4
 * ms. */
static const struct wl_roofline a100 = {.peak_flops = 312e12, .memory_bytes_per_s = 1e12};

static sim_time time_of(const struct wl_efficiency *efficiency, enum orr_op_kind kind,
                        uint64_t operations, uint64_t bytes)
{
    struct wl_roofline roofline = a100;
    roofline.efficiency = efficiency;
    const struct wl_work work = {.kind = kind, .operations = operations, .bytes = bytes};
    return orr_wl_roofline_time(&roofline, &work);
}

#define US ORR_PS_PER_US
#define GIGA UINT64_C(1000000000)

static void test_roofline_time_adds_the_constant_of_the_kind(void **state)
{
    const struct wl_efficiency *efficiency =
        read_list(*state, "- {kind: gemm, points: 0.5, constant: 105 us}\n"
                          "- {kind: elementwise, bandwidth: 0.25, constant: 3 us}\n"
                          "- {kind: default, constant: 7 us}\n");
    assert_int_equal(time_of(efficiency, ORR_OP_GEMM, 312 * GIGA, 0), 2105 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_GEMM, 312 * GIGA, 3 * GIGA), 3105 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_ELEMENTWISE, 0, GIGA), 4003 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_ELEMENTWISE, GIGA, GIGA), 4003 * US);
    /* a kind without an entry takes the default's, and so does what no kind is said of */
    assert_int_equal(time_of(efficiency, ORR_OP_ATTENTION, 312 * GIGA, 0), 1007 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_DEFAULT, 0, GIGA), 1007 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_GEMM, 0, 0), 0);
    /* no operations is work too when there are bytes */
    assert_int_equal(time_of(efficiency, ORR_OP_GEMM, 0, GIGA), 1105 * US);
}

static sim_time truncated(const struct wl_efficiency *efficiency, uint64_t operations,
                          uint64_t bytes)
{
    const struct wl_work work = {.kind = ORR_OP_GEMM, .operations = operations, .bytes = bytes};
    struct wl_roofline roofline = a100;
    roofline.truncate_to_ns = true;
    roofline.efficiency = efficiency;
    return orr_wl_roofline_time(&roofline, &work);
}

/* The reference cuts 1.5 ns to 1 ns, and takes no time for bytes without operations. */
static void test_roofline_time_truncated_adds_the_constant_behind(void **state)
{
    assert_int_equal(truncated(NULL, 468000, 0), 1000);
    assert_int_equal(truncated(NULL, 0, GIGA), 0);
    const struct wl_efficiency *plain = read_list(*state, "- {kind: default}\n");
    assert_int_equal(truncated(plain, 468000, 0), 1000);
    assert_int_equal(truncated(plain, 0, GIGA), 0);
    const struct wl_efficiency *added = read_list(*state, "- {kind: default, constant: 2500 ps}\n");
    assert_int_equal(truncated(added, 468000, 0), 3500);
    assert_int_equal(truncated(added, 0, 0), 0);
}

/* ---- what is said of a node ---- */

static sim_time time_marked(const struct wl_roofline *roofline, enum orr_op_kind kind,
                            unsigned flags)
{
    const struct wl_work work = {kind, flags, 312 * GIGA, GIGA};
    return orr_wl_roofline_time(roofline, &work);
}

/* At three quarters of a half of the peak 312 GFLOP take 1 / 0.375 ms = 2666.666667 us. */
static void test_roofline_time_unaligned_has_a_share_of_the_share(void **state)
{
    struct wl_roofline roofline = a100;
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, ORR_COMP_UNALIGNED), 1000 * US);
    roofline.alignment = 0.8;
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, ORR_COMP_UNALIGNED), 1250 * US);
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, 0), 1000 * US);
    roofline.alignment = 0.75;
    roofline.efficiency = read_list(
        *state, "- {kind: default, points: 0.5}\n- {kind: gemm, points: 0.5, constant: 1 us}\n");
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, ORR_COMP_UNALIGNED), INT64_C(2667666667));
    assert_int_equal(time_marked(&roofline, ORR_OP_ATTENTION, ORR_COMP_UNALIGNED),
                     INT64_C(2666666667));
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, 0), 2001 * US);
    /* only products and attention run on tensor cores */
    assert_int_equal(time_marked(&roofline, ORR_OP_ELEMENTWISE, ORR_COMP_UNALIGNED), 2000 * US);
    assert_int_equal(time_marked(&roofline, ORR_OP_DEFAULT, ORR_COMP_UNALIGNED), 2000 * US);
    assert_int_equal(time_marked(&roofline, ORR_OP_MEMORY, ORR_COMP_UNALIGNED), 2000 * US);
}

/* Twice the peak: 0.5 ms of operations, then the memory's 1 ms is what is longer. */
static void test_roofline_time_fp8_has_a_peak_of_its_own(void **state)
{
    struct wl_roofline roofline = a100;
    roofline.memory_bytes_per_s = 10e12;
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, ORR_COMP_FP8), 1000 * US);
    roofline.product_peak_flops[ORR_PRODUCT_FP8] = 624e12;
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, ORR_COMP_FP8), 500 * US);
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, 0), 1000 * US);
    assert_int_equal(time_marked(&roofline, ORR_OP_ATTENTION, ORR_COMP_FP8), 1000 * US);
    roofline.alignment = 0.8;
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, ORR_COMP_FP8 | ORR_COMP_UNALIGNED),
                     625 * US);
    roofline.efficiency =
        read_list(*state, "- {kind: gemm, points: 0.5, constant: 7 us}\n- {kind: default}\n");
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, ORR_COMP_FP8), 1007 * US);
    roofline.memory_bytes_per_s = 1e12;
    roofline.efficiency = NULL;
    assert_int_equal(time_marked(&roofline, ORR_OP_GEMM, ORR_COMP_FP8), 1000 * US);
}

/* ---- whole layers and their operators ---- */

/* `warning`: the only one; "": none. */
static const struct wl_efficiency *read_warned(struct fixture *fixture, const char *text,
                                               const char *warning)
{
    fixture->warnings = 0;
    fixture->warning[0] = '\0';
    const struct wl_efficiency *efficiency = read_list(fixture, text);
    assert_string_equal(fixture->warning, warning);
    assert_int_equal(fixture->warnings, warning[0] != '\0');
    return efficiency;
}

static void test_read_operators_do_not_take_what_layers_reach(void **state)
{
    const struct wl_efficiency *efficiency =
        read_warned(*state,
                    "- {kind: gemm, points: 0.7}\n"
                    "- {kind: default, scope: layer, points: 0.4, constant: 1 us}\n",
                    "net.yml:1:1: warning: expected an entry for each kind of operators, or {kind: "
                    "default, scope: operator} for those without: the entry of whole layers does "
                    "not apply to them, so the whole peak and bandwidth are assumed for attention, "
                    "elementwise, memory");
    assert_int_equal(time_of(efficiency, ORR_OP_ATTENTION, 312 * GIGA, 0), 1000 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_MEMORY, 0, GIGA), 1000 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_DEFAULT, 312 * GIGA, 0), 2501 * US);
    assert_true(orr_wl_curve_at(&efficiency->of[ORR_OP_GEMM].peak, 1) == 0.7);
}

static void test_read_a_default_of_each_scope_is_for_its_own(void **state)
{
    const struct wl_efficiency *efficiency =
        read_warned(*state,
                    "- {kind: default, scope: layer, points: 0.25}\n"
                    "- {kind: default, scope: operator, points: 0.5, constant: 2 us}\n"
                    "- {kind: memory, bandwidth: 0.5}\n",
                    "");
    assert_int_equal(time_of(efficiency, ORR_OP_DEFAULT, 312 * GIGA, 0), 4000 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_GEMM, 312 * GIGA, 0), 2002 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_ATTENTION, 312 * GIGA, 0), 2002 * US);
    assert_int_equal(time_of(efficiency, ORR_OP_MEMORY, 0, GIGA), 2000 * US);
}

static void test_read_layers_beside_all_operators_is_no_warning(void **state)
{
    (void)read_warned(*state,
                      "- {kind: default, scope: layer, points: 0.25}\n- {kind: gemm}\n"
                      "- {kind: attention}\n- {kind: elementwise}\n- {kind: memory}\n",
                      "");
}

static void test_read_wrong_values_are_refused(void **state)
{
    refuses(*state, "1.5", "net.yml:1:1: expected a number from 0.001 to 1, got \"1.5\"");
    refuses(
        *state, "[]",
        "net.yml:1:1: expected a number from 0.001 to 1 or a list of curves, got an empty list");
    refuses(*state, "- {kind: gem, points: 1}",
            "net.yml:1:10: [0].kind: expected default, gemm, attention, elementwise, memory, scan, "
            "cast, gemm_fp8 or gemm_fp4, got \"gem\"; did you mean \"gemm\"?");
    refuses(*state, "- {kind: gemm, points: 1}",
            "net.yml:1:1: a list of curves needs an entry for operations of unknown kind, such "
            "as {kind: default, points: 0.5}");
    refuses(*state, "- {kind: gemm}\n- {kind: gemm}",
            "net.yml:2:3: [1]: the kind \"gemm\" has an entry already");
    refuses(*state, "- {kind: default, points: 0}",
            "net.yml:1:27: [0].points: expected a number from 0.001 to 1, got \"0\"");
    refuses(*state, "- {kind: default, points: {}}",
            "net.yml:1:27: [0].points: expected a number, or a list of 1 to 64 pairs, got a "
            "mapping");
    refuses(*state, "- {kind: default, points: [[1 GFLOP, 0.5], 3]}",
            "net.yml:1:44: [0].points[1]: expected a pair such as [35 GFLOP, 0.5], got \"3\"");
    refuses(*state, "- {kind: default, points: [[1e9, 0.5]]}",
            "net.yml:1:29: [0].points[0][0]: expected operations such as \"35 GFLOP\", got "
            "\"1e9\"");
    refuses(*state, "- {kind: default, bandwidth: [[4096, 0.5]]}",
            "net.yml:1:32: [0].bandwidth[0][0]: expected a size such as \"1 MiB\", got \"4096\"; a "
            "unit is missing: B, kB, MB, GB, TB, KiB, MiB, GiB or TiB");
    refuses(*state, "- {kind: default, points: [[1 GFLOP, 2]]}",
            "net.yml:1:38: [0].points[0][1]: expected a number from 0.001 to 1, got \"2\"");
    refuses(*state, "- {kind: default, points: [[2 GFLOP, 0.5], [2 GFLOP, 0.6]]}",
            "net.yml:1:45: [0].points[1][0]: expected a size above that of the point before it, "
            "got \"2 GFLOP\"");
    refuses(*state, "- {kind: gemm, scope: layer}",
            "net.yml:1:23: [0].scope: expected operator, because only the kind default may be of "
            "whole layers, got \"layer\"");
    refuses(*state, "- {kind: default, scope: model}",
            "net.yml:1:26: [0].scope: expected operator or layer, got \"model\"");
    refuses(*state,
            "- {kind: default, scope: layer}\n- {kind: default}\n- {kind: default, scope: layer}",
            "net.yml:3:3: [2]: the kind \"default\" has an entry already");
    refuses(*state, "- {kind: default, constant: -1 us}",
            "net.yml:1:29: [0].constant: expected a time such as \"500 ns\", got \"-1 us\"; "
            "it is negative");
    refuses(*state, "- {kind: default, constant: 3}",
            "net.yml:1:29: [0].constant: expected a time such as \"500 ns\", got \"3\"; a unit is "
            "missing: ps, ns, us, ms, s, min or h");
    refuses(*state, "- {kind: default, point: 1}",
            "net.yml:1:19: [0].point: unknown key in an efficiency curve; did you mean "
            "\"points\"?");
}

static void test_op_kind_of_name_reads_operators_and_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum orr_op_kind kind;
    } cases[] = {{"aten::addmm", ORR_OP_GEMM},
                 {"aten::mm", ORR_OP_GEMM},
                 {"AddmmBackward0", ORR_OP_GEMM},
                 {"ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", ORR_OP_GEMM},
                 {"aten::cudnn_convolution", ORR_OP_GEMM},
                 {"flash_fwd_kernel", ORR_OP_ATTENTION},
                 {"aten::_scaled_dot_product_efficient_attention", ORR_OP_ATTENTION},
                 {"scaled_upper_triang_masked_softmax_warp_forward", ORR_OP_ELEMENTWISE},
                 {"aten::add_", ORR_OP_ELEMENTWISE},
                 {"void cuApplyLayerNorm<c10::Half>", ORR_OP_ELEMENTWISE},
                 {"aten::copy_", ORR_OP_MEMORY},
                 {"Memcpy DtoD (Device -> Device)", ORR_OP_MEMORY},
                 {"aten::cat", ORR_OP_MEMORY},
                 {"summary", ORR_OP_DEFAULT},
                 {"category", ORR_OP_DEFAULT},
                 {"step 0 layer 1 forward", ORR_OP_DEFAULT},
                 {"mm", ORR_OP_GEMM},
                 {"m", ORR_OP_DEFAULT},
                 {"", ORR_OP_DEFAULT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (orr_wl_op_kind_of_name(cases[i].name) != cases[i].kind) {
            print_error("%s: expected %s, got %s\n", cases[i].name,
                        orr_op_kind_names[cases[i].kind],
                        orr_op_kind_names[orr_wl_op_kind_of_name(cases[i].name)]);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_curve_at_is_linear_in_the_logarithm),
        IN_FIXTURE(test_curve_at_outside_of_the_points_is_constant),
        IN_FIXTURE(test_read_kinds_without_an_entry_take_the_default),
        IN_FIXTURE(test_read_a_number_is_the_share_of_all),
        IN_FIXTURE(test_roofline_time_adds_the_constant_of_the_kind),
        IN_FIXTURE(test_roofline_time_truncated_adds_the_constant_behind),
        IN_FIXTURE(test_roofline_time_unaligned_has_a_share_of_the_share),
        IN_FIXTURE(test_roofline_time_fp8_has_a_peak_of_its_own),
        IN_FIXTURE(test_read_operators_do_not_take_what_layers_reach),
        IN_FIXTURE(test_read_a_default_of_each_scope_is_for_its_own),
        IN_FIXTURE(test_read_layers_beside_all_operators_is_no_warning),
        IN_FIXTURE(test_read_wrong_values_are_refused),
        cmocka_unit_test(test_op_kind_of_name_reads_operators_and_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
