/* What must hold of any queue of jobs: nobody runs on a server of another, at most one waits for a
 * server, links are there before a job starts, fifo keeps the order of arrival, and without panels
 * jobs start when a plain count of free servers says; look-ahead makes nobody of many alike late.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/rng.h"
#include "study/cluster/job_scheduler.h"

enum { CASES = 3000, MAX_JOBS = 40, MAX_SERVERS = 16 };

struct setting {
    struct orr_arena *arena;
    struct orr_rng random;
    struct orr_sched sched;
    struct orr_sched_job job[MAX_JOBS];
    uint32_t order[MAX_SERVERS], room[2 * MAX_JOBS][MAX_SERVERS];
    sim_time length_ps[MAX_JOBS], begin_ps[MAX_JOBS];
};

static uint32_t below(struct setting *setting, uint32_t bound)
{
    return (uint32_t)orr_rng_below(&setting->random, bound);
}

static sim_time compute_end(void *context, uint32_t job, sim_time start_ps)
{
    const struct setting *setting = context;
    return start_ps + setting->length_ps[job];
}

static void shuffle(struct setting *setting, uint32_t *list, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = below(setting, i), kept = list[i - 1];
        list[i - 1] = list[other];
        list[other] = kept;
    }
}

static void make(struct setting *setting, uint64_t seed)
{
    *setting = (struct setting){.arena = orr_arena_create()};
    orr_rng_init(&setting->random, seed, 7);
    struct orr_sched *sched = &setting->sched;
    sched->servers = 1 + below(setting, MAX_SERVERS);
    sched->jobs = 1 + below(setting, MAX_JOBS);
    sched->rules = (struct orr_sched_rules){.fifo = below(setting, 2) != 0,
                                            .look_ahead = below(setting, 2) != 0};
    sched->rules.patch_ps = below(setting, 3) * 10;
    sched->rules.flip_ps = sched->rules.look_ahead ? below(setting, 3) : 0;
    sched->rules.notice_ps = sched->rules.look_ahead ? below(setting, 2) * 15 : 0;
    const bool user_servers = below(setting, 3) == 0;
    for (uint32_t i = 0; i < sched->servers; i++) {
        setting->order[i] = i;
    }
    shuffle(setting, setting->order, sched->servers);
    for (uint32_t i = 0; i < sched->jobs; i++) {
        struct orr_sched_job *job = &setting->job[i];
        uint32_t *own = setting->room[MAX_JOBS + i];
        *job = (struct orr_sched_job){.arrival_ps = below(setting, 200),
                                      .servers = 1 + below(setting, sched->servers),
                                      .server = setting->room[i]};
        setting->length_ps[i] = below(setting, 60);
        memcpy(own, setting->order, sizeof setting->order);
        shuffle(setting, own, sched->servers);
        job->user_servers = user_servers && below(setting, 2) != 0 ? own : NULL;
    }
    sched->order = setting->order;
    sched->job = setting->job;
    sched->compute_end = compute_end;
    sched->context = setting;
    assert_int_equal(orr_sched_init(sched, setting->arena, NULL), ORR_OK);
}

static void run(struct setting *setting)
{
    uint32_t steps = 0;
    for (sim_time next = orr_sched_next(&setting->sched); next != ORR_TIME_MAX;
         next = orr_sched_next(&setting->sched)) {
        (void)orr_sched_step(&setting->sched, next);
        assert_true(++steps < 20 * MAX_JOBS);
    }
}

static bool share_a_server(const struct orr_sched_job *a, const struct orr_sched_job *b)
{
    for (uint32_t i = 0; i < a->servers; i++) {
        for (uint32_t k = 0; k < b->servers; k++) {
            if (a->server[i] == b->server[k]) {
                return true;
            }
        }
    }
    return false;
}

static bool overlap(sim_time a_from, sim_time a_to, sim_time b_from, sim_time b_to)
{
    return a_from < b_to && b_from < a_to;
}

/* Two jobs with a server in common. From when it is its turn and the server is free, a job has it.
 */
static void check_pair(const struct setting *setting, const struct orr_sched_job *a,
                       const struct orr_sched_job *b)
{
    const struct orr_sched_rules *rules = &setting->sched.rules;
    assert_false(overlap(a->ready_ps, a->end_ps, b->ready_ps, b->end_ps));
    if (rules->look_ahead && overlap(a->patching_ps, a->end_ps, b->patching_ps, b->end_ps)) {
        assert_int_not_equal(a->side, b->side);
        assert_true(a->claims || b->claims);
    }
    if (a->claims && b->claims) {
        assert_false(overlap(a->patching_ps, a->start_ps, b->patching_ps, b->start_ps));
    }
}

