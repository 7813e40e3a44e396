/* Which rows are fitted, and which are held out to test the fit. */
#include <inttypes.h>
#include <string.h>

#include "study/measured/csv_header.h"
#include "study/measured/measured_fields.h"

/* A condition on a column: NAME, NAME>VALUE. */
struct condition {
    const char *name, *value;
    enum { IS_SET, LESS, MORE, AT_MOST, AT_LEAST, EQUAL } how;
    bool has_number;
    double number;
    enum coll_kind kind; /* of the value, where the column is the collective */
    size_t column;       /* a further one; SIZE_MAX: a usual one */
    enum { OF_COLLECTIVE, OF_NPUS, OF_PER_NODE, OF_NODES, OF_BYTES, OF_TIME, OF_COLUMN } of;
};

struct selection {
    const struct orr_measured *measured;
    const char *holdout;
    struct orr_diag *diag;
    bool *held;
};

#define fail_holdout(selection, format, ...)                                                       \
    orr_diag_fail((selection)->diag, ORR_ERR_INPUT, NULL, "holdout \"%s\": " format,               \
                  (selection)->holdout, __VA_ARGS__)

/* ---- every:N ---- */

static enum orr_status hold_every(const struct selection *selection, const char *text)
{
    const struct orr_measured *measured = selection->measured;
    uint64_t step;
    if (!orr_measured_whole(text, &step) || step < 2) {
        return fail_holdout(selection, "expected a whole number of at least 2, got \"%s\"", text);
    }
    for (size_t t = 0; t < measured->tables; t++) {
        for (size_t i = 0; i < measured->table[t].count; i++) {
            selection->held[measured->order[measured->table[t].first + i]] = i % step != 0;
        }
    }
    return ORR_OK;
}

/* ---- column:NAME>VALUE ---- */

