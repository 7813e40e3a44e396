/* Folding of traces: the five conditions of docs/models.md, section 9, each with the job that
 * breaks a fold without it, and random jobs. Whatever is folded, every rank's times are those of
 * the run of all NPUs. */
#include <string.h>

#include "memory/fabric.h"
#include "tests/property/property_support.h"

/* Runs both ways and compares; returns how many NPUs were simulated. */
static uint32_t check_fold(struct prop_job *job)
{
    struct prop_result all, one;
    prop_run(job, &(struct prop_options){.causes = true}, &all);
    prop_run(job, &(struct prop_options){.causes = true, .fold = true}, &one);
    PROP_CHECK(job, &one, one.status == all.status);
    PROP_CHECK(job, &one, strcmp(one.message, all.message) == 0);
    if (all.status != ORR_OK) {
        return one.classes != 0 ? one.classes : job->npus;
    }
    PROP_CHECK(job, &one, one.wall_ps == all.wall_ps);
    PROP_CHECK(job, &one, one.messages == all.messages);
    PROP_CHECK(job, &one, prop_same_path(job, &one, &all));
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        PROP_CHECK(job, &one, memcmp(&one.times[rank], &all.times[rank], sizeof *all.times) == 0);
    }
    for (unsigned d = 0; d < job->net.dims; d++) {
        PROP_CHECK(job, &one, one.dims[d].messages == all.dims[d].messages);
        PROP_CHECK(job, &one, one.dims[d].bytes == all.dims[d].bytes);
        PROP_CHECK(job, &one, one.dims[d].busy_ps == all.dims[d].busy_ps);
    }
    return one.classes;
}

/* ---- the conditions ---- */

static void add_all_reduce(struct prop_job *job, int group, uint64_t bytes)
{
    prop_add_to_all(job, (struct prop_node){.kind = ORR_NODE_COLL,
                                            .comm = ORR_COMM_ALL_REDUCE,
                                            .group = group,
                                            .amount = bytes});
}

static struct prop_node compute(sim_time ps)
{
    return (struct prop_node){
        .kind = ORR_NODE_COMP, .group = PROP_NO_GROUP, .amount = (uint64_t)ps};
}

/* 1, order: on Ring(3)^3 two equal all-reduces over the dimensions (0,2) and (1,2) finish at one
 * time on all ranks, which insertion order would part; so one NPU stands for the 27. */
static void test_fold_two_collectives_in_ring_3_cubed_are_one_class(void **state)
{
    (void)state;
    struct prop_job job;
    prop_open(&job, 1);
    prop_torus(&job, 3, 3);
    job.sys.chunks = 4;
    prop_start_programs(&job);
    add_all_reduce(&job, prop_box_groups(&job, 5), 18000);
    add_all_reduce(&job, prop_box_groups(&job, 6), 18000);
    assert_int_equal(check_fold(&job), 1);
    prop_close(&job);
}

/* 2, colours and 3, messages: a gather's root gets n - 1 messages of leaves that all do the same;
 * neither as a collective nor as sends of equal programs may leaves be one class. */
static void test_fold_gather_to_a_root_is_not_folded(void **state)
{
    (void)state;
    struct prop_job job;
    prop_open(&job, 2);
    prop_torus(&job, 2, 4);
    prop_start_programs(&job);
    prop_add_to_all(&job, (struct prop_node){.kind = ORR_NODE_COLL,
                                             .comm = ORR_COMM_GATHER,
                                             .group = PROP_NO_GROUP,
                                             .root = 0,
                                             .amount = 4000});
    assert_int_equal(check_fold(&job), 16);
    prop_start_programs(&job);
    for (uint32_t rank = 1; rank < job.npus; rank++) {
        (void)prop_add(
            &job, rank,
            (struct prop_node){.kind = ORR_NODE_SEND, .amount = 1000, .group = PROP_NO_GROUP});
        (void)prop_add(
            &job, 0,
            (struct prop_node){
                .kind = ORR_NODE_RECV, .amount = 1000, .peer = rank, .group = PROP_NO_GROUP});
    }
    assert_int_equal(check_fold(&job), 16);
    prop_close(&job);
}

