/* Rows under construction, shared by the readers of the three forms. */
#ifndef ORR_STUDY_MEASURED_MEASURED_BUILD_H
#define ORR_STUDY_MEASURED_MEASURED_BUILD_H

#include "core/strings.h"
#include "study/measured/measured.h"
#include "system/collectives/program.h"

struct orr_arena;
struct orr_diag;

enum { ORR_MEASURED_MAX_COLUMNS = 64 };

struct orr_measured_build {
    const struct orr_measured_inputs *inputs;
    struct orr_arena *arena;
    struct orr_diag *diag;
    /* The current file. */
    const char *path, *data;
    size_t bytes;
    /* The result so far. */
    struct orr_measured_row *row;
    struct orr_measured_file *file; /* the last one is the current one */
    size_t *width;                  /* [files]: number of texts of each of the file's rows */
    struct orr_measured_note *note;
    size_t rows, row_capacity, files, notes, note_capacity;
    const char *column[ORR_MEASURED_MAX_COLUMNS];
    size_t columns;
    struct orr_strings texts; /* values of further columns */
};

/* A location in the current file; line 0: the file. */
struct orr_location orr_measured_location(const struct orr_measured_build *build, uint32_t line,
                                          uint32_t column);

/* Fails with ORR_ERR_INPUT at a location in the file. */
#define orr_measured_fail(build, line, column, ...)                                                \
    orr_measured_fail_at((build), orr_measured_location((build), (line), (column)), __VA_ARGS__)
enum orr_status orr_measured_fail_at(const struct orr_measured_build *build,
                                     struct orr_location location, const char *format, ...)
    ORR_PRINTF(3, 4);

/* Fails with ORR_ERR_MEMORY. */
enum orr_status orr_measured_no_memory(const struct orr_measured_build *build);

/* Adds a row of the current file and sets its `file`. Its `extra` has the values of the further
 * columns known so far; NULL: the file has none. Errors: a time outside the range of a run;
 * memory. */
enum orr_status orr_measured_add(struct orr_measured_build *build,
                                 const struct orr_measured_row *row);

/* Increments the count of the note with this text. Errors: memory. */
enum orr_status orr_measured_add_note(struct orr_measured_build *build, const char *text,
                                      uint32_t line);

/* Adds a note on a row whose collective Orrery does not have. */
enum orr_status orr_measured_skip_name(struct orr_measured_build *build, const char *name,
                                       uint32_t line);

/* The readers of the three forms; each adds the rows of the current file. */
enum orr_status orr_measured_read_csv(struct orr_measured_build *build);
enum orr_status orr_measured_read_text(struct orr_measured_build *build);
enum orr_status orr_measured_read_json(struct orr_measured_build *build);

/* True if the file has a line of nccl-tests: of settings, or of columns. O(bytes). */
bool orr_measured_is_text(const char *data, size_t bytes);

/* How a name of a collective is known. */
enum orr_measured_name {
    ORR_MEASURED_UNKNOWN,
    ORR_MEASURED_KNOWN,      /* one that Orrery has */
    ORR_MEASURED_NOT_MODELED /* another collective of nccl-tests */
};
enum orr_measured_name orr_measured_name(const char *name, enum coll_kind *kind);

/* The only collective in the name of a file or program, with or without a path; NULL: none, or
 * several. A name that orr_measured_name knows. */
const char *orr_measured_name_in(const char *path);

/* Names for messages, as in CSV; NULL after the last. */
extern const char *const orr_measured_names[];
enum { ORR_MEASURED_NAMES = 8 };

#endif