static void check_job(const struct setting *setting, const struct orr_sched_job *job)
{
    const struct orr_sched_rules *rules = &setting->sched.rules;
    assert_int_equal(job->state, ORR_SCHED_DONE);
    assert_true(job->ready_ps >= job->arrival_ps);
    assert_true(job->patched_ps == job->patching_ps + rules->patch_ps);
    assert_true(job->patching_ps >= job->arrival_ps - rules->notice_ps);
    const sim_time from = job->ready_ps > job->patched_ps ? job->ready_ps : job->patched_ps;
    assert_int_equal(job->start_ps, from + rules->flip_ps);
    assert_true(!job->claims || rules->look_ahead);
    assert_true(job->claims || job->ready_ps == job->patching_ps);
    for (uint32_t i = 0; i < job->servers; i++) {
        assert_true(job->server[i] < setting->sched.servers);
        assert_true(job->user_servers == NULL || job->server[i] == job->user_servers[i]);
        assert_true(i == 0 || job->user_servers != NULL || job->server[i - 1] < job->server[i]);
    }
}

static void test_any_queue_gives_each_server_to_one_job_at_a_time(void **state)
{
    struct setting setting;
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        make(&setting, seed);
        run(&setting);
        for (uint32_t i = 0; i < setting.sched.jobs; i++) {
            const struct orr_sched_job *a = &setting.job[i];
            check_job(&setting, a);
            for (uint32_t k = 0; k < setting.sched.jobs; k++) {
                const struct orr_sched_job *b = &setting.job[k];
                if (setting.sched.rules.fifo && a->rank < b->rank) {
                    assert_true(a->start_ps <= b->start_ps);
                }
                if (i < k && share_a_server(a, b)) {
                    check_pair(&setting, a, b);
                }
            }
        }
        orr_arena_destroy(setting.arena);
    }
}

/* ---- a plain count ---- */

/* Starts of jobs that take any servers, by counts alone, tick by tick. */
static void count_starts(const struct setting *setting, sim_time *start)
{
    const struct orr_sched *sched = &setting->sched;
    uint32_t left = sched->jobs;
    bool begun[MAX_JOBS] = {false};
    for (sim_time now = 0; left > 0; now++) {
        uint32_t free = sched->servers;
        for (uint32_t i = 0; i < sched->jobs; i++) {
            free -=
                begun[i] && now < start[i] + setting->length_ps[i] ? setting->job[i].servers : 0;
        }
        bool blocked = false;
        for (uint32_t rank = 0; rank < sched->jobs; rank++) {
            const uint32_t i = sched->by_arrival[rank];
            const struct orr_sched_job *job = &setting->job[i];
            if (begun[i] || blocked || job->arrival_ps > now) {
                continue;
            }
            if (job->servers > free) {
                blocked = sched->rules.fifo;
                continue;
            }
            begun[i] = true;
            start[i] = now;
            free -= job->servers;
            left--;
        }
    }
}

static void test_without_panels_jobs_start_when_servers_are_free(void **state)
{
    struct setting setting;
    sim_time start[MAX_JOBS];
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        make(&setting, seed);
        setting.sched.rules = (struct orr_sched_rules){.fifo = seed % 2 == 0};
        for (uint32_t i = 0; i < setting.sched.jobs; i++) {
            setting.job[i].user_servers = NULL;
            setting.length_ps[i]++; /* those of 0 leave within a tick */
        }
        run(&setting);
        count_starts(&setting, start);
        for (uint32_t i = 0; i < setting.sched.jobs; i++) {
            assert_int_equal(setting.job[i].start_ps, start[i]);
        }
        orr_arena_destroy(setting.arena);
    }
}

/* ---- with look-ahead against without ---- */

/* Jobs of one size, in their order: patching while others run never makes one start later. */
static void test_look_ahead_delays_nobody(void **state)
{
    struct setting setting;
    sim_time without_ps[MAX_JOBS];
    uint32_t sooner = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 2 * CASES; seed++) {
        const bool look_ahead = seed % 2 == 0;
        make(&setting, (seed + 1) / 2);
        setting.sched.rules = (struct orr_sched_rules){
            .fifo = true, .look_ahead = look_ahead, .patch_ps = 1 + below(&setting, 40)};
        const uint32_t servers = 1 + below(&setting, setting.sched.servers);
        for (uint32_t i = 0; i < setting.sched.jobs; i++) {
            setting.job[i].user_servers = NULL;
            setting.job[i].servers = servers;
        }
        run(&setting);
        for (uint32_t i = 0; i < setting.sched.jobs; i++) {
            assert_true(!look_ahead || setting.job[i].start_ps <= without_ps[i]);
            sooner += look_ahead && setting.job[i].start_ps < without_ps[i];
            without_ps[i] = setting.job[i].start_ps;
        }
        orr_arena_destroy(setting.arena);
    }
    assert_true(sooner > CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_queue_gives_each_server_to_one_job_at_a_time),
        cmocka_unit_test(test_without_panels_jobs_start_when_servers_are_free),
        cmocka_unit_test(test_look_ahead_delays_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
