/* Flows against a plain simulator of them (plain_flows.h) on random jobs: every end and every
 * arrival to the picosecond, in the same order, what went over each path, and who stands still.
 * ORRERY_SEED and ORRERY_CASES repeat a case; ORRERY_LONG takes more. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow_jobs.h"

enum { CASES = 2000, LONG_CASES = 50000, SANITIZED = 10 };

static uint64_t number_of(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : usual;
}

static uint64_t cases(void)
{
    const uint64_t usual = getenv("ORRERY_LONG") != NULL ? LONG_CASES : CASES;
#ifdef __SANITIZE_ADDRESS__
    return number_of("ORRERY_CASES", usual / SANITIZED);
#else
    return number_of("ORRERY_CASES", usual);
#endif
}

/* Flows of no bytes may join and end while others of the instant still come. */
static bool keeps_order(const struct plain_job *job)
{
    bool none = false;
    for (uint32_t f = 0; f < job->flows; f++) {
        none |= job->flow[f].bytes == 0;
    }
    return job->order == ORR_ORDER_INSERTION && !(none && job->model.packet_bytes == 0);
}

static bool is_same(const struct plain_job *job, const struct plain_answer *seen,
                    const struct plain_answer *plain)
{
    bool same =
        seen->ends == plain->ends && seen->stuck == plain->stuck && seen->moves == plain->moves;
    for (uint32_t f = 0; f < job->flows; f++) {
        same = same && seen->end[f] == plain->end[f] && seen->arrival[f] == plain->arrival[f];
        same = same && (!keeps_order(job) || seen->rank[f] == plain->rank[f]);
    }
    for (uint32_t p = 0; p < job->paths && seen->moves == 0; p++) {
        same = same && seen->path_flows[p] == plain->path_flows[p] &&
               seen->path_bytes[p] == plain->path_bytes[p];
    }
    return same;
}

static void tell(const struct plain_job *job, const struct plain_answer *seen,
                 const struct plain_answer *plain)
{
    flow_job_print(job);
    for (uint32_t f = 0; f < job->flows; f++) {
        const bool same = seen->end[f] == plain->end[f] && seen->rank[f] == plain->rank[f];
        print_message("%s flow %" PRIu32 ": ends %" PRId64 " as number %" PRIu32
                      ", arrives %" PRId64 "; plain %" PRId64 ", %" PRIu32 ", %" PRId64 "\n",
                      same ? " " : "*", f, seen->end[f], seen->rank[f], seen->arrival[f],
                      plain->end[f], plain->rank[f], plain->arrival[f]);
    }
    print_message("stuck %" PRIu64 ", plain %" PRIu64 "; moves %" PRIu64 ", %" PRIu64 "\n",
                  seen->stuck, plain->stuck, seen->moves, plain->moves);
    fail_msg("seed %" PRIu64 ": ORRERY_SEED and ORRERY_CASES=1 repeat it", job->seed);
}

static struct plain_job job;
static struct plain_answer seen, plain;

static void test_random_jobs_end_as_plain_flows_do(void **state)
{
    (void)state;
    uint64_t ends = 0, close = 0, stuck = 0, moves = 0;
    const uint64_t first = number_of("ORRERY_SEED", 1), count = cases();
    for (uint64_t seed = first; seed < first + count; seed++) {
        flow_job_random(&job, seed);
        flow_job_run(&job, &seen);
        plain_flows_run(&job, &seen, &plain);
        if (!is_same(&job, &seen, &plain)) {
            tell(&job, &seen, &plain);
        }
        ends += plain.ends;
        close += plain.close;
        stuck += plain.stuck;
        moves += plain.moves;
    }
    print_message("%" PRIu64 " jobs, %" PRIu64 " ends, %" PRIu64
                  " of them within rounding; %" PRIu64 " flows stand still, %" PRIu64 " moved\n",
                  count, ends, close, stuck, moves);
    assert_true(close * 1000 <= ends);
}

/* A link of 1 GB/s and 1 us that dies at 50 us: a flow that takes it twice and three of one path
 * stand still, a message on another link does not: 100 us and 1 us. */
static void test_flows_over_a_dead_link_stand_still_once_each(void **state)
{
    (void)state;
    const uint32_t link[3] = {0, 1, 0};
    const struct plain_event death = {.at = 50 * ORR_PS_PER_US, .link = 0};
    flow_job_begin(&job, 2, 1e9, ORR_PS_PER_US);
    const uint32_t twice = flow_job_path(&job, link, 3), once = flow_job_path(&job, link, 1);
    const uint32_t other = flow_job_path(&job, link + 1, 1);
    (void)flow_job_flow(&job, twice, 1000000, 0);
    for (uint32_t f = 0; f < 3; f++) {
        (void)flow_job_flow(&job, once, 1000000, 0);
    }
    const uint32_t ends = flow_job_flow(&job, other, 90000, 0);
    flow_job_event(&job, &death);
    flow_job_run(&job, &seen);
    plain_flows_run(&job, &seen, &plain);
    assert_int_equal(seen.stuck, 4);
    assert_int_equal(seen.ends, 1);
    /* The first has a fifth of link 0 until it dies, 10,000 bytes, and as much of link 1. */
    assert_int_equal(seen.arrival[ends], 101 * ORR_PS_PER_US);
    assert_true(is_same(&job, &seen, &plain));
}

/* Links of 10, 5 and 4 GB/s. One flow has the second for itself, the other the third, and both
 * share the first, which is not full. In one instant the second falls to 0 and the first to 2 GB/s:
 * the other flow, of 1 MB, has sent 400 KB in 100 us and has 2 GB/s from then on. */
static void test_a_link_is_full_by_its_fall_alone(void **state)
{
    (void)state;
    const uint32_t link[3] = {1, 0, 2};
    const struct plain_event falls[2] = {
        {.at = 100 * ORR_PS_PER_US, .link = 1},
        {.at = 100 * ORR_PS_PER_US, .link = 0, .bytes_per_s = 2e9}};
    flow_job_begin(&job, 3, 10e9, 0);
    job.link[1].bytes_per_s = 5e9;
    job.link[2].bytes_per_s = 4e9;
    (void)flow_job_flow(&job, flow_job_path(&job, link, 2), 1000000, 0);
    const uint32_t other = flow_job_flow(&job, flow_job_path(&job, link + 1, 2), 1000000, 0);
    flow_job_event(&job, &falls[0]);
    flow_job_event(&job, &falls[1]);
    flow_job_run(&job, &seen);
    plain_flows_run(&job, &seen, &plain);
    assert_int_equal(seen.end[other], 400 * ORR_PS_PER_US);
    assert_int_equal(seen.stuck, 1);
    assert_true(is_same(&job, &seen, &plain));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_jobs_end_as_plain_flows_do),
        cmocka_unit_test(test_flows_over_a_dead_link_stand_still_once_each),
        cmocka_unit_test(test_a_link_is_full_by_its_fall_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
