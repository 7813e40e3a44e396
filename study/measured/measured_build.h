/* Rows as they are read: what the readers of the three forms share. */
#ifndef ORR_STUDY_MEASURED_MEASURED_BUILD_H
#define ORR_STUDY_MEASURED_MEASURED_BUILD_H

#include "study/measured/measured.h"

enum { ORR_MEASURED_MAX_COLUMNS = 64 };

struct orr_measured_build {
    const struct orr_measured_inputs *inputs;
    struct orr_arena *arena;
    struct orr_diag *diag;
    /* The file that is read. */
    const char *path, *data;
    size_t bytes;
    /* What there is so far. */
    struct orr_measured_row *row;
    struct orr_measured_file *file; /* the last one is being read */
    size_t *width;                  /* [files]: texts of the file's rows */
    struct orr_measured_note *note;
    size_t rows, row_capacity, files, notes, note_capacity;
    const char *column[ORR_MEASURED_MAX_COLUMNS];
    size_t columns;
    struct orr_strings texts; /* of further columns */
};

struct orr_location orr_measured_location(const struct orr_measured_build *build, uint32_t line,
                                          uint32_t column);

/* ORR_ERR_INPUT at a place of the file. */
#define orr_measured_fail(build, line, column, ...)                                                \
    orr_measured_fail_at((build), orr_measured_location((build), (line), (column)), __VA_ARGS__)
enum orr_status orr_measured_fail_at(const struct orr_measured_build *build,
                                     struct orr_location location, const char *format, ...)
    ORR_PRINTF(3, 4);

enum orr_status orr_measured_no_memory(const struct orr_measured_build *build);

/* Adds a row of the file; its `file` is set here. Its `extra` has the texts of the further columns
 * that there are until now; NULL: the file has none. Errors: a time that no run can take; memory.
 */
enum orr_status orr_measured_add(struct orr_measured_build *build,
                                 const struct orr_measured_row *row);

/* Counts what a note says, of which there is one for each text. */
enum orr_status orr_measured_add_note(struct orr_measured_build *build, const char *text,
                                      uint32_t line);

/* Notes a row of a collective that Orrery does not have. */
enum orr_status orr_measured_skip_name(struct orr_measured_build *build, const char *name,
                                       uint32_t line);

/* The readers; each adds rows of the file at `path`. */
enum orr_status orr_measured_read_csv(struct orr_measured_build *build);
enum orr_status orr_measured_read_text(struct orr_measured_build *build);
enum orr_status orr_measured_read_json(struct orr_measured_build *build);

/* Whether the file has a line that nccl-tests print: of settings, of columns. O(bytes). */
bool orr_measured_is_text(const char *data, size_t bytes);

/* What is known of a collective by its name. */
enum orr_measured_name {
    ORR_MEASURED_UNKNOWN,
    ORR_MEASURED_KNOWN,      /* one that Orrery has */
    ORR_MEASURED_NOT_MODELED /* another one of nccl-tests */
};
enum orr_measured_name orr_measured_name(const char *name, enum coll_kind *kind);

/* The one collective that a file's name tells, or program's, with or without a path; NULL: none, or
 * several. One of the names that orr_measured_name knows. */
const char *orr_measured_name_in(const char *path);

/* Names for messages, as CSV has them; NULL behind the last. */
extern const char *const orr_measured_names[];
enum { ORR_MEASURED_NAMES = 8 };

#endif
