/* The turns of a pipeline's schedule, each as soon as its stage is free and what it needs is
 * there; see estimate_private.h. */
#include <math.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "study/estimate/estimate_private.h"
#include "workload/parallel/pipeline_turns.h"

struct schedule {
    struct est_job *job;
    struct gen_pipeline pipeline; /* of some micro-batches */
    struct est_stage *stage;
    struct est_messages *message; /* [stages] */
    double *end[2];               /* [parts x micros] of forward, backward passes; < 0: not yet */
    uint64_t *at;                 /* [stages] next turn */
    /* By formula, [passes] each: all stages have the same order of forward, of backward blocks */
    struct gen_block *order[2];
    uint64_t passes; /* of a stage, forward or backward */
};

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

/* From one stage to another: neighbours, but for tables of the user's own. */
static double message_seconds(const struct schedule *schedule, uint32_t from, uint32_t to)
{
    const uint32_t stages = schedule->pipeline.stages;
    const struct est_messages *message = &schedule->message[from];
    if (from == to && schedule->pipeline.order != NULL) {
        return 0;
    }
    const double seconds = to == (from + 1) % stages   ? message->next
                           : from == (to + 1) % stages ? message->before
                                                       : fmax(message->next, message->before);
    return seconds + schedule->message[to].gather;
}

/* When what the block needs has arrived; < 0: not yet. */
static double arrival(const struct schedule *schedule, uint32_t stage,
                      const struct gen_block *block)
{
    const struct gen_pipeline *pipeline = &schedule->pipeline;
    const uint32_t part = orr_gen_pipeline_part(pipeline, stage, block->chunk);
    const bool backward = gen_block_is_backward(block);
    if (block->pass == ORR_PASS_BACKWARD_WEIGHTS ||
        (!backward && gen_part_is_first(pipeline, part))) {
        return 0;
    }
    if (backward && gen_part_is_last(pipeline, part)) {
        return *end_of(schedule, false, part, block->micro);
    }
    const uint32_t from = backward ? part + 1 : part - 1;
    const double sent = *end_of(schedule, backward, from, block->micro);
    return sent < 0
               ? sent
               : sent + message_seconds(schedule, orr_gen_pipeline_stage(pipeline, from), stage);
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
                          struct est_stage *stage, const double *from_begin)
{
    for (uint32_t l = chunk->range.end; l-- > chunk->range.first;) {
        est_reduce_layer(job, l, begin + from_begin[l - chunk->range.first], stage);
    }
}

/* Whether gradients are reduced during the pass: of the last micro-batch, with ZeRO-2 and -3 of
 * all. ZeRO-3's are in the times of passes, where its gathers wait for them. */
static bool reduces_behind(const struct schedule *schedule, const struct gen_block *block,
                           struct est_stage *stage)
{
    const struct gen_plan *plan = schedule->job->plan;
    const bool ends = gen_block_ends_weights(block);
    const bool last =
        ends && (schedule->pipeline.order != NULL ? --stage->left[block->chunk] == 0
                                                  : block->micro + 1 == schedule->pipeline.micros);
    return plan->overlap && ends && (last || plan->zero == 2);
}

static double block_seconds(const struct est_chunk *chunk, const struct gen_block *block)
{
    return block->pass == ORR_PASS_FORWARD            ? chunk->forward
           : block->pass == ORR_PASS_BACKWARD_INPUTS  ? chunk->inputs
           : block->pass == ORR_PASS_BACKWARD_WEIGHTS ? chunk->weights
                                                      : chunk->backward;
}

/* When a turn ends that begins at a time. */
static double turn_end(const struct schedule *schedule, uint32_t number,
                       const struct gen_turn *turn, double begin)
{
    struct est_job *job = schedule->job;
    const struct gen_block *block = turn->block;
    const struct est_chunk *chunk = est_chunk_of(job, number, block->chunk);
    if (turn->blocks == 2) {
        double *both = &job->both[chunk - job->chunk];
        *both = *both > 0
                    ? *both
                    : orr_est_both(job, chunk, est_chunk_of(job, number, turn->block[1].chunk));
        return begin + *both;
    }
    return block->pass == ORR_PASS_FORWARD && block->micro == 0 && orr_est_gathers_first(job->plan)
               ? first_forward(job, number, block->chunk, begin)
               : begin + block_seconds(chunk, block);
}

