/* The results of a change of a job, as a table. */
#include "study/whatif_results.h"

#include "report/results/result.h"

struct orr_whatif_row orr_whatif_row(const struct orr_whatif *whatif,
                                     const struct orr_whatif_change *change)
{
    const int64_t base = whatif->change[0].wall_ps, saved = base - change->wall_ps;
    return (struct orr_whatif_row){
        .name = change->name,
        .bound = change->bound,
        .wall_ps = change->wall_ps,
        .saved_ps = saved,
        .communication_ps = change->communication_ps,
        .waiting_ps = change->waiting_ps,
        .saved_percent = base > 0 ? 100.0 * (double)saved / (double)base : 0.0,
        .speedup = change->wall_ps > 0 ? (double)base / (double)change->wall_ps : 0};
}

#define AT(member) .offset = offsetof(struct orr_whatif_row, member)
#define BOUND .name = "bound", .type = ORR_RESULT_BOOL, AT(bound)

static const struct orr_result of_change[] = {
    {.name = "what",
     .label = "what if",
     ORR_TEXT_AT(name),
     .width = -44,
     .meaning = "the change; in tables also *upper bounds*"},
    {.name = "wall_ps",
     .label = "job time",
     ORR_PS_AT(wall_ps),
     .width = 14,
     .meaning = "with the change"},
    {.name = "saved_ps",
     .label = "saved",
     ORR_PS_AT(saved_ps),
     .width = 14,
     .meaning = "the baseline's time minus that"},
    {.name = "saved_percent",
     .label = "",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_PERCENT,
     AT(saved_percent),
     .width = 10,
     .in_forms = ORR_IN_TABLE,
     .meaning = "the same as a share"},
    {.name = "speedup",
     .label = "speed-up",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_TIMES,
     AT(speedup),
     .width = 10,
     .optional = true,
     .in_forms = ORR_IN_TABLE,
     .meaning = "the baseline's time over that with the change"},
    {BOUND, .in_forms = ORR_IN_CSV, .meaning = "an upper bound, which cannot be built"},
    {.name = "exposed_communication_ps",
     .label = "communication",
     ORR_PS_AT(communication_ps),
     .width = 14,
     .meaning = "the mean over the NPUs"},
    {.name = "waiting_ps",
     .label = "waiting",
     ORR_PS_AT(waiting_ps),
     .width = 14,
     .needs_waiting_split = true,
     .meaning = "the mean over the NPUs"},
    {BOUND, .in_forms = ORR_IN_JSON}};

const struct orr_result_table orr_whatif_results = {
    .title = "A change of a job",
    .place = "changes",
    .meaning =
        "A row of the tables of `orrery whatif`, an entry of `changes` of its JSON, a line "
        "of its CSV, which\nbegins with the baseline. In addition to `changes` JSON has of the "
        "baseline `wall_ps`, `npus`,\n`exposed_communication_ps` and `waiting_ps`.",
    ORR_RESULT_TABLE(of_change),
    .forms = ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};
