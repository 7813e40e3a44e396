/* The results of a comparison, as tables. */
#include "study/diff_results.h"

static struct orr_value section(const void *of)
{
    return orr_text_value(orr_diff_section_name(((const struct orr_diff_row *)of)->section));
}

static struct orr_value change(const void *of)
{
    const struct orr_diff_row *row = of;
    return orr_integer_value(row->b - row->a);
}

static struct orr_value unit(const void *of)
{
    return orr_text_value(orr_unit_name(((const struct orr_diff_row *)of)->unit));
}

#define I64(member) .type = ORR_RESULT_I64, .offset = offsetof(struct orr_diff, member)

static const struct orr_result of_runs[] = {
    {.name = "wall_ps_a", I64(wall_ps[0]), .unit = ORR_UNIT_PS, .meaning = "the job's time in A"},
    {.name = "wall_ps_b", I64(wall_ps[1]), .unit = ORR_UNIT_PS, .meaning = "the job's time in B"},
    {.name = "npus_a",
     I64(npus[0]),
     .unit = ORR_UNIT_COUNT,
     .in_forms = ORR_BY_NAME,
     .meaning = "NPUs of the platform in A"},
    {.name = "npus_b",
     I64(npus[1]),
     .unit = ORR_UNIT_COUNT,
     .in_forms = ORR_BY_NAME,
     .meaning = "NPUs of the platform in B"}};

const struct orr_result_table orr_diff_run_results = {
    .title = "A comparison",
    .place = "diff",
    .meaning = "The object of `orrery diff --json`; in addition it has `settings` and `changes`.",
    ORR_RESULT_TABLE(of_runs),
    .forms = ORR_IN_JSON};

#define AT(member) .offset = offsetof(struct orr_diff_row, member)

static const struct orr_result of_row[] = {
    {.name = "section",
     .type = ORR_RESULT_TEXT,
     .value = section,
     .meaning = "time of the last NPU, critical path, dimensions, collectives or operators"},
    {.name = "what", ORR_TEXT_AT(what), .meaning = "what differs"},
    {.name = "a", .type = ORR_RESULT_I64, AT(a), .meaning = "in A; 0 if it is missing"},
    {.name = "b", .type = ORR_RESULT_I64, AT(b), .meaning = "in B"},
    {.name = "change",
     .type = ORR_RESULT_I64,
     .value = change,
     .in_forms = ORR_IN_CSV,
     .meaning = "b - a"},
    {.name = "unit",
     .type = ORR_RESULT_TEXT,
     .value = unit,
     .in_forms = ORR_BY_NAME,
     .meaning = "of a and b: ps, bytes, bytes/s, count"}};

const struct orr_result_table orr_diff_results = {
    .title = "A difference",
    .place = "differences",
    .meaning = "An entry of `changes` of `orrery diff --json`, a line of its CSV: a quantity that "
               "differs.",
    ORR_RESULT_TABLE(of_row),
    .forms = ORR_IN_JSON | ORR_IN_CSV};
#undef AT

#define TEXT(member) .type = ORR_RESULT_TEXT, .offset = offsetof(struct orr_diff_setting, member)

static const struct orr_result of_setting[] = {
    {.name = "key", TEXT(key), .meaning = "a key of the configuration whose value differs"},
    {.name = "a", TEXT(a), .meaning = "its value in A; null where it has none"},
    {.name = "b", TEXT(b), .meaning = "its value in B; null where it has none"}};

const struct orr_result_table orr_diff_setting_results = {
    .title = "A setting that differs",
    .place = "settings",
    .meaning = "An entry of `settings` of `orrery diff --json`.",
    ORR_RESULT_TABLE(of_setting),
    .forms = ORR_IN_JSON};
