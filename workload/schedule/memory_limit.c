/* A schedule from a limit on memory: a device that is free takes, of what is ready, the backward
 * pass of the oldest micro-batch; else, if it may keep another activation, the next forward pass;
 * else a pass of weights. A pass of weights also fills the time until something else is ready (the
 * greedy rule of Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, section 3.1). */
#include <inttypes.h>
#include <math.h>

#include "core/diag.h"
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_builder.h"

struct device {
    double free;                 /* when its last pass ends */
    uint32_t next[3];            /* micro-batch of the next forward, backward, weights pass */
    struct orr_chunk_pass *pass; /* [3 * micros] in their order */
    uint32_t passes;
};

struct greedy {
    const struct orr_schedule_request *request;
    struct device *device;              /* [stages] */
    double *forward_end, *backward_end; /* [stages * micros] */
};

static double ready_forward(const struct greedy *greedy, uint32_t stage)
{
    const uint32_t micro = greedy->device[stage].next[ORR_PASS_FORWARD];
    if (micro == greedy->request->micros ||
        micro - greedy->device[stage].next[ORR_PASS_BACKWARD_WEIGHTS] >= greedy->request->memory) {
        return INFINITY;
    }
    if (stage == 0) {
        return 0;
    }
    return micro < greedy->device[stage - 1].next[ORR_PASS_FORWARD]
               ? greedy->forward_end[(size_t)(stage - 1) * greedy->request->micros + micro] +
                     greedy->request->times->send
               : INFINITY;
}

static double ready_backward(const struct greedy *greedy, uint32_t stage)
{
    const uint32_t micro = greedy->device[stage].next[ORR_PASS_BACKWARD_INPUTS];
    const size_t micros = greedy->request->micros;
    if (micro == greedy->device[stage].next[ORR_PASS_FORWARD]) {
        return INFINITY;
    }
    if (stage == greedy->request->stages - 1) {
        return greedy->forward_end[stage * micros + micro];
    }
    return micro < greedy->device[stage + 1].next[ORR_PASS_BACKWARD_INPUTS]
               ? greedy->backward_end[(stage + 1) * micros + micro] + greedy->request->times->send
               : INFINITY;
}

/* What the device does next, and from when; INFINITY: nothing yet. */
static double choose(const struct greedy *greedy, uint32_t stage, enum orr_pass_kind *kind)
{
    const struct device *device = &greedy->device[stage];
    const double backward = fmax(ready_backward(greedy, stage), device->free);
    const double forward = fmax(ready_forward(greedy, stage), device->free);
    const bool weights =
        device->next[ORR_PASS_BACKWARD_WEIGHTS] < device->next[ORR_PASS_BACKWARD_INPUTS];
    if (weights && fmin(backward, forward) > device->free) {
        *kind = ORR_PASS_BACKWARD_WEIGHTS;
        return device->free;
    }
    *kind = backward <= forward ? ORR_PASS_BACKWARD_INPUTS : ORR_PASS_FORWARD;
    return fmin(backward, forward);
}

static void take(struct greedy *greedy, uint32_t stage, enum orr_pass_kind kind, double begin)
{
    const struct orr_pass_times *times = greedy->request->times;
    const double took[3] = {times->forward, times->backward_inputs, times->backward_weights};
    struct device *device = &greedy->device[stage];
    const uint32_t micro = device->next[kind]++;
    device->free = begin + took[kind];
    device->pass[device->passes++] = (struct orr_chunk_pass){kind, 0, micro};
    if (kind != ORR_PASS_BACKWARD_WEIGHTS) {
        double *end = kind == ORR_PASS_FORWARD ? greedy->forward_end : greedy->backward_end;
        end[(size_t)stage * greedy->request->micros + micro] = device->free;
    }
}

/* Takes the pass that begins first, of all devices, until none is left. */
static void run(struct greedy *greedy)
{
    for (;;) {
        double first = INFINITY;
        uint32_t stage = 0;
        enum orr_pass_kind kind = ORR_PASS_FORWARD;
        for (uint32_t i = 0; i < greedy->request->stages; i++) {
            enum orr_pass_kind of_stage;
            const double begin = choose(greedy, i, &of_stage);
            if (begin < first) {
                first = begin;
                stage = i;
                kind = of_stage;
            }
        }
        if (isinf(first)) {
            return;
        }
        take(greedy, stage, kind, first);
    }
}

static void order(struct orr_schedule_builder *builder, const struct orr_schedule_request *request)
{
    const size_t stages = request->stages, micros = request->micros;
    struct greedy greedy = {
        .request = request,
        .device = orr_schedule_room(builder, stages, sizeof *greedy.device),
        .forward_end = orr_schedule_room(builder, stages * micros, sizeof(double)),
        .backward_end = orr_schedule_room(builder, stages * micros, sizeof(double))};
    struct orr_chunk_pass *pass = orr_schedule_room(builder, 3 * stages * micros, sizeof *pass);
    if (greedy.device == NULL || greedy.forward_end == NULL || greedy.backward_end == NULL ||
        pass == NULL) {
        return;
    }
    for (size_t i = 0; i < stages; i++) {
        greedy.device[i].pass = &pass[i * 3 * micros];
    }
    run(&greedy);
    for (size_t i = 0; i < stages; i++) {
        for (uint32_t k = 0; k < greedy.device[i].passes; k++) {
            orr_schedule_add(builder, greedy.device[i].pass[k]);
        }
        orr_schedule_next_device(builder);
    }
}

static enum orr_status check(struct orr_schedule_request *request, struct orr_diag *diag)
{
    enum { MAX_CHOICES = 1 << 30 };
    const uint64_t choices = 3 * (uint64_t)request->stages * request->stages * request->micros;
    if (choices > MAX_CHOICES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "memory-limit: expected at most %d stages x stages x micro-batches x "
                             "3, got %" PRIu64,
                             MAX_CHOICES, choices);
    }
    if (request->memory == 0) {
        request->memory = request->stages;
    }
    return ORR_OK;
}

const struct orr_schedule_kind orr_schedule_memory_limit = {
    .name = "memory-limit",
    .summary = "made from a limit on memory and the passes' times",
    .placement = ORR_PLACE_LOOP,
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .takes_memory = true,
    .check = check,
    .order = order};
