/* Task graphs over flows against the iteration times that a packet simulator recorded
 * (flexflow/packet_results.csv), and the two circulants that were published. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "et_converter/task_graph_input.h"
#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/graph_source.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "orrery/orrery.h"
#include "sim/cluster/jobs.h"
#include "sim/load/task_graph.h"

enum { MAX_ROWS = 64, PATH_BYTES = 512 };

struct row {
    char network[16], model[16];
    unsigned gbit, servers;
    sim_time packets_ps;
};

struct fixture {
    const char *shared;
    struct row row[MAX_ROWS];
    size_t rows;
};

static int read_rows(void **state)
{
    static struct fixture fixture;
    char path[PATH_BYTES], line[256];
    fixture.shared = getenv("ORRERY_SHARED");
    *state = &fixture;
    (void)snprintf(path, sizeof path, "%s/data/flexflow/packet_results.csv",
                   fixture.shared == NULL ? "" : fixture.shared);
    FILE *in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL && fixture.rows < MAX_ROWS) {
        struct row *row = &fixture.row[fixture.rows];
        long long ps = 0;
        if (sscanf(line, "%15[^,],%u,%15[^,],%u,%lld,", row->network, &row->gbit, row->model,
                   &row->servers, &ps) == 5) {
            row->packets_ps = ps;
            fixture.rows++;
        }
    }
    return in == NULL ? 0 : fclose(in);
}

static enum orr_status build_fabric(struct orr_arena *arena, const char *text, uint32_t servers,
                                    struct net_link_kind kind, struct net_graph *network)
{
    const struct net_fabric fabric = {.text = text, .npus = servers, .kind = kind};
    const struct net_routing *routing;
    struct orr_diag diag;
    orr_diag_init(&diag);
    const enum orr_status status = orr_net_build_fabric(&fabric, arena, network, &routing, &diag);
    if (network->rings == 0) {
        network->ring_choice = NET_RINGS_OWN; /* the packet simulator has one ring on a mesh */
    }
    return status;
}

static void build(struct orr_arena *arena, const struct orr_task_graph *job, const struct row *row,
                  struct orr_cluster_network *out)
{
    struct net_graph *network = &out->graph;
    struct orr_diag diag;
    const struct net_link_kind kind = {.bytes_per_s = row->gbit * 1e9 / 8,
                                       .latency_ps = ORR_PS_PER_US};
    const uint32_t servers = job->source.graph.npus;
    enum orr_status status = ORR_ERR_INPUT;
    orr_diag_init(&diag);
    if (strcmp(row->network, "abssw") == 0) {
        status = build_fabric(arena, "ideal-switch", servers, kind, network);
    } else if (strcmp(row->network, "flatstar") == 0) {
        out->routes.routing = &orr_routing_table;
        status = orr_convert_file_network(&job->source, arena, kind, network, &diag);
    } else if (strcmp(row->network, "fattree") == 0) {
        out->routes.routing = &orr_routing_ecmp;
        status = build_fabric(arena, "fat-tree", servers, kind, network);
    } else if (strcmp(row->network, "fc") == 0) {
        status = build_fabric(arena, "full-mesh", servers, kind, network);
    }
    assert_int_equal(status, ORR_OK);
}

static sim_time run_on(const struct orr_task_graph *graph, struct orr_cluster_network *network)
{
    const struct orr_jobs_source source = {.npus = graph->source.graph.npus,
                                           .trace = graph->traces.trace,
                                           .group = graph->traces.group,
                                           .groups = graph->traces.groups,
                                           .by_rules = true};
    struct orr_job job = {.name = "job", .source = &source, .iterations = 1};
    const struct orr_jobs jobs = {.job = &job, .jobs = 1, .network = ORR_JOBS_SHARDED};
    const struct orr_cluster_part part = {.jobs = &jobs, .count = 1, .network = network};
    struct orrery *handle = orrery_new();
    network->routes.seed = 1;
    assert_int_equal(orr_cluster_load(handle, &part), ORR_OK);
    assert_int_equal(orrery_run(handle), ORRERY_OK);
    const sim_time wall = orrery_wall_ps(handle);
    orrery_free(handle);
    return wall;
}

