/* The blocks of a pipeline's schedule, each as soon as its stage is free and what it needs is
 * there; see estimate_private.h. */
#include <math.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "study/estimate/estimate_private.h"

struct schedule {
    struct est_job *job;
    struct gen_pipeline pipeline; /* of some micro-batches */
    struct est_stage *stage;
    struct est_messages *message; /* [stages] */
    double *end[2];               /* [parts x micros] of forward, backward passes; < 0: not yet */
    uint64_t *at;                 /* [stages] next block */
    /* [passes] each: all stages have the same order of forward, of backward blocks */
    struct gen_block *order[2];
    uint64_t passes; /* of a stage, forward or backward */
};

static uint32_t part_of(const struct schedule *schedule, uint32_t stage, uint32_t chunk)
{
    return chunk * schedule->pipeline.stages + stage;
}

static double *end_of(const struct schedule *schedule, bool backward, uint32_t part, uint32_t micro)
{
    return &schedule->end[backward][(size_t)part * schedule->pipeline.micros + micro];
}

struct est_messages orr_est_messages(struct est_job *job, uint32_t stage)
{
    const uint32_t stages = job->plan->pipeline.stages;
    const uint32_t ranks = job->plan->layout.size[GEN_TENSOR];
    const struct gen_range range = est_chunk_of(job, stage, 0)->range;
    const uint32_t last = range.end > range.first ? range.end - 1 : 0;
    const uint64_t bytes = job->program->layer[last].boundary_bytes;
    const uint64_t sent = job->program->scatters ? sat_divide_up(bytes, ranks) : bytes;
    if (stages == 1) {
        return (struct est_messages){0};
    }
    return (struct est_messages){
        .next = orr_message_seconds(&job->groups, stage, (stage + 1) % stages, sent),
        .before = orr_message_seconds(&job->groups, stage, (stage + stages - 1) % stages, sent),
        .gather = job->program->scatters
                      ? orr_collective_seconds(&job->groups, GEN_TP, ORR_COMM_ALL_GATHER, sent)
                      : 0};
}

/* Messages share links with what is reduced behind every pass (ZeRO-2). */
static void set_messages(struct schedule *schedule)
{
    struct est_job *job = schedule->job;
    const uint32_t stages = schedule->pipeline.stages;
    for (uint32_t s = 0; s < stages; s++) {
        const double factor =
            1 + orr_est_reducing(job, s, orr_message_outermost(&job->groups, s, (s + 1) % stages));
        schedule->message[s] = orr_est_messages(job, s);
        schedule->message[s].next *= factor;
        schedule->message[s].before *= factor;
    }
}

/* When what the block needs has arrived; < 0: not yet. */
static double arrival(const struct schedule *schedule, uint32_t stage,
                      const struct gen_block *block)
{
    const uint32_t part = part_of(schedule, stage, block->chunk);
    const uint32_t parts = schedule->pipeline.stages * schedule->pipeline.chunks;
    const struct est_messages *here = &schedule->message[stage];
    if (block->backward ? part + 1 == parts : part == 0) {
        return block->backward ? *end_of(schedule, false, part, block->micro) : 0;
    }
    const uint32_t from = block->backward ? part + 1 : part - 1;
    const double sent = *end_of(schedule, block->backward, from, block->micro);
    const struct est_messages *there = &schedule->message[from % schedule->pipeline.stages];
    return sent < 0 ? sent : sent + (block->backward ? there->before : there->next) + here->gather;
}

/* The first forward pass of a chunk waits for its layers' weights, which are gathered from the
 * beginning of the step on. */
static double first_forward(const struct est_job *job, uint32_t stage, uint32_t number,
                            double begin)
{
    double gathered = 0, end = begin;
    for (uint32_t c = 0; c <= number; c++) {
        const struct est_chunk *chunk = est_chunk_of(job, stage, c);
        const uint32_t layers = chunk->range.end - chunk->range.first;
        for (uint32_t l = 0; l < layers; l++) {
            const double next = l + 1 < layers ? chunk->begins[l + 1] : chunk->forward;
            gathered += job->layer[chunk->range.first + l]->gather;
            end = c == number ? fmax(end, gathered) + next - chunk->begins[l] : end;
        }
    }
    return end;
}

/* Gradients are reduced layer by layer. */
static void reduce_layers(const struct est_job *job, const struct est_chunk *chunk, double begin,
                          struct est_stage *stage)
{
    for (uint32_t l = chunk->range.end; l-- > chunk->range.first;) {
        const double ready = begin + chunk->ready[l - chunk->range.first];
        stage->data_lane = fmax(stage->data_lane, ready) + job->layer[l]->reduce;
        stage->reduced[l] = stage->data_lane;
    }
}

/* Whether gradients are reduced during the pass: of the last micro-batch, with ZeRO-2 and -3 of
 * all. ZeRO-3's are in the times of passes, where its gathers wait for them. */
static bool reduces_behind(const struct gen_plan *plan, uint32_t micro, uint32_t micros)
{
    return plan->overlap && (micro + 1 == micros || plan->zero == 2);
}

