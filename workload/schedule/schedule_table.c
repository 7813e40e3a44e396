/* Reading and writing tables of schedules; see schedule_table.h. */
#include "workload/schedule/schedule_table.h"

#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/file.h"
#include "workload/schedule/table_check.h"

enum { MAX_NUMBER = 1 << 22 };

struct reader {
    const char *name, *at;
    struct orr_arena *arena;
    struct orr_diag *diag;
    struct orr_table_cell *cell;
    size_t cells, capacity;
    size_t *begin; /* of each device */
    size_t begins;
    unsigned line, column;
    bool headed; /* the first cell of a line is the device */
};

static enum orr_status fail(const struct reader *reader, const char *cell, size_t length)
{
    const struct orr_location place = orr_location_text(reader->name, reader->line, reader->column);
    return orr_diag_fail(
        reader->diag, ORR_ERR_INPUT, &place,
        "cell %u: expected a pass such as F0, B0, W0, X0, F0.1 or 5F0, two of them "
        "joined by &, or nothing, got \"%.*s\"",
        reader->column, length > 40 ? 40 : (int)length, cell);
}

/* Reads a number; false if there is none, or it is too large. */
static bool read_number(const char **at, const char *end, uint32_t *number)
{
    const char *begin = *at;
    *number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
        *number = *number * 10 + (uint32_t)(**at - '0');
        if (*number > MAX_NUMBER) {
            return false;
        }
    }
    return *at > begin;
}

/* Letters without a part, and with one (PyTorch's). */
static bool read_kind(char letter, bool has_part, enum orr_pass_kind *kind)
{
    static const char own[] = "FBWX", pytorch[] = "FIWB";
    const char *found = letter != '\0' ? strchr(has_part ? pytorch : own, letter) : NULL;
    if (found != NULL) {
        *kind = (enum orr_pass_kind)(found - (has_part ? pytorch : own));
    }
    return found != NULL;
}

static bool read_pass(const char **at, const char *end, struct orr_table_pass *pass)
{
    *pass = (struct orr_table_pass){.has_part = *at < end && **at >= '0' && **at <= '9'};
    if ((pass->has_part && !read_number(at, end, &pass->part)) || *at == end ||
        !read_kind(**at, pass->has_part, &pass->kind)) {
        return false;
    }
    (*at)++;
    if (!read_number(at, end, &pass->micro)) {
        return false;
    }
    if (!pass->has_part && *at < end && **at == '.') {
        (*at)++;
        return read_number(at, end, &pass->part) && pass->part < ORR_SCHEDULE_MAX_CHUNKS;
    }
    return true;
}

/* Reads a cell that is not empty. */
static bool read_cell(const char *at, const char *end, struct orr_table_cell *cell)
{
    static const char overlap[] = ")OVERLAP_F_B";
    const bool pytorch = *at == '(';
    at += pytorch ? 1 : 0;
    if (!read_pass(&at, end, &cell->pass[0])) {
        return false;
    }
    cell->passes = 1;
    if (at < end && *at == (pytorch ? ';' : '&')) {
        at++;
        if (!read_pass(&at, end, &cell->pass[1])) {
            return false;
        }
        cell->passes = 2;
    }
    if (pytorch) {
        const size_t left = (size_t)(end - at);
        return cell->passes == 2 && left == sizeof overlap - 1 && memcmp(at, overlap, left) == 0;
    }
    return at == end;
}

static enum orr_status add_cell(struct reader *reader, const char *text, size_t length)
{
    struct orr_table_cell cell = {.line = reader->line, .column = reader->column};
    if (!read_cell(text, text + length, &cell)) {
        return fail(reader, text, length);
    }
    struct orr_table_cell *grown = orr_arena_grow(reader->arena, reader->cell, &reader->capacity,
                                                  reader->cells + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(reader->diag, "a schedule");
    }
    reader->cell = grown;
    reader->cell[reader->cells++] = cell;
    return ORR_OK;
}

static const char *trim(const char *text, size_t *length)
{
    while (*length > 0 && strchr(" \t\r\"", *text) != NULL) {
        text++;
        (*length)--;
    }
    while (*length > 0 && strchr(" \t\r\"", text[*length - 1]) != NULL) {
        (*length)--;
    }
    return text;
}

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Reads the cells of a line; `device` is false for a heading. */
static enum orr_status read_line(struct reader *reader, const char *line, size_t length)
{
    const char *end = line + length;
    reader->column = 0;
    for (const char *at = line; at <= end; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t bytes = (size_t)((comma != NULL ? comma : end) - at);
        const char *cell = trim(at, &bytes);
        reader->column++;
        at += (size_t)((comma != NULL ? comma : end) - at);
        const bool label = reader->headed && reader->column == 1;
        if (bytes > 0 && !label && add_cell(reader, cell, bytes) != ORR_OK) {
            return reader->diag->status;
        }
    }
    return ORR_OK;
}

