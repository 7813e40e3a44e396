/* The results of a rank's profile, as a table; see profile_study.h. */
#include <jansson.h>

#include "report/results/result.h"
#include "study/profile/profile_study.h"

static struct orr_value step(const void *of)
{
    const struct orr_profile_rank *rank = of;
    return rank->step >= 0 ? orr_integer_value(rank->step)
                           : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value overlapped(const void *of)
{
    const struct orr_gpu_view *view = &((const struct orr_profile_rank *)of)->view;
    return orr_integer_value(view->communication_ps - view->exposed_communication_ps);
}

static json_t *idle_by_cause(const void *of)
{
    const struct orr_gpu_view *view = &((const struct orr_profile_rank *)of)->view;
    json_t *causes = json_object();
    for (unsigned cause = 0; cause < ORR_GPU_IDLES; cause++) {
        (void)json_object_set_new(causes, orr_gpu_idle_name((enum orr_gpu_idle)cause),
                                  json_integer(view->idle_by_ps[cause]));
    }
    return causes;
}

#define OF(member) .offset = offsetof(struct orr_profile_rank, member)
#define TIME(member) .type = ORR_RESULT_I64, .unit = ORR_UNIT_PS, OF(member), .width = 14
#define CAUSE(cause)                                                                               \
    .type = ORR_RESULT_I64, .unit = ORR_UNIT_PS, OF(view.idle_by_ps[cause]), .width = 14,          \
    .in_forms = ORR_IN_CSV | ORR_IN_TABLE
#define COUNT(member) .type = ORR_RESULT_U32, .unit = ORR_UNIT_COUNT, OF(member)

static const struct orr_result of_rank[] = {
    {.name = "rank",
     .label = "rank",
     .type = ORR_RESULT_U32,
     .unit = ORR_UNIT_COUNT,
     OF(rank),
     .width = -5,
     .meaning = "of the job: what the profile says (distributedInfo), else the file's name, else "
                "its place in the list"},
    {.name = "file",
     .type = ORR_RESULT_TEXT,
     OF(file),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "the profile"},
    {.name = "step",
     .type = ORR_RESULT_I64,
     .unit = ORR_UNIT_COUNT,
     .value = step,
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "the number of the step that is told; absent: all of the profile"},
    {.name = "span_ps",
     .label = "span",
     TIME(view.span_ps),
     .meaning = "from the first begin to the last end of the GPU's work"},
    {.name = "compute_ps",
     .label = "compute",
     TIME(view.compute_ps),
     .meaning = "a kernel that does not communicate runs; kernels that overlap count once"},
    {.name = "communication_ps",
     .label = "communication",
     TIME(view.communication_ps),
     .meaning = "a kernel of NCCL, RCCL or another library of communication runs, waiting for "
                "other ranks included"},
    {.name = "exposed_communication_ps",
     .label = "exposed",
     TIME(view.exposed_communication_ps),
     .meaning = "of it, the time in which no compute kernel and no copy runs"},
    {.name = "overlapped_communication_ps",
     ORR_PS_OF(overlapped),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "the rest of it"},
    {.name = "memory_copy_ps",
     .label = "copies",
     TIME(view.memory_copy_ps),
     .meaning = "a copy or a fill of memory runs"},
    {.name = "idle_ps",
     .label = "idle",
     TIME(view.idle_ps),
     .meaning = "nothing runs on the GPU; the sum of its causes"},
    {.name = "idle",
     .type = ORR_RESULT_LIST,
     .list = idle_by_cause,
     .in_forms = ORR_IN_JSON,
     .meaning = "an object of times in ps by cause: `launch` (the next work was launched only when "
                "the last one had ended), `stream` (it waited for work of another stream), `peer` "
                "(the host communicated: Gloo, MPI), `end_of_step` (between two steps), `other` "
                "(from one kernel of a stream to the next; launch not recorded)"},
    {.name = "idle_launch_ps",
     .label = "launch",
     CAUSE(ORR_GPU_IDLE_LAUNCH),
     .meaning = "idle.launch"},
    {.name = "idle_stream_ps",
     .label = "stream",
     CAUSE(ORR_GPU_IDLE_STREAM),
     .meaning = "idle.stream"},
    {.name = "idle_peer_ps", .label = "peer", CAUSE(ORR_GPU_IDLE_PEER), .meaning = "idle.peer"},
    {.name = "idle_end_of_step_ps",
     .label = "end of step",
     CAUSE(ORR_GPU_IDLE_STEP_END),
     .meaning = "idle.end_of_step"},
    {.name = "idle_other_ps", .label = "other", CAUSE(ORR_GPU_IDLE_OTHER), .meaning = "idle.other"},
    {.name = "steps",
     COUNT(steps),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "rows ProfilerStep#N of the profile"},
    {.name = "kernels",
     COUNT(kernels),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "of the step"},
    {.name = "communication_kernels",
     COUNT(communication_kernels),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "those that communicate"},
    {.name = "copies",
     COUNT(copies),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "copies and fills of memory"},
    {.name = "without_launch",
     COUNT(without_launch),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "kernels and copies whose launch is not in the profile"}};

const struct orr_result_table orr_profile_rank_results = {
    .title = "A rank's profile, from the GPU's view",
    .place = "ranks",
    .meaning = "An entry of `ranks` of `orrery trace info --json` of profiles, a line of its table "
               "and of `--csv`.",
    ORR_RESULT_TABLE(of_rank),
    .forms = ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};
