/* A pipeline schedule and its times; its results and their forms. */
#ifndef ORR_STUDY_SCHEDULE_SCHEDULE_STUDY_H
#define ORR_STUDY_SCHEDULE_SCHEDULE_STUDY_H

#include <stdio.h>

#include "workload/schedule/pass_times.h"
#include "workload/schedule/pipeline_schedule.h"

struct json_t;
struct orr_result_table;

struct orr_schedule_study {
    /* input */
    const char *kind;  /* a schedule's name; or */
    const char *table; /* a file */
    struct orr_schedule_request request;
    struct orr_pass_times times;
    /* results */
    struct orr_arena *arena;
    char *name; /* of the schedule, or the file; on the heap */
    struct orr_schedule schedule;
    struct orr_schedule_run run;
    bool has_closed_form;
    double closed_form;
};

/* Makes the schedule and runs it. Errors: see orrery_schedule. Call orr_schedule_study_fini also
 * after an error. */
enum orr_status orr_schedule_study_run(struct orr_schedule_study *study, struct orr_diag *diag);
void orr_schedule_study_fini(struct orr_schedule_study *study);

/* ---- results ---- */

/* A row of "devices", of "slots". */
struct orr_schedule_device_row {
    uint32_t device;
    double peak, busy, idle, begin, end;
};
struct orr_schedule_slot_row {
    uint32_t device;
    char pass[64];
    double begin, end;
};

void orr_schedule_device_row(const struct orr_schedule_study *study, size_t index,
                             struct orr_schedule_device_row *row);
void orr_schedule_slot_row(const struct orr_schedule_study *study, size_t index,
                           struct orr_schedule_slot_row *row);

extern const struct orr_result_table orr_schedule_results; /* struct orr_schedule_study */
extern const struct orr_result_table
    orr_schedule_device_results;                                /* struct orr_schedule_device_row */
extern const struct orr_result_table orr_schedule_slot_results; /* struct orr_schedule_slot_row */

/* ---- forms; the context is the study ---- */

int orr_schedule_text(FILE *out, const void *context);
int orr_schedule_json(FILE *out, const void *context);
int orr_schedule_csv(FILE *out, const void *context);
int orr_schedule_svg(FILE *out, const void *context);

#endif
