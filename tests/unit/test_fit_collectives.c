/* A platform's library fitted to times that the model itself made: what is told comes back, what is
 * not stays and says what would tell it; bounds, NVLS trees, the platform that is written. */
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "system/ccl/ccl.h"
#include "system/collectives/program.h"
#include "tests/unit/collfit_fixture.h"

static const char a100[] = "name: pod\n"
                           "network:\n"
                           "  topology: Switch(8)_Switch(16)\n"
                           "  bandwidth_is: npu\n"
                           "  dims: [{bandwidth: 300 GB/s}, {bandwidth: 25 GB/s, latency: 2 us}]\n"
                           "system: {chunks: 4, library: {name: nccl, gpu: a100}}\n"
                           "memory: {local: {bandwidth: 1555 GB/s}}\n"
                           "compute: {peak: 312 TFLOP/s}\n";

/* ---- a model's own times ---- */

struct group {
    uint32_t npus, per_node;
};

/* Times of sizes from, 2 from, ... up to `to`, by a library of the platform. */
static void made(struct fixture *fixture, const char *platform, const struct sys_ccl *library,
                 enum coll_kind kind, struct group group, uint64_t from, uint64_t to)
{
    struct net_config network;
    struct sys_ccl_shape shape;
    uint32_t ranks[256];
    assert_int_equal(orr_net_config_read(fixture->arena,
                                         orr_conf_get(tree(fixture, platform), "network"), &network,
                                         &fixture->diag),
                     ORR_OK);
    for (uint32_t i = 0; i < group.npus; i++) {
        ranks[i] = i / group.per_node * network.dim[0].npus + i % group.per_node;
    }
    assert_int_equal(
        orr_sys_ccl_shape_of(library, &network, ranks, group.npus, &shape, &fixture->diag), ORR_OK);
    for (uint64_t bytes = from; bytes <= to; bytes *= 2) {
        const struct orr_measured_row of = {.kind = kind, .bytes = bytes};
        row(fixture, orr_coll_kind_name(kind), group.npus, group.per_node, bytes,
            orr_collfit_time_us(library, &shape, &of));
    }
}

/* The platform's library, to be scaled. */
static struct sys_ccl library_of(struct fixture *fixture, const char *platform)
{
    const struct orr_conf *root = tree(fixture, platform);
    struct net_config network;
    const struct sys_ccl *library = NULL;
    assert_int_equal(orr_net_config_read(fixture->arena, orr_conf_get(root, "network"), &network,
                                         &fixture->diag),
                     ORR_OK);
    assert_int_equal(orr_sys_ccl_read(fixture->arena,
                                      orr_conf_get(orr_conf_get(root, "system"), "library"),
                                      &network, &library, &fixture->diag),
                     ORR_OK);
    return *library;
}

static const struct group groups[] = {{2, 2}, {4, 4}, {8, 8}, {16, 8}, {32, 8}, {64, 8}, {4, 1}};

static void made_of_all(struct fixture *fixture, const char *platform,
                        const struct sys_ccl *library)
{
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        made(fixture, platform, library, COLL_ALL_REDUCE, groups[g], 8, 4096 * MIB);
        made(fixture, platform, library, COLL_ALL_GATHER, groups[g], 8, 4096 * MIB);
        made(fixture, platform, library, COLL_ALL_TO_ALL, groups[g], 8, 4096 * MIB);
    }
}

/* What a parameter of another library is. */
static double value_of(const struct sys_ccl *library, size_t param)
{
    return param == COLLFIT_LAUNCH ? (double)library->launch_ps / 1e6
                                   : library->scale[param - COLLFIT_SCALES];
}

static void test_own_times_give_parameters_back(void **state)
{
    struct fixture *fixture = *state;
    struct sys_ccl library = library_of(fixture, a100);
    static const double scales[SYS_CCL_SCALES] = {0.9, 0.8, 1.5,  2.0, 0.7, 1.2, 1.3,
                                                  0.8, 0.9, 0.85, 1.0, 1.6, 0.6, 0.8};
    memcpy(library.scale, scales, sizeof scales);
    library.launch_ps = 14000000;
    made_of_all(fixture, a100, &library);
    const struct collfit *fitted = fit(fixture, a100);
    unsigned identified = 0;
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        const struct orr_fit_parameter_row *parameter = &fitted->parameter[k];
        const double expected = value_of(&library, k);
        if (parameter->identified && !(fabs(parameter->value / expected - 1) < 0.001)) {
            print_error("%s: expected %g, got %g\n", parameter->name, expected, parameter->value);
            identified -= 100;
        }
        identified += parameter->identified ? 1 : 0;
    }
    assert_int_equal(identified, 14); /* all but NVLS */
    assert_true(fitted->error[0].worst < 0.001);
}