static void end_block(struct schedule *schedule, uint32_t number, const struct gen_block *block,
                      double begin)
{
    const struct est_job *job = schedule->job;
    struct est_stage *stage = &schedule->stage[number];
    const uint32_t part = orr_gen_pipeline_part(&schedule->pipeline, number, block->chunk);
    if (reduces_behind(schedule, block, stage)) {
        const struct est_chunk *chunk = est_chunk_of(job, number, block->chunk);
        reduce_layers(job, chunk, begin, stage,
                      block->pass == ORR_PASS_BACKWARD_WEIGHTS ? chunk->weights_ready
                                                               : chunk->ready);
    }
    if (block->pass != ORR_PASS_BACKWARD_WEIGHTS) {
        *end_of(schedule, gen_block_is_backward(block), part, block->micro) = stage->free;
    }
}

static void run_turn(struct schedule *schedule, uint32_t number, const struct gen_turn *turn,
                     double ready)
{
    struct est_stage *stage = &schedule->stage[number];
    const double begin = fmax(stage->free, ready);
    stage->free = turn_end(schedule, number, turn, begin);
    stage->busy += stage->free - begin;
    for (unsigned i = 0; i < turn->blocks; i++) {
        end_block(schedule, number, &turn->block[i], begin);
    }
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

/* When all is there that a turn needs; < 0: not yet. */
static double turn_ready(const struct schedule *schedule, uint32_t number,
                         const struct gen_turn *turn)
{
    double ready = 0;
    for (unsigned i = 0; i < turn->blocks && ready >= 0; i++) {
        const double one = arrival(schedule, number, &turn->block[i]);
        ready = one < 0 ? one : fmax(ready, one);
    }
    return ready;
}

/* Runs turns of a stage until one waits; whether there was any. */
static bool run_stage(struct schedule *schedule, uint32_t number)
{
    const struct gen_pipeline *pipeline = &schedule->pipeline;
    const uint64_t first = schedule->at[number], turns = orr_gen_pipeline_turns(pipeline, number);
    const uint64_t warm = orr_gen_pipeline_warm_up(pipeline, number);
    uint64_t at = first;
    for (; at < turns; at++) {
        const struct gen_turn turn = pipeline->order != NULL
                                         ? orr_gen_pipeline_turn(pipeline, number, at)
                                         : (struct gen_turn){{*block_of(schedule, warm, at)}, 1};
        const double ready = turn_ready(schedule, number, &turn);
        if (ready < 0) {
            break;
        }
        run_turn(schedule, number, &turn, ready);
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
    if (schedule->pipeline.micros < 3 * schedule->pipeline.stages ||
        schedule->pipeline.order != NULL) {
        return 0;
    }
    return fmax(period_of(schedule, true) + (apart ? period_of(schedule, false) : 0),
                busiest_period(schedule));
}

/* Counts passes that end gradients of weights. */
static bool pipeline_left(struct schedule *schedule)
{
    const struct gen_pipeline *pipeline = &schedule->pipeline;
    uint32_t *left = orr_arena_array(schedule->job->arena,
                                     (size_t)pipeline->stages * pipeline->chunks, sizeof *left);
    for (uint32_t s = 0; s < pipeline->stages && left != NULL && pipeline->order != NULL; s++) {
        schedule->stage[s].left = &left[(size_t)s * pipeline->chunks];
        for (uint64_t i = 0; i < orr_gen_pipeline_turns(pipeline, s); i++) {
            const struct gen_turn turn = orr_gen_pipeline_turn(pipeline, s, i);
            for (unsigned k = 0; k < turn.blocks; k++) {
                schedule->stage[s].left[turn.block[k].chunk] +=
                    gen_block_ends_weights(&turn.block[k]) ? 1 : 0;
            }
        }
    }
    return left != NULL;
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
    for (uint64_t i = 0, of[2] = {0, 0};
         i < 2 * schedule->passes && schedule->pipeline.order == NULL; i++) {
        const struct gen_block block = orr_gen_pipeline_block(&schedule->pipeline, 0, i);
        const bool backward = gen_block_is_backward(&block);
        schedule->order[backward][of[backward]++] = block;
    }
    schedule->end[1] = schedule->end[0] + passes;
    for (size_t i = 0; i < 2 * passes; i++) {
        schedule->end[0][i] = -1;
    }
    return pipeline_left(schedule);
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
