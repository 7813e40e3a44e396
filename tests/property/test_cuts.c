/* Physics: under our own rules nothing is faster than the bytes that its own messages carry over a
 * cut, by the bandwidth of the cut's links; on random platforms, for every collective, algorithm
 * and backend, and for traffic between ranks. The bandwidth of a cut is worked out from what a
 * block is (docs/models.md, section 3), not by any backend. */
#include <string.h>

#include "tests/property/property_support.h"

#include "network/traffic.h"
#include "tests/backend_keys.h"

enum { CASES = 5000, MAX_NPUS = 36, RANDOM_CUTS = 8 };

struct check {
    struct prop_job *job;
    const struct prop_result *result;
    const struct net_pair *pair;
    size_t pairs;
    unsigned cuts, beaten; /* over which bytes went; of them too fast */
    bool inside[MAX_NPUS];
};

/* ---- the bandwidth of a cut ---- */

struct line {
    const struct net_dim *dim;
    uint32_t first, stride; /* ranks first + i * stride */
};

static bool is_in(const struct check *check, const struct line *line, uint32_t i)
{
    return check->inside[line->first + i % line->dim->npus * line->stride];
}

/* Links from the outside to the inside; of a ring of two both go between the same two. */
static double ring_links(const struct check *check, const struct line *line)
{
    const uint32_t n = line->dim->npus;
    unsigned links = 0, senders = 0, receivers = 0;
    for (uint32_t i = 0; i < n; i++) {
        const bool mesh = line->dim->block == NET_MESH, inside = is_in(check, line, i);
        const bool next = (!mesh || i + 1 < n) && is_in(check, line, i + 1) != inside;
        const bool before = (!mesh || i > 0) && is_in(check, line, i + n - 1) != inside;
        if (!inside) {
            links += (next ? 1u : 0u) + (before ? 1u : 0u);
            senders += next || before ? 1 : 0;
        } else {
            receivers += next || before ? 1 : 0;
        }
    }
    return line->dim->per_npu ? (senders < receivers ? senders : receivers) : links;
}

static double line_links(const struct check *check, const struct line *line)
{
    const struct net_dim *dim = line->dim;
    uint32_t inside = 0;
    for (uint32_t i = 0; i < dim->npus; i++) {
        inside += is_in(check, line, i) ? 1 : 0;
    }
    const uint32_t outside = dim->npus - inside;
    if (inside == 0 || outside == 0) {
        return 0;
    }
    if (net_passes_on(dim->block)) {
        return ring_links(check, line);
    }
    if (dim->block == NET_FULLY_CONNECTED && !dim->per_npu) {
        return (double)inside * outside;
    }
    return inside < outside ? inside : outside;
}

static double cut_bytes_per_s(const struct check *check)
{
    const struct prop_job *job = check->job;
    double sum = 0;
    uint32_t stride = 1;
    for (unsigned d = 0; d < job->net.dims; d++) {
        const struct net_dim *dim = &job->dim[d];
        for (uint32_t rank = 0; rank < job->npus; rank++) {
            if (rank / stride % dim->npus == 0) {
                const struct line line = {.dim = dim, .first = rank, .stride = stride};
                sum += line_links(check, &line) * dim->bandwidth_bytes_per_s;
            }
        }
        stride *= dim->npus;
    }
    return sum;
}

/* ---- the cuts of a job ---- */

static void check_cut(struct check *check)
{
    double bytes = 0;
    for (size_t i = 0; i < check->pairs; i++) {
        const struct net_pair *pair = &check->pair[i];
        bytes += !check->inside[pair->src] && check->inside[pair->dst] ? (double)pair->bytes : 0;
    }
    if (bytes > 0) {
        const double min_ps = bytes / cut_bytes_per_s(check) * 1e12;
        check->cuts++;
        check->beaten += (double)check->result->wall_ps + 1 < min_ps * (1 - 1e-9) ? 1 : 0;
    }
}

static void check_both_ways(struct check *check)
{
    check_cut(check);
    for (uint32_t rank = 0; rank < check->job->npus; rank++) {
        check->inside[rank] = !check->inside[rank];
    }
    check_cut(check);
}

/* The NPUs whose coordinate is one of `length` from `from` on. */
static void check_arc(struct check *check, uint32_t stride, uint32_t n, uint32_t from,
                      uint32_t length)
{
    for (uint32_t rank = 0; rank < check->job->npus; rank++) {
        check->inside[rank] = (rank / stride % n + n - from) % n < length;
    }
    check_both_ways(check);
}

