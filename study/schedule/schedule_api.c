/* Pipeline schedules for programs; see include/orrery/schedule.h. */
#include "orrery/schedule.h"

#include "core/arena.h"
#include "core/diag.h"
#include "report/results/result_rows.h"
#include "study/schedule/schedule_study.h"
#include "study/study_call.h"
#include "study/study_ops.h"
#include "workload/schedule/schedule_kinds.h"

_Static_assert(sizeof(struct orr_schedule_study) <= ORR_STUDY_ROW_BYTES, "a row fits");

static size_t one(const void *of)
{
    (void)of;
    return 1;
}

static void get_schedule(const void *of, size_t index, void *row)
{
    (void)index;
    *(struct orr_schedule_study *)row = *(const struct orr_schedule_study *)of;
}

static size_t count_devices(const void *of)
{
    return ((const struct orr_schedule_study *)of)->schedule.stages;
}

static void get_device(const void *of, size_t index, void *row)
{
    orr_schedule_device_row(of, index, row);
}

static size_t count_slots(const void *of)
{
    const struct orr_schedule *schedule = &((const struct orr_schedule_study *)of)->schedule;
    return schedule->begin[schedule->stages];
}

static void get_slot(const void *of, size_t index, void *row)
{
    orr_schedule_slot_row(of, index, row);
}

static void destroy(void *of)
{
    orr_schedule_study_fini(of);
    orr_heap_free(of);
}

static const struct orr_result_rows rows[] = {
    {&orr_schedule_results, one, get_schedule, NULL},
    {&orr_schedule_device_results, count_devices, get_device, NULL},
    {&orr_schedule_slot_results, count_slots, get_slot, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct orr_result_table *const tables[] = {
    &orr_schedule_results, &orr_schedule_device_results, &orr_schedule_slot_results, NULL};
static const struct orr_result_sources result_sources = {rows, "a schedule"};
static const struct orr_study_kind kind = {
    .result_sources = &result_sources,
    .write = {orr_schedule_text, orr_schedule_json, orr_schedule_csv},
    .destroy = destroy};

const struct orr_study_ops orr_study_schedule = {
    .name = "pipeline-schedules",
    .summary = "time and memory of a pipeline schedule",
    .tables = tables,
    .kind = &kind,
};

static struct orr_pass_times times_of(const struct orrery_pass_times *given)
{
    const bool given_none =
        given->forward == 0 && given->backward_inputs == 0 && given->backward_weights == 0;
    struct orr_pass_times times = {given->forward, given->backward_inputs, given->backward_weights,
                                   given->send, given->both};
    if (given_none) {
        times.forward = times.backward_inputs = times.backward_weights = 1;
    }
    if (given->both == 0) {
        times.both = times.forward + times.backward_inputs + times.backward_weights;
    }
    return times;
}

static enum orr_status check(const struct orrery_schedule *given, struct orr_diag *diag)
{
    if (orr_study_check_one((given->kind != NULL ? 1u : 0u) + (given->table != NULL ? 1u : 0u),
                            "kind and table", diag) != ORR_OK) {
        return diag->status;
    }
    return given->table == NULL || (given->stages == 0 && given->micro_batches == 0 &&
                                    given->chunks == 0 && given->group == 0 && given->memory == 0)
               ? ORR_OK
               : orr_diag_fail(
                     diag, ORR_ERR_INPUT, NULL,
                     "a table says itself how many stages, micro-batches and chunks there "
                     "are");
}

enum orrery_status orrery_schedule(struct orrery_study *study, const struct orrery_schedule *given)
{
    struct orr_schedule_study *of = NULL;
    struct orr_diag diag;
    if (orr_study_begin(study, "orrery_schedule", given, sizeof *given, &diag) == ORR_OK &&
        check(given, &diag) == ORR_OK) {
        of = orr_heap_calloc(1, sizeof *of);
        if (of == NULL) {
            (void)orr_diag_no_memory(&diag, "a schedule");
        }
    }
    if (of != NULL) {
        of->kind = given->kind;
        of->table = given->table;
        of->request = (struct orr_schedule_request){.stages = given->stages,
                                                    .micros = given->micro_batches,
                                                    .chunks = given->chunks,
                                                    .group = given->group,
                                                    .memory = given->memory};
        of->times = times_of(&given->times);
        (void)orr_schedule_study_run(of, &diag);
    }
    return orr_study_end(study, &kind, of, &diag);
}

enum orrery_status orrery_schedule_draw(struct orrery_study *study, FILE *out)
{
    const struct orr_study_form form = {orr_schedule_svg, NULL};
    return orr_study_write_form(study, &kind, &form, out);
}

const char *orrery_schedule_name(size_t index, const char **summary)
{
    const struct orr_schedule_kind *of = orr_schedule_kind_at(index);
    if (summary != NULL) {
        *summary = of != NULL ? of->summary : NULL;
    }
    return of != NULL ? of->name : NULL;
}