static bool is_heading(const char *line)
{
    return begins_with(line, "device") || begins_with(line, "stage") ||
           begins_with(line, "\"device") || begins_with(line, "\"stage");
}

static enum orr_status read_lines(struct reader *reader)
{
    for (; *reader->at != '\0'; reader->line++) {
        const char *line = reader->at, *newline = strchr(line, '\n');
        const size_t length = newline != NULL ? (size_t)(newline - line) : strlen(line);
        reader->at += newline != NULL ? length + 1 : length;
        size_t bytes = length;
        (void)trim(line, &bytes);
        if (bytes == 0 || *line == '#') {
            continue;
        }
        if (reader->begins == 0 && !reader->headed && is_heading(line)) {
            reader->headed = true;
            continue;
        }
        if (reader->begins == ORR_SCHEDULE_MAX_STAGES) {
            return orr_diag_fail(reader->diag, ORR_ERR_INPUT, NULL,
                                 "%s: expected at most %d devices", reader->name,
                                 ORR_SCHEDULE_MAX_STAGES);
        }
        reader->begin[reader->begins++] = reader->cells;
        if (read_line(reader, line, length) != ORR_OK) {
            return reader->diag->status;
        }
    }
    reader->begin[reader->begins] = reader->cells;
    return ORR_OK;
}

enum orr_status orr_schedule_table_parse(const char *name, const char *text,
                                         struct orr_arena *arena, struct orr_schedule *schedule,
                                         struct orr_diag *diag)
{
    struct reader reader = {.name = name, .at = text, .arena = arena, .diag = diag, .line = 1};
    reader.begin = orr_arena_array(arena, ORR_SCHEDULE_MAX_STAGES + 1, sizeof *reader.begin);
    if (reader.begin == NULL) {
        return orr_diag_no_memory(diag, "a schedule");
    }
    if (read_lines(&reader) != ORR_OK) {
        return diag->status;
    }
    const struct orr_table table = {.name = name,
                                    .cell = reader.cell,
                                    .begin = reader.begin,
                                    .devices = (uint32_t)reader.begins};
    return orr_table_to_schedule(&table, arena, schedule, diag);
}

enum orr_status orr_schedule_table_read(const char *path, struct orr_arena *arena,
                                        struct orr_schedule *schedule, struct orr_diag *diag)
{
    static const struct orr_file_kind kind = {"a table of a schedule", "the table", 256};
    char *data = NULL;
    size_t bytes = 0;
    if (orr_file_read(path, &kind, &data, &bytes, diag) == ORR_OK) {
        char *text = orr_arena_strndup(arena, data, bytes);
        (void)(text != NULL ? orr_schedule_table_parse(path, text, arena, schedule, diag)
                            : orr_diag_no_memory(diag, "a schedule"));
    }
    orr_heap_free(data);
    return diag->status;
}

/* ---- writing ---- */

static void write_pass(FILE *out, const struct orr_schedule *schedule, const struct orr_pass *pass)
{
    static const char own[] = "FBWX", pytorch[] = "FIWB";
    if (schedule->chunks == 1) {
        (void)fprintf(out, "%c%" PRIu32, own[pass->kind], pass->micro);
    } else {
        (void)fprintf(out, "%" PRIu32 "%c%" PRIu32, pass->part, pytorch[pass->kind], pass->micro);
    }
}

void orr_schedule_table_write(FILE *out, const struct orr_schedule *schedule)
{
    for (uint32_t device = 0; device < schedule->stages; device++) {
        for (size_t at = schedule->begin[device]; at < schedule->begin[device + 1]; at++) {
            const struct orr_schedule_slot *slot = &schedule->slot[at];
            (void)fputs(at == schedule->begin[device] ? "" : ",", out);
            (void)fputs(slot->passes == 2 ? "(" : "", out);
            write_pass(out, schedule, &slot->pass[0]);
            if (slot->passes == 2) {
                (void)fputc(';', out);
                write_pass(out, schedule, &slot->pass[1]);
                (void)fputs(")OVERLAP_F_B", out);
            }
        }
        (void)fputc('\n', out);
    }
}
