/* Runs of equal messages as one event change nothing (docs/models.md, section 9): random folded
 * jobs, in which collectives meet at ports in every way, give the same results whether runs are
 * made where they probably last, wherever they can be made, or never, and as all NPUs one by one.
 * Times are multiples of a microsecond in most jobs, so that messages meet at one instant. */
#include <string.h>

#include "tests/property/property_support.h"
#include "tests/unit/algorithms_fixture.h"

enum {
    CASES = 3000,
    LONG_CASES = 10000,
    MAX_NPUS = 64,
    QUANTUM_BYTES = 1000,
    QUANTUM_PS = 1000000
};

static bool one_in(struct prop_job *job, uint32_t count)
{
    return prop_below(job, count) == 0;
}

/* ---- jobs ---- */

static void random_dims(struct prop_job *job)
{
    static const uint32_t sizes[] = {2, 2, 3, 4, 4, 5, 8};
    const unsigned dims = 1 + prop_below(job, 3);
    uint32_t npus = 1;
    for (unsigned d = 0; d < dims; d++) {
        const uint32_t size = sizes[prop_below(job, 7)];
        job->dim[d] = (struct net_dim){
            .block = one_in(job, 6) ? (enum net_block)prop_below(job, NET_BLOCKS) : NET_RING,
            .npus = npus * size > MAX_NPUS ? 1 : size,
            .bandwidth_bytes_per_s = 1e9 * (1 + prop_below(job, 2)),
            .latency_ps = one_in(job, 2) ? 0 : (sim_time)prop_below(job, 3) * QUANTUM_PS,
            .per_npu = one_in(job, 4)};
        npus *= job->dim[d].npus;
    }
    prop_set_dims(job, dims);
}

static void random_system(struct prop_job *job)
{
    static const uint32_t chunks[] = {1, 1, 2, 3, 4};
    job->sys.chunks = chunks[prop_below(job, 5)];
    job->sys.priority = one_in(job, 2) ? SYS_FIFO : SYS_LIFO;
    job->sys.scheduler =
        one_in(job, 4) ? orr_sys_scheduler_find("themis") : orr_sys_scheduler_find("baseline");
    job->sys.port_order = (enum sys_port_order)prop_below(job, 3);
    job->sys.port_sharing = job->seed % 4 != 0 ? SYS_SHARE_STREAMS : SYS_SHARE_MESSAGES;
    job->sys.service = one_in(job, 2) ? SYS_BY_PHASE : SYS_BY_MESSAGE;
    job->sys.bandwidth_aware = !one_in(job, 4);
    job->sys.endpoint_delay_ps = one_in(job, 2) ? 0 : (sim_time)prop_below(job, 3) * QUANTUM_PS;
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS && one_in(job, 2); kind++) {
        for (unsigned d = 0; d < job->net.dims; d++) {
            job->algorithm[kind][d] = (struct sys_algorithm){.algorithm = &orr_coll_ring};
        }
        job->sys.algorithms[kind] =
            (struct sys_algorithm_list){.items = job->algorithm[kind], .count = job->net.dims};
    }
}

static struct prop_node random_node(struct prop_job *job, uint32_t index, bool odd)
{
    struct prop_node node = {.group = PROP_NO_GROUP};
    if (index > 0 && one_in(job, 2)) {
        node.deps = 1;
        node.dep[0] = prop_below(job, index);
    }
    if (one_in(job, 3)) {
        node.kind = ORR_NODE_COMP;
        const uint32_t duration = one_in(job, 2) ? 0 : prop_below(job, 30); /* 0: now, a round on */
        node.amount = (uint64_t)duration * QUANTUM_PS + (odd ? 7 : 0);
        return node;
    }
    static const enum orr_trace_comm comms[] = {ORR_COMM_ALL_REDUCE, ORR_COMM_ALL_GATHER,
                                                ORR_COMM_REDUCE_SCATTER, ORR_COMM_ALL_TO_ALL,
                                                ORR_COMM_BARRIER};
    node.kind = ORR_NODE_COLL;
    node.comm = comms[prop_below(job, 5)];
    node.group = (int)prop_below(job, job->names + 1) - 1;
    node.amount = (uint64_t)QUANTUM_BYTES * job->npus * job->sys.chunks *
                      (one_in(job, 2) ? 1 : 1 + prop_below(job, 3)) +
                  (odd ? 11 : 0);
    return node;
}

