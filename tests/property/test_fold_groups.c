/* Many communicator groups at once: more names than a byte counts, each with a collective at the
 * same instant. The order among them is that of all NPUs' run, on every backend. */
#include <string.h>

#include "tests/property/property_support.h"

enum { MIN_NAMES = 257, MAX_NAMES = 600, MAX_NPUS = 8 };

static void random_dims(struct prop_job *job)
{
    static const enum net_block blocks[] = {NET_RING, NET_RING, NET_SWITCH, NET_FULLY_CONNECTED};
    const unsigned dims = 1 + prop_below(job, 2);
    for (unsigned d = 0; d < dims; d++) {
        job->dim[d] = (struct net_dim){.block = blocks[prop_below(job, 4)],
                                       .npus = 2 + prop_below(job, dims == 1 ? MAX_NPUS - 1 : 2),
                                       .bandwidth_bytes_per_s = 1e9 * (1 + prop_below(job, 9)),
                                       .latency_ps = 1000 * (sim_time)prop_below(job, 3),
                                       .per_npu = prop_below(job, 2) != 0};
    }
    prop_set_dims(job, dims);
}

/* Collectives of 257 to 600 names, a few bytes each, as soon as they are ready: nearly all at once,
 * so that labels decide. */
static void random_job(struct prop_job *job, uint64_t seed, const char *backend)
{
    static const enum orr_trace_comm comms[] = {ORR_COMM_ALL_REDUCE, ORR_COMM_ALL_REDUCE,
                                                ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER};
    prop_open(job, seed);
    random_dims(job);
    job->net.backend = backend;
    prop_start_programs(job);
    const uint32_t names = MIN_NAMES + prop_below(job, MAX_NAMES - MIN_NAMES + 1);
    const uint32_t all = (1u << job->net.dims) - 1;
    for (uint32_t i = 0; i < names; i++) {
        const int name = prop_box_groups(job, 1 + prop_below(job, all));
        struct prop_node node = {.kind = ORR_NODE_COLL,
                                 .comm = comms[prop_below(job, 4)],
                                 .group = name,
                                 .amount = 1 + prop_below(job, 64)};
        if (i > 0 && prop_below(job, 8) == 0) {
            node.dep[node.deps++] = prop_below(job, i);
        }
        prop_add_to_all(job, node);
    }
}

/* Returns how many NPUs were simulated. */
static uint32_t check_job(struct prop_job *job)
{
    struct prop_result all, one;
    prop_run(job, &(struct prop_options){.causes = true}, &all);
    prop_run(job, &(struct prop_options){.causes = true, .fold = true}, &one);
    PROP_CHECK(job, &all, all.status == ORR_OK);
    PROP_CHECK(job, &one, one.status == ORR_OK);
    PROP_CHECK(job, &one, one.wall_ps == all.wall_ps);
    PROP_CHECK(job, &one, one.messages == all.messages);
    PROP_CHECK(job, &one, prop_same_path(job, &one, &all));
    PROP_CHECK(job, &one, memcmp(one.times, all.times, job->npus * sizeof *all.times) == 0);
    return one.classes;
}

static void test_fold_of_many_groups_is_the_same_as_unfolded(void **state)
{
    (void)state;
    static const char *const backends[] = {"analytical", "congestion", "flow"};
    const uint64_t first = prop_first_seed();
    const unsigned cases = prop_cases_of(300, 1000);
    unsigned folded = 0;
    for (unsigned i = 0; i < cases; i++) {
        struct prop_job job;
        random_job(&job, first + i, backends[(first + i) % 3]);
        folded += check_job(&job) < job.npus;
        prop_close(&job);
    }
    print_message("%u jobs, %u folded\n", cases, folded);
    assert_true(cases < 100 || folded > cases / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_of_many_groups_is_the_same_as_unfolded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
