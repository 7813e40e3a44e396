/* Jobs on one platform: their NPUs, the start and end of their iterations, and the ranks of their
 * traces. A run without a list of jobs is one job of all NPUs, run once. */
#include "workload/engine/engine_private.h"

/* ---- ranks ---- */

const struct wl_run *orr_wl_run_of(const struct wl_engine *engine, struct orr_rank rank)
{
    if (engine->part == NULL) {
        return engine->run;
    }
    const uint32_t job = engine->part[rank.rank].job;
    return job != WL_NONE ? &engine->run[job] : NULL;
}

struct orr_rank orr_wl_rank_in_job(const struct wl_engine *engine, struct orr_rank rank)
{
    return engine->part == NULL ? rank : orr_rank(engine->part[rank.rank].rank);
}

struct orr_rank orr_wl_rank_of_job(const struct wl_run *run, struct orr_rank rank)
{
    if (run == NULL || run->job.rank == NULL) {
        return rank;
    }
    return orr_rank(rank.rank < run->job.npus ? run->job.rank[rank.rank] : WL_NONE);
}

/* ---- creation ---- */

static bool add_parts(struct wl_engine *engine)
{
    engine->part = orr_arena_array(engine->parts.arena, engine->npus, sizeof *engine->part);
    for (uint32_t i = 0; engine->part != NULL && i < engine->npus; i++) {
        engine->part[i] = (struct wl_job_rank){.job = WL_NONE, .rank = i};
    }
    for (uint32_t j = 0; engine->part != NULL && j < engine->runs; j++) {
        for (uint32_t i = 0; i < engine->run[j].job.npus; i++) {
            engine->part[engine->run[j].job.rank[i]] = (struct wl_job_rank){.job = j, .rank = i};
        }
    }
    return engine->part != NULL;
}

enum orr_status orr_wl_jobs_create(struct wl_engine *engine, struct orr_diag *diag)
{
    const struct wl_parts *parts = &engine->parts;
    const struct wl_job all = {
        .npus = engine->npus, .iterations = 1, .all_reduce = parts->all_reduce};
    engine->runs = parts->jobs == 0 ? 1 : parts->jobs;
    engine->run = orr_arena_array(parts->arena, engine->runs, sizeof *engine->run);
    bool made = engine->run != NULL;
    for (uint32_t j = 0; made && j < engine->runs; j++) {
        struct wl_run *run = &engine->run[j];
        run->job = parts->jobs == 0 ? all : parts->job[j];
        run->job.iterations = parts->iterations != 0 ? parts->iterations : run->job.iterations;
        run->left = run->job.npus;
        run->iteration_ps =
            orr_arena_array(parts->arena, run->job.iterations, sizeof *run->iteration_ps);
        made = run->iteration_ps != NULL;
    }
    made = made && (parts->jobs == 0 || add_parts(engine));
    return made ? ORR_OK : orr_diag_no_memory(diag, "the jobs of an engine");
}

/* ---- iterations ---- */

/* All NPUs of a job in one event; with labels, one event for each NPU. */
void orr_wl_job_post(struct wl_engine *engine, uint32_t number, sim_time time)
{
    const struct wl_run *run = &engine->run[number];
    const bool together = orr_evq_order(engine->parts.queue) == ORR_ORDER_INSERTION &&
                          run->job.npus != 0 && wl_job_npu(engine, run, 0)->issues_fifo;
    const uint32_t events = together ? 1 : run->job.npus;
    for (uint32_t i = 0; i < events; i++) {
        const uint32_t slot = run->job.rank != NULL ? run->job.rank[i] : i;
        const struct orr_event event = {
            .entity = slot, .kind = EVENT_START, .cookie = number, .aux = together};
        orr_evq_post(engine->parts.queue, time, &event);
    }
}

/* Resets the NPU to its state before the first node. */
void orr_wl_npu_reset(const struct wl_engine *engine, struct wl_npu *npu)
{
    for (uint32_t i = 0; i < npu->trace->nodes; i++) {
        npu->waiting[i] = npu->trace->parents[i];
    }
    for (uint32_t i = 0; i < npu->layout->streams; i++) {
        npu->stream[i].next_ordinal = 0;
    }
    if (engine->watch != NULL) {
        orr_wl_prefixes_reset(engine, npu);
    }
    npu->unfinished = npu->trace->nodes;
    npu->finished = npu->begun = false;
}

void orr_wl_job_part_done(struct wl_engine *engine, struct orr_slot slot)
{
    const uint32_t number = engine->part != NULL ? engine->part[slot.slot].job : 0;
    if (number == WL_NONE) {
        engine->finish_order[engine->finished++] = slot.slot;
        return;
    }
    struct wl_run *run = &engine->run[number];
    const sim_time now = orr_evq_now(engine->parts.queue);
    if (run->iteration + 1 == run->job.iterations) {
        engine->finish_order[engine->finished++] = slot.slot;
    }
    if (--run->left != 0) {
        return;
    }
    run->iteration_ps[run->iteration++] = now - run->began_ps;
    run->end_ps = now;
    if (run->iteration < run->job.iterations) {
        run->left = run->job.npus;
        run->began_ps = now;
        orr_wl_job_post(engine, number, now);
    }
}
