/* CSV records; see csv_records.h. */
#include "study/measured/csv_records.h"

#include "core/arena.h"
#include "core/diag.h"

#include <string.h>

void orr_csv_init(struct csv_reader *csv, const char *path, const char *data, size_t bytes)
{
    *csv = (struct csv_reader){.path = path, .data = data, .bytes = bytes, .line = 1};
}

void orr_csv_fini(struct csv_reader *csv)
{
    orr_heap_free(csv->text);
    csv->text = NULL;
}

/* ---- bytes ---- */

/* The next byte; '\0' at the end, which no text contains. */
static char next_byte(const struct csv_reader *csv)
{
    return csv->at < csv->bytes ? csv->data[csv->at] : '\0';
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r' || c == '\0';
}

/* Skips a byte, counting lines. */
static void pass(struct csv_reader *csv)
{
    const char c = csv->data[csv->at++];
    if (c == '\n' || (c == '\r' && next_byte(csv) != '\n')) {
        csv->line++;
        csv->line_start = csv->at;
    }
}

static void pass_blanks(struct csv_reader *csv)
{
    while (next_byte(csv) == ' ' || next_byte(csv) == '\t') {
        csv->at++;
    }
}

static void pass_line_end(struct csv_reader *csv)
{
    if (next_byte(csv) == '\r') {
        pass(csv);
    }
    if (next_byte(csv) == '\n') {
        pass(csv);
    }
}

/* The current column, in characters, not bytes. */
static uint32_t column_of(const struct csv_reader *csv)
{
    uint32_t column = 1;
    for (size_t i = csv->line_start; i < csv->at; i++) {
        column += ((unsigned char)csv->data[i] & 0xC0) != 0x80 ? 1 : 0;
    }
    return column;
}

/* ---- fields ---- */

static bool append(struct csv_reader *csv, const char *text, size_t length)
{
    if (!orr_heap_reserve(&csv->text, &csv->capacity, csv->used + length, 1)) {
        return false;
    }
    if (length > 0) {
        memcpy(csv->text + csv->used, text, length);
    }
    csv->used += length;
    return true;
}

static enum orr_status fail_quotes(const struct csv_reader *csv, const char *what,
                                   struct orr_diag *diag)
{
    const struct orr_location location = orr_location_text(csv->path, csv->line, column_of(csv));
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s", what);
}

static enum orr_status no_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "a record of CSV");
}

/* Reads a quoted field, from its opening quote. */
static enum orr_status read_quoted(struct csv_reader *csv, struct orr_diag *diag)
{
    const size_t at = csv->at, line_start = csv->line_start;
    const uint32_t line = csv->line;
    for (csv->at++; next_byte(csv) != '\0'; pass(csv)) {
        if (next_byte(csv) == '"') {
            csv->at++;
            if (next_byte(csv) != '"') {
                pass_blanks(csv);
                return next_byte(csv) == ',' || ends_line(next_byte(csv))
                           ? ORR_OK
                           : fail_quotes(csv, "expected a comma behind the closing quote", diag);
            }
        }
        if (!append(csv, csv->data + csv->at, 1)) {
            return no_memory(diag);
        }
    }
    csv->at = at;
    csv->line_start = line_start;
    csv->line = line;
    return fail_quotes(csv, "the quote is not closed", diag);
}

static enum orr_status read_plain(struct csv_reader *csv, struct orr_diag *diag)
{
    const size_t begin = csv->at;
    size_t end = begin;
    for (; next_byte(csv) != ',' && !ends_line(next_byte(csv)); csv->at++) {
        end = next_byte(csv) != ' ' && next_byte(csv) != '\t' ? csv->at + 1 : end;
    }
    return append(csv, csv->data + begin, end - begin) ? ORR_OK : no_memory(diag);
}

static enum orr_status read_field(struct csv_reader *csv, struct orr_diag *diag)
{
    pass_blanks(csv);
    const size_t index = csv->fields < CSV_MAX_FIELDS ? csv->fields : CSV_MAX_FIELDS - 1;
    const size_t used = csv->used;
    const bool quoted = next_byte(csv) == '"';
    if (csv->fields++ == index) {
        csv->field[index] = (struct csv_field){NULL, csv->line, column_of(csv), quoted};
        csv->offset[index] = used;
    }
    const enum orr_status status = quoted ? read_quoted(csv, diag) : read_plain(csv, diag);
    return status == ORR_OK && !append(csv, "", 1) ? no_memory(diag) : status;
}

enum orr_status orr_csv_next(struct csv_reader *csv, bool *more, struct orr_diag *diag)
{
    csv->fields = csv->used = 0;
    pass_blanks(csv);
    while (csv->at < csv->bytes && ends_line(next_byte(csv))) {
        pass(csv);
        pass_blanks(csv);
    }
    *more = csv->at < csv->bytes;
    enum orr_status status = ORR_OK;
    for (bool field = *more; field && status == ORR_OK;) {
        status = read_field(csv, diag);
        field = status == ORR_OK && next_byte(csv) == ',';
        csv->at += field ? 1 : 0;
    }
    pass_line_end(csv);
    for (size_t i = 0; status == ORR_OK && i < csv->fields && i < CSV_MAX_FIELDS; i++) {
        csv->field[i].text = csv->text + csv->offset[i];
    }
    return status;
}
