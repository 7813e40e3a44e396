/* Pipeline schedules: total time, idle time and kept activations of a schedule of the list, or of
 * one of your own.
 *
 *     struct orrery_study *study = orrery_study_new();
 *     const struct orrery_schedule schedule = {ORRERY_SIZED(orrery_schedule), .kind = "zb-h1",
 *                                              .stages = 4, .micro_batches = 8};
 *     struct orrery_value total;
 *     if (orrery_schedule(study, &schedule) == ORRERY_OK &&
 *         orrery_study_result(study, "schedule.total", 0, &total) == ORRERY_OK) {
 *         printf("%g\n", total.real);
 *     }
 *     orrery_study_free(study); */
#ifndef ORRERY_SCHEDULE_H
#define ORRERY_SCHEDULE_H

#include "orrery/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The times of a whole stage, in any one unit. */
struct orrery_pass_times {
    double forward, backward_inputs, backward_weights; /* all 0: 1 each */
    double send; /* to the next part, where it is on another device */
    double both; /* a forward pass beside a whole backward pass; 0: the sum of the three */
};

struct orrery_schedule {
    size_t size;            /* ORRERY_SIZED(orrery_schedule) */
    const char *kind;       /* a schedule's name; or */
    const char *table;      /* a CSV file of stages x slots (docs/file-formats.md) */
    uint32_t stages;        /* devices; 0 with a table */
    uint32_t micro_batches; /* 0 with a table */
    uint32_t chunks;        /* parts of the model on a device; 0: the schedule's default */
    uint32_t group;  /* interleaved: micro-batches in a row of a chunk; 0: as many as stages */
    uint32_t memory; /* memory-limit: activations of a stage that a device may keep; 0: `stages` */
    struct orrery_pass_times times;
};

/* Runs a schedule. Results: a row of "schedule" (`total`, `bubble`, `closed_form`, ...), rows of
 * "devices" (`peak`, `busy`, `begin`, `end`) and of "slots" (`device`, `pass`, `begin`, `end`).
 * Forms: all; CSV is the table of stages x slots, which can be read again. Errors: an unknown
 * schedule, sizes that it cannot have, times below 0, a table that is no schedule. O(slots). */
ORRERY_API enum orrery_status orrery_schedule(struct orrery_study *study,
                                              const struct orrery_schedule *schedule);

/* Writes the schedule of a study as a picture: a row for each device, time to the right (SVG).
 * ORRERY_ERROR_INPUT if the study's results are not those of a schedule. */
ORRERY_API enum orrery_status orrery_schedule_draw(struct orrery_study *study, FILE *out);

/* Names the index-th schedule of the list, and what it is; NULL after the last one. */
ORRERY_API const char *orrery_schedule_name(size_t index, const char **summary);

#ifdef __cplusplus
}
#endif

#endif