static const struct orr_fit_parameter_row *parameter(const struct collfit *fitted, const char *name)
{
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        if (strcmp(fitted->parameter[k].name, name) == 0) {
            return &fitted->parameter[k];
        }
    }
    fail_msg("there is no parameter %s", name);
    return NULL;
}

static void needs(const struct collfit *fitted, const char *name, const char *expected)
{
    assert_false(parameter(fitted, name)->identified);
    assert_string_equal(parameter(fitted, name)->would_identify, expected);
}

static bool said(const char *const *text, size_t count, const char *expected)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text[i], expected) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < count; i++) {
        print_error("said: %s\n", text[i]);
    }
    return false;
}

static char *written(const struct collfit *fitted, int (*write)(FILE *out, const void *context))
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(write(out, fitted), 0);
    (void)fclose(out);
    return text;
}

static void test_the_same_again_bit_by_bit(void **state)
{
    struct fixture *fixture = *state;
    const struct sys_ccl library = library_of(fixture, a100);
    char *text[2][4];
    made(fixture, a100, &library, COLL_ALL_REDUCE, groups[3], 1024, 512 * MIB);
    made(fixture, a100, &library, COLL_ALL_REDUCE, groups[2], 1024, 512 * MIB);
    row(fixture, "all_reduce", 16, 8, 4096, 99);
    for (unsigned i = 0; i < 2; i++) {
        const struct collfit *fitted = fit(fixture, a100);
        text[i][0] = written(fitted, orr_collfit_json);
        text[i][1] = written(fitted, orr_collfit_platform);
        text[i][2] = written(fitted, orr_collfit_text);
        text[i][3] = written(fitted, orr_collfit_svg);
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_string_equal(text[0][i], text[1][i]);
        free(text[0][i]);
        free(text[1][i]);
    }
}

/* ---- what is not told ---- */

static void test_large_sizes_tell_no_latency(void **state)
{
    struct fixture *fixture = *state;
    struct sys_ccl library = library_of(fixture, a100);
    library.launch_ps = 20000000;
    library.scale[SYS_CCL_INNER_BANDWIDTH] = 0.9;
    made(fixture, a100, &library, COLL_ALL_REDUCE, groups[2], MIB, 4096 * MIB);
    const struct collfit *fitted = fit(fixture, a100);
    static const char *const kept[] = {"inner_latency", "ll_latency", "ll128_latency"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        assert_true(parameter(fitted, kept[i])->fixed);
        assert_true(parameter(fitted, kept[i])->value == parameter(fitted, kept[i])->prior);
    }
    needs(fitted, "inner_latency", "all-reduces below 1 MiB in one node");
    assert_false(parameter(fitted, "launch")->fixed);
    assert_true(fabs(parameter(fitted, "launch")->value / 20 - 1) < 0.15);
    assert_true(said(fitted->note, fitted->notes,
                     "no fitted row is below 1 MiB, where latencies count: they stay as they were, "
                     "and the launch is what large sizes leave"));
    assert_true(fabs(parameter(fitted, "inner_bandwidth")->value / 0.9 - 1) < 0.02);
    assert_true(parameter(fitted, "inner_bandwidth")->identified);
}

static void test_what_would_tell_is_said(void **state)
{
    struct fixture *fixture = *state;
    const struct sys_ccl library = library_of(fixture, a100);
    made(fixture, a100, &library, COLL_ALL_REDUCE, groups[2], 8, 32 * MIB);
    const struct collfit *fitted = fit(fixture, a100);
    needs(fitted, "launch", "all-reduces on a second number of GPUs");
    needs(fitted, "inner_latency", "all-reduces on a second number of GPUs in one node");
    needs(fitted, "outer_bandwidth", "all-reduces on two nodes");
    needs(fitted, "tree_latency", "all-reduces on two nodes");
    needs(fitted, "all_to_all_bandwidth", "alltoall_perf");
    needs(fitted, "all_to_all_node", "alltoall_perf on several nodes");
    needs(fitted, "nvls_bandwidth", "nothing: no group of this platform uses it");
    assert_true(parameter(fitted, "nvls_bandwidth")->fixed);
    assert_true(parameter(fitted, "outer_latency")->fixed);
    assert_false(parameter(fitted, "ll_latency")->fixed);
    assert_true(said(fitted->note, fitted->notes,
                     "nothing was fitted to all_gather, reduce_scatter, all_to_all, broadcast, "
                     "reduce, gather, scatter: their times follow from links and protocols that "
                     "other collectives determine, and from priors"));
}