static void run_block(struct schedule *schedule, uint32_t number, const struct gen_block *block,
                      double ready)
{
    const struct est_job *job = schedule->job;
    struct est_stage *stage = &schedule->stage[number];
    const struct est_chunk *chunk = est_chunk_of(job, number, block->chunk);
    const double begin = fmax(stage->free, ready);
    stage->free = begin + (block->backward ? chunk->backward : chunk->forward);
    if (!block->backward && block->micro == 0 && orr_est_gathers_first(job->plan)) {
        stage->free = first_forward(job, number, block->chunk, begin);
    }
    if (block->backward && reduces_behind(job->plan, block->micro, schedule->pipeline.micros)) {
        reduce_layers(job, chunk, begin, stage);
    }
    *end_of(schedule, block->backward, part_of(schedule, number, block->chunk), block->micro) =
        stage->free;
}

/* The index-th block of a stage: forward ones until it is warm, then one of each in turn, then the
 * backward ones that are left. */
static const struct gen_block *block_of(const struct schedule *schedule, uint64_t warm,
                                        uint64_t index)
{
    const uint64_t behind = index - warm, pairs = schedule->passes - warm;
    return index < warm          ? &schedule->order[0][index]
           : behind >= 2 * pairs ? &schedule->order[1][behind - pairs]
           : behind % 2 == 0     ? &schedule->order[0][warm + behind / 2]
                                 : &schedule->order[1][behind / 2];
}

/* Runs blocks of a stage until one waits; whether there was any. */
static bool run_stage(struct schedule *schedule, uint32_t number)
{
    const uint64_t first = schedule->at[number];
    const uint64_t warm = orr_gen_pipeline_warm_up(&schedule->pipeline, number);
    uint64_t at = first;
    for (; at < 2 * schedule->passes; at++) {
        const struct gen_block *block = block_of(schedule, warm, at);
        const double ready = arrival(schedule, number, block);
        if (ready < 0) {
            break;
        }
        run_block(schedule, number, block, ready);
    }
    schedule->at[number] = at;
    return at != first;
}

/* Of the last part's forward or the first part's backward passes: the time of so many micro-batches
 * as there are stages. */
static double period_of(const struct schedule *schedule, bool backward)
{
    const uint32_t stages = schedule->pipeline.stages;
    const uint32_t part = backward ? 0 : stages * schedule->pipeline.chunks - 1;
    return *end_of(schedule, backward, part, 2 * stages - 1) -
           *end_of(schedule, backward, part, stages - 1);
}

/* The passes of the busiest stage for so many micro-batches: none is done faster. */
static double busiest_period(const struct schedule *schedule)
{
    const struct gen_pipeline *pipeline = &schedule->pipeline;
    double busiest = 0;
    for (uint32_t s = 0; s < pipeline->stages; s++) {
        double busy = 0;
        for (uint32_t c = 0; c < pipeline->chunks; c++) {
            const struct est_chunk *chunk = est_chunk_of(schedule->job, s, c);
            busy += chunk->forward + chunk->backward;
        }
        busiest = fmax(busiest, busy);
    }
    return pipeline->stages * busiest;
}

/* GPipe's forward passes all come before the backward passes. */
static double whole_period(const struct schedule *schedule)
{
    const bool apart = schedule->pipeline.schedule == GEN_GPIPE;
    if (schedule->pipeline.micros < 3 * schedule->pipeline.stages) {
        return 0;
    }
    return fmax(period_of(schedule, true) + (apart ? period_of(schedule, false) : 0),
                busiest_period(schedule));
}

static bool prepare(struct schedule *schedule)
{
    struct orr_arena *arena = schedule->job->arena;
    const uint32_t count = schedule->pipeline.stages;
    const size_t passes = (size_t)count * schedule->pipeline.chunks * schedule->pipeline.micros;
    schedule->message = orr_arena_array(arena, count, sizeof *schedule->message);
    schedule->at = orr_arena_array(arena, count, sizeof *schedule->at);
    schedule->end[0] = orr_arena_array(arena, 2 * passes, sizeof(double));
    schedule->passes = passes / count;
    schedule->order[0] = orr_arena_array(arena, 2 * schedule->passes, sizeof(struct gen_block));
    if (schedule->message == NULL || schedule->at == NULL || schedule->end[0] == NULL ||
        schedule->order[0] == NULL) {
        return false;
    }
    schedule->order[1] = schedule->order[0] + schedule->passes;
    for (uint64_t i = 0, of[2] = {0, 0}; i < 2 * schedule->passes; i++) {
        const struct gen_block block = orr_gen_pipeline_block(&schedule->pipeline, 0, i);
        schedule->order[block.backward][of[block.backward]++] = block;
    }
    schedule->end[1] = schedule->end[0] + passes;
    for (size_t i = 0; i < 2 * passes; i++) {
        schedule->end[0][i] = -1;
    }
    for (uint32_t s = 0; s < count; s++) {
        schedule->at[s] = 0;
    }
    return true;
}

double orr_est_pipeline(struct est_job *job, uint32_t micros, struct est_stage *stages)
{
    struct schedule schedule = {.job = job, .pipeline = job->plan->pipeline, .stage = stages};
    schedule.pipeline.micros = micros;
    if (!prepare(&schedule)) {
        job->no_memory = true;
        return 0;
    }
    set_messages(&schedule);
    for (bool runs = true; runs;) {
        runs = false;
        for (uint32_t s = 0; s < schedule.pipeline.stages; s++) {
            runs = run_stage(&schedule, s) || runs;
        }
    }
    return whole_period(&schedule);
}
