/* Diagnostics: one error with its location in the input, and any number of warnings.
 *
 * A diagnostic is a value that the caller owns. The library fills it and never prints. Text files
 * are located by line and column (1-based), binary files by record number and byte offset. */
#ifndef ORR_CORE_DIAG_H
#define ORR_CORE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

#if defined(__GNUC__)
#define ORR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define ORR_PRINTF(fmt, args)
#endif

/* A function that hot functions rarely call: not inlined, so that it takes no registers from
 * them. */
#if defined(__GNUC__)
#define ORR_NOINLINE __attribute__((noinline))
#else
#define ORR_NOINLINE
#endif

enum { ORR_DIAG_MESSAGE_BYTES = 4096, ORR_DIAG_FILE_BYTES = 512 };

enum orr_location_kind {
    ORR_LOCATION_NONE,  /* no location in an input */
    ORR_LOCATION_FILE,  /* a file */
    ORR_LOCATION_TEXT,  /* file:line:column */
    ORR_LOCATION_BINARY /* file, record number, byte offset */
};

struct orr_location {
    enum orr_location_kind kind;
    char file[ORR_DIAG_FILE_BYTES];
    unsigned line, column; /* 1-based; ORR_LOCATION_TEXT */
    uint64_t record;       /* 0-based record; ORR_LOCATION_BINARY */
    uint64_t byte_offset;  /* from the start of the (decompressed) file; ORR_LOCATION_BINARY */
};

struct orr_diag {
    enum orr_status status;
    struct orr_location place;
    char message[ORR_DIAG_MESSAGE_BYTES];
    /* Called for each warning with its rendered text; NULL drops warnings. */
    void (*warn)(void *user, const char *text);
    void *warn_user;
};

/* Clears the diagnostic; the warning callback is set to none. O(1). */
void orr_diag_init(struct orr_diag *diag);

struct orr_location orr_location_none(void);
struct orr_location orr_location_file(const char *file);
struct orr_location orr_location_text(const char *file, unsigned line, unsigned column);
struct orr_location orr_location_binary(const char *file, uint64_t record, uint64_t byte_offset);

/* Records an error and returns `status`, so that callers can `return orr_diag_fail(...)`.
 * `place` may be NULL for none; `diag` may be NULL (only the status is returned then).
 * The first error wins: a later one does not overwrite it. */
enum orr_status orr_diag_fail(struct orr_diag *diag, enum orr_status status,
                              const struct orr_location *place, const char *format, ...)
    ORR_PRINTF(4, 5);

/* Records "out of memory for WHAT", the same text everywhere. */
enum orr_status orr_diag_no_memory(struct orr_diag *diag, const char *what);

/* Sends the warning "LOCATION: warning: TEXT" to the callback. `diag` and `place` may be NULL. */
void orr_diag_warn(struct orr_diag *diag, const struct orr_location *place, const char *format, ...)
    ORR_PRINTF(3, 4);

/* Appends formatted text to the message, for reports of several lines; truncates when full. */
void orr_diag_append(struct orr_diag *diag, const char *format, ...) ORR_PRINTF(2, 3);

/* Forwards the message of another diagnostic, whose line feeds are kept: as an error, whose status
 * it returns, or as a warning. */
enum orr_status orr_diag_forward(struct orr_diag *diag, const struct orr_diag *from);
void orr_diag_warn_of(struct orr_diag *diag, const struct orr_diag *from);

/* Writes "file:line:column: message" (or the binary form, or the bare message) into `text`,
 * always terminated. Returns the length it would have had, as snprintf does. */
int orr_diag_render(const struct orr_diag *diag, char *text, size_t bytes);

/* Invariant that stays on in Release: prints nothing, aborts. For our own mistakes only. */
#define ORR_ASSERT(condition) ((condition) ? (void)0 : orr_assert_failed(__FILE__, __LINE__))
_Noreturn void orr_assert_failed(const char *file, int line);

/* Invariant of hot loops: checked in Debug builds only. */
#ifdef NDEBUG
#define ORR_DEBUG_ASSERT(condition) ((void)0)
#else
#define ORR_DEBUG_ASSERT(condition) ORR_ASSERT(condition)
#endif

#endif
