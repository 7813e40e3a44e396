/* Files of plans: what is read, and what is said of those that are wrong, in full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "planner/plan_file/plan_job.h"
#include "topoopt/plan/plan_result.h"
#include "topoopt/plan/topoopt_kind.h"
#include "topoopt/search/topoopt.h"

/* A small model, with tables, of 16 samples. */
#define MODEL                                                                                      \
    "model: {batch: 16, operators: [{data: {name: x, shape: [8]}}, {dense: {name: a, out: 4}}]}"
#define COMPUTE "compute: {peak: 1 TFLOP/s}\n"

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct plan_job job;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture.arena = orr_arena_create();
    assert_non_null(fixture.arena);
    orr_diag_init(&fixture.diag);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    orr_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

static enum orr_status read_plan(struct fixture *fixture, const char *text, const char *set)
{
    const struct plan_source source = {
        .kind = &orr_plan_kind_topoopt, .text = text, .set = &set, .sets = set != NULL};
    orr_diag_init(&fixture->diag);
    return orr_plan_job_read(fixture->arena, &source, &fixture->job, &fixture->diag);
}

static void refused(struct fixture *fixture, const char *text, const char *set, const char *message)
{
    char said[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES];
    assert_int_equal(read_plan(fixture, text, set), ORR_ERR_INPUT);
    (void)orr_diag_render(&fixture->diag, said, sizeof said);
    assert_string_equal(said, message);
}

static const char usual[] = "plan:\n"
                            "  " MODEL "\n"
                            "  servers: 16\n"
                            "  interfaces:\n"
                            "    degree: 4\n"
                            "    bandwidth: 100 Gb/s\n" COMPUTE;

/* ---- what is read ---- */

static void test_plan_job_usual_has_defaults(void **state)
{
    struct fixture *fixture = *state;
    const struct plan_job *job = &fixture->job;
    assert_int_equal(read_plan(fixture, usual, NULL), ORR_OK);
    assert_int_equal(job->model.ops, 1);
    assert_int_equal(job->servers, 16);
    assert_int_equal(job->groups, 1);
    assert_int_equal(job->interfaces.degree, 4);
    assert_true(fabs(job->interfaces.bytes_per_s - 12.5e9) < 1);
    assert_int_equal(job->interfaces.latency_ps, 1000000);
    assert_int_equal(job->interfaces.links, PLAN_DUPLEX);
    assert_int_equal(job->memory_bytes, 0);
    assert_int_equal(job->start.ops, 0);
    assert_int_equal(job->search.budget, TOPOOPT_MAX_DEFAULT_BUDGET);
    assert_int_equal(orr_topoopt_default_budget(432), TOPOOPT_DEFAULT_BUDGET);
    assert_int_equal(orr_topoopt_default_budget(128), TOPOOPT_DEFAULT_BUDGET);
    assert_int_equal(orr_topoopt_default_budget(64), 4 * TOPOOPT_DEFAULT_BUDGET);
    assert_true(job->compares && job->converge && !job->fixed);
    assert_true(fabs(job->speed.roofline.peak_flops - 1e12) < 1);
}

static void test_plan_job_generated_model_is_read_with_batch(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(
        read_plan(
            fixture,
            "plan:\n"
            "  model: {dlrm: {tables: 4, rows: 9, embedding: 4, dense: 3, bottom: [4], top: [1]}}\n"
            "  servers: 4\n  batch: 64\n  interfaces: {degree: 2, bandwidth: 1 GB/s}\n" COMPUTE,
            NULL),
        ORR_OK);
    assert_true(fixture->job.model.ops > 4);
    assert_int_equal(fixture->job.model.batch, 64);
    assert_int_equal(fixture->job.model_root->count, 1);
    assert_string_equal(fixture->job.model_root->key[0], "workload");
}

static void test_plan_job_memory_is_of_the_section_or_of_local(void **state)
{
    struct fixture *fixture = *state;
    char text[1024];
    (void)snprintf(text, sizeof text, "%smemory: {local: {capacity: 80 GB}}\n", usual);
    assert_int_equal(read_plan(fixture, text, NULL), ORR_OK);
    assert_true(fixture->job.memory_bytes == 80000000000);
    assert_int_equal(read_plan(fixture, text, "plan.memory=off"), ORR_OK);
    assert_true(fixture->job.memory_bytes == 0);
    assert_int_equal(read_plan(fixture, text, "plan.memory=40 GB"), ORR_OK);
    assert_true(fixture->job.memory_bytes == 40000000000);
    refused(fixture, usual, "plan.memory=lots",
            "--set: plan.memory: expected a size such as \"40 GB\", or off, got \"lots\"");
}

