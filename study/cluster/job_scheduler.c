/* Job scheduler; see job_scheduler.h. */
#include "study/cluster/job_scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "sim/cluster/ring_block.h"

/* A server that a job could take: when it is free, and its position in the order of servers. */
struct orr_sched_choice {
    sim_time free_ps;
    uint32_t position, server;
};

/* ---- the order of arrival ---- */

static int earlier(const void *left, const void *right)
{
    const struct orr_sched_choice *a = left, *b = right;
    return a->free_ps != b->free_ps ? (a->free_ps > b->free_ps) - (a->free_ps < b->free_ps)
                                    : (a->position > b->position) - (a->position < b->position);
}

static enum orr_status sort_arrivals(struct orr_sched *sched, struct orr_diag *diag)
{
    struct orr_sched_choice *at = orr_heap_calloc((size_t)sched->jobs + 1, sizeof *at);
    if (at == NULL) {
        return orr_diag_no_memory(diag, "the order of jobs");
    }
    for (uint32_t i = 0; i < sched->jobs; i++) {
        at[i] = (struct orr_sched_choice){.free_ps = sched->job[i].arrival_ps, .position = i};
    }
    qsort(at, sched->jobs, sizeof *at, earlier);
    for (uint32_t i = 0; i < sched->jobs; i++) {
        sched->by_arrival[i] = at[i].position;
        sched->job[at[i].position].rank = i;
    }
    orr_heap_free(at);
    return ORR_OK;
}

enum orr_status orr_sched_init(struct orr_sched *sched, struct orr_arena *arena,
                               struct orr_diag *diag)
{
    uint32_t **const of_jobs[] = {&sched->by_arrival, &sched->waits, &sched->decided,
                                  &sched->active};
    for (size_t i = 0; i < sizeof of_jobs / sizeof *of_jobs; i++) {
        *of_jobs[i] = orr_arena_array(arena, (size_t)sched->jobs + 1, sizeof **of_jobs[i]);
        if (*of_jobs[i] == NULL) {
            return orr_diag_no_memory(diag, "a queue of jobs");
        }
    }
    sched->runs_on = orr_arena_array(arena, sched->servers, sizeof *sched->runs_on);
    sched->waits_on = orr_arena_array(arena, sched->servers, sizeof *sched->waits_on);
    sched->choice = orr_arena_array(arena, sched->servers, sizeof *sched->choice);
    if (sched->runs_on == NULL || sched->waits_on == NULL || sched->choice == NULL) {
        return orr_diag_no_memory(diag, "a queue of jobs");
    }
    for (uint32_t i = 0; i < sched->servers; i++) {
        sched->runs_on[i] = sched->waits_on[i] = ORR_SCHED_NOBODY;
    }
    sched->known = sched->first_wait = sched->waits_end = 0;
    sched->decided_count = sched->active_count = 0;
    sched->free = sched->unclaimed = sched->servers;
    sched->now_ps = 0;
    sched->fragmented_ps = 0;
    sched->largest_hole = 0;
    return sort_arrivals(sched, diag);
}

/* ---- servers ---- */

static void claim(uint32_t *on, uint32_t *left, const struct orr_sched_job *job, uint32_t who)
{
    for (uint32_t i = 0; i < job->servers; i++) {
        on[job->server[i]] = who;
    }
    *left = who == ORR_SCHED_NOBODY ? *left + job->servers : *left - job->servers;
}