static void test_two_nodes_alone_tell_little(void **state)
{
    struct fixture *fixture = *state;
    const struct sys_ccl library = library_of(fixture, a100);
    made(fixture, a100, &library, COLL_ALL_REDUCE, groups[3], 8, 16 * MIB);
    made(fixture, a100, &library, COLL_ALL_GATHER, groups[3], 2 * MIB, 4 * MIB);
    const struct collfit *fitted = fit(fixture, a100);
    needs(fitted, "inner_bandwidth", "sizes of 64 MiB and more in one node");
    needs(fitted, "inner_latency", "all-reduces below 1 MiB in one node");
    needs(fitted, "outer_bandwidth", "sizes of 64 MiB and more on several nodes");
    needs(fitted, "tree_latency", "all-reduces on three numbers of nodes");
    assert_true(
        said(fitted->warning, fitted->warnings,
             "all_gather was fitted to 2 sizes only, which determines bandwidth or latency, "
             "not both"));
}

static void test_few_rows_stay_near_the_prior(void **state)
{
    struct fixture *fixture = *state;
    row(fixture, "all_reduce", 8, 8, 64 * MIB, 600);
    row(fixture, "all_reduce", 8, 8, 1024, 30);
    const struct collfit *fitted = fit(fixture, a100);
    assert_true(said(fitted->note, fitted->notes,
                     "2 rows for 7 parameters: what rows do not determine stays near its prior"));
    assert_true(fabs(parameter(fitted, "inner_bandwidth")->value - 1) < 0.15);
    assert_true(fitted->error[0].worst < 0.1);
}

/* ---- bounds ---- */

static void test_no_bandwidth_beyond_the_data_sheet(void **state)
{
    struct fixture *fixture = *state;
    for (uint64_t bytes = 1024; bytes <= 4096 * MIB; bytes *= 2) {
        row(fixture, "all_reduce", 8, 8, bytes, 25 + 1.75 * (double)bytes / 400e3);
    }
    const struct collfit *fitted = fit(fixture, a100);
    const struct orr_fit_parameter_row *inner = parameter(fitted, "inner_bandwidth");
    assert_true(fabs(inner->value - 300.0 / 235) < 1e-12);
    assert_string_equal(inner->at_bound, "high");
    assert_true(said(fitted->warning, fitted->warnings,
                     "inner_bandwidth met its bound of 1.277: the data sheet's bandwidth, or three "
                     "spreads from the prior; do the platform's bandwidths fit the machine?"));
}

static void test_bounds_of_a_library(void **state)
{
    struct fixture *fixture = *state;
    const struct sys_ccl library = library_of(fixture, a100);
    double (*max)(const struct sys_ccl *, enum sys_ccl_scale, bool) = library.ops->max;
    assert_true(fabs(max(&library, SYS_CCL_INNER_BANDWIDTH, false) - 300.0 / 235) < 1e-12);
    assert_true(fabs(max(&library, SYS_CCL_OUTER_BANDWIDTH, false) - 1 / 0.9) < 1e-12);
    assert_true(fabs(max(&library, SYS_CCL_OUTER_BANDWIDTH, true) - 1 / 0.7) < 1e-12);
    assert_true(fabs(max(&library, SYS_CCL_LL_BANDWIDTH, false) - 2) < 1e-12);
    assert_true(fabs(max(&library, SYS_CCL_LL128_BANDWIDTH, false) - 1 / 0.92) < 1e-12);
    assert_true(fabs(max(&library, SYS_CCL_TREE_BANDWIDTH, false) - 2 / 0.92) < 1e-12);
    assert_true(isinf(max(&library, SYS_CCL_INNER_LATENCY, false)));
}

/* ---- NVLS trees ---- */

static const char h100[] = "network:\n"
                           "  topology: Switch(8)_Switch(8)\n"
                           "  bandwidth_is: npu\n"
                           "  dims: [{bandwidth: 450 GB/s}, {bandwidth: 50 GB/s}]\n"
                           "system: {library: {name: nccl, gpu: h100, nvls_tree: true}}\n";