static void test_plan_job_network_stays(void **state)
{
    struct fixture *fixture = *state;
    const char *text = "plan:\n  " MODEL "\n" COMPUTE
                       "network: {graph: {npus: 8, fabric: fat-tree, bandwidth: 1 GB/s}}\n";
    assert_int_equal(read_plan(fixture, text, NULL), ORR_OK);
    assert_true(fixture->job.fixed);
    assert_int_equal(fixture->job.servers, 8);
    assert_int_equal(read_plan(fixture, text, "plan.servers=8"), ORR_OK);
    refused(fixture, text, "plan.servers=4", /* of which a run would not take the files */
            "--set: plan.servers: expected all 8 NPUs of the network, which a run of the plan "
            "simulates, got 4");
    refused(fixture, text, "plan.servers=16",
            "--set: plan.servers: expected all 8 NPUs of the network, which a run of the plan "
            "simulates, got 16");
    refused(fixture, text, "plan.interfaces={degree: 2, bandwidth: 1 GB/s}",
            "--set: plan.interfaces: expected either interfaces, whose topology is "
            "planned, or the section network, whose links are fixed; got both");
    refused(fixture, text, "plan.panels={ports: 8}",
            "--set: plan.panels: expected interfaces, which panels join; the links of the section "
            "network are fixed");
}

/* ---- what is refused ---- */

static void test_plan_job_degree_out_of_range_is_refused(void **state)
{
    struct fixture *fixture = *state;
    refused(fixture, usual, "plan.interfaces.degree=0",
            "--set: plan.interfaces.degree: expected a whole number from 1 to 4095, got "
            "\"0\"");
    refused(fixture, usual, "plan.interfaces.degree=16",
            "--set: plan.interfaces.degree: expected 1 to 15, one interface for each other "
            "of the 16 servers, got 16");
    refused(fixture, usual, "plan.interfaces.ring_degree=6",
            "--set: plan.interfaces.ring_degree: expected at most the degree, 4, got 6");
}

static void test_plan_job_odd_servers_with_duplex_links_are_refused(void **state)
{
    struct fixture *fixture = *state;
    refused(fixture, usual, "plan.servers=15",
            "text:5:13: plan.interfaces.degree: 4 duplex interfaces of 15 servers cannot all be "
            "joined: the panel of an interface joins servers in pairs, and leaves one of an odd "
            "number out; expected an even number of servers, links: one-way, or any_port: true");
    refused(fixture, usual, "plan.interfaces.degree=1",
            "--set: plan.interfaces.degree: one duplex interface a server joins pairs "
            "only: 16 servers fall into 8 parts; expected at least 2, or links: one-way");
}

static void test_plan_job_dimensions_are_those_of_the_model(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_plan(fixture, usual, "plan.search={dimensions: sample}"), ORR_OK);
    assert_int_equal(fixture->job.search.dimensions, 1);
    assert_string_equal(fixture->job.search.dimension[0], "sample");
    refused(fixture, usual, "plan.search={dimensions: [sample, outputs]}",
            "--set: plan.search.dimensions: expected dimensions of operators of the "
            "model: sample, output, input; got \"outputs\"");
}

static void test_plan_job_all_reduces_are_those_of_the_evaluator(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read_plan(fixture, usual, "plan.all_reduce=ring"), ORR_OK);
    assert_false(fixture->job.stream);
    assert_int_equal(read_plan(fixture, usual, "plan.all_reduce=ring_stream"), ORR_OK);
    assert_true(fixture->job.stream);
    refused(fixture, usual, "plan.all_reduce=direct",
            "--set: plan.all_reduce: expected ring or ring_stream, which plans are made "
            "with, got \"direct\"");
}

/* Data parallelism is always there. */
static void test_plan_job_a_start_splits_the_dimensions_named(void **state)
{
    struct fixture *fixture = *state;
    static const char text[] = "plan:\n"
                               "  " MODEL "\n"
                               "  servers: 16\n"
                               "  interfaces: {degree: 4, bandwidth: 100 Gb/s}\n"
                               "  search: {dimensions: [input]}\n"
                               "  strategy: {operators: {a: {split: {sample: 16}}}}\n" COMPUTE;
    assert_int_equal(read_plan(fixture, text, NULL), ORR_OK);
    refused(fixture, text, "plan.strategy.operators.a.split={output: 2}",
            "text:6:13: operator \"a\" is split in dimension \"output\", which is not in "
            "plan.search.dimensions; add it there, or leave out the split");
}

static void test_plan_job_groups_of_one_are_refused(void **state)
{
    struct fixture *fixture = *state;
    refused(fixture, usual, "plan.groups=16",
            "--set: plan.groups: expected groups of at least two servers: 16 groups of 16 "
            "servers have one each, which leaves no strategy to search for");
    refused(fixture, usual, "plan.groups=3",
            "--set: plan.groups: expected a divisor of the 16 servers, got 3");
}