static double usual_value(const struct condition *condition, const struct orr_measured_row *row)
{
    switch (condition->of) {
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

static bool compares(const struct condition *condition, double value)
{
    switch (condition->how) {
    case LESS:
        return value < condition->number;
    case MORE:
        return value > condition->number;
    case AT_MOST:
        return value <= condition->number;
    case AT_LEAST:
        return value >= condition->number;
    case EQUAL:
        return value == condition->number;
    case IS_SET:
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

static enum orr_status holds_text(const struct selection *selection,
                                  const struct condition *condition,
                                  const struct orr_measured_row *row, bool *out)
{
    struct measured_number number;
    const char *text = row->extra[condition->column];
    const bool is_number = orr_measured_number(text, &number);
    if (condition->how == IS_SET) {
        *out = !is_no(text);
    } else if (condition->has_number && is_number) {
        *out = compares(condition, number.value);
    } else if (condition->how == EQUAL) {
        *out = strcmp(text, condition->value) == 0;
    } else if (text[0] == '\0') {
        *out = false;
    } else {
        const struct orr_place place =
            orr_place_text(selection->measured->file[row->file].path, row->line, row->column);
        return orr_diag_fail(selection->diag, ORR_ERR_INPUT, &place,
                             "%s: expected a number to compare with %s (holdout \"%s\"), got "
                             "\"%s\"",
                             condition->name, condition->value, selection->holdout, text);
    }
    return ORR_OK;
}

static enum orr_status hold_where(const struct selection *selection,
                                  const struct condition *condition)
{
    const struct orr_measured *measured = selection->measured;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < measured->rows && status == ORR_OK; i++) {
        const struct orr_measured_row *row = &measured->row[i];
        if (condition->of == OF_COLUMN) {
            status = holds_text(selection, condition, row, &selection->held[i]);
        } else if (condition->of == OF_COLLECTIVE) {
            selection->held[i] = row->kind == condition->kind;
        } else {
            selection->held[i] = compares(condition, usual_value(condition, row));
        }
    }
    return status;
}

/* ---- what is asked for ---- */

static const char *const usual_names[OF_COLUMN] = {"collective", "npus",  "npus_per_node",
                                                   "nodes",      "bytes", "time_us"};

static enum orr_status find_column(const struct selection *selection, struct condition *condition)
{
    const struct orr_measured *measured = selection->measured;
    const char *name = condition->name, *known[ORR_MEASURED_MOST_COLUMNS + OF_COLUMN];
    condition->of = OF_COLUMN;
    condition->column = 0;
    while (condition->column < measured->columns &&
           strcmp(measured->column[condition->column], name) != 0) {
        condition->column++;
    }
    if (condition->column < measured->columns) {
        return ORR_OK;
    }
    for (size_t i = 0; i < OF_COLUMN; i++) {
        if (strcmp(usual_names[i], name) == 0) {
            condition->of = (unsigned)i;
            return ORR_OK;
        }
        known[i] = usual_names[i];
    }
    for (size_t i = 0; i < measured->columns; i++) {
        known[OF_COLUMN + i] = measured->column[i];
    }
    const char *near = orr_nearest_name(name, known, OF_COLUMN + measured->columns);
    return fail_holdout(selection, "there is no column %s%s%s%s", name,
                        near != NULL ? ", did you mean " : "", near != NULL ? near : "",
                        near != NULL ? "?" : "");
}

static enum orr_status read_value(const struct selection *selection, struct condition *condition)
{
    struct measured_number number;
    uint64_t bytes;
    condition->has_number = orr_measured_number(condition->value, &number);
    condition->number = condition->has_number ? number.value : 0;
    if (condition->of == OF_BYTES && orr_parse_bytes(condition->value, &bytes)) {
        condition->has_number = true;
        condition->number = (double)bytes;
    }
    if (condition->of == OF_COLLECTIVE) {
        return condition->how == EQUAL && orr_measured_kind(condition->value, &condition->kind)
                   ? ORR_OK
                   : fail_holdout(selection, "expected collective=NAME, such as collective=%s",
                                  orr_measured_names[0]);
    }
    if (condition->of != OF_COLUMN && condition->how == IS_SET) {
        return fail_holdout(selection, "expected a condition, such as column:%s>8",
                            condition->name);
    }
    const bool compared =
        condition->of != OF_COLUMN || (condition->how != EQUAL && condition->how != IS_SET);
    return !compared || condition->has_number
               ? ORR_OK
               : fail_holdout(selection, "expected a number to compare %s with, got \"%s\"",
                              condition->name, condition->value);
}

/* Cuts NAME>VALUE, a copy, into its parts. */
static void cut(char *text, struct condition *condition)
{
    char *mark = text + strcspn(text, "<>=");
    const char sign = *mark;
    const bool equal = sign != '\0' && sign != '=' && mark[1] == '=';
    char *value = sign != '\0' ? mark + (equal ? 2 : 1) : mark;
    condition->how = sign == '\0'  ? IS_SET
                     : sign == '=' ? EQUAL
                     : sign == '<' ? (equal ? AT_MOST : LESS)
                                   : (equal ? AT_LEAST : MORE);
    while (mark > text && mark[-1] == ' ') {
        mark--;
    }
    value += strspn(value, " ");
    *mark = '\0';
    condition->name = text;
    condition->value = value;
}

static enum orr_status hold_column(const struct selection *selection, const char *text,
                                   struct orr_arena *arena)
{
    struct condition condition = {0};
    char *copy = orr_arena_strdup(arena, text);
    if (copy == NULL) {
        return orr_diag_no_memory(selection->diag, "measured tables");
    }
    cut(copy, &condition);
    enum orr_status status = find_column(selection, &condition);
    if (status == ORR_OK) {
        status = read_value(selection, &condition);
    }
    return status == ORR_OK ? hold_where(selection, &condition) : status;
}

static enum orr_status count_held(const struct selection *selection, struct orr_measured_split *out)
{
    *out = (struct orr_measured_split){.held = selection->held};
    for (size_t i = 0; i < selection->measured->rows; i++) {
        out->tested += selection->held[i] ? 1 : 0;
    }
    out->fitted = selection->measured->rows - out->tested;
    if (selection->holdout[0] != '\0' && out->tested == 0) {
        return fail_holdout(selection, "none of the %zu rows is held out", out->fitted);
    }
    return out->fitted > 0 ? ORR_OK
                           : fail_holdout(selection,
                                          "all of the %zu rows are held out: none is "
                                          "left to fit",
                                          out->tested);
}

enum orr_status orr_measured_select(const struct orr_measured *measured, const char *holdout,
                                    struct orr_arena *arena, struct orr_measured_split *out,
                                    struct orr_diag *diag)
{
    static const char every[] = "every:", column[] = "column:";
    const struct selection selection = {measured, holdout != NULL ? holdout : "", diag,
                                        orr_arena_array(arena, measured->rows, sizeof(bool))};
    const char *text = selection.holdout;
    if (selection.held == NULL) {
        return orr_diag_no_memory(diag, "measured tables");
    }
    enum orr_status status = ORR_OK;
    if (strncmp(text, every, sizeof every - 1) == 0) {
        status = hold_every(&selection, text + sizeof every - 1);
    } else if (strncmp(text, column, sizeof column - 1) == 0) {
        status = hold_column(&selection, text + sizeof column - 1, arena);
    } else if (text[0] != '\0') {
        status = fail_holdout(&selection, "expected %s, %s, or %s", "every:N", "column:NAME",
                              "a condition such as column:npus>8");
    }
    return status == ORR_OK ? count_held(&selection, out) : status;
}