static int ascending(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* True if a job may take this side of the server, and when the server is free. now: the server must
 * be free now; another job may wait for it on the other side. */
static bool is_available(const struct orr_sched *sched, uint32_t server, unsigned side, bool now,
                         sim_time *free_ps)
{
    const uint32_t runs = sched->runs_on[server], waits = sched->waits_on[server];
    *free_ps = runs == ORR_SCHED_NOBODY ? sched->now_ps : sched->job[runs].end_ps;
    if (runs != ORR_SCHED_NOBODY && (now || !sched->rules.look_ahead)) {
        return false;
    }
    const bool side_is_free = runs == ORR_SCHED_NOBODY || sched->job[runs].side != side;
    return waits == ORR_SCHED_NOBODY ? side_is_free : now && sched->job[waits].side != side;
}

/* Chooses the servers of the job on the side, the first of sched->choice; returns when the last of
 * them is free, ORR_TIME_MAX: too few. */
static sim_time choose_side(const struct orr_sched *sched, const struct orr_sched_job *job,
                            unsigned side, bool now)
{
    const uint32_t from = job->user_servers != NULL ? job->servers : sched->servers;
    const uint32_t *list = job->user_servers != NULL ? job->user_servers : sched->order;
    uint32_t count = 0;
    for (uint32_t i = 0; i < from; i++) {
        struct orr_sched_choice *choice = &sched->choice[count];
        *choice = (struct orr_sched_choice){.position = i, .server = list[i]};
        count += is_available(sched, list[i], side, now, &choice->free_ps);
        if (count == job->servers && !sched->rules.look_ahead) {
            break;
        }
    }
    if (count < job->servers) {
        return ORR_TIME_MAX;
    }
    qsort(sched->choice, count, sizeof *sched->choice, earlier);
    return sched->choice[job->servers - 1].free_ps;
}

/* Chooses the side whose servers are free first, with its servers as the first of sched->choice. */
static sim_time choose(struct orr_sched *sched, struct orr_sched_job *job, bool now)
{
    const uint32_t left = now || !sched->rules.look_ahead ? sched->free : sched->unclaimed;
    if (left < job->servers) {
        return ORR_TIME_MAX;
    }
    sim_time free_ps = choose_side(sched, job, 0, now);
    job->side = 0;
    if (sched->rules.look_ahead) {
        const sim_time other_ps = choose_side(sched, job, 1, now);
        job->side = other_ps < free_ps;
        free_ps = job->side == 1 ? other_ps : choose_side(sched, job, 0, now);
    }
    return free_ps;
}

static bool runs_nothing(const void *context, uint32_t server)
{
    return ((const struct orr_sched *)context)->runs_on[server] == ORR_SCHED_NOBODY;
}

/* Assigns the job a block of free servers. False: no block. */
static bool choose_block(const struct orr_sched *sched, struct orr_sched_job *job)
{
    if (sched->free < job->servers) {
        return false;
    }
    const struct orr_ring_block block =
        orr_ring_block_find(sched->servers, job->servers, runs_nothing, sched);
    if (block.found) {
        orr_ring_block_list(sched->servers, block.first, job->server, job->servers);
    }
    return block.found;
}

/* Assigns the job the servers that are free first. False: there are none, or it is too early, as
 * long as other servers might become free sooner without delaying the job. With backfill the job
 * does not wait if it can start now, even on servers that other jobs wait for. */
static bool choose_servers(struct orr_sched *sched, struct orr_sched_job *job)
{
    if (sched->rules.block && job->user_servers == NULL) {
        return choose_block(sched, job);
    }
    sim_time free_ps = choose(sched, job, false);
    job->claims = sched->rules.look_ahead;
    if (sched->rules.look_ahead && !sched->rules.fifo && free_ps > sched->now_ps &&
        job->arrival_ps <= sched->now_ps) {
        const bool fits = choose(sched, job, true) != ORR_TIME_MAX;
        job->claims = !fits;
        free_ps = fits ? sched->now_ps : choose(sched, job, false);
    }
    if (free_ps == ORR_TIME_MAX || free_ps > orr_time_add(sched->now_ps, sched->rules.patch_ps)) {
        return false;
    }
    for (uint32_t i = 0; i < job->servers; i++) {
        job->server[i] = sched->choice[i].server;
    }
    if (job->user_servers != NULL) {
        memcpy(job->server, job->user_servers, job->servers * sizeof *job->server);
    } else {
        qsort(job->server, job->servers, sizeof *job->server, ascending);
    }
    return true;
}

/* ---- events of a job ---- */

/* Assigns a job its free servers when it is its turn; it starts when they are patched and
 * flipped. */
static void assign_servers(struct orr_sched *sched, uint32_t number)
{
    struct orr_sched_job *job = &sched->job[number];
    const sim_time now_ps = job->ready_ps = sched->now_ps;
    const sim_time from_ps = job->patched_ps > now_ps ? job->patched_ps : now_ps;
    claim(sched->runs_on, &sched->free, job, number);
    job->state = ORR_SCHED_STARTS;
    job->start_ps = orr_time_add(from_ps, sched->rules.flip_ps);
    job->end_ps = sched->compute_end(sched->context, number, job->start_ps);
    sched->active[sched->active_count++] = number;
}

/* Inserts after the jobs that arrived before it. */
static void insert_decided(struct orr_sched *sched, uint32_t number)
{
    uint32_t at = sched->decided_count++;
    for (; at > 0 && sched->job[sched->decided[at - 1]].rank > sched->job[number].rank; at--) {
        sched->decided[at] = sched->decided[at - 1];
    }
    sched->decided[at] = number;
}

/* True if the job has arrived and its servers are idle. */
static bool can_start(const struct orr_sched *sched, const struct orr_sched_job *job)
{
    if (job->arrival_ps > sched->now_ps) {
        return false;
    }
    for (uint32_t i = 0; i < job->servers; i++) {
        if (sched->runs_on[job->server[i]] != ORR_SCHED_NOBODY) {
            return false;
        }
    }
    return true;
}

/* Assigns servers to a waiting job. False: there are none for it. */
static bool decide(struct orr_sched *sched, uint32_t number)
{
    struct orr_sched_job *job = &sched->job[number];
    if (!choose_servers(sched, job)) {
        return false;
    }
    job->patching_ps = sched->now_ps;
    job->patched_ps = orr_time_add(sched->now_ps, sched->rules.patch_ps);
    if (job->claims) {
        claim(sched->waits_on, &sched->unclaimed, job, number);
    }
    if (!job->claims || (!sched->rules.fifo && can_start(sched, job))) {
        assign_servers(sched, number);
    } else {
        job->state = ORR_SCHED_DECIDED;
        insert_decided(sched, number);
    }
    return true;
}

/* Assigns servers to waiting jobs, in their order; with fifo the first job without servers blocks
 * the others. A job that cannot get any servers of its number blocks later jobs that need as
 * many. */
static bool decide_all(struct orr_sched *sched)
{
    uint32_t i = sched->first_wait, kept = i, too_many = UINT32_MAX;
    while (i < sched->waits_end && decide(sched, sched->waits[i])) {
        i++;
    }
    sched->first_wait = i;
    bool any = i > kept;
    for (kept = i; i < sched->waits_end && !sched->rules.fifo; i++) {
        const struct orr_sched_job *job = &sched->job[sched->waits[i]];
        const bool any_servers = job->user_servers == NULL && job->arrival_ps <= sched->now_ps;
        const bool got =
            !(any_servers && job->servers >= too_many) && decide(sched, sched->waits[i]);
        too_many = any_servers && !got && job->servers < too_many ? job->servers : too_many;
        any = any || got;
        sched->waits[kept] = sched->waits[i];
        kept += !got;
    }
    sched->waits_end = sched->rules.fifo ? sched->waits_end : kept;
    return any;
}

/* With look-ahead: starts the jobs whose servers are free. With fifo in order: no job is patched,
 * and so none starts, before those that arrived earlier. */
static bool assign_all(struct orr_sched *sched)
{
    uint32_t kept = 0;
    bool any = false, blocked = false;
    for (uint32_t i = 0; i < sched->decided_count; i++) {
        const uint32_t number = sched->decided[i];
        const struct orr_sched_job *job = &sched->job[number];
        if (!blocked && can_start(sched, job)) {
            assign_servers(sched, number);
            any = true;
        } else {
            sched->decided[kept++] = number;
            blocked = sched->rules.fifo;
        }
    }
    sched->decided_count = kept;
    return any;
}

/* Ends and starts jobs whose time has come. */
static bool end_and_start(struct orr_sched *sched)
{
    uint32_t kept = 0;
    bool any = false;
    for (uint32_t i = 0; i < sched->active_count; i++) {
        const uint32_t number = sched->active[i];
        struct orr_sched_job *job = &sched->job[number];
        if (job->state == ORR_SCHED_STARTS && job->start_ps <= sched->now_ps) {
            job->state = ORR_SCHED_RUNS;
            any = true;
            if (job->claims) {
                claim(sched->waits_on, &sched->unclaimed, job, ORR_SCHED_NOBODY);
            }
        }
        if (job->state == ORR_SCHED_RUNS && job->end_ps <= sched->now_ps) {
            job->state = ORR_SCHED_DONE;
            any = true;
            claim(sched->runs_on, &sched->free, job, ORR_SCHED_NOBODY);
        } else {
            sched->active[kept++] = number;
        }
    }
    sched->active_count = kept;
    return any;
}

static sim_time known_ps(const struct orr_sched *sched, uint32_t rank)
{
    const sim_time arrival_ps = sched->job[sched->by_arrival[rank]].arrival_ps;
    return arrival_ps > sched->rules.notice_ps ? arrival_ps - sched->rules.notice_ps : 0;
}

/* ---- time ---- */

sim_time orr_sched_next(const struct orr_sched *sched)
{
    sim_time next_ps = sched->known < sched->jobs ? known_ps(sched, sched->known) : ORR_TIME_MAX;
    for (uint32_t i = 0; i < sched->decided_count; i++) {
        const struct orr_sched_job *job = &sched->job[sched->decided[i]];
        next_ps = job->arrival_ps > sched->now_ps && job->arrival_ps < next_ps ? job->arrival_ps
                                                                               : next_ps;
    }
    for (uint32_t i = sched->waits_end; i > sched->first_wait; i--) { /* the latest first */
        const sim_time arrival_ps = sched->job[sched->waits[i - 1]].arrival_ps;
        if (arrival_ps <= sched->now_ps) {
            break;
        }
        next_ps = arrival_ps < next_ps ? arrival_ps : next_ps;
    }
    for (uint32_t i = 0; i < sched->active_count; i++) {
        const struct orr_sched_job *job = &sched->job[sched->active[i]];
        const sim_time at_ps = job->state == ORR_SCHED_STARTS ? job->start_ps : job->end_ps;
        const sim_time claim_ps = job->end_ps - sched->rules.patch_ps;
        next_ps = at_ps < next_ps ? at_ps : next_ps;
        next_ps = sched->rules.look_ahead && claim_ps > sched->now_ps && claim_ps < next_ps
                      ? claim_ps
                      : next_ps;
    }
    return next_ps;
}

/* Adds the time since the last step to jobs whose turn it was (with fifo the first, with backfill
 * any) that had enough free servers but no block. */
static void count_blocked(struct orr_sched *sched, sim_time passed_ps)
{
    bool any = false;
    for (uint32_t i = sched->first_wait; i < sched->waits_end; i++) {
        struct orr_sched_job *job = &sched->job[sched->waits[i]];
        if (job->user_servers == NULL && job->servers <= sched->free) {
            job->for_block_ps += passed_ps;
            any = true;
        }
        if (sched->rules.fifo) {
            break;
        }
    }
    if (any && passed_ps > 0) {
        const uint32_t longest =
            orr_ring_block_find(sched->servers, 1, runs_nothing, sched).longest;
        sched->fragmented_ps += (orr_sum)passed_ps * sched->free;
        sched->largest_hole = longest > sched->largest_hole ? longest : sched->largest_hole;
    }
}

bool orr_sched_step(struct orr_sched *sched, sim_time now_ps)
{
    bool changed = false, more = true;
    if (sched->rules.block) {
        count_blocked(sched, now_ps - sched->now_ps);
    }
    sched->now_ps = now_ps;
    while (more) {
        more = end_and_start(sched);
        changed = changed || more;
        for (; sched->known < sched->jobs && known_ps(sched, sched->known) <= now_ps;
             sched->known++) {
            const uint32_t number = sched->by_arrival[sched->known];
            sched->job[number].state = ORR_SCHED_WAITS;
            sched->waits[sched->waits_end++] = number;
        }
        more = assign_all(sched) || more; /* first the jobs that wait for these servers */
        more = decide_all(sched) || more;
    }
    return changed;
}