static void test_plan_job_one_interface_with_groups_is_refused(void **state)
{
    refused(*state,
            "plan: {" MODEL ", servers: 16, groups: 2, interfaces: {degree: 1, bandwidth: 1 GB/s, "
            "links: one-way}}\n" COMPUTE,
            NULL,
            "text:1:121: plan.groups: expected 1: with one interface a server there is one ring "
            "of all servers, and none for rings of 2 groups");
}

static void test_plan_job_few_ports_are_refused(void **state)
{
    struct fixture *fixture = *state;
    refused(fixture, usual, "plan.panels.ports=15",
            "--set: plan.panels.ports: expected at least 16, one of each panel for a "
            "server, got 15: 1 port is missing on each");
    refused(fixture, usual, "plan.panels.ports=8",
            "--set: plan.panels.ports: expected at least 16, one of each panel for a "
            "server, got 8: 8 ports are missing on each");
}

static void test_plan_job_larger_than_the_cluster_is_refused(void **state)
{
    struct fixture *fixture = *state;
    refused(fixture, usual, "plan.strategy={devices: 32}",
            "--set: plan.strategy: the strategy is for 32 devices, and the plan has 16 "
            "servers");
    refused(fixture, usual, "plan.batch=8",
            "--set: plan.batch: the job is too small for its servers: expected a batch "
            "of at least 16, a sample for each, got 8");
}

static void test_plan_job_unknown_keys_name_the_nearest(void **state)
{
    struct fixture *fixture = *state;
    refused(fixture, usual, "plan.interfaces.degre=4",
            "--set: plan.interfaces.degre: unknown key in the interfaces of a plan; did "
            "you mean \"degree\"?");
    refused(fixture, usual, "plan.search.budgets=4",
            "--set: plan.search.budgets: unknown key in the search of a plan; did you "
            "mean \"budget\"?");
    refused(
        fixture, usual, "plan.compare=[\"torus:4x4\", \"torus:4x5\"]",
        "--set: plan.compare: torus: expected sizes whose product is the number of NPUs, 16, got "
        "at least 20");
    refused(fixture, "plan: {" MODEL ", servers: 4}\n" COMPUTE, NULL,
            "text:1:7: plan: a plan needs the key \"interfaces\", such as interfaces: {degree: 4, "
            "bandwidth: 100 Gb/s}; or a section network, whose links are fixed");
}

static void test_plan_job_without_times_is_refused(void **state)
{
    refused(*state, "plan: {" MODEL ", servers: 4, interfaces: {degree: 2, bandwidth: 1 GB/s}}\n",
            NULL,
            "text:1:78: operator \"a\": no profile, and there is no peak rate for an estimate");
}

/* What was predicted to be faster by a tenth takes 120 us, and data parallelism 110: that is the
 * plan. With 120 of both the searched one is. */
static void test_plan_job_runs_choose_the_plan(void **state)
{
    (void)state;
    struct plan_result answer = {
        .result = {.best = {.predicted_ps = 90, .origin = TOPOOPT_ON_TOPOLOGY},
                   .data_parallel = {.predicted_ps = 100, .origin = TOPOOPT_DATA_PARALLEL}},
        .simulated = true,
        .both_simulated = true,
        .simulated_ps = 120,
        .data_parallel_ps = 120};
    orr_plan_choose_by_run(&answer);
    assert_false(answer.overruled);
    assert_int_equal(answer.result.best.predicted_ps, 90);
    answer.data_parallel_ps = 110;
    orr_plan_choose_by_run(&answer);
    assert_true(answer.overruled);
    assert_int_equal(answer.result.best.origin, TOPOOPT_DATA_PARALLEL);
    assert_int_equal(answer.result.best.predicted_ps, 100);
    assert_int_equal(answer.simulated_ps, 110);
    assert_int_equal(answer.searched.predicted_ps, 90);
    assert_int_equal(answer.searched_ps, 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_plan_job_dimensions_are_those_of_the_model, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_all_reduces_are_those_of_the_evaluator, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_a_start_splits_the_dimensions_named, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_usual_has_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_generated_model_is_read_with_batch, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_memory_is_of_the_section_or_of_local, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_network_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_degree_out_of_range_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_odd_servers_with_duplex_links_are_refused,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_groups_of_one_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_one_interface_with_groups_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_few_ports_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_larger_than_the_cluster_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_unknown_keys_name_the_nearest, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_plan_job_without_times_is_refused, setup, teardown),
        cmocka_unit_test(test_plan_job_runs_choose_the_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
