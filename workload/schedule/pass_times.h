/* The times of a pipeline schedule: each device runs its slots in their order, each as soon as the
 * device is free and what it needs is there. A forward pass needs that of the part before; a
 * backward pass that of the part behind, and its own forward pass; a pass of weights that of the
 * inputs. Passes of parts of one device follow each other without a send. */
#ifndef ORR_WORKLOAD_SCHEDULE_PASS_TIMES_H
#define ORR_WORKLOAD_SCHEDULE_PASS_TIMES_H

#include "workload/schedule/pipeline_schedule.h"

/* Times of the passes of a whole stage (1 / stages of a model), in any one unit. */
struct orr_pass_times {
    double forward, backward_inputs, backward_weights;
    double send; /* from a part to the next one on another device, beside computation */
    double both; /* a forward pass beside a whole backward pass */
};

/* A slot's place in time. */
struct orr_schedule_slot_time {
    double begin, end;
};

struct orr_schedule_run {
    struct orr_schedule_slot_time *slot; /* [slots] */
    double total;                        /* first begin to last end of any device */
    double bubble; /* the most that a device is idle between its own first begin and last end */
    double *busy;  /* [stages] */
    double *begin, *end; /* [stages] of the device's first and last slot */
    double *peak; /* [stages] activations kept at once, in those of a micro-batch and a stage */
};

/* Runs a schedule; the results lie in the arena. O(slots + stages x steps). Errors: a schedule
 * whose slots wait for each other (names the device and its slot); out of memory. */
enum orr_status orr_schedule_run(const struct orr_schedule *schedule,
                                 const struct orr_pass_times *times, struct orr_arena *arena,
                                 struct orr_schedule_run *run, struct orr_diag *diag);

/* The bubble of schedules with whole backward passes: (P - 1)(F + B + W) / chunks. */
bool orr_bubble_of_turns(const struct orr_schedule_request *request, double *bubble);

#endif
