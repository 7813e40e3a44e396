/* Results do not depend on how ranks are numbered or who starts first: a symmetry of the platform
 * that renames the ranks of a job renames its results, to the picosecond, on translations of tori
 * and permutations of a switch; and posting the NPUs' first events in another order changes nothing
 * (ARCHITECTURE.md, section 3: entities and instants; MODELS.md, section 9: order). */
#include <string.h>

#include "network/coordinates.h"
#include "tests/property/property_support.h"

static uint32_t *ranks_of(struct prop_job *job)
{
    uint32_t *ranks = orr_arena_array(job->arena, job->npus, sizeof *ranks);
    assert_non_null(ranks);
    return ranks;
}

static uint32_t *translation(struct prop_job *job)
{
    uint32_t *map = ranks_of(job);
    uint32_t shift[PROP_DIMS], coords[PROP_DIMS];
    orr_net_coords(&job->net, prop_below(job, job->npus), shift);
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        orr_net_coords(&job->net, rank, coords);
        for (unsigned d = 0; d < job->net.dims; d++) {
            coords[d] = (coords[d] + shift[d]) % job->dim[d].npus;
        }
        map[rank] = orr_net_rank(&job->net, coords);
    }
    return map;
}

static uint32_t *any_permutation(struct prop_job *job)
{
    uint32_t *map = ranks_of(job);
    for (uint32_t i = 0; i < job->npus; i++) {
        const uint32_t at = prop_below(job, i + 1);
        map[i] = map[at];
        map[at] = i;
    }
    return map;
}

/* Rank r of the one is rank map[r] of the other; NULL: the same rank. */
static void check_equal(struct prop_job *job, const struct prop_result *one,
                        const struct prop_result *other, const uint32_t *map)
{
    PROP_CHECK(job, other, other->status == ORR_OK);
    PROP_CHECK(job, one, one->wall_ps == other->wall_ps);
    PROP_CHECK(job, one, one->messages == other->messages);
    PROP_CHECK(job, one, one->events == other->events);
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        const struct wl_times *there = &other->times[map != NULL ? map[rank] : rank];
        PROP_CHECK(job, one, memcmp(&one->times[rank], there, sizeof *there) == 0);
    }
}

static void check_renamed(struct prop_job *job, const uint32_t *map)
{
    struct prop_result one, other;
    prop_run(job, &(struct prop_options){0}, &one);
    PROP_CHECK(job, &one, one.status == ORR_OK);
    prop_run(job, &(struct prop_options){.permutation = map}, &other);
    check_equal(job, &one, &other, map);
}

static void check_start_order(struct prop_job *job)
{
    struct prop_result one, other;
    prop_run(job, &(struct prop_options){0}, &one);
    PROP_CHECK(job, &one, one.status == ORR_OK);
    prop_run(job, &(struct prop_options){.start_order = any_permutation(job)}, &other);
    check_equal(job, &one, &other, NULL);
}

/* ---- the example of MODELS.md, section 9 ---- */

/* Ring(3)^3, 100 GB/s, no latency; two all-reduces of 18 kB in boxes over the dimensions (0,2) and
 * (1,2), both from time 0. Each chunk reduce-scatters 18000 bytes over dimension 0 (or 1), all-
 * reduces 6000 over dimension 2 and gathers again: messages of 6000, 2000 and 6000 bytes. */
