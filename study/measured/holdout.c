/* Holdout rules; see holdout.h. */
#include "study/measured/holdout.h"

#include <string.h>

#include "core/strings.h"
#include "study/measured/measured_fields.h"

/* ---- rules ---- */

/* Splits a copy of NAME>VALUE into its parts. */
static void split_condition(char *text, struct orr_condition *condition)
{
    char *mark = text + strcspn(text, "<>=");
    const char sign = *mark;
    const bool equal = sign != '\0' && sign != '=' && mark[1] == '=';
    char *value = sign != '\0' ? mark + (equal ? 2 : 1) : mark;
    condition->how = sign == '\0'  ? ORR_IS_SET
                     : sign == '=' ? ORR_EQUAL
                     : sign == '<' ? (equal ? ORR_AT_MAX : ORR_LESS)
                                   : (equal ? ORR_AT_LEAST : ORR_MORE);
    while (mark > text && mark[-1] == ' ') {
        mark--;
    }
    value += strspn(value, " ");
    *mark = '\0';
    condition->name = text;
    condition->value = value;
}

static enum orr_status read_every(struct orr_holdout *out, const char *text)
{
    out->kind = ORR_HOLD_EVERY;
    return orr_measured_integer(text, &out->step) && out->step >= 2
               ? ORR_OK
               : orr_holdout_fail(out, "expected a whole number of at least 2, got \"%s\"", text);
}

static enum orr_status read_column(struct orr_holdout *out, const char *text,
                                   struct orr_arena *arena)
{
    struct measured_number number;
    char *copy = orr_arena_strdup(arena, text);
    if (copy == NULL) {
        return orr_diag_no_memory(out->diag, "measured tables");
    }
    out->kind = ORR_HOLD_COLUMN;
    split_condition(copy, &out->condition);
    out->condition.has_number = orr_measured_number(out->condition.value, &number);
    out->condition.number = out->condition.has_number ? number.value : 0;
    return ORR_OK;
}

enum orr_status orr_holdout_read(const char *rule, struct orr_arena *arena, struct orr_holdout *out,
                                 struct orr_diag *diag)
{
    static const char every[] = "every:", column[] = "column:";
    *out = (struct orr_holdout){.rule = rule != NULL ? rule : "", .diag = diag};
    if (strncmp(out->rule, every, sizeof every - 1) == 0) {
        return read_every(out, out->rule + sizeof every - 1);
    }
    if (strncmp(out->rule, column, sizeof column - 1) == 0) {
        return read_column(out, out->rule + sizeof column - 1, arena);
    }
    return out->rule[0] == '\0'
               ? ORR_OK
               : orr_holdout_fail(out, "expected %s, %s, or %s", "every:N", "column:NAME",
                                  "a condition such as column:npus>8");
}

enum orr_status orr_holdout_no_column(const struct orr_holdout *holdout, const char *const *column,
                                      size_t columns)
{
    const char *name = holdout->condition.name;
    const char *near = orr_nearest_name(name, column, columns);
    return orr_holdout_fail(holdout, "there is no column %s%s%s%s", name,
                            near != NULL ? ", did you mean " : "", near != NULL ? near : "",
                            near != NULL ? "?" : "");
}

enum orr_status orr_holdout_no_number(const struct orr_holdout *holdout)
{
    return orr_holdout_fail(holdout, "expected a number to compare %s with, got \"%s\"",
                            holdout->condition.name, holdout->condition.value);
}

/* ---- rows ---- */

bool orr_condition_compares(const struct orr_condition *condition, double value)
{
    switch (condition->how) {
    case ORR_LESS:
        return value < condition->number;
    case ORR_MORE:
        return value > condition->number;
    case ORR_AT_MAX:
        return value <= condition->number;
    case ORR_AT_LEAST:
        return value >= condition->number;
    case ORR_EQUAL:
        return value == condition->number;
    case ORR_IS_SET:
        break;
    }
    return false;
}

static bool is_no(const char *text)
{
    static const char *const no[] = {"", "0", "no", "false", "fit"};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        if (strlen(text) == strlen(no[i]) && orr_edit_distance(text, no[i], 1) == 0) {
            return true;
        }
    }
    return false;
}

enum orr_status orr_condition_holds(const struct orr_holdout *holdout, const char *text,
                                    const struct orr_location *location, bool *out)
{
    const struct orr_condition *condition = &holdout->condition;
    struct measured_number number;
    const bool is_number = orr_measured_number(text, &number);
    if (condition->how == ORR_IS_SET) {
        *out = !is_no(text);
    } else if (condition->has_number && is_number) {
        *out = orr_condition_compares(condition, number.value);
    } else if (condition->how == ORR_EQUAL) {
        *out = strcmp(text, condition->value) == 0;
    } else if (text[0] == '\0') {
        *out = false;
    } else {
        return orr_diag_fail(holdout->diag, ORR_ERR_INPUT, location,
                             "%s: expected a number to compare with %s (holdout \"%s\"), got "
                             "\"%s\"",
                             condition->name, condition->value, holdout->rule, text);
    }
    return ORR_OK;
}

enum orr_status orr_holdout_count(const struct orr_holdout *holdout, const bool *held, size_t rows,
                                  struct orr_measured_split *out)
{
    *out = (struct orr_measured_split){.held = held};
    for (size_t i = 0; i < rows; i++) {
        out->tested += held[i] ? 1 : 0;
    }
    out->fitted = rows - out->tested;
    if (holdout->rule[0] != '\0' && out->tested == 0) {
        return orr_holdout_fail(holdout, "none of the %zu rows is held out", out->fitted);
    }
    return out->fitted > 0 ? ORR_OK
                           : orr_holdout_fail(holdout,
                                              "all of the %zu rows are held out: none is left to "
                                              "fit",
                                              out->tested);
}
