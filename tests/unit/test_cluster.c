/* Several jobs on one network: alone, side by side, in each other's way; iterations and start
 * times; jobs that cannot be, or cannot finish. Links of 1 GB/s and 1 us, flows without packets, so
 * that a flow takes bytes / rate and then the latency of its links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/graph_source.h"
#include "network/route_options.h"
#include "orrery/orrery.h"
#include "sim/cluster/jobs.h"
#include "sim/orrery_private.h"
#include "system/sys_counts.h"
#include "system/sys_mono.h"
#include "workload/engine/engine.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

#define LINK ((struct net_link_kind){.bytes_per_s = 1e9, .latency_ps = ORR_PS_PER_US})

enum { MAX_JOBS = 2 };

struct setting {
    struct orr_arena *arena;
    struct orr_cluster_network network;
    struct orr_jobs_source source; /* of every job */
    struct orr_job job[MAX_JOBS];
    struct orr_jobs jobs;
    struct orrery *handle;
};

/* ---- jobs ---- */

enum what { REDUCES, WAITS };

/* A ring between two servers of 2 MB, alone at 1 GB/s: 2 rounds of 1 MB, each with the latency of
 * its links, 1 us. Or a message that nobody sends. */
static const struct orr_trace *trace_of(const struct setting *setting, enum what what,
                                        uint32_t rank)
{
    const struct orr_node_spec reduces = {.id = 1,
                                          .name = "node",
                                          .kind = ORR_NODE_COLL,
                                          .comm = ORR_COMM_ALL_REDUCE,
                                          .comm_bytes = 2000000};
    const struct orr_node_spec waits = {
        .id = 1, .name = "node", .kind = ORR_NODE_RECV, .comm_bytes = 10, .src = 1 - rank};
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    struct orr_trace_builder *builder = orr_trace_builder_create(setting->arena);
    orr_diag_init(&diag);
    orr_trace_builder_set_rules(builder, ORR_RULES_TASK_GRAPH);
    assert_int_equal(orr_trace_builder_add(builder, what == WAITS ? &waits : &reduces, &diag),
                     ORR_OK);
    assert_int_equal(orr_trace_builder_finish(builder, &trace, &diag), ORR_OK);
    orr_trace_builder_destroy(builder);
    return trace;
}

static void set_up(struct setting *setting, const char *fabric)
{
    *setting = (struct setting){.arena = orr_arena_create(), .handle = orrery_new()};
    const struct net_fabric given = {.text = fabric, .npus = 4, .kind = LINK};
    const struct net_routing *routing;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(
        orr_net_build_fabric(&given, setting->arena, &setting->network.graph, &routing, &diag),
        ORR_OK);
    const struct orr_trace **traces = orr_arena_array(setting->arena, 2, sizeof *traces);
    traces[0] = traces[1] = trace_of(setting, REDUCES, 0);
    setting->source = (struct orr_jobs_source){.npus = 2, .trace = traces, .by_rules = true};
    setting->jobs = (struct orr_jobs){.arena = setting->arena, .servers = 4, .job = setting->job};
}

/* Four servers at one switch. */
static void on_switch(struct setting *setting)
{
    set_up(setting, "ideal-switch");
}

/* Four servers, two to an edge switch with uplinks of half the speed, of which only the first is
 * taken (by the shortest ways over the lowest nodes): 0.5 GB/s for two servers. */
static void on_oversubscribed_tree(struct setting *setting)
{
    set_up(setting, "fat-tree:4,2");
}

static struct orr_job *add(struct setting *setting, const char *name, uint32_t *server,
                           sim_time start_us, uint32_t iterations)
{
    struct orr_job *job = &setting->job[setting->jobs.jobs++];
    *job = (struct orr_job){.name = name,
                            .source = &setting->source,
                            .server = server,
                            .start_ps = start_us * ORR_PS_PER_US,
                            .iterations = iterations};
    return job;
}

static enum orrery_status run(struct setting *setting)
{
    const struct orr_cluster_part all = {
        .jobs = &setting->jobs, .count = setting->jobs.jobs, .network = &setting->network};
    const enum orrery_status status =
        orr_finish_call(setting->handle, orr_cluster_load(setting->handle, &all));
    return status == ORRERY_OK ? orrery_run(setting->handle) : status;
}

static void expect(const struct setting *setting, uint32_t job, uint32_t iteration, int64_t us)
{
    const struct wl_job_times times = orr_engine_job(setting->handle->layers.engine, job);
    assert_int_equal(times.iteration_ps[iteration], us * ORR_PS_PER_US);
}

static void tear_down(struct setting *setting)
{
    orrery_free(setting->handle);
    orr_arena_destroy(setting->arena);
}

