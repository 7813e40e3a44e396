/* Reads measured iterations: CSV tables whose header names key paths. */
#include <inttypes.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "et_converter/converter.h"
#include "et_converter/input_bytes.h"
#include "planner/fit_compute/compfit_private.h"
#include "study/measured/csv_records.h"
#include "study/sweep/sweep.h"

enum { MAX_BYTES = 64 << 20, MAX_COLUMNS = 256, LABEL_BYTES = 72 };

struct reading {
    struct orr_arena *arena;
    struct compfit *fit;
    struct orr_diag *diag;
    struct csv_reader csv;
    size_t time, name;             /* fields of the file that are time_s and name; SIZE_MAX: none */
    size_t column[CSV_MAX_FIELDS]; /* index of a field among the columns of all files */
    size_t fields;
    const char **columns; /* [MAX_COLUMNS] */
    size_t row_capacity;
};

static enum orr_status fail_at(const struct reading *reading, const struct csv_field *field,
                               const char *text)
{
    const struct orr_location location =
        orr_location_text(reading->csv.path, field->line, field->column);
    return text != NULL ? orr_diag_fail(reading->diag, ORR_ERR_INPUT, &location, "%s", text)
                        : orr_diag_no_memory(reading->diag, "measured iterations");
}

#define fail(reading, field, ...)                                                                  \
    fail_at((reading), (field), orr_arena_printf((reading)->arena, __VA_ARGS__))

static enum orr_status no_memory(const struct reading *reading)
{
    return orr_diag_no_memory(reading->diag, "measured iterations");
}

/* ---- the header ---- */

static bool is_note(const char *column)
{
    return column[0] == '#';
}

static bool is_key_path(const char *column)
{
    return !is_note(column) && strcmp(column, "time_s") != 0 && strcmp(column, "name") != 0;
}

static enum orr_status check_name(const struct reading *reading, size_t index)
{
    const struct csv_field *field = &reading->csv.field[index];
    if (field->text[0] == '\0') {
        return fail(reading, field, "column %zu of the header has no name", index + 1);
    }
    for (size_t i = 0; i < index; i++) {
        if (strcmp(reading->csv.field[i].text, field->text) == 0) {
            return fail(reading, field, "the column %s occurs twice", field->text);
        }
    }
    if (!is_key_path(field->text)) {
        return ORR_OK;
    }
    const struct orr_location location =
        orr_location_text(reading->csv.path, field->line, field->column);
    char what[32];
    (void)snprintf(what, sizeof what, "column %zu", index + 1);
    return orr_sweep_check_path(field->text, &location, what, reading->diag);
}

static enum orr_status fail_no_time(const struct reading *reading)
{
    const char *names[CSV_MAX_FIELDS];
    for (size_t i = 0; i < reading->fields; i++) {
        names[i] = reading->csv.field[i].text;
    }
    const char *near = orr_nearest_name("time_s", names, reading->fields);
    return fail(reading, &reading->csv.field[0],
                "the header has no column time_s, the seconds that a training step took%s%s%s",
                near != NULL ? "; is \"" : "", near != NULL ? near : "",
                near != NULL ? "\" meant?" : "");
}

static enum orr_status add_column(struct reading *reading, size_t index)
{
    const struct csv_field *field = &reading->csv.field[index];
    size_t column = orr_compfit_find_column(reading->fit, field->text);
    if (column == SIZE_MAX) {
        column = reading->fit->columns;
        if (column == MAX_COLUMNS) {
            return fail(reading, field, "there are more than %d columns", MAX_COLUMNS);
        }
        reading->columns[column] = orr_arena_strdup(reading->arena, field->text);
        if (reading->columns[column] == NULL) {
            return no_memory(reading);
        }
        reading->fit->columns++;
    }
    reading->column[index] = column;
    reading->time = strcmp(field->text, "time_s") == 0 ? index : reading->time;
    reading->name = strcmp(field->text, "name") == 0 ? index : reading->name;
    return ORR_OK;
}

static enum orr_status read_header(struct reading *reading)
{
    struct csv_reader *csv = &reading->csv;
    if (csv->fields > CSV_MAX_FIELDS) {
        return fail(reading, &csv->field[0], "the header has %zu columns, more than %d",
                    csv->fields, CSV_MAX_FIELDS);
    }
    reading->fields = csv->fields;
    reading->time = reading->name = SIZE_MAX;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < csv->fields && status == ORR_OK; i++) {
        reading->time = strcmp(csv->field[i].text, "time_s") == 0 ? i : reading->time;
    }
    if (reading->time == SIZE_MAX) {
        return fail_no_time(reading);
    }
    for (size_t i = 0; i < csv->fields && status == ORR_OK; i++) {
        status = check_name(reading, i);
        status = status == ORR_OK ? add_column(reading, i) : status;
    }
    return status;
}

/* ---- rows ---- */

/* The default name of a row: the last component of each path that it sets, and the value. */
static const char *label_of(const struct reading *reading)
{
    char text[LABEL_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < reading->fields && used < sizeof text; i++) {
        const char *path = reading->columns[reading->column[i]];
        const char *value = reading->csv.field[i].text;
        if (is_key_path(path) && value[0] != '\0') {
            const char *dot = strrchr(path, '.');
            const int length = snprintf(text + used, sizeof text - used, "%s%s=%s",
                                        used > 0 ? " " : "", dot != NULL ? dot + 1 : path, value);
            used += length > 0 ? (size_t)length : 0;
        }
    }
    return orr_arena_strdup(reading->arena, text[0] != '\0' ? text : "as the files are");
}