/* 3, messages: ranks 0 and 1 send to the ranks 2 and 3, in opposite orders. */
static void test_fold_opposite_orders_of_sends_are_not_confused(void **state)
{
    (void)state;
    struct prop_job job;
    prop_open(&job, 3);
    prop_torus(&job, 1, 4);
    prop_start_programs(&job);
    for (uint32_t rank = 0; rank < 2; rank++) {
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t peer = 2 + (rank ^ i);
            (void)prop_add(
                &job, rank,
                (struct prop_node){
                    .kind = ORR_NODE_SEND, .amount = 5000, .peer = peer, .group = PROP_NO_GROUP});
            (void)prop_add(
                &job, peer,
                (struct prop_node){
                    .kind = ORR_NODE_RECV, .amount = 5000, .peer = rank, .group = PROP_NO_GROUP});
        }
    }
    assert_int_equal(check_fold(&job), 4);
    prop_close(&job);
}

/* 4, shared servers: all NPUs use one pool, one after the other; with a memory each they are alike.
 */
static void test_fold_a_shared_pool_is_not_folded(void **state)
{
    (void)state;
    for (unsigned shared = 0; shared < 2; shared++) {
        struct prop_job job;
        prop_open(&job, 4);
        prop_torus(&job, 2, 3);
        job.remote = (struct mem_config){.type = shared != 0 ? "pool" : "per_npu",
                                         .bandwidth_bytes_per_s = 1e9,
                                         .latency_ps = 1000};
        prop_start_programs(&job);
        prop_add_to_all(
            &job,
            (struct prop_node){.kind = ORR_NODE_MEM_LOAD, .group = PROP_NO_GROUP, .amount = 1000});
        add_all_reduce(&job, PROP_NO_GROUP, 9000);
        assert_int_equal(check_fold(&job), shared != 0 ? 9 : 1);
        prop_close(&job);
    }
}

/* A pool whose accesses take as long as if all NPUs made them together is folded, one whose links
 * the accesses under way share is not; gathered accesses too. */
static void test_fold_pools_by_what_their_accesses_share(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const bool events = i % 2 != 0;
        struct prop_job job;
        prop_open(&job, 4);
        prop_torus(&job, 2, 3);
        struct mem_fabric fabric = {.classes = 1,
                                    .npus = 9,
                                    .chunk_bytes = 10,
                                    .stage_bytes = 90,
                                    .gathered_stage_bytes = 10,
                                    .pipeline = MEM_FIFO,
                                    .latency_ps = 7};
        fabric.link[0] = (struct mem_link_class){.links = 9,
                                                 .bandwidth_bytes_per_s = 1e9,
                                                 .parallelism = 9,
                                                 .gathered_parallelism = 1,
                                                 .hops = 1,
                                                 .parts = 9};
        job.remote = (struct mem_config){.type = events ? "pool_events" : "pool_together",
                                         .fabric = &fabric};
        prop_start_programs(&job);
        prop_add_to_all(&job, (struct prop_node){.kind = ORR_NODE_MEM_LOAD,
                                                 .group = PROP_NO_GROUP,
                                                 .gathered = i / 2 != 0,
                                                 .amount = 1005});
        add_all_reduce(&job, PROP_NO_GROUP, 9000);
        assert_int_equal(check_fold(&job), events ? 9 : 1);
        prop_close(&job);
    }
}

/* 5, refusal spreads: rank 5 of a 4 x 4 torus computes longer, and so all that it talks to, and all
 * that they talk to, come later. A whole row that computes longer is still one class of its own. */
static void test_fold_a_divergence_spreads(void **state)
{
    (void)state;
    struct prop_job job;
    prop_open(&job, 5);
    prop_torus(&job, 2, 4);
    prop_start_programs(&job);
    for (uint32_t rank = 0; rank < job.npus; rank++) {
        (void)prop_add(&job, rank, compute(rank == 5 ? 9000000 : 1000000));
    }
    prop_add_to_all(&job, (struct prop_node){.kind = ORR_NODE_COLL,
                                             .comm = ORR_COMM_ALL_REDUCE,
                                             .group = prop_box_groups(&job, 1),
                                             .amount = 8000,
                                             .deps = 1});
    add_all_reduce(&job, prop_box_groups(&job, 2), 8000);
    assert_int_equal(check_fold(&job), 16);
    prop_start_programs(&job);
    for (uint32_t rank = 0; rank < job.npus; rank++) {
        (void)prop_add(&job, rank, compute(rank / 4 == 2 ? 9000000 : 1000000));
    }
    prop_add_to_all(&job, (struct prop_node){.kind = ORR_NODE_COLL,
                                             .comm = ORR_COMM_ALL_REDUCE,
                                             .group = prop_box_groups(&job, 2),
                                             .amount = 8000,
                                             .deps = 1});
    assert_int_equal(check_fold(&job), 4);
    prop_close(&job);
}

/* ---- jobs that cannot finish ---- */

/* The second half of the ranks has one all-reduce less: the report is that of all NPUs, from two
 * that are simulated. */