static void load(const struct fixture *fixture, struct orr_arena *arena, const char *name,
                 struct orr_task_graph *job)
{
    char path[PATH_BYTES];
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)snprintf(path, sizeof path, "%s/data/flexflow/taskgraphs/%s", fixture->shared, name);
    assert_int_equal(orr_task_graph_load(arena, path, job, &diag), ORR_OK);
}

/* Error in percent. */
static double error_of(const struct fixture *fixture, const struct row *row, bool windows)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_cluster_network network = {.flows = orr_net_flow_packets(windows)};
    struct orr_task_graph job;
    char name[64];
    (void)snprintf(name, sizeof name, "%u%s_%u.fbuf%s", row->gbit, row->model, row->servers,
                   row->servers == 128 ? ".gz" : "");
    load(fixture, arena, name, &job);
    build(arena, &job, row, &network);
    const sim_time ours = run_on(&job, &network);
    orr_arena_destroy(arena);
    const double error = 100 * ((double)ours / (double)row->packets_ps - 1);
    print_message("%-8s %4u Gb/s %-12s %3u %-7s %+7.3f %%\n", row->network, row->gbit, row->model,
                  row->servers, windows ? "windows" : "maxmin", error);
    return fabs(error);
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Without the graphs of 128 servers, which take seconds. */
static void hold(const struct fixture *fixture, bool windows, double median, double worst)
{
    double error[MAX_ROWS];
    size_t count = 0;
    if (fixture->rows == 0) {
        skip();
    }
    for (size_t i = 0; i < fixture->rows; i++) {
        if (fixture->row[i].servers < 128) {
            error[count++] = error_of(fixture, &fixture->row[i], windows);
        }
    }
    qsort(error, count, sizeof *error, compare);
    print_message("median %.3f %%, worst %.3f %%\n", error[count / 2], error[count - 1]);
    assert_true(error[count / 2] <= median);
    assert_true(error[count - 1] <= worst);
}

static void test_max_min_shares_within_one_percent_of_packets(void **state)
{
    hold(*state, false, 1, 15);
}

static void test_windows_as_close_to_packets_as_published(void **state)
{
    hold(*state, true, 0.055, 3.9);
}

static void hold_circulant(const struct fixture *fixture, const char *fabric, sim_time packets_ps)
{
    const struct net_link_kind kind = {.bytes_per_s = 12.5e9, .latency_ps = ORR_PS_PER_US};
    struct orr_cluster_network network = {.flows = orr_net_flow_packets(false)};
    struct orr_arena *arena = orr_arena_create();
    struct orr_task_graph job;
    load(fixture, arena, "100transformer_16.fbuf", &job);
    assert_int_equal(build_fabric(arena, fabric, 16, kind, &network.graph), ORR_OK);
    const sim_time ours = run_on(&job, &network);
    orr_arena_destroy(arena);
    /* 15 ps differ, of which the rules know nothing. */
    assert_in_range(ours, packets_ps - 20, packets_ps + 20);
}

static void test_published_circulants_to_the_nanosecond(void **state)
{
    const struct fixture *fixture = *state;
    if (fixture->rows == 0) {
        skip();
    }
    hold_circulant(fixture, "circulant:1,5", INT64_C(62815131375));
    hold_circulant(fixture, "circulant:1,3,5,9", INT64_C(62643560175));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_max_min_shares_within_one_percent_of_packets),
        cmocka_unit_test(test_windows_as_close_to_packets_as_published),
        cmocka_unit_test(test_published_circulants_to_the_nanosecond),
    };
    return cmocka_run_group_tests(tests, read_rows, NULL);
}
