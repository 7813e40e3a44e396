/* What must hold of jobs that need a block of neighbours around a ring: nobody runs on a server of
 * another, servers of a job are neighbours, a job whose turn it is starts at once where there is a
 * block, and the times told of waiting for one are those of a count from tick to tick. With a
 * switch in front of the ring no job of a queue of jobs of one size starts later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/rng.h"
#include "sim/cluster/ring_block.h"
#include "study/cluster/job_scheduler.h"

enum { CASES = 3000, MAX_JOBS = 30, MAX_SERVERS = 16 };

struct setting {
    struct orr_arena *arena;
    struct orr_rng random;
    struct orr_sched sched;
    struct orr_sched_job job[MAX_JOBS];
    uint32_t order[MAX_SERVERS], room[MAX_JOBS][MAX_SERVERS];
    sim_time length_ps[MAX_JOBS];
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

static void begin(struct setting *setting)
{
    for (uint32_t i = 0; i < setting->sched.servers; i++) {
        setting->order[i] = i;
    }
    for (uint32_t i = 0; i < setting->sched.jobs; i++) {
        setting->job[i].server = setting->room[i];
    }
    setting->sched.order = setting->order;
    setting->sched.job = setting->job;
    setting->sched.compute_end = compute_end;
    setting->sched.context = setting;
    assert_int_equal(orr_sched_init(&setting->sched, setting->arena, NULL), ORR_OK);
}

/* Random jobs; one_size: with fifo. */
static void make(struct setting *setting, uint64_t seed, bool one_size)
{
    *setting = (struct setting){.arena = orr_arena_create()};
    orr_rng_init(&setting->random, seed, 11);
    struct orr_sched *sched = &setting->sched;
    sched->servers = 1 + below(setting, MAX_SERVERS);
    sched->jobs = 1 + below(setting, MAX_JOBS);
    sched->rules = (struct orr_sched_rules){.fifo = one_size || below(setting, 2) != 0,
                                            .block = true,
                                            .patch_ps = below(setting, 3) * 5};
    const uint32_t size = 1 + below(setting, sched->servers);
    for (uint32_t i = 0; i < sched->jobs; i++) {
        const uint32_t max = 1 + below(setting, sched->servers);
        setting->job[i] =
            (struct orr_sched_job){.arrival_ps = below(setting, 200),
                                   .servers = one_size ? size : 1 + below(setting, max)};
        setting->length_ps[i] = 1 + below(setting, 60);
    }
}

static void run(struct setting *setting)
{
    uint32_t steps = 0;
    begin(setting);
    for (sim_time next = orr_sched_next(&setting->sched); next != ORR_TIME_MAX;
         next = orr_sched_next(&setting->sched)) {
        (void)orr_sched_step(&setting->sched, next);
        assert_true(++steps < 20 * MAX_JOBS);
    }
}

/* Whose servers are taken in the tick from now on, of whom nobody shares any; how many are free. */
static uint32_t take(const struct setting *setting, sim_time now, bool taken[MAX_SERVERS])
{
    uint32_t free = setting->sched.servers;
    memset(taken, 0, MAX_SERVERS * sizeof *taken);
    for (uint32_t i = 0; i < setting->sched.jobs; i++) {
        const struct orr_sched_job *job = &setting->job[i];
        for (uint32_t s = 0; s < job->servers && job->ready_ps <= now && now < job->end_ps; s++) {
            assert_true(job->server[s] < setting->sched.servers);
            assert_false(taken[job->server[s]]);
            taken[job->server[s]] = true;
            free--;
        }
    }
    return free;
}

/* The longest block, by looking from each server. */
static uint32_t longest_block(const struct setting *setting, const bool taken[MAX_SERVERS])
{
    const uint32_t servers = setting->sched.servers;
    uint32_t longest = 0;
    for (uint32_t first = 0; first < servers; first++) {
        uint32_t count = 0;
        while (count < servers && !taken[(first + count) % servers]) {
            count++;
        }
        longest = count > longest ? count : longest;
    }
    return longest;
}

/* What a tick is to the jobs that wait: nobody whose turn it is could have a block. */
static void wait_a_tick(const struct setting *setting, sim_time now, sim_time for_block[MAX_JOBS],
                        struct orr_sched *told)
{
    bool taken[MAX_SERVERS], any = false, blocked = false;
    const uint32_t free = take(setting, now, taken), longest = longest_block(setting, taken);
    for (uint32_t rank = 0; rank < setting->sched.jobs && !blocked; rank++) {
        const uint32_t i = setting->sched.by_arrival[rank];
        const struct orr_sched_job *job = &setting->job[i];
        if (job->arrival_ps > now || job->ready_ps <= now) {
            continue;
        }
        assert_true(longest < job->servers);
        for_block[i] += job->servers <= free;
        any = any || job->servers <= free;
        blocked = setting->sched.rules.fifo;
    }
    if (any) {
        told->fragmented_ps += free;
        told->largest_hole = longest > told->largest_hole ? longest : told->largest_hole;
    }
}

