/* Makes and runs a pipeline schedule; see schedule_study.h. */
#include "study/schedule/schedule_study.h"

#include <math.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/schedule/schedule_builder.h"
#include "workload/schedule/schedule_kinds.h"
#include "workload/schedule/schedule_table.h"

static enum orr_status check_times(const struct orr_pass_times *times, struct orr_diag *diag)
{
    const double time[] = {times->forward, times->backward_inputs, times->backward_weights,
                           times->send, times->both};
    static const char *const name[] = {"forward", "backward-inputs", "backward-weights", "send",
                                       "both"};
    for (size_t i = 0; i < sizeof time / sizeof *time; i++) {
        if (!(time[i] >= 0) || !isfinite(time[i])) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "%s: expected a time of at least 0, got %g", name[i], time[i]);
        }
    }
    return ORR_OK;
}

static enum orr_status make(struct orr_schedule_study *study, struct orr_diag *diag)
{
    const struct orr_schedule_kind *kind = NULL;
    if (study->table != NULL) {
        if (orr_schedule_table_read(study->table, study->arena, &study->schedule, diag) == ORR_OK) {
            study->request.stages = study->schedule.stages;
            study->request.micros = study->schedule.micros;
            study->request.chunks = study->schedule.chunks;
        }
        return diag->status;
    }
    if (orr_schedule_kind_find(study->kind, &kind, diag) == ORR_OK &&
        orr_schedule_complete(kind, &study->request, diag) == ORR_OK &&
        orr_schedule_make(kind, &study->request, study->arena, &study->schedule, diag) == ORR_OK) {
        /* Published formulas know no time between stages. */
        study->has_closed_form = study->times.send == 0 && kind->closed_form != NULL &&
                                 kind->closed_form(&study->request, &study->closed_form);
    }
    return diag->status;
}

enum orr_status orr_schedule_study_run(struct orr_schedule_study *study, struct orr_diag *diag)
{
    study->request.times = &study->times;
    study->arena = orr_arena_create();
    study->name = orr_heap_strdup(study->table != NULL ? study->table : study->kind);
    if (study->arena == NULL || study->name == NULL) {
        return orr_diag_no_memory(diag, "a schedule");
    }
    if (check_times(&study->times, diag) != ORR_OK || make(study, diag) != ORR_OK) {
        return diag->status;
    }
    return orr_schedule_run(&study->schedule, &study->times, study->arena, &study->run, diag);
}

void orr_schedule_study_fini(struct orr_schedule_study *study)
{
    orr_arena_destroy(study->arena);
    orr_heap_free(study->name);
    study->arena = NULL;
    study->name = NULL;
}
