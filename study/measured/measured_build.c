/* Rows under construction; see measured_build.h. */
#include "study/measured/measured_build.h"

#include "core/time.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct orr_location orr_measured_location(const struct orr_measured_build *build, uint32_t line,
                                          uint32_t column)
{
    return line > 0 ? orr_location_text(build->path, line, column) : orr_location_file(build->path);
}

enum orr_status orr_measured_fail_at(const struct orr_measured_build *build,
                                     struct orr_location location, const char *format, ...)
{
    char text[ORR_DIAG_MESSAGE_BYTES];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return orr_diag_fail(build->diag, ORR_ERR_INPUT, &location, "%s", text);
}

enum orr_status orr_measured_no_memory(const struct orr_measured_build *build)
{
    return orr_diag_no_memory(build->diag, "measured tables");
}

/* Rejects times outside the range of a run: a wrong unit or exponent. */
static enum orr_status check_time(const struct orr_measured_build *build,
                                  const struct orr_measured_row *row)
{
    const double max = (double)ORR_TIME_MAX / (double)ORR_PS_PER_US;
    return row->time_us >= 1e-6 && row->time_us < max
               ? ORR_OK
               : orr_measured_fail(build, row->line, row->column,
                                   "expected a time from 1 ps to 106 days, got %g us",
                                   row->time_us);
}

enum orr_status orr_measured_add(struct orr_measured_build *build,
                                 const struct orr_measured_row *row)
{
    if (check_time(build, row) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    struct orr_measured_row *grown = orr_arena_grow(build->arena, build->row, &build->row_capacity,
                                                    build->rows + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_measured_no_memory(build);
    }
    build->row = grown;
    grown[build->rows] = *row;
    grown[build->rows].file = (uint32_t)(build->files - 1);
    build->rows++;
    build->file[build->files - 1].rows++;
    return ORR_OK;
}

enum orr_status orr_measured_add_note(struct orr_measured_build *build, const char *text,
                                      uint32_t line)
{
    for (size_t i = 0; i < build->notes; i++) {
        if (strcmp(build->note[i].text, text) == 0) {
            build->note[i].count++;
            return ORR_OK;
        }
    }
    struct orr_measured_note *grown = orr_arena_grow(
        build->arena, build->note, &build->note_capacity, build->notes + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_measured_no_memory(build);
    }
    build->note = grown;
    const char *kept = orr_arena_strdup(build->arena, text);
    if (kept == NULL) {
        return orr_measured_no_memory(build);
    }
    grown[build->notes++] = (struct orr_measured_note){kept, 1, (uint32_t)(build->files - 1), line};
    return ORR_OK;
}

enum orr_status orr_measured_skip_name(struct orr_measured_build *build, const char *name,
                                       uint32_t line)
{
    enum { MAX_NOTES = 32 };
    char text[256];
    (void)snprintf(text, sizeof text, "of %.128s left out: it is no collective that Orrery has",
                   build->notes < MAX_NOTES ? name : "other programs");
    return orr_measured_add_note(build, text, line);
}
