/* 1F1B (PipeDream-Flush; Narayanan et al., SC'21, section 2.2.1) and interleaved 1F1B (section
 * 2.2.2; Megatron-LM): warm-up forward passes, then a forward and a whole backward pass in turn,
 * then the backward passes left. 1F1B is the case of one chunk, with a shorter warm-up. */
#include <inttypes.h>

#include "core/diag.h"
#include "workload/schedule/interleaved_pass.h"
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_builder.h"

static enum orr_status check_interleaved(struct orr_schedule_request *request,
                                         struct orr_diag *diag)
{
    if (request->micros < request->stages) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "interleaved: expected at least as many micro-batches as stages "
                             "(%" PRIu32 "), got %" PRIu32,
                             request->stages, request->micros);
    }
    if (request->group == 0) {
        request->group = orr_interleaved_group(request);
    }
    const uint32_t rest = request->group > 0 ? request->micros % request->group : 0;
    if (request->group < request->stages || (rest > 0 && rest < request->stages)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "interleaved: expected micro-batches in groups of at least "
                             "%" PRIu32 " (the stages), got %" PRIu32 " micro-batches in groups of "
                             "%" PRIu32,
                             request->stages, request->micros, request->group);
    }
    return ORR_OK;
}

static uint32_t at_most(uint32_t value, uint32_t limit)
{
    return value < limit ? value : limit;
}

static void order_device(struct orr_schedule_builder *builder,
                         const struct orr_schedule_request *request, uint32_t warm_up)
{
    const uint32_t passes = request->micros * request->chunks;
    uint32_t backward = 0;
    for (uint32_t i = 0; i < passes; i++) {
        orr_schedule_add(builder, orr_interleaved_pass(request, ORR_PASS_FORWARD, i));
        if (i >= warm_up) {
            orr_schedule_add(builder, orr_interleaved_pass(request, ORR_PASS_BACKWARD, backward++));
        }
    }
    while (backward < passes) {
        orr_schedule_add(builder, orr_interleaved_pass(request, ORR_PASS_BACKWARD, backward++));
    }
    orr_schedule_next_device(builder);
}

static void order_interleaved(struct orr_schedule_builder *builder,
                              const struct orr_schedule_request *request)
{
    for (uint32_t device = 0; device < request->stages; device++) {
        const uint32_t warm_up =
            2 * (request->stages - 1 - device) + (request->chunks - 1) * request->group;
        order_device(builder, request, at_most(warm_up, request->micros * request->chunks));
    }
}

static void order_1f1b(struct orr_schedule_builder *builder,
                       const struct orr_schedule_request *request)
{
    struct orr_schedule_request one = *request;
    one.group = request->micros;
    for (uint32_t device = 0; device < request->stages; device++) {
        order_device(builder, &one, at_most(request->stages - 1 - device, request->micros));
    }
}

const struct orr_schedule_kind orr_schedule_1f1b = {.name = "1f1b",
                                                    .summary =
                                                        "a forward and a backward pass in turn",
                                                    .placement = ORR_PLACE_LOOP,
                                                    .default_chunks = 1,
                                                    .min_chunks = 1,
                                                    .max_chunks = 1,
                                                    .order = order_1f1b,
                                                    .closed_form = orr_bubble_of_turns};

const struct orr_schedule_kind orr_schedule_interleaved = {
    .name = "interleaved",
    .summary = "as 1f1b, with several parts of the model on each device",
    .placement = ORR_PLACE_LOOP,
    .default_chunks = 2,
    .min_chunks = 1,
    .max_chunks = ORR_SCHEDULE_MAX_CHUNKS,
    .takes_group = true,
    .check = check_interleaved,
    .order = order_interleaved,
    .closed_form = orr_bubble_of_turns};
