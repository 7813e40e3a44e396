/* Selects the rows that are held out: every:N of all rows in their order, or by a column (columns
 * of notes too). */
#include <string.h>

#include "core/arena.h"
#include "planner/fit_compute/compfit_private.h"

/* Finds a column by name; a column of notes ("#name") also without its sign. */
static size_t find_column(const struct compfit *fit, const char *name)
{
    const size_t exact = orr_compfit_find_column(fit, name);
    for (size_t i = 0; exact == SIZE_MAX && i < fit->columns; i++) {
        const char *column = fit->column[i];
        if (column[0] == '#' && strcmp(column + 1 + strspn(column + 1, " "), name) == 0) {
            return i;
        }
    }
    return exact;
}

static enum orr_status hold_column(const struct compfit *fit, const struct orr_holdout *rule,
                                   bool *held)
{
    const struct orr_condition *condition = &rule->condition;
    const size_t column = find_column(fit, condition->name);
    if (column == SIZE_MAX) {
        return orr_holdout_no_column(rule, fit->column, fit->columns);
    }
    if (condition->how != ORR_IS_SET && condition->how != ORR_EQUAL && !condition->has_number) {
        return orr_holdout_no_number(rule);
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < fit->rows && status == ORR_OK; i++) {
        const struct orr_location location = orr_compfit_location(fit, &fit->row[i]);
        status = orr_condition_holds(rule, fit->row[i].text[column], &location, &held[i]);
    }
    return status;
}

enum orr_status orr_compfit_select(struct orr_arena *arena, struct compfit *fit,
                                   struct orr_diag *diag)
{
    struct orr_holdout rule;
    bool *held = orr_arena_array(arena, fit->rows + 1, sizeof *held);
    if (held == NULL) {
        return orr_diag_no_memory(diag, "measured iterations");
    }
    enum orr_status status = orr_holdout_read(fit->input.holdout, arena, &rule, diag);
    if (status != ORR_OK) {
        return status;
    }
    for (size_t i = 0; i < fit->rows; i++) {
        held[i] = fit->input.keep || (rule.kind == ORR_HOLD_EVERY && i % rule.step != 0);
    }
    if (fit->input.keep) {
        fit->split = (struct orr_measured_split){.held = held, .tested = fit->rows};
        return ORR_OK;
    }
    if (rule.kind == ORR_HOLD_COLUMN) {
        status = hold_column(fit, &rule, held);
    }
    return status == ORR_OK ? orr_holdout_count(&rule, held, fit->rows, &fit->split) : status;
}