static void check_arcs(struct check *check)
{
    uint32_t stride = 1;
    for (unsigned d = 0; d < check->job->net.dims; d++) {
        const uint32_t n = check->job->dim[d].npus;
        for (uint32_t from = 0; from < n && n > 1; from++) {
            check_arc(check, stride, n, from, n / 2);
            check_arc(check, stride, n, from, 1 + prop_below(check->job, n - 1));
        }
        stride *= n;
    }
}

static void check_cuts(struct check *check)
{
    for (uint32_t npu = 0; npu < check->job->npus; npu++) {
        memset(check->inside, 0, sizeof check->inside);
        check->inside[npu] = true;
        check_both_ways(check);
    }
    check_arcs(check);
    for (unsigned i = 0; i < RANDOM_CUTS; i++) {
        for (uint32_t rank = 0; rank < check->job->npus; rank++) {
            check->inside[rank] = prop_below(check->job, 2) != 0;
        }
        check_both_ways(check);
    }
}

/* ---- jobs ---- */

static void random_job(struct prop_job *job, const char *backend, bool senders_only)
{
    prop_random_platform(job, MAX_NPUS);
    job->net.backend = backend;
    job->net.own = backend_keys(job->arena, senders_only ? "contention: senders" : "");
    if (strcmp(backend, "analytical") != 0) {
        job->sys.service = SYS_BY_MESSAGE;
    }
    const uint32_t kind = prop_below(job, 6);
    if (kind == 0) {
        prop_traffic_workload(job, 1 + prop_below(job, 60));
    } else if (kind == 1) {
        prop_sym_workload(job, false);
    } else {
        prop_single_collective(job, (enum orr_trace_comm)prop_below(job, ORR_COMM_KINDS),
                               (uint64_t)(1 + prop_below(job, 1024)) << prop_below(job, 20));
    }
    prop_random_overhead(job);
}

/* What was checked of the job, added to `sum`. */
static void check_job(uint64_t seed, const char *backend, bool senders_only, struct check *sum)
{
    struct prop_job job;
    struct prop_result result;
    prop_open(&job, seed);
    random_job(&job, backend, senders_only);
    struct orr_arena *arena = orr_arena_create();
    struct net_traffic *traffic = orr_net_traffic_create(arena);
    prop_run(&job, &(struct prop_options){.traffic = traffic}, &result);
    struct check check = {.job = &job, .result = &result};
    PROP_CHECK(&job, &result, result.status == ORR_OK);
    check.pair = orr_net_traffic_pairs(traffic, &check.pairs);
    check_cuts(&check);
    PROP_CHECK(&job, &result, senders_only || check.beaten == 0);
    sum->cuts += check.cuts;
    sum->beaten += check.beaten;
    orr_arena_destroy(arena);
    prop_close(&job);
}

static struct check check_jobs(const char *backend, unsigned cases, bool senders_only)
{
    struct check sum = {.cuts = 0};
    for (unsigned i = 0; i < prop_cases(cases); i++) {
        check_job(prop_first_seed() + i, backend, senders_only, &sum);
    }
    print_message("%s: %u cuts, %u of them beaten\n", backend, sum.cuts, sum.beaten);
    return sum;
}

static void test_analytical_no_cut_is_beaten(void **state)
{
    (void)state;
    (void)check_jobs("analytical", CASES - 1000, false);
}

static void test_congestion_no_cut_is_beaten(void **state)
{
    (void)state;
    (void)check_jobs("congestion", 500, false);
}

static void test_flow_no_cut_is_beaten(void **state)
{
    (void)state;
    (void)check_jobs("flow", 500, false);
}

/* The model that shares the ports of senders only beats them, which these cuts see. */
static void test_contention_of_senders_beats_cuts(void **state)
{
    (void)state;
    const unsigned cases = prop_cases(500);
    const struct check sum = check_jobs("analytical", 500, true);
    assert_true(cases < 500 || sum.beaten > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_analytical_no_cut_is_beaten),
        cmocka_unit_test(test_congestion_no_cut_is_beaten),
        cmocka_unit_test(test_flow_no_cut_is_beaten),
        cmocka_unit_test(test_contention_of_senders_beats_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
