/* ZB-H1 and ZB-H2 (Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, section 2): 1F1B whose
 * backward pass is divided; passes of weights fill the gaps. ZB-H1 keeps 1F1B's memory, ZB-H2 twice
 * that. With several chunks ZB-H1 is PyTorch's InterleavedZeroBubble. */
#include "workload/schedule/interleaved_pass.h"
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_builder.h"

struct rule {
    uint32_t warm_up; /* forward passes before the first backward pass */
    uint32_t lag;     /* backward passes from one of inputs to its pass of weights */
};

static void order_device(struct orr_schedule_builder *builder,
                         const struct orr_schedule_request *request, struct rule rule)
{
    const uint32_t passes = request->micros * request->chunks;
    uint32_t backward = 0, weights = 0;
    for (uint32_t i = 0; i < passes; i++) {
        orr_schedule_add(builder, orr_interleaved_pass(request, ORR_PASS_FORWARD, i));
        if (i < rule.warm_up) {
            continue;
        }
        orr_schedule_add(builder,
                         orr_interleaved_pass(request, ORR_PASS_BACKWARD_INPUTS, backward));
        if (backward++ >= rule.lag) {
            orr_schedule_add(builder,
                             orr_interleaved_pass(request, ORR_PASS_BACKWARD_WEIGHTS, weights++));
        }
    }
    while (weights < passes) {
        if (backward < passes) {
            orr_schedule_add(builder,
                             orr_interleaved_pass(request, ORR_PASS_BACKWARD_INPUTS, backward++));
        }
        orr_schedule_add(builder,
                         orr_interleaved_pass(request, ORR_PASS_BACKWARD_WEIGHTS, weights++));
    }
    orr_schedule_next_device(builder);
}

static void order(struct orr_schedule_builder *builder, const struct orr_schedule_request *request,
                  uint32_t times)
{
    struct orr_schedule_request groups = *request;
    groups.group = request->stages;
    for (uint32_t device = 0; device < request->stages; device++) {
        const uint32_t ahead = times * (request->stages - 1 - device);
        const uint32_t warm_up = (request->chunks - 1) * request->stages + ahead;
        const uint32_t passes = request->micros * request->chunks;
        order_device(builder, &groups,
                     (struct rule){warm_up < passes ? warm_up : passes, times * device});
    }
}

static void order_h1(struct orr_schedule_builder *builder,
                     const struct orr_schedule_request *request)
{
    order(builder, request, 1);
}

static void order_h2(struct orr_schedule_builder *builder,
                     const struct orr_schedule_request *request)
{
    order(builder, request, 2);
}

/* (P - 1)(F + B - W), with v chunks a v-th of it; where W fits beside B, and rounds are whole. */
static bool bubble_h1(const struct orr_schedule_request *request, double *bubble)
{
    const struct orr_pass_times *times = request->times;
    *bubble = (request->stages - 1) *
              (times->forward + times->backward_inputs - times->backward_weights) / request->chunks;
    return request->micros >= request->stages && *bubble >= 0 &&
           times->backward_weights <= times->backward_inputs &&
           (request->chunks == 1 || request->micros % request->stages == 0);
}

/* (P - 1)(F + B - 2 W), at least 0; from 2 P - 1 micro-batches on. */
static bool bubble_h2(const struct orr_schedule_request *request, double *bubble)
{
    const struct orr_pass_times *times = request->times;
    const double idle = (request->stages - 1) *
                        (times->forward + times->backward_inputs - 2 * times->backward_weights);
    *bubble = idle > 0 ? idle : 0;
    return request->micros >= 2 * request->stages - 1;
}

const struct orr_schedule_kind orr_schedule_zb_h1 = {.name = "zb-h1",
                                                     .summary = "zero bubble with 1f1b's memory",
                                                     .placement = ORR_PLACE_LOOP,
                                                     .default_chunks = 1,
                                                     .min_chunks = 1,
                                                     .max_chunks = ORR_SCHEDULE_MAX_CHUNKS,
                                                     .order = order_h1,
                                                     .closed_form = bubble_h1};

const struct orr_schedule_kind orr_schedule_zb_h2 = {.name = "zb-h2",
                                                     .summary =
                                                         "zero bubble with twice that memory",
                                                     .placement = ORR_PLACE_LOOP,
                                                     .default_chunks = 1,
                                                     .min_chunks = 1,
                                                     .max_chunks = 1,
                                                     .order = order_h2,
                                                     .closed_form = bubble_h2};