static void random_job(struct prop_job *job)
{
    random_dims(job);
    random_system(job);
    if (one_in(job, 8)) {
        prop_pipe_workload(job, job->dim[job->net.dims - 1].npus);
        return;
    }
    prop_start_programs(job);
    for (uint32_t i = prop_below(job, 4); i > 0; i--) {
        (void)prop_box_groups(job, 1 + prop_below(job, (1u << job->net.dims) - 1));
    }
    const bool odd = one_in(job, 4);
    const uint32_t nodes = 1 + prop_below(job, 12);
    for (uint32_t i = 0; i < nodes; i++) {
        prop_add_to_all(job, random_node(job, i, odd));
    }
    prop_random_overhead(job);
}

/* ---- the comparison ---- */

static void check_same(struct prop_job *job, const struct prop_result *a,
                       const struct prop_result *b)
{
    PROP_CHECK(job, b, b->status == a->status);
    PROP_CHECK(job, b, b->wall_ps == a->wall_ps);
    PROP_CHECK(job, b, b->messages == a->messages);
    for (uint32_t rank = 0; rank < job->npus && a->status == ORR_OK; rank++) {
        PROP_CHECK(job, b, memcmp(&b->times[rank], &a->times[rank], sizeof *a->times) == 0);
    }
    for (unsigned d = 0; d < job->net.dims; d++) {
        PROP_CHECK(job, b, b->dims[d].messages == a->dims[d].messages);
        PROP_CHECK(job, b, b->dims[d].bytes == a->dims[d].bytes);
        PROP_CHECK(job, b, b->dims[d].busy_ps == a->dims[d].busy_ps);
    }
}

static void run_as(struct prop_job *job, enum sys_advance advance, bool fold,
                   struct prop_result *result)
{
    job->sys.advance = advance;
    prop_run(job, &(struct prop_options){.fold = fold}, result);
}

static void test_repeats_random_jobs_are_the_same_as_message_by_message(void **state)
{
    (void)state;
    unsigned folded = 0, likely_fewer = 0, always_fewer = 0;
    const unsigned cases = prop_cases_of(CASES, LONG_CASES);
    for (unsigned i = 0; i < cases; i++) {
        struct prop_job job;
        struct prop_result all, never, likely, always;
        prop_open(&job, prop_first_seed() + i);
        random_job(&job);
        run_as(&job, SYS_ADVANCE_NEVER, false, &all);
        run_as(&job, SYS_ADVANCE_NEVER, true, &never);
        run_as(&job, SYS_ADVANCE_LIKELY, true, &likely);
        run_as(&job, SYS_ADVANCE_ALWAYS, true, &always);
        check_same(&job, &all, &never);
        check_same(&job, &never, &likely);
        check_same(&job, &never, &always);
        folded += never.classes < job.npus ? 1 : 0;
        likely_fewer += likely.events < never.events ? 1 : 0;
        always_fewer += always.events < never.events ? 1 : 0;
        prop_close(&job);
    }
    print_message("%u jobs, %u folded; fewer events in %u, wherever possible in %u\n", cases,
                  folded, likely_fewer, always_fewer);
    assert_true(cases < 100 || (folded > cases / 2 && likely_fewer > cases / 4));
}

/* ---- by hand ---- */

/* An all-reduce of 4000 bytes on a ring of 4 at 1 GB/s, latency 1 us, endpoint delay 1 us: 6 steps
 * of 1 us at the port, 1 us on the way and 1 us at the end, 18 us. One class: the start, the end of
 * the run and what the engine does, instead of 3 events for each of the 6 messages. */
static void test_repeats_one_collective_is_one_event(void **state)
{
    (void)state;
    struct prop_job job;
    struct prop_result never, likely;
    prop_open(&job, 1);
    job.dim[0] = (struct net_dim){
        .block = NET_RING, .npus = 4, .bandwidth_bytes_per_s = 1e9, .latency_ps = QUANTUM_PS};
    prop_set_dims(&job, 1);
    job.sys.endpoint_delay_ps = QUANTUM_PS;
    prop_single_collective(&job, ORR_COMM_ALL_REDUCE, 4000);
    run_as(&job, SYS_ADVANCE_NEVER, true, &never);
    run_as(&job, SYS_ADVANCE_LIKELY, true, &likely);
    check_same(&job, &never, &likely);
    assert_int_equal(likely.wall_ps, 18 * QUANTUM_PS);
    assert_int_equal(likely.messages, 4 * 6);
    assert_int_equal(never.events - likely.events, 3 * 6 - 1);
    prop_close(&job);
}

/* A second all-reduce comes `after` us and interrupts the first at that point of a step. Both have
 * one chunk; the older goes first. */
