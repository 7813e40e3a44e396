/* Merged 1F1B (Megatron-LM, --overlap-moe-expert-parallel-comm, 2025): the order of interleaved
 * 1F1B with one more warm-up forward pass; then each forward pass runs beside the whole backward
 * pass of another micro-batch, whose exchanges of tokens it hides. */
#include <inttypes.h>

#include "core/diag.h"
#include "workload/schedule/interleaved_pass.h"
#include "workload/schedule/schedule_builder.h"

static enum orr_status check_merged(struct orr_schedule_request *request, struct orr_diag *diag)
{
    const bool groups = request->stages > 1 && request->chunks > 1;
    if (request->micros < 2) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "merged: expected at least 2 micro-batches, one to overlap with the "
                             "other, got %" PRIu32,
                             request->micros);
    }
    if (request->stages > 1 && request->chunks == 1) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "merged: with several stages expected several chunks on each, got 1");
    }
    if (groups && request->micros % request->stages != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "merged: with several chunks expected a multiple of the %" PRIu32
                             " stages as micro-batches, got %" PRIu32,
                             request->stages, request->micros);
    }
    request->group = groups ? request->stages : 1;
    return ORR_OK;
}

static void order_device(struct orr_schedule_builder *builder,
                         const struct orr_schedule_request *request, uint32_t device)
{
    const uint32_t passes = request->micros * request->chunks;
    const uint32_t behind = request->stages - 1 - device;
    const uint32_t warm =
        request->chunks == 1 ? behind + 1 : 2 * behind + (request->chunks - 1) * request->group + 1;
    uint32_t backward = 0;
    for (uint32_t i = 0; i < passes; i++) {
        const struct orr_chunk_pass forward = orr_interleaved_pass(request, ORR_PASS_FORWARD, i);
        if (i < warm) {
            orr_schedule_add(builder, forward);
        } else {
            orr_schedule_add_both(builder, forward,
                                  orr_interleaved_pass(request, ORR_PASS_BACKWARD, backward++));
        }
    }
    while (backward < passes) {
        orr_schedule_add(builder, orr_interleaved_pass(request, ORR_PASS_BACKWARD, backward++));
    }
    orr_schedule_next_device(builder);
}

static void order_merged(struct orr_schedule_builder *builder,
                         const struct orr_schedule_request *request)
{
    for (uint32_t device = 0; device < request->stages; device++) {
        order_device(builder, request, device);
    }
}

const struct orr_schedule_kind orr_schedule_merged = {
    .name = "merged",
    .summary = "as interleaved, each forward pass beside a backward pass of another micro-batch",
    .placement = ORR_PLACE_LOOP,
    .default_chunks = 2,
    .min_chunks = 1,
    .max_chunks = ORR_SCHEDULE_MAX_CHUNKS,
    .check = check_merged,
    .order = order_merged};