static void test_two_concurrent_collectives_finish_at_one_time(void **state)
{
    (void)state;
    static const uint32_t chunks[] = {1, 2, 4, 8};
    for (unsigned i = 0; i < 4; i++) {
        struct prop_job job;
        struct prop_result result;
        prop_open(&job, i);
        prop_torus(&job, 3, 3);
        job.sys.chunks = chunks[i];
        prop_start_programs(&job);
        for (unsigned c = 0; c < 2; c++) {
            prop_add_to_all(&job, (struct prop_node){.kind = ORR_NODE_COLL,
                                                     .comm = ORR_COMM_ALL_REDUCE,
                                                     .group = prop_box_groups(&job, c == 0 ? 5 : 6),
                                                     .amount = 18000});
        }
        prop_run(&job, &(struct prop_options){0}, &result);
        PROP_CHECK(&job, &result, result.status == ORR_OK);
        for (uint32_t rank = 0; rank < job.npus; rank++) {
            PROP_CHECK(&job, &result, result.times[rank].finish_ps == result.wall_ps);
        }
        if (chunks[i] == 1) {
            /* Dimensions 0 and 1 work at the same time: 2 messages of 6000 bytes, 120 ns. Dimension
             * 2 has 4 messages of 2000 bytes of each collective: 8 x 20 ns = 160 ns. Then 120 ns;
             * the first collective to leave dimension 2 (after 7 messages) gathers 20 ns earlier.*/
            assert_int_equal(result.wall_ps, 400000);
        }
        prop_close(&job);
    }
}

/* ---- random jobs ---- */

static void random_torus(struct prop_job *job)
{
    const unsigned dims = 1 + prop_below(job, 3);
    prop_torus(job, dims, 2 + prop_below(job, dims == 3 ? 2 : 4));
    const bool latency = prop_below(job, 2) != 0;
    for (unsigned d = 0; d < dims; d++) {
        job->dim[d].latency_ps = latency ? 500 * ORR_PS_PER_NS : 0;
        job->dim[d].per_npu = prop_below(job, 2) != 0;
    }
    job->sys.chunks = 1 + prop_below(job, 4);
    job->sys.priority = (enum sys_priority)prop_below(job, 3);
    job->sys.scheduler = prop_below(job, 3) == 0 ? orr_sys_scheduler_find("themis")
                                                 : orr_sys_scheduler_find("baseline");
    job->sys.port_order = prop_below(job, 3) == 0 ? SYS_SMALLEST_FIRST : SYS_BY_AGE;
    job->sys.port_sharing = job->seed % 4 != 0 ? SYS_SHARE_STREAMS : SYS_SHARE_MESSAGES;
    job->sys.endpoint_delay_ps = prop_below(job, 2) != 0 ? 10 * ORR_PS_PER_NS : 0;
}

/* Collectives that start at different times on different ranks, with compute before and between
 * them: what one NPU knows of another depends on who comes first within an instant. */
static void staggered_workload(struct prop_job *job)
{
    prop_start_programs(job);
    const uint32_t count = 2 + prop_below(job, 4);
    const uint64_t unit = 1000 * (1 + prop_below(job, 64));
    for (uint32_t c = 0; c < count; c++) {
        const int name = prop_box_groups(job, 1 + prop_below(job, (1u << job->net.dims) - 1));
        const uint64_t bytes = unit << prop_below(job, 3);
        const uint32_t comm = prop_below(job, 3);
        static const enum orr_trace_comm comms[] = {ORR_COMM_ALL_REDUCE, ORR_COMM_ALL_GATHER,
                                                    ORR_COMM_REDUCE_SCATTER};
        for (uint32_t rank = 0; rank < job->npus; rank++) {
            const uint32_t wait = prop_add(
                job, rank,
                (struct prop_node){.kind = ORR_NODE_COMP,
                                   .group = PROP_NO_GROUP,
                                   .amount = UINT64_C(10000) * prop_below(job, 5) * unit / 1000});
            (void)prop_add(job, rank,
                           (struct prop_node){.kind = ORR_NODE_COLL,
                                              .comm = comms[comm],
                                              .group = name,
                                              .amount = bytes,
                                              .deps = 1,
                                              .dep = {wait}});
        }
    }
}

static void check_torus_jobs(void (*workload)(struct prop_job *job), const char *backend,
                             unsigned cases)
{
    for (unsigned i = 0; i < prop_cases(cases); i++) {
        struct prop_job job;
        prop_open(&job, prop_first_seed() + i);
        random_torus(&job);
        job.net.backend = backend;
        workload(&job);
        check_renamed(&job, translation(&job));
        check_start_order(&job);
        prop_close(&job);
    }
}