static uint32_t left[2] = {0, 1}, right[2] = {2, 3}, even[2] = {0, 2}, odd[2] = {1, 3};

/* ---- times ---- */

/* Two rounds of 1 ms + 2 us, for each of them. */
static void test_run_on_an_ideal_switch_jobs_do_not_disturb_each_other(void **state)
{
    struct setting setting;
    (void)state;
    on_switch(&setting);
    (void)add(&setting, "a", even, 0, 1);
    (void)add(&setting, "b", odd, 0, 1);
    assert_int_equal(run(&setting), ORRERY_OK);
    expect(&setting, 0, 0, 2004);
    expect(&setting, 1, 0, 2004);
    tear_down(&setting);
}

/* Each below an edge switch of its own: as on the ideal switch. Across them: 1 MB at 0.5 GB/s over
 * four links takes 2 ms + 4 us alone, and 4 ms + 4 us beside the other job. */
static void test_run_on_an_oversubscribed_tree_the_placement_decides(void **state)
{
    struct setting setting;
    (void)state;
    on_oversubscribed_tree(&setting);
    (void)add(&setting, "a", left, 0, 1);
    (void)add(&setting, "b", right, 0, 1);
    assert_int_equal(run(&setting), ORRERY_OK);
    expect(&setting, 0, 0, 2004);
    expect(&setting, 1, 0, 2004);
    tear_down(&setting);

    on_oversubscribed_tree(&setting);
    (void)add(&setting, "alone", even, 0, 1);
    assert_int_equal(run(&setting), ORRERY_OK);
    expect(&setting, 0, 0, 4008);
    tear_down(&setting);

    on_oversubscribed_tree(&setting);
    (void)add(&setting, "a", even, 0, 1);
    (void)add(&setting, "b", odd, 0, 1);
    assert_int_equal(run(&setting), ORRERY_OK);
    expect(&setting, 0, 0, 8008);
    expect(&setting, 1, 0, 8008);
    tear_down(&setting);
}

/* The second iteration of a has the uplinks to itself. */
static void test_run_when_a_job_ends_the_others_go_faster(void **state)
{
    struct setting setting;
    (void)state;
    on_oversubscribed_tree(&setting);
    (void)add(&setting, "a", even, 0, 2);
    (void)add(&setting, "b", odd, 0, 1);
    assert_int_equal(run(&setting), ORRERY_OK);
    expect(&setting, 0, 0, 8008);
    expect(&setting, 0, 1, 4008);
    expect(&setting, 1, 0, 8008);
    assert_int_equal(orr_engine_job(setting.handle->layers.engine, 0).end_ps,
                     INT64_C(12016) * ORR_PS_PER_US);
    const struct sys_tenant_counts counts = orr_sys_tenant_counts(setting.handle->layers.sys, 0);
    assert_int_equal(counts.whole.all_reduces, 2);
    assert_int_equal(counts.whole.rounds, 4);
    assert_int_equal(counts.messages, 8);
    assert_int_equal(orr_sys_mono_counts(setting.handle->layers.sys).all_reduces, 3);
    tear_down(&setting);
}

/* a has sent its last byte at 2 + 0.004 + 2 = 4.004 ms: b, which starts then, meets nothing. */
static void test_run_starts_jobs_when_they_should(void **state)
{
    struct setting setting;
    (void)state;
    on_oversubscribed_tree(&setting);
    (void)add(&setting, "a", even, 0, 1);
    (void)add(&setting, "b", odd, 4004, 1);
    assert_int_equal(run(&setting), ORRERY_OK);
    expect(&setting, 0, 0, 4008);
    expect(&setting, 1, 0, 4008);
    assert_int_equal(orr_engine_job(setting.handle->layers.engine, 1).end_ps,
                     INT64_C(8012) * ORR_PS_PER_US);
    tear_down(&setting);
}

/* ---- as programs do ---- */

static void write_jobs(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(
        "cluster: {servers: 4, link_bandwidth: 1 GB/s, flow_model: maxmin, system: {chunks: 1}}\n"
        "jobs:\n"
        "  - {name: a, workload: test_cluster_w.yml, npus: 2, iterations: 2}\n"
        "  - {name: b, workload: test_cluster_w.yml, npus: 2, start: 1 ms}\n",
        file);
    assert_int_equal(fclose(file), 0);
    file = fopen("test_cluster_w.yml", "w");
    assert_non_null(file);
    (void)fputs("workload: {generate: all_reduce, bytes: 1787.2 kB}\n", file);
    assert_int_equal(fclose(file), 0);
}

/* A message of 100 packets of 8936 bytes takes 906.538 us (tests/cli/test_mixed_cluster.sh), an
 * all-reduce two. */
