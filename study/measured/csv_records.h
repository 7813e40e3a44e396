/* A CSV reader, record by record (RFC 4180): fields separated by commas, in quotes if they contain
 * commas, line breaks or (doubled) quotes. Blanks around a field and empty lines are skipped. Lines
 * end with LF, CR LF or CR. */
#ifndef ORR_STUDY_MEASURED_CSV_RECORDS_H
#define ORR_STUDY_MEASURED_CSV_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct orr_diag;

enum { CSV_MAX_FIELDS = 80 };

struct csv_field {
    const char *text; /* valid until the next record */
    uint32_t line, column;
    bool quoted;
};

struct csv_reader {
    const char *path, *data; /* borrowed */
    size_t bytes, at, line_start;
    uint32_t line;
    struct csv_field field[CSV_MAX_FIELDS];
    size_t fields; /* in the record; fields beyond CSV_MAX_FIELDS are counted only */
    char *text;    /* of the fields, concatenated */
    size_t used, capacity;
    size_t offset[CSV_MAX_FIELDS];
};

/* Begins reading `data`; both texts are borrowed until orr_csv_fini. */
void orr_csv_init(struct csv_reader *csv, const char *path, const char *data, size_t bytes);

/* Reads the next record; *more is false after the last. Errors: an unclosed quote, or text after a
 * closing one, with the location; memory. O(bytes). */
enum orr_status orr_csv_next(struct csv_reader *csv, bool *more, struct orr_diag *diag);
void orr_csv_fini(struct csv_reader *csv);

#endif
