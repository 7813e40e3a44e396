/* A better network is never slower where nothing can choose: one collective alone on the analytical
 * backend, over one dimension with one chunk, on whose links no message passes a third NPU. With
 * several chunks or dimensions, or in a ring whose messages go further than to a neighbour, ports
 * choose among the messages that are ready by the age of their chunks, and what is ready earlier
 * can take the port from what is urgent: less latency may cost time (a scheduling anomaly). What
 * holds for all is scale: all bandwidths twice as high and all latencies half as long give half the
 * time. */
#include <math.h>

#include "tests/property/property_support.h"

static sim_time wall_of(struct prop_job *job)
{
    struct prop_result result;
    prop_run(job, &(struct prop_options){0}, &result);
    PROP_CHECK(job, &result, result.status == ORR_OK);
    return result.wall_ps;
}

static void scale(struct prop_job *job, double bandwidth, sim_time latency_divisor)
{
    for (unsigned d = 0; d < job->net.dims; d++) {
        job->dim[d].bandwidth_bytes_per_s *= bandwidth;
        job->dim[d].latency_ps /= latency_divisor;
    }
    job->sys.endpoint_delay_ps /= latency_divisor;
}

static void random_case(struct prop_job *job, uint64_t seed)
{
    prop_open(job, seed);
    prop_random_platform(job, 36);
    prop_single_collective(job, (enum orr_trace_comm)prop_below(job, ORR_COMM_KINDS),
                           prop_below(job, 1 << 22));
}

static void one_dimension(struct prop_job *job)
{
    const enum net_block block = job->dim[0].block;
    job->dim[0].npus = 1 + prop_below(job, block == NET_RING ? 3 : block == NET_MESH ? 2 : 16);
    job->net.dims = 1;
    job->npus = job->dim[0].npus;
    job->sys.chunks = 1;
    prop_single_collective(job, (enum orr_trace_comm)prop_below(job, ORR_COMM_KINDS),
                           prop_below(job, 1 << 22));
}

static void check_never_slower(struct prop_job *job, double bandwidth, sim_time divisor)
{
    struct prop_result none = {.status = ORR_OK};
    const sim_time before = wall_of(job);
    scale(job, bandwidth, divisor);
    PROP_CHECK(job, &none, wall_of(job) <= before);
}

static void test_one_dimension_more_bandwidth_is_never_slower(void **state)
{
    (void)state;
    for (unsigned i = 0; i < prop_cases(1000); i++) {
        struct prop_job job;
        random_case(&job, prop_first_seed() + i);
        one_dimension(&job);
        check_never_slower(&job, 2, 1);
        check_never_slower(&job, 1.25, 1);
        prop_close(&job);
    }
}

static void test_one_dimension_less_latency_is_never_slower(void **state)
{
    (void)state;
    for (unsigned i = 0; i < prop_cases(1000); i++) {
        struct prop_job job;
        random_case(&job, prop_first_seed() + i);
        one_dimension(&job);
        check_never_slower(&job, 1, 2);
        prop_close(&job);
    }
}

/* Every duration halves, but for the rounding of each message to whole ps; so does every instant.
 * The order of events stays, as long as no rounding swaps two of them. */
static void test_twice_the_speed_is_half_the_time(void **state)
{
    (void)state;
    for (unsigned i = 0; i < prop_cases(1000); i++) {
        struct prop_job job;
        struct prop_result none = {.status = ORR_OK};
        random_case(&job, prop_first_seed() + i);
        job.sys.endpoint_delay_ps = 0;
        for (unsigned d = 0; d < job.net.dims; d++) {
            /* 2^d bytes in 1024 ps: whole ps for every size, at both speeds */
            job.dim[d].bandwidth_bytes_per_s = ldexp(1e12, -10 + (int)d);
            job.dim[d].latency_ps = (sim_time)1024 * prop_below(&job, 1000);
        }
        const sim_time before = wall_of(&job);
        scale(&job, 2, 2);
        PROP_CHECK(&job, &none, 2 * wall_of(&job) == before);
        prop_close(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_dimension_more_bandwidth_is_never_slower),
        cmocka_unit_test(test_one_dimension_less_latency_is_never_slower),
        cmocka_unit_test(test_twice_the_speed_is_half_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
