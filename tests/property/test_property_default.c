/* What holds for every job under our own rules, on random platforms and workloads: it finishes, the
 * same way each time, no faster than its data and its compute allow, and every byte and every
 * picosecond is accounted for. */
#include <string.h>

#include "tests/property/property_support.h"

static void random_job(struct prop_job *job, uint64_t seed, const char *backend)
{
    prop_open(job, seed);
    prop_random_platform(job, 36);
    job->net.backend = backend;
    if (strcmp(backend, "analytical") != 0) {
        job->sys.service = SYS_BY_MESSAGE;
    }
    const uint32_t kind = prop_below(job, 4);
    if (kind == 0) {
        uint32_t stages = 1 + prop_below(job, job->npus);
        while (job->npus % stages != 0) {
            stages--;
        }
        prop_pipe_workload(job, stages);
    } else if (kind == 1) {
        prop_traffic_workload(job, 1 + prop_below(job, 60));
    } else {
        prop_sym_workload(job, false);
    }
    if (prop_below(job, 4) == 0) {
        prop_random_prefixes(job);
    }
}

/* ---- the properties ---- */

static void check_same(struct prop_job *job, const struct prop_result *first)
{
    struct prop_result again;
    prop_run(job, &(struct prop_options){0}, &again);
    PROP_CHECK(job, first, again.status == ORR_OK);
    PROP_CHECK(job, first, again.messages == first->messages);
    PROP_CHECK(job, first, again.events == first->events);
    PROP_CHECK(job, first, memcmp(again.times, first->times, job->npus * sizeof *again.times) == 0);
}

/* Keeping causes changes nothing else, and the critical path is all of the job's time, spent on
 * parts that are known. */
static void check_path(struct prop_job *job, const struct prop_result *first)
{
    struct prop_result again;
    prop_run(job, &(struct prop_options){.causes = true}, &again);
    PROP_CHECK(job, first, again.status == ORR_OK && again.has_path);
    PROP_CHECK(job, first, again.events == first->events);
    PROP_CHECK(job, first, memcmp(again.times, first->times, job->npus * sizeof *again.times) == 0);
    sim_time sum = 0;
    for (unsigned part = 0; part < ORR_PART_BANDWIDTH(job->net.dims); part++) {
        PROP_CHECK(job, first, again.path_ps[part] >= 0);
        sum += again.path_ps[part];
    }
    PROP_CHECK(job, first, sum == first->wall_ps);
    PROP_CHECK(job, first, again.path_ps[ORR_PART_OTHER] == 0);
}

/* An instant belongs to one of the parts; compute nodes of an NPU run one after the other. */
static void check_account(struct prop_job *job, const struct prop_result *result)
{
    for (uint32_t npu = 0; npu < job->npus; npu++) {
        const struct wl_times *t = &result->times[npu];
        PROP_CHECK(job, result,
                   t->compute_ps + t->exposed_local_memory_ps + t->exposed_remote_memory_ps +
                           t->cpu_ps + t->exposed_communication_ps + t->waiting_ps + t->idle_ps ==
                       result->wall_ps);
        PROP_CHECK(job, result, t->compute_ps == t->accelerator_compute_ps);
        PROP_CHECK(job, result, t->finish_ps <= result->wall_ps);
        PROP_CHECK(job, result, t->finish_ps >= prop_critical_ps(job, npu));
    }
}

static void check_bytes(struct prop_job *job, const struct prop_result *result)
{
    const size_t cells = (size_t)job->npus * job->net.dims;
    PROP_CHECK(job, result,
               memcmp(result->sent, result->sent_expected, cells * sizeof *result->sent) == 0);
    PROP_CHECK(job, result,
               memcmp(result->received, result->recv_expected, cells * sizeof *result->received) ==
                   0);
    for (unsigned d = 0; d < job->net.dims && strcmp(job->net.backend, "analytical") == 0; d++) {
        uint64_t sum = 0;
        for (uint32_t npu = 0; npu < job->npus; npu++) {
            sum += result->sent[(size_t)npu * job->net.dims + d];
        }
        PROP_CHECK(job, result, sum == result->dims[d].bytes);
    }
}

/* What an NPU can send on a dimension at most, in bytes/s. */
static double max_bytes_per_s(const struct net_dim *dim)
{
    if (dim->per_npu || dim->block == NET_SWITCH) {
        return dim->bandwidth_bytes_per_s;
    }
    return dim->bandwidth_bytes_per_s * (net_passes_on(dim->block) ? 2.0 : dim->npus - 1.0);
}

static void check_bandwidth(struct prop_job *job, const struct prop_result *result)
{
    for (uint32_t npu = 0; npu < job->npus; npu++) {
        for (unsigned d = 0; d < job->net.dims; d++) {
            const double bytes = (double)result->sent[(size_t)npu * job->net.dims + d];
            const double min_ps = bytes == 0 ? 0 : bytes / max_bytes_per_s(&job->dim[d]) * 1e12;
            /* 1 ps for what is lost in the division */
            PROP_CHECK(job, result, (double)result->wall_ps + 1 >= min_ps * (1 - 1e-12));
        }
    }
}

static void check_job(uint64_t seed, const char *backend)
{
    struct prop_job job;
    struct prop_result result;
    random_job(&job, seed, backend);
    prop_run(&job, &(struct prop_options){.expect = true}, &result);
    PROP_CHECK(&job, &result, result.status == ORR_OK);
    check_same(&job, &result);
    check_path(&job, &result);
    check_account(&job, &result);
    check_bytes(&job, &result);
    check_bandwidth(&job, &result);
    prop_close(&job);
}

static void check_jobs(const char *backend, unsigned cases)
{
    for (unsigned i = 0; i < prop_cases(cases); i++) {
        check_job(prop_first_seed() + i, backend);
    }
}

static void test_analytical_random_jobs_keep_all_properties(void **state)
{
    (void)state;
    check_jobs("analytical", 2000);
}

static void test_congestion_random_jobs_keep_all_properties(void **state)
{
    (void)state;
    check_jobs("congestion", 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_analytical_random_jobs_keep_all_properties),
        cmocka_unit_test(test_congestion_random_jobs_keep_all_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