static void symmetric(struct prop_job *job)
{
    prop_sym_workload(job, true);
}

static void traffic(struct prop_job *job)
{
    prop_traffic_workload(job, 1 + prop_below(job, 80));
}

static void test_torus_translation_permutes_symmetric_jobs(void **state)
{
    (void)state;
    check_torus_jobs(symmetric, "analytical", 600);
    check_torus_jobs(symmetric, "congestion", 100);
}

static void test_torus_translation_permutes_staggered_collectives(void **state)
{
    (void)state;
    check_torus_jobs(staggered_workload, "analytical", 600);
    check_torus_jobs(staggered_workload, "congestion", 100);
}

static void test_torus_translation_permutes_traffic(void **state)
{
    (void)state;
    check_torus_jobs(traffic, "analytical", 600);
    check_torus_jobs(traffic, "congestion", 100);
}

/* ---- switches ---- */

static void switch_of(struct prop_job *job, uint32_t npus)
{
    job->dim[0] = (struct net_dim){.block = NET_SWITCH,
                                   .npus = npus,
                                   .bandwidth_bytes_per_s = 1e11,
                                   .latency_ps = 500 * ORR_PS_PER_NS,
                                   .per_npu = true};
    prop_set_dims(job, 1);
    job->sys.chunks = 1 + prop_below(job, 4);
}

/* Every rank runs the same: any renaming gives the same times, on all ranks for what has no root
 * (2^k ranks: halving-doubling treats them alike). */
static void test_switch_permutation_permutes_symmetric_jobs(void **state)
{
    (void)state;
    static const enum orr_trace_comm comms[] = {ORR_COMM_ALL_REDUCE, ORR_COMM_ALL_GATHER,
                                                ORR_COMM_REDUCE_SCATTER, ORR_COMM_ALL_TO_ALL,
                                                ORR_COMM_BARRIER};
    for (unsigned i = 0; i < prop_cases(200); i++) {
        struct prop_job job;
        prop_open(&job, prop_first_seed() + i);
        switch_of(&job, 1u << (1 + prop_below(&job, 4)));
        prop_start_programs(&job);
        for (unsigned n = 1 + prop_below(&job, 5); n > 0; n--) {
            prop_add_to_all(&job, (struct prop_node){.kind = ORR_NODE_COLL,
                                                     .comm = comms[prop_below(&job, 5)],
                                                     .group = PROP_NO_GROUP,
                                                     .amount = prop_below(&job, 1 << 20)});
        }
        check_renamed(&job, any_permutation(&job));
        struct prop_result result;
        prop_run(&job, &(struct prop_options){0}, &result);
        for (uint32_t rank = 0; rank < job.npus; rank++) {
            PROP_CHECK(&job, &result, result.times[rank].finish_ps == result.wall_ps);
        }
        prop_close(&job);
    }
}

/* A rotation of the stages of a pipeline. Not any permutation: when messages of two sources arrive
 * in one instant, the first is that of the nearer source, counted in ranks around the switch. */
static void test_switch_rotation_permutes_pipelines(void **state)
{
    (void)state;
    for (unsigned i = 0; i < prop_cases(200); i++) {
        struct prop_job job;
        prop_open(&job, prop_first_seed() + i);
        switch_of(&job, 2 + prop_below(&job, 7));
        prop_pipe_workload(&job, job.npus);
        check_renamed(&job, translation(&job));
        check_start_order(&job);
        prop_close(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_concurrent_collectives_finish_at_one_time),
        cmocka_unit_test(test_torus_translation_permutes_symmetric_jobs),
        cmocka_unit_test(test_torus_translation_permutes_staggered_collectives),
        cmocka_unit_test(test_torus_translation_permutes_traffic),
        cmocka_unit_test(test_switch_permutation_permutes_symmetric_jobs),
        cmocka_unit_test(test_switch_rotation_permutes_pipelines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