static void test_fold_deadlock_report_is_that_of_all_npus(void **state)
{
    (void)state;
    struct prop_job job;
    prop_open(&job, 6);
    job.dim[0] = (struct net_dim){
        .block = NET_SWITCH, .npus = 64, .bandwidth_bytes_per_s = 1e11, .latency_ps = 500000};
    job.dim[1] = job.dim[0];
    job.dim[1].npus = 2;
    prop_set_dims(&job, 2);
    prop_start_programs(&job);
    add_all_reduce(&job, PROP_NO_GROUP, 1000);
    for (uint32_t rank = 0; rank < job.npus / 2; rank++) {
        (void)prop_add(&job, rank,
                       (struct prop_node){.kind = ORR_NODE_COLL,
                                          .comm = ORR_COMM_ALL_REDUCE,
                                          .group = PROP_NO_GROUP,
                                          .amount = 1000});
    }
    struct prop_result one;
    prop_run(&job, &(struct prop_options){.fold = true}, &one);
    assert_int_equal(one.status, ORR_ERR_DEADLOCK);
    assert_non_null(strstr(one.message, "64 nodes on 64 of 128 NPUs left"));
    assert_non_null(strstr(one.message, "\n  NPU 7: node 1 (n), all_reduce of 1000 bytes: "
                                        "collective 2 of the group \"0\" waits for NPU 64, NPU 65, "
                                        "NPU 66, NPU 67 and 60 more to start it\n  and 56 more"));
    assert_int_equal(check_fold(&job), 2);
    prop_close(&job);
}

/* A receive without its send, of the ranks of a column each. */
static void test_fold_receives_without_sends_name_their_own_peers(void **state)
{
    (void)state;
    struct prop_job job;
    prop_open(&job, 7);
    prop_torus(&job, 2, 4);
    prop_start_programs(&job);
    for (uint32_t rank = 0; rank < job.npus; rank++) {
        (void)prop_add(&job, rank,
                       (struct prop_node){.kind = ORR_NODE_RECV,
                                          .amount = 1000,
                                          .peer = (rank + 4) % job.npus,
                                          .group = PROP_NO_GROUP});
    }
    (void)check_fold(&job);
    prop_close(&job);
}

/* ---- parts of collectives ---- */

/* Programs that wait for other parts of a collective are not the same; those that wait for equal
 * ones are. An all-reduce of 4 chunks of 1000 bytes on
 * Ring(4)_Ring(4), of which one row waits for more. */
static void test_fold_other_prefixes_are_told_apart(void **state)
{
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        struct prop_job job;
        prop_open(&job, 8);
        prop_torus(&job, 2, 4);
        job.sys.chunks = 4;
        prop_start_programs(&job);
        add_all_reduce(&job, PROP_NO_GROUP, 4000);
        struct prop_node wait = compute(500000);
        wait.deps = 1;
        wait.prefix[0] = 1000;
        prop_add_to_all(&job, wait);
        for (uint32_t rank = 0; rank < 4 && apart != 0; rank++) {
            job.program[rank].node[1].prefix[0] = 3500;
        }
        assert_int_equal(check_fold(&job), apart != 0 ? 4 : 1);
        prop_close(&job);
    }
}

/* ---- random jobs ---- */

/* The upper part of the ranks stops one node before the others: most jobs cannot finish then. */
static void drop_last_nodes(struct prop_job *job)
{
    const uint32_t part = job->npus / job->dim[job->net.dims - 1].npus;
    for (uint32_t rank = part; rank < job->npus; rank++) {
        job->program[rank].nodes -= job->program[rank].nodes > 0 ? 1 : 0;
    }
}

/* Sizes of a collective of one group; those of another group may be the same. */
static void set_sizes(struct prop_job *job, uint32_t index, const uint32_t *ranks, uint32_t count,
                      uint64_t seed)
{
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 1);
    uint64_t *bytes = prop_array(job, (size_t)count * count, sizeof *bytes);
    const bool even = orr_rng_next(&rng) % 4 == 0;
    for (uint32_t i = 0; i < count * count; i++) {
        bytes[i] = even ? 5000 : orr_rng_next(&rng) % 3 * (orr_rng_next(&rng) % 9000);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct prop_node *node = &job->program[ranks != NULL ? ranks[i] : i].node[index];
        uint64_t *list = prop_array(job, count, sizeof *list);
        node->amount = 0;
        for (uint32_t k = 0; k < count; k++) {
            list[k] = node->comm == ORR_COMM_ALL_TO_ALL ? bytes[i * count + k] : bytes[k];
            node->amount += list[k];
        }
        if (node->comm == ORR_COMM_ALL_GATHER) {
            node->amount = bytes[i];
            node->sizes = (struct orr_comm_sizes){.recv = list, .recv_count = count};
        } else {
            node->sizes = (struct orr_comm_sizes){.send = list, .send_count = count};
        }
    }
}

