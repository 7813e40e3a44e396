/* Pipeline schedules: the order in which each device of a pipeline runs the passes of its parts of
 * a model. A model is cut into parts, which a micro-batch passes forwards, then backwards; the
 * backward pass is whole, or one for the gradients of the inputs and one for those of the weights.
 * Time is not known here: pass_times.h runs a schedule. */
#ifndef ORR_WORKLOAD_SCHEDULE_PIPELINE_SCHEDULE_H
#define ORR_WORKLOAD_SCHEDULE_PIPELINE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;
struct orr_pass_times;
struct orr_schedule_builder;

enum {
    ORR_SCHEDULE_MAX_STAGES = 4096,
    ORR_SCHEDULE_MAX_CHUNKS = 64,
    ORR_SCHEDULE_MAX_SLOTS = 1 << 24 /* of all devices */
};

enum orr_pass_kind {
    ORR_PASS_FORWARD,
    ORR_PASS_BACKWARD_INPUTS,
    ORR_PASS_BACKWARD_WEIGHTS,
    ORR_PASS_BACKWARD, /* of inputs, then of weights, as one */
    ORR_PASS_KINDS
};

struct orr_pass {
    enum orr_pass_kind kind;
    uint32_t part;  /* of the model, from 0 */
    uint32_t micro; /* the micro-batch, from 0 */
};

/* What a device does at one time: a pass, or a forward pass beside a backward pass. */
struct orr_schedule_slot {
    struct orr_pass pass[2];
    uint8_t passes; /* 1 or 2 */
};

/* Which parts a device has. */
enum orr_placement {
    ORR_PLACE_LOOP,   /* chunk c of device i is part c * stages + i */
    ORR_PLACE_V,      /* part i, and part 2 * stages - 1 - i */
    ORR_PLACE_TWO_WAY /* two copies of the model, the second one from the last device to the first
                       */
};

struct orr_schedule {
    uint32_t stages;        /* devices */
    uint32_t micros;        /* micro-batches of a step, of all copies of the model together */
    uint32_t chunks;        /* parts that a device has */
    uint32_t copies;        /* of the model, each for its own share of the micro-batches */
    uint32_t parts;         /* stages * chunks */
    const uint32_t *device; /* [parts] */
    const uint32_t *chunk;  /* [parts] its index among the parts of its device */
    const uint32_t *part;   /* [stages * chunks] of device i: part[i * chunks + chunk] */
    const uint32_t *first;  /* [parts] the first part of the copy that the part belongs to */
    const uint32_t *last;   /* [parts] the last one */
    const size_t *begin;    /* [stages + 1] slots of device i: begin[i] to begin[i + 1] - 1 */
    const struct orr_schedule_slot *slot;
};

/* Parts into which a device's share of one copy is cut: a pass of a part takes 1 / this of the time
 * of a stage. */
static inline uint32_t orr_schedule_cut(const struct orr_schedule *schedule)
{
    return schedule->chunks / schedule->copies;
}

struct orr_schedule_request {
    uint32_t stages, micros; /* above 0 */
    uint32_t chunks;         /* 0: the schedule's default */
    uint32_t group;  /* interleaved: micro-batches that follow each other in a chunk; 0: default */
    uint32_t memory; /* memory-limit: activations of a stage that a device may keep; 0: stages */
    const struct orr_pass_times *times; /* memory-limit: of the passes; else unused, may be NULL */
};

/* A schedule of the list. */
struct orr_schedule_kind {
    const char *name, *summary;
    enum orr_placement placement;
    uint32_t default_chunks, min_chunks, max_chunks;
    bool takes_group, takes_memory; /* of the request; others refuse them */
    /* Fails for a request that it cannot serve, or sets its defaults. NULL: serves all. */
    enum orr_status (*check)(struct orr_schedule_request *request, struct orr_diag *diag);
    /* Adds the slots of all devices, in the order of the devices. */
    void (*order)(struct orr_schedule_builder *builder, const struct orr_schedule_request *request);
    /* The published bubble: the time that the device with most idle time is idle between its first
     * and its last pass. False where none is published for this request. NULL: never. */
    bool (*closed_form)(const struct orr_schedule_request *request, double *bubble);
};

/* Writes the name of a slot: F3, or F3.1 where devices have several parts: micro-batch 3, the
 * device's part 1. F: forward, B: backward of inputs, W: of weights, X: whole backward; two passes
 * at once are joined by &. Returns `text`. */
const char *orr_schedule_slot_text(const struct orr_schedule *schedule,
                                   const struct orr_schedule_slot *slot, char *text, size_t bytes);

#endif