static void test_load_cluster_runs_what_a_file_says(void **state)
{
    const char *const set[] = {"jobs[1].start=2 ms"};
    struct orrery_job_times times;
    struct orrery *job = orrery_new();
    (void)state;
    write_jobs("test_cluster_j.yml");
    assert_int_equal(orrery_load_cluster(job, "test_cluster_j.yml", set, 1), ORRERY_OK);
    assert_int_equal(orrery_jobs(job), 2);
    assert_int_equal(orrery_job(job, 0, &times), ORRERY_ERROR_INPUT);
    assert_int_equal(orrery_run(job), ORRERY_OK);
    assert_int_equal(orrery_job(job, 0, &times), ORRERY_OK);
    assert_string_equal(times.name, "a");
    assert_int_equal(times.iterations, 2);
    assert_int_equal(times.iteration_ps[1], 1813076000);
    assert_int_equal(times.end_ps, 2 * 1813076000L);
    assert_int_equal(orrery_job(job, 1, &times), ORRERY_OK);
    assert_int_equal(times.ranks[0], 2);
    assert_int_equal(times.end_ps, 2000000000 + 1813076000L);
    assert_int_equal(orrery_wall_ps(job), 2000000000 + 1813076000L);
    assert_int_equal(orrery_job(job, 2, &times), ORRERY_ERROR_INPUT);
    orrery_free(job);
    job = orrery_new();
    const char *const sharded[] = {"cluster.network=sharded"};
    assert_int_equal(orrery_load_cluster(job, "test_cluster_j.yml", sharded, 1),
                     ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_error(job), "cluster.network: expected shared"));
    orrery_free(job);
    (void)remove("test_cluster_j.yml");
    (void)remove("test_cluster_w.yml");
}

/* ---- what cannot be ---- */

static void test_load_refuses_a_network_that_falls_apart(void **state)
{
    struct setting setting;
    struct net_graph_builder builder;
    struct orr_diag diag;
    const struct net_link link = {.from = 0, .to = 1, .count = 1, .bytes_per_s = 1e9};
    (void)state;
    on_switch(&setting);
    orr_diag_init(&diag);
    orr_net_graph_begin(&builder, setting.arena, 3, 0);
    orr_net_graph_both(&builder, &link);
    assert_int_equal(orr_net_graph_end(&builder, &setting.network.graph, &diag), ORR_OK);
    (void)add(&setting, "a", left, 0, 1);
    assert_int_equal(run(&setting), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_error(setting.handle), "NPU 0 is not connected to NPU 2"));
    tear_down(&setting);
}

/* Both servers of the second job wait for each other. */
static void test_run_of_a_job_that_is_stuck_names_it(void **state)
{
    struct setting setting;
    struct orr_jobs_source waits;
    (void)state;
    on_switch(&setting);
    (void)add(&setting, "good", left, 0, 1);
    waits = setting.source;
    const struct orr_trace *const traces[2] = {trace_of(&setting, WAITS, 0),
                                               trace_of(&setting, WAITS, 1)};
    waits.trace = traces;
    add(&setting, "vgg", right, 0, 1)->source = &waits;
    assert_int_equal(run(&setting), ORRERY_ERROR_DEADLOCK);
    const char *told = orrery_error(setting.handle);
    assert_non_null(strstr(told, "vgg: deadlock: the job cannot finish: 2 nodes on 2 of 4 NPUs"));
    assert_non_null(strstr(told, "NPU 2: node 1 (node), receive from NPU 3"));
    tear_down(&setting);
}

/* Flows that would end beyond the last instant are an overflow of time, not a job that cannot
 * finish; the program under way is freed. */
static void test_run_beyond_the_last_instant_is_an_overflow(void **state)
{
    struct setting setting;
    struct orr_diag diag;
    (void)state;
    on_switch(&setting);
    orr_diag_init(&diag);
    struct orr_job *job = add(&setting, "late", left, 0, 1);
    job->start_ps = ORR_TIME_MAX - 1000;
    assert_int_equal(orr_sys_mono_parse("tree:4", &job->all_reduce, &diag), ORR_OK);
    assert_int_equal(run(&setting), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_error(setting.handle), "simulated time overflow"));
    tear_down(&setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_on_an_ideal_switch_jobs_do_not_disturb_each_other),
        cmocka_unit_test(test_run_on_an_oversubscribed_tree_the_placement_decides),
        cmocka_unit_test(test_run_when_a_job_ends_the_others_go_faster),
        cmocka_unit_test(test_run_starts_jobs_when_they_should),
        cmocka_unit_test(test_load_cluster_runs_what_a_file_says),
        cmocka_unit_test(test_load_refuses_a_network_that_falls_apart),
        cmocka_unit_test(test_run_of_a_job_that_is_stuck_names_it),
        cmocka_unit_test(test_run_beyond_the_last_instant_is_an_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
