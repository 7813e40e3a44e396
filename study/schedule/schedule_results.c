/* The results of a pipeline schedule, as tables; see schedule_study.h. */
#include <jansson.h>

#include "report/json_text.h"
#include "report/results/result.h"
#include "study/schedule/schedule_study.h"

/* ---- the schedule ---- */

static struct orr_value closed_form(const void *of)
{
    const struct orr_schedule_study *study = of;
    return study->has_closed_form ? orr_real_value(study->closed_form) : (struct orr_value){0};
}

static json_t *peaks(const void *of)
{
    const struct orr_schedule_study *study = of;
    json_t *list = json_array();
    for (uint32_t i = 0; i < study->schedule.stages; i++) {
        (void)json_array_append_new(list, json_real(study->run.peak[i]));
    }
    return list;
}

static json_t *orders(const void *of)
{
    const struct orr_schedule *schedule = &((const struct orr_schedule_study *)of)->schedule;
    json_t *list = json_array();
    for (uint32_t i = 0; i < schedule->stages; i++) {
        json_t *device = json_array();
        for (size_t at = schedule->begin[i]; at < schedule->begin[i + 1]; at++) {
            char text[64];
            (void)json_array_append_new(
                device, json_string(orr_schedule_slot_text(schedule, &schedule->slot[at], text,
                                                           sizeof text)));
        }
        (void)json_array_append_new(list, device);
    }
    return list;
}

#define OF(member) .offset = offsetof(struct orr_schedule_study, member)

static const struct orr_result of_schedule[] = {
    {.name = "schedule",
     .type = ORR_RESULT_TEXT,
     OF(name),
     .meaning = "the schedule's name, or the file of its table"},
    {.name = "stages",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     OF(schedule.stages),
     .meaning = "devices"},
    {.name = "micro_batches",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     OF(schedule.micros),
     .meaning = "of a step; those of both copies of the model"},
    {.name = "chunks",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     OF(schedule.chunks),
     .meaning = "parts of the model that a device has"},
    {.name = "total",
     .type = ORR_RESULT_REAL,
     OF(run.total),
     .meaning = "from the first begin to the last end on any device, in the unit of the times"},
    {.name = "bubble",
     .type = ORR_RESULT_REAL,
     OF(run.bubble),
     .meaning = "the most that a device is idle between its own first and last pass"},
    {.name = "closed_form",
     .type = ORR_RESULT_REAL,
     .value = closed_form,
     .meaning = "the published formula of the bubble; null where there is none"},
    {.name = "peak",
     .type = ORR_RESULT_LIST,
     .list = peaks,
     .meaning = "by device: the most activations kept, in those of a micro-batch and a stage"},
    {.name = "order",
     .type = ORR_RESULT_LIST,
     .list = orders,
     .meaning =
         "by device: its passes, `F3` or `F3.1`: micro-batch 3, the device's part 1; F forward, "
         "B backward of inputs, W of weights, X both as one, & at once"}};

const struct orr_result_table orr_schedule_results = {.title = "A pipeline schedule",
                                                      .place = "schedule",
                                                      .meaning =
                                                          "The object of `orrery schedule --json`.",
                                                      ORR_RESULT_TABLE(of_schedule),
                                                      .forms = ORR_IN_JSON};
#undef OF

/* ---- devices ---- */

void orr_schedule_device_row(const struct orr_schedule_study *study, size_t index,
                             struct orr_schedule_device_row *row)
{
    const struct orr_schedule_run *run = &study->run;
    *row = (struct orr_schedule_device_row){.device = (uint32_t)index,
                                            .peak = run->peak[index],
                                            .busy = run->busy[index],
                                            .idle = run->end[index] - run->begin[index] -
                                                    run->busy[index],
                                            .begin = run->begin[index],
                                            .end = run->end[index]};
}

#define OF(member) .offset = offsetof(struct orr_schedule_device_row, member)
#define NUMBER(member) .type = ORR_RESULT_REAL, OF(member), .width = 12, .digits = 6

static const struct orr_result of_device[] = {
    {.name = "device",
     .label = "device",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     OF(device),
     .width = -8,
     .meaning = "from 0"},
    {.name = "begin", .label = "begin", NUMBER(begin), .meaning = "of its first pass"},
    {.name = "end", .label = "end", NUMBER(end), .meaning = "of its last pass"},
    {.name = "busy", .label = "busy", NUMBER(busy), .meaning = "the sum of its passes"},
    {.name = "idle", .label = "idle", NUMBER(idle), .meaning = "between its first and last pass"},
    {.name = "peak",
     .label = "activations",
     NUMBER(peak),
     .meaning = "the most kept at once, in those of a micro-batch and a stage"}};

const struct orr_result_table orr_schedule_device_results = {
    .title = "A device of a schedule",
    .place = "devices",
    .meaning = "An entry of `devices` of `orrery schedule --json`, a line of its table.",
    ORR_RESULT_TABLE(of_device),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};
#undef OF

/* ---- slots ---- */

void orr_schedule_slot_row(const struct orr_schedule_study *study, size_t index,
                           struct orr_schedule_slot_row *row)
{
    const struct orr_schedule *schedule = &study->schedule;
    *row = (struct orr_schedule_slot_row){.begin = study->run.slot[index].begin,
                                          .end = study->run.slot[index].end};
    while (index >= schedule->begin[row->device + 1]) {
        row->device++;
    }
    (void)orr_schedule_slot_text(schedule, &schedule->slot[index], row->pass, sizeof row->pass);
}

static struct orr_value pass_text(const void *of)
{
    return orr_text_value(((const struct orr_schedule_slot_row *)of)->pass);
}

#define OF(member) .offset = offsetof(struct orr_schedule_slot_row, member)

static const struct orr_result of_slot[] = {
    {.name = "device",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     OF(device),
     .in_forms = ORR_BY_NAME,
     .meaning = "from 0"},
    {.name = "pass", ORR_TEXT_OF(pass_text), .in_forms = ORR_BY_NAME, .meaning = "as in `order`"},
    {.name = "begin",
     .type = ORR_RESULT_REAL,
     OF(begin),
     .in_forms = ORR_BY_NAME,
     .meaning = "in the unit of the times"},
    {.name = "end",
     .type = ORR_RESULT_REAL,
     OF(end),
     .in_forms = ORR_BY_NAME,
     .meaning = "in the unit of the times"}};

const struct orr_result_table orr_schedule_slot_results = {
    .title = "A slot of a schedule",
    .place = "slots",
    .meaning = "A pass of a device, device by device in their order.",
    ORR_RESULT_TABLE(of_slot),
    .forms = ORR_IN_JSON};
