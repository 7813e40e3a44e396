/* The GPU's view of NPUs with work of the CPU. */
#include <jansson.h>

#include "report/results/results.h"

static bool times_of(const void *of, struct orrery_gpu_times *times)
{
    const struct orr_npu_row *row = of;
    *times = (struct orrery_gpu_times){ORRERY_SIZED(orrery_gpu_times)};
    return orrery_gpu_times(row->job, row->rank, times) == ORRERY_OK;
}

bool orr_has_gpu_times(const struct orrery *job)
{
    return times_of(&(struct orr_npu_row){.job = job}, &(struct orrery_gpu_times){0});
}

#define VALUE(scope, name, member)                                                                 \
    scope struct orr_value name(const void *of)                                                    \
    {                                                                                              \
        struct orrery_gpu_times times;                                                             \
        return times_of(of, &times) ? orr_integer_value(times.member)                              \
                                    : (struct orr_value){.kind = ORR_VALUE_NONE};                  \
    }
VALUE(static, span, span_ps)
VALUE(, orr_gpu_compute, compute_ps)
VALUE(, orr_gpu_communication, communication_ps)
VALUE(, orr_gpu_exposed, exposed_communication_ps)
VALUE(, orr_gpu_copies, memory_copy_ps)
VALUE(, orr_gpu_idle, idle_ps)
VALUE(static, launch, idle_launch_ps)
VALUE(static, end_of_step, idle_end_of_step_ps)

/* An object with an object of the causes in it. */
json_t *orr_json_gpu(const void *of)
{
    struct orrery_gpu_times times;
    if (!times_of(of, &times)) {
        return NULL;
    }
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I, s:I}}", "span_ps",
        (json_int_t)times.span_ps, "compute_ps", (json_int_t)times.compute_ps, "communication_ps",
        (json_int_t)times.communication_ps, "exposed_communication_ps",
        (json_int_t)times.exposed_communication_ps, "memory_copy_ps",
        (json_int_t)times.memory_copy_ps, "idle_ps", (json_int_t)times.idle_ps, "idle", "launch",
        (json_int_t)times.idle_launch_ps, "stream", (json_int_t)times.idle_stream_ps, "peer",
        (json_int_t)times.idle_peer_ps, "end_of_step", (json_int_t)times.idle_end_of_step_ps,
        "other", (json_int_t)times.idle_other_ps);
}

#define TIME(title, head, of)                                                                      \
    .name = (title), .label = (head), .type = ORR_RESULT_I64, .unit = ORR_UNIT_PS, .value = (of),  \
    .width = 14

static const struct orr_result of_gpu[] = {
    {.name = "ranks",
     .label = "the GPU's view",
     .type = ORR_RESULT_TEXT,
     .offset = offsetof(struct orr_npu_row, ranks),
     .width = -24,
     .in_forms = ORR_IN_TABLE,
     .meaning = "as in the table of NPUs"},
    {TIME("span_ps", "span", span), .meaning = "the job's time"},
    {TIME("compute_ps", "compute", orr_gpu_compute), .meaning = "the accelerator computes"},
    {TIME("communication_ps", "communication", orr_gpu_communication),
     .meaning = "messages and collectives that the NPU has begun are in flight, or a kernel that "
                "communicates runs; waiting for others included"},
    {TIME("exposed_communication_ps", "exposed", orr_gpu_exposed),
     .meaning = "of it: neither computation nor a copy runs beside it"},
    {TIME("memory_copy_ps", "copies", orr_gpu_copies),
     .meaning = "memory is read, written or copied"},
    {TIME("idle_ps", "idle", orr_gpu_idle), .meaning = "none of these"},
    {TIME("idle_launch_ps", "launch", launch),
     .meaning = "of it: until the host launches the next work"},
    {TIME("idle_end_of_step_ps", "end of step", end_of_step),
     .meaning = "of it: the NPU has no more work"}};

const struct orr_result_table orr_gpu_results = {
    .title = "An NPU from the view of its GPU",
    .place = "gpu",
    .meaning = "A row of the table `the GPU's view` of `orrery run`, of jobs with work of the CPU; "
               "in JSON\n`gpu` of an entry of `classes`, a row by name for each NPU.",
    ORR_RESULT_TABLE(of_gpu),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};
