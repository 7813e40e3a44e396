/* Makes a schedule; for its kind: adds slots, device after device. */
#ifndef ORR_WORKLOAD_SCHEDULE_SCHEDULE_BUILDER_H
#define ORR_WORKLOAD_SCHEDULE_SCHEDULE_BUILDER_H

#include "workload/schedule/pipeline_schedule.h"

/* A pass by the device's chunk and the micro-batch of that chunk's copy, both from 0. */
struct orr_chunk_pass {
    enum orr_pass_kind kind;
    uint32_t chunk, micro;
};

/* Adds a slot of one pass to the current device; or one of a forward and a whole backward pass. */
void orr_schedule_add(struct orr_schedule_builder *builder, struct orr_chunk_pass pass);
void orr_schedule_add_both(struct orr_schedule_builder *builder, struct orr_chunk_pass forward,
                           struct orr_chunk_pass backward);

/* Ends the current device; the next slots are of the next one. */
void orr_schedule_next_device(struct orr_schedule_builder *builder);

/* Room until the schedule is made; NULL: out of memory, which the builder remembers. */
void *orr_schedule_room(struct orr_schedule_builder *builder, size_t count, size_t bytes);

/* Makes the schedule of a completed request in the arena. O(slots), v-half and v-min
 * O(slots * micro-batches). Errors: out of memory. */
enum orr_status orr_schedule_make(const struct orr_schedule_kind *kind,
                                  const struct orr_schedule_request *request,
                                  struct orr_arena *arena, struct orr_schedule *schedule,
                                  struct orr_diag *diag);

#endif
