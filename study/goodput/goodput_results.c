/* The results of a goodput study, as tables; see goodput_study.h. */
#include "report/results/result.h"
#include "study/goodput/goodput_study.h"

enum { DAY_S = 86400 };

static const struct orr_goodput_study *study_of(const void *row)
{
    return row;
}

static struct orr_value failures(const void *row)
{
    return orr_real_value(study_of(row)->closed.failures * study_of(row)->given.seconds);
}

static struct orr_value simulated_failures(const void *row)
{
    return orr_real_value(study_of(row)->simulated.failures * study_of(row)->given.seconds);
}

static struct orr_value days(const void *row)
{
    return orr_real_value(study_of(row)->given.seconds / DAY_S);
}

static struct orr_value goodput(const void *row)
{
    const struct orr_goodput_shares *closed = &study_of(row)->closed;
    return orr_real_value(closed->part[ORR_GOODPUT_USEFUL] * closed->speed);
}

static struct orr_value simulated_goodput(const void *row)
{
    const struct orr_goodput_shares *simulated = &study_of(row)->simulated;
    return orr_real_value(simulated->part[ORR_GOODPUT_USEFUL] * simulated->speed);
}

static struct orr_value training_days(const void *row)
{
    return orr_real_value(study_of(row)->training_s / DAY_S);
}

#define OF(member) .offset = offsetof(struct orr_goodput_study, member)
#define COUNT(member) .type = ORR_RESULT_U32, .unit = ORR_UNIT_COUNT, OF(member)
#define SECONDS(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_S, OF(member)
#define SHARE(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_SHARE, OF(member)
#define PER_S(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_PER_S, OF(member)
#define MADE(function, of_unit) .type = ORR_RESULT_REAL, .unit = (of_unit), .value = (function)

static const struct orr_result of_goodput[] = {
    {.name = "gpus", COUNT(given.gpus), .meaning = "GPUs of the job"},
    {.name = "nodes", COUNT(model.nodes), .meaning = "nodes that they are in"},
    {.name = "spares", COUNT(model.spares), .meaning = "further nodes"},
    {.name = "mtbf_s",
     SECONDS(mtbf_s),
     .meaning = "mean time between failures of the job, of all kinds together"},
    {.name = "interval_s", SECONDS(model.work_s), .meaning = "of work between two checkpoints"},
    {.name = "young_s", SECONDS(young_s), .meaning = "the best interval by Young's formula"},
    {.name = "daly_s", SECONDS(daly_s), .meaning = "the best interval by Daly's formula"},
    {.name = "ettr",
     SHARE(closed.part[ORR_GOODPUT_USEFUL]),
     .meaning = "effective training time ratio: useful time over all time, by closed form"},
    {.name = "first_order_ettr",
     SHARE(first_order),
     .meaning = "the same to first order, without the wait for nodes"},
    {.name = "simulated_ettr",
     SHARE(simulated.part[ORR_GOODPUT_USEFUL]),
     .meaning = "the same of the simulations, their mean"},
    {.name = "simulated_ettr_low", SHARE(low), .meaning = "one simulation in twenty has no more"},
    {.name = "simulated_ettr_high", SHARE(high), .meaning = "one simulation in twenty has no less"},
    {.name = "speed",
     SHARE(closed.speed),
     .meaning = "of useful work, beside that of a job without slow nodes"},
    {.name = "goodput", MADE(goodput, ORR_UNIT_SHARE), .meaning = "`ettr` x `speed`"},
    {.name = "simulated_goodput",
     MADE(simulated_goodput, ORR_UNIT_SHARE),
     .meaning = "the same of the simulations"},
    {.name = "days", MADE(days, ORR_UNIT_NONE), .meaning = "that are simulated"},
    {.name = "runs", COUNT(runs), .meaning = "simulations"},
    {.name = "failures",
     MADE(failures, ORR_UNIT_COUNT),
     .meaning = "in these days, expected: those that throw the job back"},
    {.name = "simulated_failures",
     MADE(simulated_failures, ORR_UNIT_COUNT),
     .meaning = "the same of the simulations"},
    {.name = "tokens_per_s",
     PER_S(tokens_per_s),
     .optional = true,
     .meaning = "of a step; left out where it is not given"},
    {.name = "effective_tokens_per_s",
     PER_S(effective_tokens_per_s),
     .optional = true,
     .meaning = "`tokens_per_s` x `goodput`; likewise"},
    {.name = "training_days",
     MADE(training_days, ORR_UNIT_NONE),
     .optional = true,
     .meaning = "until all tokens of the training are done; likewise"},
    {.name = "dollars",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_NONE,
     OF(dollars),
     .optional = true,
     .meaning = "of the GPUs, those of spare nodes too, in `training_days`, else in `days`; left "
                "out where the price is not given"},
    {.name = "parts",
     .type = ORR_RESULT_LIST,
     .in_forms = ORR_BY_NAME,
     .rows = &orr_goodput_part_results,
     .meaning = "what time is spent on"},
    {.name = "intervals",
     .type = ORR_RESULT_LIST,
     .in_forms = ORR_BY_NAME,
     .rows = &orr_goodput_interval_results,
     .meaning = "other intervals"}};

const struct orr_result_table orr_goodput_results = {
    .title = "Goodput",
    .place = "goodput",
    .meaning = "The object of `orrery plan goodput --json`, the line of its CSV.",
    ORR_RESULT_TABLE(of_goodput),
    .forms = ORR_IN_JSON | ORR_IN_CSV};
#undef OF

#define OF(member) .offset = offsetof(struct orr_goodput_part_row, member)

static const struct orr_result of_part[] = {
    {.name = "part",
     .label = "time",
     .type = ORR_RESULT_TEXT,
     OF(part),
     .width = -18,
     .meaning = "what time is spent on; all parts together are all of it"},
    {.name = "share",
     .label = "share",
     SHARE(share),
     .width = 9,
     .meaning = "of all time, by closed form"},
    {.name = "simulated",
     .label = "simulated",
     SHARE(simulated),
     .width = 10,
     .meaning = "the mean of the simulations"},
    {.name = "span_s", SECONDS(span_s), .meaning = "of the simulated days, by closed form"}};

const struct orr_result_table orr_goodput_part_results = {
    .title = "A part of a job's time",
    .place = "parts",
    .meaning = "An entry of `parts` of `orrery plan goodput --json`, a line of its first table.",
    ORR_RESULT_TABLE(of_part),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};
#undef OF

#define OF(member) .offset = offsetof(struct orr_goodput_interval_row, member)

static const struct orr_result of_interval[] = {
    {.name = "interval_s", SECONDS(interval_s), .meaning = "of work between two checkpoints"},
    {.name = "ettr", .label = "ETTR", SHARE(ettr), .width = 9, .meaning = "by closed form"},
    {.name = "first_order_ettr", SHARE(first_order), .meaning = "to first order"}};

const struct orr_result_table orr_goodput_interval_results = {
    .title = "An interval between checkpoints",
    .place = "intervals",
    .meaning =
        "An entry of `intervals` of `orrery plan goodput --json`: from an eighth to eight times "
        "the interval.",
    ORR_RESULT_TABLE(of_interval),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};