static bool fill_texts(const struct reading *reading, struct compfit_row *row)
{
    const char **text = orr_arena_array(reading->arena, MAX_COLUMNS, sizeof *text);
    const char **set = orr_arena_array(reading->arena, reading->fields + 1, sizeof *set);
    if (text == NULL || set == NULL) {
        return false;
    }
    for (size_t i = 0; i < MAX_COLUMNS; i++) {
        text[i] = "";
    }
    for (size_t i = 0; i < reading->fields; i++) {
        const char *path = reading->columns[reading->column[i]];
        const char *value = orr_arena_strdup(reading->arena, reading->csv.field[i].text);
        text[reading->column[i]] = value;
        if (value != NULL && value[0] != '\0' && is_key_path(path)) {
            set[row->sets++] = value = orr_arena_printf(reading->arena, "%s=%s", path, value);
        }
        if (value == NULL) {
            return false;
        }
    }
    row->text = text;
    row->set = set;
    return true;
}

static enum orr_status read_row(struct reading *reading)
{
    struct compfit *fit = reading->fit;
    const struct csv_reader *csv = &reading->csv;
    const struct csv_field *first = &csv->field[0];
    if (csv->fields != reading->fields) {
        return fail(reading, first, "expected %zu values, as the header has, got %zu",
                    reading->fields, csv->fields);
    }
    struct compfit_row row = {
        .file = (uint32_t)(fit->files - 1), .line = first->line, .column = first->column};
    const struct csv_field *time = &csv->field[reading->time];
    if (!orr_parse_number(time->text, &row.time_s) || !(row.time_s > 0)) {
        return fail(reading, time, "time_s: expected seconds above 0, got \"%s\"", time->text);
    }
    if (row.time_s < 1e-12 ||
        row.time_s >= (double)ORR_TIME_MAX * 1e-12) { /* outside of simulated time */
        return fail(reading, time, "time_s: expected a time from 1 ps to 106 days, got \"%s\"",
                    time->text);
    }
    const bool named = reading->name != SIZE_MAX && csv->field[reading->name].text[0] != '\0';
    row.name = named ? orr_arena_strdup(reading->arena, csv->field[reading->name].text)
                     : label_of(reading);
    struct compfit_row *rows = orr_arena_grow(reading->arena, fit->row, &reading->row_capacity,
                                              fit->rows + 1, sizeof *rows);
    if (row.name == NULL || rows == NULL || !fill_texts(reading, &row)) {
        return no_memory(reading);
    }
    fit->row = rows;
    fit->row[fit->rows++] = row;
    fit->file[fit->files - 1].rows++;
    return ORR_OK;
}

/* ---- files ---- */

static enum orr_status read_csv(struct reading *reading, const char *data, size_t bytes)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* byte order mark of UTF-8 */
    const size_t skip = bytes >= 3 && memcmp(data, mark, 3) == 0 ? 3 : 0;
    const char *path = reading->fit->file[reading->fit->files - 1].path;
    const struct orr_location location = orr_location_file(path);
    bool more = true, header = true;
    if (bytes > 0 && memchr(data, '\0', bytes) != NULL) {
        return orr_diag_fail(reading->diag, ORR_ERR_INPUT, &location,
                             "the file is binary: expected a table as CSV");
    }
    orr_csv_init(&reading->csv, path, data + skip, bytes - skip);
    enum orr_status status = orr_csv_next(&reading->csv, &more, reading->diag);
    if (status == ORR_OK && !more) {
        status = orr_diag_fail(reading->diag, ORR_ERR_INPUT, &location, "the file is empty");
    }
    while (status == ORR_OK && more) {
        status = header ? read_header(reading) : read_row(reading);
        header = false;
        if (status == ORR_OK) {
            status = orr_csv_next(&reading->csv, &more, reading->diag);
        }
    }
    orr_csv_fini(&reading->csv);
    return status;
}

static enum orr_status read_source(struct reading *reading,
                                   const struct orr_measured_source *source)
{
    const struct conv_progress progress = {0};
    struct conv_source read = {.data = NULL};
    reading->fit->file[reading->fit->files++] =
        (struct orr_measured_file){.path = source->path, .form = ORR_MEASURED_CSV};
    if (source->data != NULL) {
        return read_csv(reading, source->data, source->bytes);
    }
    enum orr_status status =
        orr_convert_source_read(&read, source->path, MAX_BYTES, &progress, reading->diag);
    if (status == ORR_OK) {
        status = read_csv(reading, (const char *)read.data, read.count);
    }
    orr_convert_source_free(&read);
    return status;
}

size_t orr_compfit_find_column(const struct compfit *fit, const char *name)
{
    for (size_t i = 0; i < fit->columns; i++) {
        if (strcmp(fit->column[i], name) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

enum orr_status orr_compfit_read(struct orr_arena *arena, struct compfit *fit,
                                 struct orr_diag *diag)
{
    struct reading reading = {.arena = arena, .fit = fit, .diag = diag};
    reading.columns = orr_arena_array(arena, MAX_COLUMNS, sizeof *reading.columns);
    fit->file = orr_arena_array(arena, fit->input.sources + 1, sizeof *fit->file);
    fit->column = reading.columns;
    enum orr_status status = ORR_OK;
    if (reading.columns == NULL || fit->file == NULL) {
        return no_memory(&reading);
    }
    for (size_t i = 0; i < fit->input.sources && status == ORR_OK; i++) {
        status = read_source(&reading, &fit->input.source[i]);
    }
    if (status == ORR_OK && fit->rows == 0) {
        const struct orr_location location = orr_location_file(fit->file[0].path);
        status = orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                               "there are no measured iterations: expected rows after the header");
    }
    return status;
}
