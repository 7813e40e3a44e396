/* GPipe (Huang et al., NeurIPS 2019, section 2.3) and the breadth-first schedule of looped
 * pipelines (Lamy-Poirier, MLSys 2023): all forward passes, chunk by chunk; then all backward
 * passes, chunk by chunk from the last one. */
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_builder.h"

static void order(struct orr_schedule_builder *builder, const struct orr_schedule_request *request)
{
    for (uint32_t device = 0; device < request->stages; device++) {
        for (uint32_t i = 0; i < request->chunks * request->micros; i++) {
            orr_schedule_add(builder, (struct orr_chunk_pass){ORR_PASS_FORWARD, i / request->micros,
                                                              i % request->micros});
        }
        for (uint32_t i = 0; i < request->chunks * request->micros; i++) {
            const uint32_t chunk = request->chunks - 1 - i / request->micros;
            orr_schedule_add(
                builder, (struct orr_chunk_pass){ORR_PASS_BACKWARD, chunk, i % request->micros});
        }
        orr_schedule_next_device(builder);
    }
}

const struct orr_schedule_kind orr_schedule_gpipe = {
    .name = "gpipe",
    .summary = "all forward passes, then all backward passes",
    .placement = ORR_PLACE_LOOP,
    .default_chunks = 1,
    .min_chunks = 1,
    .max_chunks = 1,
    .order = order,
    .closed_form = orr_bubble_of_turns};

const struct orr_schedule_kind orr_schedule_breadth_first = {.name = "breadth-first",
                                                             .summary = "as gpipe, chunk by chunk",
                                                             .placement = ORR_PLACE_LOOP,
                                                             .default_chunks = 2,
                                                             .min_chunks = 1,
                                                             .max_chunks = ORR_SCHEDULE_MAX_CHUNKS,
                                                             .order = order,
                                                             .closed_form = orr_bubble_of_turns};
