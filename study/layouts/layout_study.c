/* Simulations of the best layouts; see layout_study.h. */
#include "study/layouts/layout_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/time.h"
#include "orrery/orrery.h"
#include "orrery/uncertainty.h"
#include "study/job_source.h"

enum { DEFAULT_BEST = 20, SETS = ORR_LAYOUT_KEYS + 1 };

static const char runs_all_the_same[] = "memory.ignore_capacity=true";

/* ---- simulating ---- */

enum orrery_status orr_layout_load(const struct orr_layout_study *study,
                                   const struct orr_best_layout *layout, struct orrery *job)
{
    char key[ORR_LAYOUT_KEYS][ORR_LAYOUT_KEY_BYTES];
    const char *set[SETS];
    const unsigned keys = orr_layout_keys(&study->kept[layout->kept].of, key);
    for (unsigned i = 0; i < keys; i++) {
        set[i] = key[i];
    }
    set[keys] = runs_all_the_same;
    return orr_layout_case_load_with(&study->cases[layout->number], set, keys + 1, job);
}

static void simulate(void *context, unsigned index)
{
    struct orr_layout_study *study = context;
    const struct orr_kept_layout *kept = &study->kept[index];
    struct orr_best_layout *layout = &study->best[index];
    struct orrery *job = orrery_new();
    layout->kept = index;
    orr_layout_row(study, kept, kept->of.estimate.step_s, true, layout);
    layout->status = job != NULL ? orr_layout_load(study, layout, job) : ORRERY_ERROR_MEMORY;
    layout->status = layout->status == ORRERY_OK ? orrery_run(job) : layout->status;
    if (layout->status == ORRERY_OK) {
        layout->simulated_ps = orrery_wall_ps(job);
        layout->error = (double)layout->estimated_ps / (double)layout->simulated_ps - 1;
        orr_layout_row(study, kept, (double)layout->simulated_ps / (double)ORR_PS_PER_S, false,
                       layout);
    } else {
        (void)snprintf(layout->why, sizeof layout->why, "%s", orr_job_error(job));
    }
    orrery_free(job);
}

/* ---- what the simulations say ---- */

static void check_limits(const struct orr_layout_study *study, struct orr_best_layout *layout)
{
    double excess;
    layout->within = true;
    for (unsigned i = 0; i < study->goals.wheres; i++) {
        layout->within =
            layout->within && orr_layout_meets(&study->goals.where[i], layout, &excess);
    }
}

static void value_axes(const struct orr_layout_study *study, uint32_t layout,
                       double axis[ORR_LAYOUT_MAX_FRONT])
{
    for (unsigned i = 0; i < study->goals.fronts; i++) {
        axis[i] = orr_layout_goal_value(&study->goals.front[i], &study->best[layout]);
    }
}

/* On the front are those that no other covers; of equal ones the first. */
static enum orr_status mark_front(struct orr_layout_study *study, struct orr_diag *diag)
{
    const unsigned axes = study->goals.fronts;
    double(*axis)[ORR_LAYOUT_MAX_FRONT] =
        axes > 0 ? orr_arena_array(study->arena, study->count, sizeof *axis) : NULL;
    if (axis == NULL) {
        return axes > 0 ? orr_diag_no_memory(diag, "the front") : ORR_OK;
    }
    for (uint32_t i = 0; i < study->count; i++) {
        value_axes(study, i, axis[i]);
    }
    for (uint32_t i = 0; i < study->count; i++) {
        bool on = study->best[i].within;
        for (uint32_t k = 0; k < study->count && on; k++) {
            on = k == i || !study->best[k].within || !orr_front_covers(axis[k], axis[i], axes) ||
                 (k > i && orr_front_covers(axis[i], axis[k], axes));
        }
        study->best[i].on_front = on;
    }
    return ORR_OK;
}

/* Those within the limits first, by rank. */
static int compare_layouts(const void *a, const void *b)
{
    const struct orr_best_layout *x = a, *y = b;
    return x->within != y->within               ? (x->within ? -1 : 1)
           : x->rank != y->rank                 ? (x->rank < y->rank ? -1 : 1)
           : x->memory_bytes != y->memory_bytes ? (x->memory_bytes < y->memory_bytes ? -1 : 1)
           : x->number != y->number             ? (x->number < y->number ? -1 : 1)
                                                : strcmp(x->layout, y->layout);
}

static enum orr_status simulate_best(struct orr_layout_study *study, struct orr_diag *diag)
{
    study->best = orr_heap_calloc(study->count, sizeof *study->best);
    if (study->best == NULL) {
        return orr_diag_no_memory(diag, "the best layouts");
    }
    orrery_parallel(study->given.threads, study->count, simulate, study);
    for (uint32_t i = 0; i < study->count; i++) {
        if (study->best[i].status != ORRERY_OK) {
            return orr_diag_fail(diag, (enum orr_status)study->best[i].status, NULL,
                                 "the layout %s cannot be simulated: %s", study->best[i].layout,
                                 study->best[i].why);
        }
        check_limits(study, &study->best[i]);
    }
    qsort(study->best, study->count, sizeof *study->best, compare_layouts);
    return mark_front(study, diag);
}

/* How sure the time of the best is: it is run again, as only this needs its critical path. */
static void find_interval(struct orr_layout_study *study)
{
    struct orrery_uncertainty of;
    struct orrery *job = orrery_new();
    if (job == NULL) {
        return; /* the plan stands without it */
    }
    orrery_record(job, ORRERY_RECORD_UNCERTAINTY);
    if (orr_layout_load(study, &study->best[0], job) == ORRERY_OK && orrery_run(job) == ORRERY_OK &&
        orrery_uncertainty(job, &of) == ORRERY_OK) {
        study->low_ps = of.low_ps;
        study->high_ps = of.high_ps;
    }
    orrery_free(job);
}

/* ---- the study ---- */

enum orr_status orr_layout_study_run(struct orr_layout_study *study, struct orr_diag *diag)
{
    struct orrery_layout_search *given = &study->given;
    given->best = given->best != 0 ? given->best : DEFAULT_BEST;
    given->best = given->best < ORRERY_MAX_BEST_LAYOUTS ? given->best : ORRERY_MAX_BEST_LAYOUTS;
    if (given->files == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "files is missing");
    }
    study->arena = orr_arena_create();
    if (study->arena == NULL) {
        return orr_diag_no_memory(diag, "a search for layouts");
    }
    enum orr_status status = orr_layout_goals_read(study->arena, given, &study->goals, diag);
    if (status == ORR_OK) {
        status =
            orr_layout_cases_read(study->arena, given, &study->cases, &study->case_count, diag);
    }
    status = status == ORR_OK ? orr_layout_search(study, diag) : status;
    status = status == ORR_OK ? simulate_best(study, diag) : status;
    if (status == ORR_OK) {
        find_interval(study);
    }
    return status;
}

void orr_layout_study_free(void *context)
{
    struct orr_layout_study *study = context;
    if (study != NULL) {
        orr_heap_free(study->best);
        orr_heap_free(study->kept);
        orr_arena_destroy(study->arena);
        orr_heap_free(study);
    }
}
