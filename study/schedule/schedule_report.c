/* A pipeline schedule as text, JSON and CSV; see schedule_study.h. */
#include <inttypes.h>
#include <jansson.h>

#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "study/schedule/schedule_study.h"
#include "workload/schedule/schedule_table.h"

enum { SHOWN_SLOTS = 4096 }; /* schedules with more are not written out in text */

static void print_orders(FILE *out, const struct orr_schedule *schedule)
{
    (void)fputs("\norder (F forward, B backward of inputs, W of weights, X whole backward, & at "
                "once)\n",
                out);
    for (uint32_t device = 0; device < schedule->stages; device++) {
        (void)fprintf(out, "%-3" PRIu32, device);
        for (size_t at = schedule->begin[device]; at < schedule->begin[device + 1]; at++) {
            char text[64];
            (void)fprintf(out, " %s",
                          orr_schedule_slot_text(schedule, &schedule->slot[at], text, sizeof text));
        }
        (void)fputc('\n', out);
    }
}

int orr_schedule_text(FILE *out, const void *context)
{
    const struct orr_schedule_study *study = context;
    const struct orr_schedule *schedule = &study->schedule;
    orr_print(out, "%s, %" PRIu32 " stages, %" PRIu32 " micro-batches", study->name,
              schedule->stages, schedule->micros);
    if (schedule->chunks > 1) {
        (void)fprintf(out, ", %" PRIu32 " parts of the model on each", schedule->chunks);
    }
    (void)fprintf(out, "\ntotal %g, bubble %g", study->run.total, study->run.bubble);
    if (study->has_closed_form) {
        (void)fprintf(out, " (published formula: %g)", study->closed_form);
    }
    (void)fputs("\n\n", out);
    orr_result_heads(out, &orr_schedule_device_results, (struct orr_row_style){0});
    (void)fputc('\n', out);
    for (size_t i = 0; i < schedule->stages; i++) {
        struct orr_schedule_device_row row;
        orr_schedule_device_row(study, i, &row);
        orr_result_cells(out, &orr_schedule_device_results, &row, (struct orr_row_style){0});
        (void)fputc('\n', out);
    }
    if (schedule->begin[schedule->stages] <= SHOWN_SLOTS) {
        print_orders(out, schedule);
    } else {
        (void)fputs("\nthe order of the passes: --csv, --json or --svg\n", out);
    }
    return ferror(out) != 0 ? 1 : 0;
}

int orr_schedule_json(FILE *out, const void *context)
{
    const struct orr_schedule_study *study = context;
    json_t *root = json_object();
    orr_result_add_json(root, &orr_schedule_results, study);
    if (!study->has_closed_form) {
        (void)json_object_set_new(root, "closed_form", json_null());
    }
    json_t *devices = json_array();
    for (size_t i = 0; i < study->schedule.stages; i++) {
        struct orr_schedule_device_row row;
        orr_schedule_device_row(study, i, &row);
        orr_result_append_json(devices, &orr_schedule_device_results, &row);
    }
    (void)json_object_set_new(root, "devices", devices);
    return orr_json_write_and_free(root, out);
}

int orr_schedule_csv(FILE *out, const void *context)
{
    orr_schedule_table_write(out, &((const struct orr_schedule_study *)context)->schedule);
    return ferror(out) != 0 ? 1 : 0;
}