static sim_time interrupted_after(uint32_t after, enum sys_advance advance, uint64_t *events)
{
    struct prop_job job;
    struct prop_result result;
    prop_open(&job, 1);
    prop_torus(&job, 1, 4);
    job.dim[0].bandwidth_bytes_per_s = 1e9;
    job.dim[0].latency_ps = QUANTUM_PS;
    job.sys.endpoint_delay_ps = QUANTUM_PS;
    prop_start_programs(&job);
    const int other = prop_box_groups(&job, 1);
    struct prop_node reduce = {
        .kind = ORR_NODE_COLL, .comm = ORR_COMM_ALL_REDUCE, .group = PROP_NO_GROUP, .amount = 4000};
    prop_add_to_all(&job, reduce);
    prop_add_to_all(&job, (struct prop_node){.kind = ORR_NODE_COMP,
                                             .group = PROP_NO_GROUP,
                                             .amount = after * UINT64_C(1000000)});
    reduce.group = other;
    reduce.deps = 1;
    reduce.dep[0] = 1;
    prop_add_to_all(&job, reduce);
    run_as(&job, advance, true, &result);
    assert_int_equal(result.status, ORR_OK);
    assert_int_equal(result.classes, 1);
    assert_int_equal(result.messages, 2 * 4 * 6);
    *events = result.events;
    prop_close(&job);
    return result.wall_ps;
}

/* Steps take 3 us, of which the port is used in the first. Who comes in that us waits for its rest,
 * and from then on fits in between. At the very instant at which the first one's next message is
 * sent (3 us) the older one goes first: the new one starts a us later, as it does at 0. */
static void test_repeats_interrupted_goes_on_where_it_was(void **state)
{
    (void)state;
    static const uint32_t ends_us[] = {19, 19, 20, 22, 22, 23, 25};
    for (uint32_t after = 0; after < 7; after++) {
        uint64_t never, likely;
        assert_int_equal(interrupted_after(after, SYS_ADVANCE_NEVER, &never),
                         ends_us[after] * (sim_time)QUANTUM_PS);
        assert_int_equal(interrupted_after(after, SYS_ADVANCE_LIKELY, &likely),
                         ends_us[after] * (sim_time)QUANTUM_PS);
        assert_true(likely <= never + 1); /* the end that was not to be */
    }
}

/* ---- what it relies on ---- */

static void check_program(const struct coll_algorithm *algorithm, const struct coll_args *args)
{
    struct coll_send first = {0};
    const uint32_t sends = algorithm->sends(args);
    assert_int_equal(algorithm->recvs(args), sends);
    for (uint32_t k = 0; k < sends; k++) {
        struct coll_send send;
        struct coll_recv recv;
        algorithm->send(args, k, &send);
        algorithm->recv(args, k, &recv);
        first = k == 0 ? send : first;
        assert_int_equal(send.peer, first.peer);
        assert_int_equal(send.bytes, first.bytes);
        assert_int_equal(send.backwards, first.backwards);
        assert_int_equal(send.peer_recv, k);
        assert_int_equal(send.need, k);
        assert_true(algorithm->in_order || recv.after <= k);
    }
}

static void test_repeats_programs_are_what_the_table_says(void **state)
{
    (void)state;
    unsigned checked = 0;
    for (size_t a = 0; orr_coll_algorithms[a] != NULL; a++) {
        const struct coll_algorithm *algorithm = orr_coll_algorithms[a];
        for (unsigned kind = 0; kind < COLL_KINDS && algorithm->repeats != NULL; kind++) {
            for (uint32_t n = 2; n <= 40 && algorithm->repeats((enum coll_kind)kind); n++) {
                assert_int_equal(algorithm->lanes, 1);
                for (uint32_t rank = 0; rank < n; rank++) {
                    const struct coll_args args = {.kind = (enum coll_kind)kind,
                                                   .n = n,
                                                   .rank = rank,
                                                   .variant = n % 2,
                                                   .bytes = 1000 + n};
                    check_program(algorithm, &args);
                    checked++;
                }
            }
        }
    }
    /* the kinds of the ring without a root, and those of several rings, which have no all-to-all */
    assert_int_equal(checked, (5 + 4) * (41 * 40 / 2 - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats_programs_are_what_the_table_says),
        cmocka_unit_test(test_repeats_random_jobs_are_the_same_as_message_by_message),
        cmocka_unit_test(test_repeats_one_collective_is_one_event),
        cmocka_unit_test(test_repeats_interrupted_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
