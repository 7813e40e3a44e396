/* Diagnostics: see diag.h. */
#include "core/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/text_escape.h"

void orr_diag_init(struct orr_diag *diag)
{
    memset(diag, 0, sizeof *diag);
}

struct orr_location orr_location_none(void)
{
    struct orr_location place;
    memset(&place, 0, sizeof place);
    return place;
}

struct orr_location orr_location_file(const char *file)
{
    struct orr_location place = orr_location_none();
    place.kind = ORR_LOCATION_FILE;
    (void)orr_text_escape(file, false, place.file, sizeof place.file);
    return place;
}

struct orr_location orr_location_text(const char *file, unsigned line, unsigned column)
{
    struct orr_location place = orr_location_file(file);
    place.kind = ORR_LOCATION_TEXT;
    place.line = line;
    place.column = column;
    return place;
}

struct orr_location orr_location_binary(const char *file, uint64_t record, uint64_t byte_offset)
{
    struct orr_location place = orr_location_file(file);
    place.kind = ORR_LOCATION_BINARY;
    place.record = record;
    place.byte_offset = byte_offset;
    return place;
}

/* vsnprintf, with control characters in arguments escaped. */
static void print_escaped(char *text, size_t bytes, const char *format, va_list values)
    ORR_PRINTF(3, 0);

static void print_escaped(char *text, size_t bytes, const char *format, va_list values)
{
    char *clean = orr_escape_format(format, values);
    if (clean == NULL) {
        (void)vsnprintf(text, bytes, format, values);
        return;
    }
    (void)orr_text_escape(clean, true, text, bytes);
    orr_heap_free(clean);
}

enum orr_status orr_diag_fail(struct orr_diag *diag, enum orr_status status,
                              const struct orr_location *place, const char *format, ...)
{
    if (diag == NULL || diag->status != ORR_OK) {
        return status;
    }
    diag->status = status;
    diag->place = place != NULL ? *place : orr_location_none();
    va_list args;
    va_start(args, format);
    print_escaped(diag->message, sizeof diag->message, format, args);
    va_end(args);
    return status;
}

enum orr_status orr_diag_no_memory(struct orr_diag *diag, const char *what)
{
    return orr_diag_fail(diag, ORR_ERR_MEMORY, NULL, "out of memory for %s", what);
}

static int render_location(const struct orr_location *place, char *text, size_t bytes)
{
    switch (place->kind) {
    case ORR_LOCATION_FILE:
        return snprintf(text, bytes, "%s: ", place->file);
    case ORR_LOCATION_TEXT:
        return snprintf(text, bytes, "%s:%u:%u: ", place->file, place->line, place->column);
    case ORR_LOCATION_BINARY:
        return snprintf(text, bytes, "%s: record %" PRIu64 ", byte offset %" PRIu64 ": ",
                        place->file, place->record, place->byte_offset);
    case ORR_LOCATION_NONE:
        break;
    }
    return snprintf(text, bytes, "%s", "");
}

void orr_diag_warn(struct orr_diag *diag, const struct orr_location *place, const char *format, ...)
{
    if (diag == NULL || diag->warn == NULL) {
        return;
    }
    char text[ORR_DIAG_MESSAGE_BYTES];
    const struct orr_location none = orr_location_none();
    int used = render_location(place != NULL ? place : &none, text, sizeof text);
    used += snprintf(text + used, sizeof text - (size_t)used, "warning: ");
    va_list args;
    va_start(args, format);
    print_escaped(text + used, sizeof text - (size_t)used, format, args);
    va_end(args);
    diag->warn(diag->warn_user, text);
}

enum orr_status orr_diag_forward(struct orr_diag *diag, const struct orr_diag *from)
{
    if (diag != NULL && diag->status == ORR_OK) {
        diag->status = from->status;
        diag->place = from->place;
        (void)snprintf(diag->message, sizeof diag->message, "%s", from->message);
    }
    return from->status;
}

void orr_diag_warn_of(struct orr_diag *diag, const struct orr_diag *from)
{
    if (diag != NULL && diag->warn != NULL) {
        char text[ORR_DIAG_MESSAGE_BYTES + 16];
        (void)snprintf(text, sizeof text, "warning: %s", from->message);
        diag->warn(diag->warn_user, text);
    }
}

void orr_diag_append(struct orr_diag *diag, const char *format, ...)
{
    if (diag == NULL) {
        return;
    }
    const size_t used = strlen(diag->message);
    va_list args;
    va_start(args, format);
    print_escaped(diag->message + used, sizeof diag->message - used, format, args);
    va_end(args);
}

int orr_diag_render(const struct orr_diag *diag, char *text, size_t bytes)
{
    const int used = render_location(&diag->place, text, bytes);
    const size_t offset = (size_t)used < bytes ? (size_t)used : bytes;
    const int rest =
        snprintf(offset < bytes ? text + offset : NULL, bytes - offset, "%s", diag->message);
    return used + rest;
}

_Noreturn void orr_assert_failed(const char *file, int line)
{
    (void)fprintf(stderr, "orrery: internal error: invariant broken at %s:%d\n", file, line);
    abort();
}
