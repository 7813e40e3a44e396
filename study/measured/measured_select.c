/* Holdout selection: which rows of measured collectives are fitted, and which are held out to test
 * the fit. */
#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "study/measured/csv_header.h"
#include "study/measured/holdout.h"
#include "study/measured/measured.h"
#include "system/collectives/program.h"

/* The column of a rule. */
struct rule_column {
    enum { OF_COLLECTIVE, OF_NPUS, OF_PER_NODE, OF_NODES, OF_BYTES, OF_TIME, OF_COLUMN } of;
    size_t column;       /* index of a further column */
    enum coll_kind kind; /* the value, if the column is the collective */
};

static const char *const known_names[OF_COLUMN] = {"collective", "npus",  "npus_per_node",
                                                   "nodes",      "bytes", "time_us"};

static void hold_every(const struct orr_measured *measured, uint64_t step, bool *held)
{
    for (size_t t = 0; t < measured->tables; t++) {
        for (size_t i = 0; i < measured->table[t].count; i++) {
            held[measured->order[measured->table[t].first + i]] = i % step != 0;
        }
    }
}

/* ---- column:NAME>VALUE ---- */

static double known_value(const struct rule_column *rule_column, const struct orr_measured_row *row)
{
    switch (rule_column->of) {
    case OF_NPUS:
        return row->npus;
    case OF_PER_NODE:
        return row->npus_per_node;
    case OF_NODES:
        return (double)row->npus / row->npus_per_node;
    case OF_BYTES:
        return (double)row->bytes;
    case OF_TIME:
        return row->time_us;
    case OF_COLLECTIVE:
    case OF_COLUMN:
        break;
    }
    return 0;
}

static enum orr_status hold_where(const struct orr_measured *measured,
                                  const struct orr_holdout *holdout,
                                  const struct rule_column *rule_column, bool *held)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < measured->rows && status == ORR_OK; i++) {
        const struct orr_measured_row *row = &measured->row[i];
        if (rule_column->of == OF_COLUMN) {
            const struct orr_location location =
                orr_location_text(measured->file[row->file].path, row->line, row->column);
            status =
                orr_condition_holds(holdout, row->extra[rule_column->column], &location, &held[i]);
        } else if (rule_column->of == OF_COLLECTIVE) {
            held[i] = row->kind == rule_column->kind;
        } else {
            held[i] = orr_condition_compares(&holdout->condition, known_value(rule_column, row));
        }
    }
    return status;
}

static enum orr_status find_column(const struct orr_measured *measured,
                                   const struct orr_holdout *holdout,
                                   struct rule_column *rule_column)
{
    const char *name = holdout->condition.name;
    const char *known[ORR_MEASURED_MAX_COLUMNS + OF_COLUMN];
    rule_column->of = OF_COLUMN;
    while (rule_column->column < measured->columns &&
           strcmp(measured->column[rule_column->column], name) != 0) {
        rule_column->column++;
    }
    if (rule_column->column < measured->columns) {
        return ORR_OK;
    }
    for (size_t i = 0; i < OF_COLUMN; i++) {
        if (strcmp(known_names[i], name) == 0) {
            rule_column->of = (unsigned)i;
            return ORR_OK;
        }
        known[i] = known_names[i];
    }
    for (size_t i = 0; i < measured->columns; i++) {
        known[OF_COLUMN + i] = measured->column[i];
    }
    return orr_holdout_no_column(holdout, known, OF_COLUMN + measured->columns);
}

static enum orr_status read_value(struct orr_holdout *holdout, struct rule_column *rule_column)
{
    struct orr_condition *condition = &holdout->condition;
    uint64_t bytes;
    if (rule_column->of == OF_BYTES && orr_parse_bytes(condition->value, &bytes)) {
        condition->has_number = true;
        condition->number = (double)bytes;
    }
    if (rule_column->of == OF_COLLECTIVE) {
        return condition->how == ORR_EQUAL &&
                       orr_measured_kind(condition->value, &rule_column->kind)
                   ? ORR_OK
                   : orr_holdout_fail(holdout, "expected collective=NAME, such as collective=%s",
                                      orr_measured_names[0]);
    }
    if (rule_column->of != OF_COLUMN && condition->how == ORR_IS_SET) {
        return orr_holdout_fail(holdout, "expected a condition, such as column:%s>8",
                                condition->name);
    }
    const bool compared = rule_column->of != OF_COLUMN ||
                          (condition->how != ORR_EQUAL && condition->how != ORR_IS_SET);
    return !compared || condition->has_number ? ORR_OK : orr_holdout_no_number(holdout);
}

static enum orr_status hold_column(const struct orr_measured *measured, struct orr_holdout *holdout,
                                   bool *held)
{
    struct rule_column rule_column = {0};
    enum orr_status status = find_column(measured, holdout, &rule_column);
    if (status == ORR_OK) {
        status = read_value(holdout, &rule_column);
    }
    return status == ORR_OK ? hold_where(measured, holdout, &rule_column, held) : status;
}

enum orr_status orr_measured_select(const struct orr_measured *measured, const char *holdout,
                                    struct orr_arena *arena, struct orr_measured_split *out,
                                    struct orr_diag *diag)
{
    struct orr_holdout rule;
    bool *held = orr_arena_array(arena, measured->rows, sizeof *held);
    if (held == NULL) {
        return orr_diag_no_memory(diag, "measured tables");
    }
    enum orr_status status = orr_holdout_read(holdout, arena, &rule, diag);
    if (status == ORR_OK && rule.kind == ORR_HOLD_EVERY) {
        hold_every(measured, rule.step, held);
    } else if (status == ORR_OK && rule.kind == ORR_HOLD_COLUMN) {
        status = hold_column(measured, &rule, held);
    }
    return status == ORR_OK ? orr_holdout_count(&rule, held, measured->rows, out) : status;
}
