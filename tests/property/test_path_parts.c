/* The critical path of random jobs (compute, memory, collectives, messages between two NPUs) on all
 * backends: its parts add up to the job's time, none is negative, and each is no more than what the
 * NPUs' own accounts allow. Nobody's waiting is communication on the path: where messages take no
 * time, it leads through what else takes some. */
#include <string.h>

#include "tests/property/property_support.h"

enum { MAX_NPUS = 24, MAX_HOPS = 64 };

/* Sum of what a path spends on communication: dimensions, ends of messages, reduction. */
static sim_time communication_of(const struct prop_job *job, const struct prop_result *result)
{
    sim_time sum = result->path_ps[ORR_PART_REPLAYED] + result->path_ps[ORR_PART_REDUCTION] +
                   result->path_ps[ORR_PART_ENDPOINT];
    for (unsigned part = ORR_PART_DIMS; part < ORR_PART_BANDWIDTH(job->net.dims); part++) {
        sum += result->path_ps[part];
    }
    return sum;
}

static void add_collectives(struct prop_job *job)
{
    const int group = prop_box_groups(job, 1 + prop_below(job, (1u << job->net.dims) - 1));
    for (uint32_t i = 0; i < 1 + prop_below(job, 3); i++) {
        const bool of_group = prop_below(job, 2) == 0;
        prop_add_to_all(job,
                        (struct prop_node){.kind = ORR_NODE_COLL,
                                           .comm = prop_below(job, 2) == 0 ? ORR_COMM_ALL_REDUCE
                                                                           : ORR_COMM_ALL_TO_ALL,
                                           .amount = 1 + prop_below(job, 1u << 20),
                                           .group = of_group ? group : PROP_NO_GROUP});
    }
}

/* Returns whether NPUs only compute and send to each other. */
static bool random_job(struct prop_job *job, uint64_t seed, const char *backend)
{
    prop_open(job, seed);
    prop_random_platform(job, MAX_NPUS);
    job->net.backend = backend;
    if (strcmp(backend, "analytical") != 0) {
        job->sys.service = SYS_BY_MESSAGE;
    }
    const uint32_t kind = prop_below(job, 4);
    if (kind == 0) {
        prop_sym_workload(job, false);
        prop_random_prefixes(job);
    } else if (kind == 1) {
        const uint32_t stages = job->npus % 2 == 0 ? job->npus / 2 : job->npus;
        prop_pipe_workload(job, stages);
    } else {
        prop_traffic_workload(job, 1 + prop_below(job, 60));
        if (kind == 3) {
            add_collectives(job);
        }
    }
    prop_random_overhead(job);
    return kind == 2;
}

static void run(struct prop_job *job, struct prop_result *result)
{
    prop_run(job, &(struct prop_options){.causes = true}, result);
    PROP_CHECK(job, result, result->status == ORR_OK && result->has_path);
}

/* A job whose order is stuck is let out of it when no event is left. Under flow that may be an
 * instant at which a flow would have ended but for others that ended sooner: the time until it is
 * nobody's. */
static void check_parts(struct prop_job *job, const struct prop_result *result)
{
    const bool flows = strcmp(job->net.backend, "flow") == 0 && job->sys.rendezvous;
    sim_time sum = 0, compute = 0, cpu = 0;
    for (unsigned part = 0; part < ORR_PART_BANDWIDTH(job->net.dims); part++) {
        PROP_CHECK(job, result, result->path_ps[part] >= 0);
        sum += result->path_ps[part];
    }
    PROP_CHECK(job, result, sum == result->wall_ps);
    PROP_CHECK(job, result, flows || result->path_ps[ORR_PART_OTHER] == 0);
    PROP_CHECK(job, result, communication_of(job, result) <= result->wall_ps);
    for (uint32_t npu = 0; npu < job->npus; npu++) {
        compute += result->times[npu].compute_ps;
        cpu += result->times[npu].cpu_ps + result->times[npu].compute_ps;
    }
    PROP_CHECK(job, result, result->path_ps[ORR_PART_COMPUTE] <= compute);
    PROP_CHECK(job, result, result->path_ps[ORR_PART_CPU] <= cpu);
    PROP_CHECK(job, result, compute == 0 || result->path_ps[ORR_PART_COMPUTE] <= result->wall_ps);
}

static bool anyone_waits(const struct prop_job *job, const struct prop_result *result)
{
    sim_time waiting = 0;
    for (uint32_t npu = 0; npu < job->npus; npu++) {
        waiting += result->times[npu].waiting_ps;
    }
    return waiting > 0;
}

/* A message between two NPUs is on a path from its send on, never from when its receive began to
 * wait: no part of the path is that wait. */
static void check_messages_only(struct prop_job *job, const struct prop_result *result)
{
    PROP_CHECK(job, result, result->path_ps[ORR_PART_STRAGGLER] == 0);
}

/* Whatever passes a link takes the 1 ps that times are rounded up to, and no latency. */
static void free_network(struct prop_job *job)
{
    for (unsigned d = 0; d < job->net.dims; d++) {
        job->dim[d].bandwidth_bytes_per_s = 1e21;
        job->dim[d].latency_ps = 0;
    }
    job->sys.endpoint_delay_ps = 0;
    job->net.message_overhead_ps = 0;
}

static void check_jobs(const char *backend, unsigned cases)
{
    const unsigned count = prop_cases(cases);
    unsigned waited = 0;
    for (unsigned i = 0; i < count; i++) {
        struct prop_job job;
        struct prop_result result;
        const bool messages_only = random_job(&job, prop_first_seed() + i, backend);
        run(&job, &result);
        check_parts(&job, &result);
        if (messages_only) {
            check_messages_only(&job, &result);
        }
        free_network(&job);
        run(&job, &result);
        check_parts(&job, &result);
        const sim_time max = (sim_time)result.messages * MAX_HOPS;
        PROP_CHECK(&job, &result, communication_of(&job, &result) <= max);
        waited += anyone_waits(&job, &result) ? 1 : 0;
        prop_close(&job);
    }
    assert_true(count < 50 || waited > count / 4);
}

static void test_path_parts_of_random_jobs_analytical(void **state)
{
    (void)state;
    check_jobs("analytical", 1000);
}

static void test_path_parts_of_random_jobs_congestion(void **state)
{
    (void)state;
    check_jobs("congestion", 300);
}

static void test_path_parts_of_random_jobs_flow(void **state)
{
    (void)state;
    check_jobs("flow", 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_parts_of_random_jobs_analytical),
        cmocka_unit_test(test_path_parts_of_random_jobs_congestion),
        cmocka_unit_test(test_path_parts_of_random_jobs_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