/* Some of the collectives that may be uneven become so; all ranks have the same nodes. */
static void make_uneven(struct prop_job *job)
{
    for (uint32_t i = 0; i < job->program[0].nodes; i++) {
        const struct prop_node *node = &job->program[0].node[i];
        const bool fits = node->kind == ORR_NODE_COLL && !node->has_mask &&
                          (node->comm == ORR_COMM_ALL_TO_ALL || node->comm == ORR_COMM_ALL_GATHER ||
                           node->comm == ORR_COMM_REDUCE_SCATTER);
        const uint64_t seed = job->seed * 1000 + i;
        const bool alike = prop_below(job, 3) != 0;
        if (!fits) {
            continue;
        }
        if (node->group == PROP_NO_GROUP) {
            set_sizes(job, i, NULL, job->npus, seed);
            continue;
        }
        const char *name = job->name[node->group];
        for (uint32_t g = 0; g < job->groups; g++) {
            if (job->group[g].name == name) {
                set_sizes(job, i, job->group[g].ranks, job->group[g].count,
                          alike ? seed : seed * 64 + g);
            }
        }
    }
}

static void random_fold_job(struct prop_job *job, uint64_t seed)
{
    prop_open(job, seed);
    prop_random_platform(job, 64);
    job->sys.rendezvous = false;
    if (prop_below(job, 3) == 0) {
        job->net.backend = prop_below(job, 2) != 0 ? "congestion" : "flow";
        job->sys.service = SYS_BY_MESSAGE;
    }
    const uint32_t stages = 2 + prop_below(job, 3), kind = prop_below(job, 8);
    if (kind == 0 && job->npus % stages == 0) {
        prop_pipe_workload(job, stages);
    } else if (kind == 1 && job->npus > 1) {
        prop_traffic_workload(job, 20);
    } else {
        prop_sym_workload(job, prop_below(job, 2) != 0);
        if (seed % 4 == 0) {
            make_uneven(job);
        }
    }
    struct prop_program *program = &job->program[prop_below(job, job->npus)];
    if (prop_below(job, 4) == 0 && program->nodes > 0) { /* symmetric but for one node */
        struct prop_node *node = &program->node[prop_below(job, program->nodes)];
        node->amount += node->kind == ORR_NODE_COMP ? 12345 : 0;
    }
    if (prop_below(job, 8) == 0 && job->dim[job->net.dims - 1].npus > 1) {
        drop_last_nodes(job);
    }
    prop_random_overhead(job);
    if (prop_below(job, 3) == 0) {
        prop_random_prefixes(job);
    }
}

static void test_fold_random_traces_are_the_same_as_unfolded(void **state)
{
    (void)state;
    const uint64_t first = prop_first_seed();
    const unsigned cases = prop_cases_of(600, 2000);
    unsigned folded = 0;
    uint64_t npus = 0, classes = 0;
    for (unsigned i = 0; i < cases; i++) {
        struct prop_job job;
        random_fold_job(&job, first + i);
        const uint32_t simulated = check_fold(&job);
        folded += simulated < job.npus;
        npus += job.npus;
        classes += simulated;
        prop_close(&job);
    }
    print_message("%u jobs, %u folded, %llu NPUs in %llu classes\n", cases, folded,
                  (unsigned long long)npus, (unsigned long long)classes);
    assert_true(cases < 100 || folded > cases / 12); /* uneven collectives fold less */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_two_collectives_in_ring_3_cubed_are_one_class),
        cmocka_unit_test(test_fold_gather_to_a_root_is_not_folded),
        cmocka_unit_test(test_fold_opposite_orders_of_sends_are_not_confused),
        cmocka_unit_test(test_fold_a_shared_pool_is_not_folded),
        cmocka_unit_test(test_fold_pools_by_what_their_accesses_share),
        cmocka_unit_test(test_fold_a_divergence_spreads),
        cmocka_unit_test(test_fold_deadlock_report_is_that_of_all_npus),
        cmocka_unit_test(test_fold_receives_without_sends_name_their_own_peers),
        cmocka_unit_test(test_fold_other_prefixes_are_told_apart),
        cmocka_unit_test(test_fold_random_traces_are_the_same_as_unfolded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
