/* The tables of SiP-ML's hardware as text, JSON and CSV; see sip_ml_report.h. */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "sipml/report/sip_ml_report.h"

/* ---- text ---- */

/* Formats a cell; numbers too wide for a table get few significant digits. */
static const char *cell_text(const struct orr_sip_cell *cell, int digits, char *text, size_t bytes)
{
    switch (cell->kind) {
    case ORR_SIP_NUMBER:
        digits = cell->number < 1e15 ? digits : -1;
        (void)snprintf(text, bytes, digits < 0 ? "%.*g" : "%.*f", digits < 0 ? 7 : digits,
                       cell->number);
        return text;
    case ORR_SIP_WORD:
        return cell->word;
    case ORR_SIP_YES:
        return "yes";
    case ORR_SIP_NO:
        return "no";
    default:
        return "-";
    }
}

/* Width of a column, that of its widest cell; negative (left-aligned) for a first column of
 * words. */
static int width_of(const struct orr_sip_table *table, size_t column)
{
    size_t width = strlen(table->column[column].heading);
    char text[ORR_FORMAT_BYTES];
    for (size_t row = 0; row < table->rows; row++) {
        const size_t length = strlen(
            cell_text(&table->cell[row][column], table->column[column].digits, text, sizeof text));
        width = length > width ? length : width;
    }
    const bool words = column == 0 && table->cell[0][0].kind == ORR_SIP_WORD;
    return words ? -(int)width : (int)width;
}

static void print_table(FILE *out, const struct orr_sip_table *table)
{
    int width[ORR_SIP_COLUMNS];
    char text[ORR_FORMAT_BYTES];
    orr_print(out, "%s\n", table->title);
    for (size_t column = 0; column < table->columns; column++) {
        width[column] = width_of(table, column);
        orr_print(out, "%s%*s", column == 0 ? "" : "  ", width[column],
                  table->column[column].heading);
    }
    orr_print(out, "\n");
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t column = 0; column < table->columns; column++) {
            orr_print(out, "%s%*s", column == 0 ? "" : "  ", width[column],
                      cell_text(&table->cell[row][column], table->column[column].digits, text,
                                sizeof text));
        }
        orr_print(out, "\n");
    }
    if (table->note[0] != '\0') {
        (void)fputs(table->note, out);
        (void)fputc('\n', out);
    }
}

static int print_all(FILE *out, const struct orr_sip_table *table)
{
    for (size_t i = 0; i < ORR_SIP_TABLES; i++) {
        (void)fputs(i == 0 ? "" : "\n", out);
        print_table(out, &table[i]);
    }
    return fflush(out) == 0 ? 0 : 1;
}

/* ---- CSV: a line for each cell, with the first cell of its row ---- */

static int write_csv(FILE *out, const struct orr_sip_table *table)
{
    char first[ORR_FORMAT_BYTES], text[ORR_FORMAT_BYTES];
    (void)fputs("table,row,figure,value\n", out);
    for (size_t i = 0; i < ORR_SIP_TABLES; i++, table++) {
        for (size_t row = 0; row < table->rows; row++) {
            for (size_t column = 0; column < table->columns; column++) {
                const struct orr_sip_cell *cell = &table->cell[row][column];
                const char *value =
                    cell->kind == ORR_SIP_NONE ? "" : cell_text(cell, -1, text, sizeof text);
                if (cell->kind == ORR_SIP_NUMBER) {
                    (void)snprintf(text, sizeof text, "%.15g", cell->number);
                }
                (void)fprintf(out, "%s,", table->key);
                orr_csv_text(out, cell_text(&table->cell[row][0], -1, first, sizeof first));
                (void)fprintf(out, ",%s,", table->column[column].key);
                orr_csv_text(out, value);
                (void)fputc('\n', out);
            }
        }
    }
    return fflush(out) == 0 && ferror(out) == 0 ? 0 : 1;
}

/* ---- JSON ---- */

static json_t *cell_json(const struct orr_sip_cell *cell)
{
    switch (cell->kind) {
    case ORR_SIP_NUMBER:
        return json_real(cell->number);
    case ORR_SIP_WORD:
        return json_string(cell->word);
    case ORR_SIP_NONE:
        return json_null();
    default:
        return json_boolean(cell->kind == ORR_SIP_YES);
    }
}

/* A number; integers of an integer column are integers in JSON too. */
static json_t *number_json(const struct orr_sip_cell *cell, int digits)
{
    return cell->kind == ORR_SIP_NUMBER && digits == 0 && cell->number < 9e15 &&
                   cell->number >= 0 && cell->number == (double)(json_int_t)cell->number
               ? json_integer((json_int_t)cell->number)
               : cell_json(cell);
}

static json_t *table_json(const struct orr_sip_table *table)
{
    json_t *rows = json_array();
    for (size_t row = 0; row < table->rows; row++) {
        json_t *object = json_object();
        for (size_t column = 0; column < table->columns; column++) {
            const struct orr_sip_column *of = &table->column[column];
            const struct orr_sip_cell *cell = &table->cell[row][column];
            (void)json_object_set_new(object, of->key, number_json(cell, of->digits));
            if (strcmp(of->key, "max_stages") == 0) { /* its deprecated name, for one release */
                (void)json_object_set_new(object, "most_stages", number_json(cell, of->digits));
            }
        }
        (void)json_array_append_new(rows, object);
    }
    return rows;
}

static int write_json(FILE *out, const struct sip_rules *rules, const struct orr_sip_table *table)
{
    json_t *root = json_object();
    int failed = json_object_set_new(root, "assumptions", orr_sip_rules_json(rules));
    for (size_t i = 0; i < ORR_SIP_TABLES; i++) {
        failed |= json_object_set_new(root, table[i].key, table_json(&table[i]));
    }
    if (failed != 0) {
        json_decref(root);
        return 1;
    }
    return orr_json_write_and_free(root, out);
}

enum orr_status orr_sip_write(FILE *out, const struct orr_sip_request *request, const char *format,
                              struct orr_diag *diag)
{
    static const char *const formats[] = {"text", "json", "csv"};
    size_t at = 0;
    while (at < 3 && (format == NULL || strcmp(format, formats[at]) != 0)) {
        at++;
    }
    if (at == 3) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected the format text, json or csv, got \"%s\"",
                             format != NULL ? format : "NULL");
    }
    struct orr_sip_table *table = orr_heap_calloc(ORR_SIP_TABLES, sizeof *table);
    if (table == NULL) {
        return orr_diag_no_memory(diag, "tables");
    }
    orr_sip_fill(request, table);
    const int failed = at == 0   ? print_all(out, table)
                       : at == 1 ? write_json(out, &request->rules, table)
                                 : write_csv(out, table);
    orr_heap_free(table);
    return failed == 0 ? ORR_OK
                       : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the metrics cannot be written");
}
