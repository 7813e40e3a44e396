/* A stacked topology as a graph behaves as its blocks: random collectives, traffic and compute on
 * random platforms take the same times to the picosecond, links shared. */
#include <string.h>

#include "tests/property/property_support.h"
#include "tests/unit/algorithms_fixture.h"

#include "network/graph.h"
#include "network/graph_build.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "system/collectives/program.h"
#include "tests/backend_keys.h"

enum { CASES = 200, COLLECTIVES = 200 };

/* What only one of both can be: a switch of blocks may reduce, and of a ring of two with bandwidth
 * per link the two links are one of both in a graph. */
static void mend_dims(struct prop_job *job)
{
    for (unsigned d = 0; d < job->net.dims; d++) {
        struct net_dim *dim = &job->dim[d];
        dim->reduces = false;
        dim->per_npu = dim->per_npu || (dim->block == NET_RING && dim->npus == 2);
    }
}

static void compare(struct prop_job *job, const char *backend)
{
    struct net_graph graph;
    struct prop_result blocks, same;
    mend_dims(job);
    job->net.own = strcmp(backend, "congestion") == 0 ? job->net.own : NULL;
    job->sys.service = SYS_BY_MESSAGE;
    job->sys.choice = SYS_AUTO; /* by block, all-to-alls of a graph are direct */
    job->net.backend = backend;
    prop_run(job, &(struct prop_options){0}, &blocks);
    PROP_CHECK(job, &blocks, blocks.status == ORR_OK);
    assert_int_equal(orr_net_build_blocks(job->arena, &job->net, &graph, NULL), ORR_OK);
    job->net.graph = &graph;
    job->net.routes = (struct net_route_options){.routing = &orr_routing_dimension_order};
    prop_run(job, &(struct prop_options){0}, &same);
    PROP_CHECK(job, &same, same.status == ORR_OK);
    PROP_CHECK(job, &same, same.wall_ps == blocks.wall_ps);
    PROP_CHECK(job, &same, same.messages == blocks.messages);
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        PROP_CHECK(job, &same,
                   memcmp(&same.times[rank], &blocks.times[rank], sizeof *same.times) == 0);
    }
}

static void test_one_collective_takes_the_same_time(void **state)
{
    (void)state;
    for (unsigned i = 0; i < prop_cases(COLLECTIVES); i++) {
        struct prop_job job;
        prop_open(&job, prop_first_seed() + i);
        prop_random_platform(&job, 48);
        prop_single_collective(&job, (enum orr_trace_comm)(i % SYS_LISTED_KINDS),
                               1 + prop_below(&job, 10000000));
        compare(&job, "congestion");
        prop_close(&job);
    }
}

static void compare_jobs(const char *backend)
{
    for (unsigned i = 0; i < prop_cases(CASES); i++) {
        struct prop_job job;
        prop_open(&job, prop_first_seed() + i);
        prop_random_platform(&job, 36);
        if (i % 4 == 3) {
            prop_traffic_workload(&job, 1 + prop_below(&job, 60));
        } else {
            prop_sym_workload(&job, i % 4 == 2);
        }
        job.net.own = i % 8 == 1 ? backend_keys(job.arena, "packet: 100000 B") : NULL;
        compare(&job, backend);
        prop_close(&job);
    }
}

static void test_jobs_take_the_same_time(void **state)
{
    (void)state;
    compare_jobs("congestion");
}

static void test_jobs_of_flows_take_the_same_time(void **state)
{
    (void)state;
    compare_jobs("flow");
}

/* 6 MB in one chunk on Switch(3)_Switch(2) of 1 GB/s, as blocks and as a graph, by hand. Direct:
 * reduce-scatter in 3, two messages of 2 MB, the second's links are free when the first's are: up
 * 2 + 2 ms and down 2 ms; all-reduce of 2 MB in 2, twice a message of 1 MB over two links, 2 + 2
 * ms; all-gather in 3: 6 ms. */
static void test_two_switches_by_hand(void **state)
{
    (void)state;
    for (unsigned as_graph = 0; as_graph < 2; as_graph++) {
        struct net_graph graph;
        struct prop_job job;
        struct prop_result result;
        prop_open(&job, 1);
        for (unsigned d = 0; d < 2; d++) {
            job.dim[d] =
                (struct net_dim){.block = NET_SWITCH, .npus = 3 - d, .bandwidth_bytes_per_s = 1e9};
            job.algorithm[COLL_ALL_REDUCE][d] =
                (struct sys_algorithm){.algorithm = &orr_coll_direct};
        }
        prop_set_dims(&job, 2);
        job.sys.algorithms[COLL_ALL_REDUCE] =
            (struct sys_algorithm_list){.items = job.algorithm[COLL_ALL_REDUCE], .count = 2};
        job.net.backend = "congestion";
        assert_int_equal(orr_net_build_blocks(job.arena, &job.net, &graph, NULL), ORR_OK);
        job.net.graph = as_graph != 0 ? &graph : NULL;
        job.net.routes = (struct net_route_options){.routing = &orr_routing_dimension_order};
        prop_single_collective(&job, ORR_COMM_ALL_REDUCE, 6000000);
        prop_run(&job, &(struct prop_options){0}, &result);
        PROP_CHECK(&job, &result, result.wall_ps == 16 * INT64_C(1000000000));
        prop_close(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_switches_by_hand),
        cmocka_unit_test(test_one_collective_takes_the_same_time),
        cmocka_unit_test(test_jobs_take_the_same_time),
        cmocka_unit_test(test_jobs_of_flows_take_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