static void test_nvls_trees_are_found(void **state)
{
    struct fixture *fixture = *state;
    struct sys_ccl library = library_of(fixture, h100);
    for (unsigned with = 0; with < 2; with++) {
        end(state);
        begin(state);
        fixture = *state;
        library.nvls_tree = with != 0;
        made(fixture, h100, &library, COLL_ALL_REDUCE, groups[2], 8, 4096 * MIB);
        made(fixture, h100, &library, COLL_ALL_REDUCE, groups[3], 8, 4096 * MIB);
        made(fixture, h100, &library, COLL_ALL_REDUCE, groups[5], 8, 4096 * MIB);
        const struct collfit *fitted = fit(fixture, h100);
        assert_int_equal(fitted->head.nvls_tree, with);
        assert_true(fitted->error[0].worst < 0.001);
        char *platform = written(fitted, orr_collfit_platform);
        assert_non_null(
            strstr(platform, with != 0 ? "\n    nvls_tree: true\n" : "\n    nvls_tree: false\n"));
        free(platform);
    }
}

/* ---- the platform that is written ---- */

static void test_platform_reads_back_as_fitted(void **state)
{
    struct fixture *fixture = *state;
    struct sys_ccl library = library_of(fixture, a100);
    library.scale[SYS_CCL_OUTER_LATENCY] = 1.7;
    library.scale[SYS_CCL_LL_BANDWIDTH] = 0.6;
    library.launch_ps = 11111111;
    made_of_all(fixture, a100, &library);
    row(fixture, "all_reduce", 16, 8, 4096, 60);
    const struct collfit *fitted = fit(fixture, a100);
    char *platform = written(fitted, orr_collfit_platform);
    const struct orr_conf *root = tree(fixture, platform);
    const struct sys_ccl back = library_of(fixture, platform);
    assert_string_equal(orr_conf_get(root, "name")->text, "pod");
    assert_string_equal(orr_conf_get(orr_conf_get(root, "system"), "chunks")->text, "4");
    assert_string_equal(orr_conf_get(orr_conf_get(root, "compute"), "peak")->text, "312 TFLOP/s");
    assert_string_equal(orr_conf_get(orr_conf_get(root, "network"), "topology")->text,
                        "Switch(8)_Switch(16)");
    for (size_t i = 0; i < fitted->measured.rows; i++) {
        const double us = orr_collfit_time_us(&back, &fitted->shape[i], &fitted->measured.row[i]);
        assert_true(fabs(us / fitted->row[i].model_us - 1) < 0.001);
    }
    free(platform);
}

/* ---- nothing fitted ---- */

static void test_kept_as_it_is(void **state)
{
    struct fixture *fixture = *state;
    struct sys_ccl library = library_of(fixture, a100);
    library.launch_ps = 11111111;
    made_of_all(fixture, a100, &library);
    fixture->keep = true;
    const struct collfit *kept = fit(fixture, a100);
    assert_int_equal(kept->split.fitted, 0);
    assert_int_equal(kept->split.tested, kept->measured.rows);
    assert_int_equal(kept->library.launch_ps, kept->platform_library->launch_ps);
    assert_int_equal(kept->notes, 0);
    for (size_t i = 0; i < kept->measured.rows; i++) {
        const double us =
            orr_collfit_time_us(kept->platform_library, &kept->shape[i], &kept->measured.row[i]);
        assert_true(kept->row[i].model_us == us && kept->row[i].held_out);
    }
    for (size_t k = 0; k < COLLFIT_PARAMS; k++) {
        assert_true(kept->parameter[k].fixed &&
                    kept->parameter[k].value == kept->parameter[k].prior);
    }
    char *text = written(kept, orr_collfit_text);
    assert_non_null(strstr(text, "pod.yml: nccl on a100, as it is, compared to"));
    assert_null(strstr(text, "\nfitted "));
    free(text);
    char *platform = written(kept, orr_collfit_platform);
    assert_non_null(strstr(platform, "# of which none was fitted: all values are the platform's."));
    assert_int_equal(library_of(fixture, platform).launch_ps, kept->platform_library->launch_ps);
    free(platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_own_times_give_parameters_back, begin, end),
        cmocka_unit_test_setup_teardown(test_the_same_again_bit_by_bit, begin, end),
        cmocka_unit_test_setup_teardown(test_large_sizes_tell_no_latency, begin, end),
        cmocka_unit_test_setup_teardown(test_what_would_tell_is_said, begin, end),
        cmocka_unit_test_setup_teardown(test_two_nodes_alone_tell_little, begin, end),
        cmocka_unit_test_setup_teardown(test_few_rows_stay_near_the_prior, begin, end),
        cmocka_unit_test_setup_teardown(test_no_bandwidth_beyond_the_data_sheet, begin, end),
        cmocka_unit_test_setup_teardown(test_bounds_of_a_library, begin, end),
        cmocka_unit_test_setup_teardown(test_nvls_trees_are_found, begin, end),
        cmocka_unit_test_setup_teardown(test_platform_reads_back_as_fitted, begin, end),
        cmocka_unit_test_setup_teardown(test_kept_as_it_is, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