static void test_any_queue_of_blocks_waits_for_blocks_alone(void **state)
{
    struct setting setting;
    uint32_t waited = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        sim_time for_block[MAX_JOBS] = {0}, end_ps = 0;
        struct orr_sched told = {.fragmented_ps = 0};
        make(&setting, seed, false);
        run(&setting);
        for (uint32_t i = 0; i < setting.sched.jobs; i++) {
            const struct orr_sched_job *job = &setting.job[i];
            assert_int_equal(job->state, ORR_SCHED_DONE);
            for (uint32_t s = 1; s < job->servers; s++) {
                assert_int_equal(job->server[s], (job->server[s - 1] + 1) % setting.sched.servers);
            }
            end_ps = job->end_ps > end_ps ? job->end_ps : end_ps;
        }
        for (sim_time now = 0; now < end_ps; now++) {
            wait_a_tick(&setting, now, for_block, &told);
        }
        for (uint32_t i = 0; i < setting.sched.jobs; i++) {
            assert_int_equal(setting.job[i].for_block_ps, for_block[i]);
            waited += for_block[i] > 0;
        }
        assert_true(setting.sched.fragmented_ps == told.fragmented_ps);
        assert_int_equal(setting.sched.largest_hole, told.largest_hole);
        orr_arena_destroy(setting.arena);
    }
    assert_true(waited > CASES / 4);
}

/* All holes but one are multiples of the size, as each job takes the beginning of one: where so
 * many are free there is a block, and a switch has nothing to add. */
static void test_jobs_of_one_size_start_as_with_a_switch_before_the_ring(void **state)
{
    struct setting setting;
    sim_time block_ps[MAX_JOBS];
    (void)state;
    for (uint64_t seed = 1; seed <= 2 * CASES; seed++) {
        const bool any_servers = seed % 2 == 0;
        make(&setting, (seed + 1) / 2, true);
        setting.sched.rules.block = !any_servers;
        run(&setting);
        for (uint32_t i = 0; i < setting.sched.jobs; i++) {
            assert_int_equal(setting.job[i].for_block_ps, 0);
            assert_true(!any_servers || setting.job[i].start_ps == block_ps[i]);
            block_ps[i] = setting.job[i].start_ps;
        }
        orr_arena_destroy(setting.arena);
    }
}

/* Eight servers: a on 0-2 until 10, b on 3 until 30, c on 4-5 until 20, d on 6-7 until 25; e
 * arrives at 5 and wants 4 for 10. At 20 five are free, 0-2 and 4-5: enough, but holes of 3 and 2.
 * At 25 d's join them, 4-7 and 0-2 are seven, and e takes 4-7: it waited for 20, of which for a
 * block 5. So 5 x 5 = 25 server-times are free meanwhile. In 35 of 8 servers, 280, they run for 3 x
 * 10 + 30 + 2 x 20 + 2 x 25 + 4 x 10 = 190; 90 are idle. With any servers e takes 0-2 and 4 at 20,
 * waits for 15, and of 30 x 8 = 240 only 50 are idle. */
static void check_five_jobs(bool block, const uint32_t servers[4], sim_time start_ps)
{
    static const uint32_t size[] = {3, 1, 2, 2, 4}, length[] = {10, 30, 20, 25, 10};
    struct setting setting = {.arena = orr_arena_create()};
    setting.sched.servers = 8;
    setting.sched.jobs = 5;
    setting.sched.rules = (struct orr_sched_rules){.fifo = true, .block = block};
    for (uint32_t i = 0; i < 5; i++) {
        setting.job[i].servers = size[i];
        setting.length_ps[i] = length[i];
    }
    setting.job[4].arrival_ps = 5;
    run(&setting);
    assert_memory_equal(setting.job[4].server, servers, 4 * sizeof *servers);
    assert_int_equal(setting.job[4].start_ps, start_ps);
    assert_int_equal(setting.job[4].for_block_ps, block ? 5 : 0);
    assert_true(setting.sched.fragmented_ps == (block ? 25 : 0));
    assert_int_equal(setting.sched.largest_hole, block ? 3 : 0);
    orr_arena_destroy(setting.arena);
}

static void test_four_of_five_free_in_two_holes_wait_for_a_block(void **state)
{
    (void)state;
    check_five_jobs(true, (const uint32_t[]){4, 5, 6, 7}, 25);
    check_five_jobs(false, (const uint32_t[]){0, 1, 2, 4}, 20);
}

/* ---- which block ---- */

static bool is_free(const void *context, uint32_t server)
{
    return ((const char *)context)[server] == '.';
}

static void check_block(const char *servers, uint32_t wanted, int first, uint32_t longest)
{
    const struct orr_ring_block block =
        orr_ring_block_find((uint32_t)strlen(servers), wanted, is_free, servers);
    assert_int_equal(block.found, first >= 0);
    assert_int_equal(block.longest, longest);
    if (first >= 0) {
        assert_int_equal(block.first, first);
    }
}

static void test_a_block_is_the_beginning_of_the_smallest_hole_that_is_large_enough(void **state)
{
    (void)state;
    check_block("........", 8, 0, 8); /* all around */
    check_block("........", 3, 0, 8);
    check_block("########", 1, -1, 0);
    check_block("...#..#.", 2, 4, 4); /* of two; the four go across number 0 */
    check_block("...#..#.", 3, 7, 4);
    check_block("...#..#.", 5, -1, 4);
    check_block(".#.#.#..", 1, 2, 3); /* of holes as small the first; 0 belongs to 6, 7, 0 */
    check_block("#.", 2, -1, 1);
    check_block(".", 1, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_queue_of_blocks_waits_for_blocks_alone),
        cmocka_unit_test(test_jobs_of_one_size_start_as_with_a_switch_before_the_ring),
        cmocka_unit_test(test_four_of_five_free_in_two_holes_wait_for_a_block),
        cmocka_unit_test(test_a_block_is_the_beginning_of_the_smallest_hole_that_is_large_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
