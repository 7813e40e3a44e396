/* Results as JSON, CSV and tables; see result.h. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "report/json_text.h"
#include "report/results/result.h"
#include "report/table_text.h"

enum { TEXT = 64, REAL_DIGITS = 15 };

/* ---- JSON ---- */

static json_t *json_of(const struct orr_value *value)
{
    switch (value->kind) {
    case ORR_VALUE_INTEGER:
        return orr_json_sum(value->integer);
    case ORR_VALUE_BOOL:
        return json_boolean(value->integer != 0);
    case ORR_VALUE_REAL:
        return json_real(value->real);
    default:
        return orr_json_text(value->text);
    }
}

void orr_value_add_json(json_t *object, const char *name, const struct orr_value *value)
{
    if (value->kind != ORR_VALUE_NONE) {
        (void)json_object_set_new(object, name, json_of(value));
    }
}

static void add_json(json_t *object, const struct orr_result *result, const void *row)
{
    if (result->type == ORR_RESULT_LIST) {
        json_t *list = result->list(row);
        if (list != NULL) {
            (void)json_object_set_new(object, result->name, list);
        }
        return;
    }
    const struct orr_value value = orr_result_value(result, row);
    orr_value_add_json(object, result->name, &value);
}

void orr_result_add_json(json_t *object, const struct orr_result_table *table, const void *row)
{
    const struct orr_result *result;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (orr_result_in(table, result, ORR_IN_JSON)) {
            add_json(object, result, row);
        }
    }
}

void orr_result_append_json(json_t *list, const struct orr_result_table *table, const void *row)
{
    json_t *object = json_object();
    orr_result_add_json(object, table, row);
    (void)json_array_append_new(list, object);
}

/* ---- CSV ---- */

void orr_value_csv(FILE *out, const struct orr_value *value, int digits)
{
    char text[ORR_SUM_BYTES];
    if (value->kind == ORR_VALUE_INTEGER || value->kind == ORR_VALUE_BOOL) {
        (void)fputs(orr_sum_text(value->integer, text), out);
    } else if (value->kind == ORR_VALUE_REAL) {
        if (digits < 0) {
            (void)fprintf(out, "%.*f", -digits, value->real);
        } else {
            (void)fprintf(out, "%.*g", digits != 0 ? digits : REAL_DIGITS, value->real);
        }
    } else if (value->kind == ORR_VALUE_TEXT) {
        orr_csv_text(out, value->text);
    }
}

void orr_result_csv_head(FILE *out, const struct orr_result_table *table)
{
    const struct orr_result *result;
    const char *before = "";
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (orr_result_in(table, result, ORR_IN_CSV)) {
            (void)fprintf(out, "%s%s", before, result->name);
            before = ",";
        }
    }
}

void orr_result_csv_line(FILE *out, const struct orr_result_table *table, const void *row)
{
    const struct orr_result *result;
    const char *before = "";
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (orr_result_in(table, result, ORR_IN_CSV)) {
            const struct orr_value value = orr_result_value(result, row);
            (void)fputs(before, out);
            orr_value_csv(out, &value, result->digits);
            before = ",";
        }
    }
}

/* ---- tables ---- */

static const char *real_text(double real, enum orr_result_unit unit, char *text, size_t bytes)
{
    if (unit == ORR_UNIT_BYTES_PER_S) {
        return orr_format_bandwidth(real, text, bytes);
    }
    if (unit == ORR_UNIT_TIMES) {
        (void)snprintf(text, bytes, "%.3fx", real);
    } else if (unit == ORR_UNIT_SHARE || unit == ORR_UNIT_PERCENT) {
        (void)snprintf(text, bytes, "%.1f %%", unit == ORR_UNIT_SHARE ? 100 * real : real);
    } else {
        (void)snprintf(text, bytes, unit == ORR_UNIT_RATIO ? "%.3f" : "%.6g", real);
    }
    return text;
}

const char *orr_value_text(const struct orr_value *value, enum orr_result_unit unit, char *text,
                           size_t bytes)
{
    char digits[ORR_SUM_BYTES];
    switch (value->kind) {
    case ORR_VALUE_INTEGER:
        if (unit == ORR_UNIT_PS) {
            return orr_format_time(orr_sum_clamp(value->integer), text, bytes);
        }
        if (unit == ORR_UNIT_BYTES) {
            return orr_format_sum_bytes(value->integer, text, bytes);
        }
        (void)snprintf(text, bytes, "%s", orr_sum_text(value->integer, digits));
        return text;
    case ORR_VALUE_REAL:
        return real_text(value->real, unit, text, bytes);
    case ORR_VALUE_BOOL:
        return value->integer != 0 ? "yes" : "no";
    case ORR_VALUE_TEXT:
        return value->text;
    default:
        return "-";
    }
}

/* Prints a cell. `first_width`: width of the first column; 0: its own. */
static void print_cell(FILE *out, const struct orr_result *result, const char *text, bool first,
                       int first_width)
{
    const char *before = first ? "" : result->width == 0 ? "  " : " ";
    const int width = first && first_width > 0 ? -first_width : result->width;
    orr_print(out, "%s%*.*s", before, width, result->truncate ? abs(width) : -1, text);
}

void orr_result_heads(FILE *out, const struct orr_result_table *table, struct orr_row_style style)
{
    const struct orr_result *result;
    bool first = true;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (orr_result_in(table, result, ORR_IN_TABLE)) {
            const bool given = first && style.head != NULL;
            print_cell(out, result, given ? style.head : result->label, first, style.first);
            first = false;
        }
    }
}

void orr_result_cells(FILE *out, const struct orr_result_table *table, const void *row,
                      struct orr_row_style style)
{
    const struct orr_result *result;
    bool first = true;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (orr_result_in(table, result, ORR_IN_TABLE)) {
            char text[TEXT];
            const struct orr_value value = orr_result_value(result, row);
            const bool known = style.has_waiting_split || !result->needs_waiting_split;
            print_cell(out, result,
                       known ? orr_value_text(&value, result->unit, text, sizeof text) : "-", first,
                       style.first);
            first = false;
        }
    }
}

void orr_result_lines(FILE *out, const struct orr_result_table *table, const void *row, int width)
{
    const struct orr_result *result;
    for (size_t i = 0; (result = orr_result_at(table, i)) != NULL; i++) {
        if (orr_result_in(table, result, ORR_IN_TABLE)) {
            char text[TEXT];
            const struct orr_value value = orr_result_value(result, row);
            if (value.kind != ORR_VALUE_NONE) {
                orr_print(out, "%-*s %s\n", width, result->label,
                          orr_value_text(&value, result->unit, text, sizeof text));
            }
        }
    }
}
