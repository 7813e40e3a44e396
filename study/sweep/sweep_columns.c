/* The columns of a sweep, from the tables of results; see sweep_columns.h. */
#include "study/sweep/sweep_columns.h"

#include "core/diag.h"
#include "core/sum.h"

#include <math.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct orr_sweep_point, member)

static struct orr_value cost_of(const void *row)
{
    const struct orr_sweep_point *point = row;
    return isfinite(point->cost) ? orr_real_value(point->cost)
                                 : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static const struct orr_result of_sweep[] = {
    {.name = "point", .type = ORR_RESULT_U32, AT(point), .meaning = "its number, from 0"},
    {.name = "status", ORR_TEXT_AT(status), .meaning = "`ok`, `failed` or `failed to fit`"},
    {.name = "cost",
     .type = ORR_RESULT_REAL,
     .value = cost_of,
     .sweep = ORR_COLUMN_COST,
     .meaning = "what the expression `sweep.cost` gives; nothing (`null`) where it asks for "
                "dollars and a part of the network has no price"},
    {.name = "pareto",
     .type = ORR_RESULT_BOOL,
     AT(pareto),
     .missing_in_old_results = true,
     .meaning = "whether no other point of its group (`sweep.group_by`; without it of all) is both "
                "as fast and as cheap, of equal ones the first; once all points are done"},
    {.name = "error", ORR_TEXT_AT(error), .meaning = "why it failed"}};

const struct orr_result_table orr_sweep_results = {
    .title = "A point of a sweep",
    .place = "points",
    .meaning =
        "A line of `OUTPUT.csv`, an object of `OUTPUT.jsonl`: these; the values of the axes, "
        "each under its path;\nand of a point that ran the results above that say *sweep*, "
        "those of an NPU of the one that is last.",
    ORR_RESULT_TABLE(of_sweep),
    .forms = ORR_IN_JSON | ORR_IN_CSV};

static void add_group(struct orr_sweep_columns *columns, enum orr_sweep_group group,
                      const struct orr_result_table *table, size_t offset)
{
    const struct orr_result *result;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (result->sweep == group) {
            ORR_ASSERT(columns->count < ORR_SWEEP_MAX_COLUMNS);
            columns->column[columns->count].result = result;
            columns->column[columns->count].table = table;
            columns->column[columns->count++].offset = offset;
        }
    }
}

void orr_sweep_list_columns(struct orr_sweep_columns *columns)
{
    columns->count = 0;
    for (unsigned group = ORR_NOT_IN_SWEEPS + 1; group < ORR_COLUMN_GROUPS; group++) {
        const enum orr_sweep_group now = (enum orr_sweep_group)group;
        add_group(columns, now, &orr_job_results, offsetof(struct orr_sweep_point, job));
        add_group(columns, now, &orr_npu_results, offsetof(struct orr_sweep_point, last));
        add_group(columns, now, &orr_sweep_results, 0);
    }
}

int orr_sweep_column_of(const char *name)
{
    struct orr_sweep_columns columns;
    orr_sweep_list_columns(&columns);
    for (size_t c = 0; c < columns.count; c++) {
        if (strcmp(columns.column[c].result->name, name) == 0) {
            return (int)c;
        }
    }
    return -1;
}

bool orr_sweep_more_is_better(const char *name)
{
    static const char *const names[] = {"model_flops_utilization", "MFU", "tokens_per_s"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

struct orr_value orr_sweep_column_value(const struct orr_sweep_columns *columns, size_t index,
                                        const struct orr_sweep_point *point)
{
    struct orr_value value = orr_result_value(columns->column[index].result,
                                              (const char *)point + columns->column[index].offset);
    if (value.kind == ORR_VALUE_INTEGER) {
        value.integer = orr_sum_clamp(value.integer);
    }
    return value;
}
