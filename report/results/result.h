/* Descriptions of results: the results of a job, an NPU, a dimension and so on, as tables of name,
 * unit, meaning and value. Tables for people, JSON, CSV, the lines of sweeps, comparisons and the
 * reference (docs/results.md) are all made from them, so that a result is named only here. */
#ifndef ORR_REPORT_RESULTS_RESULT_H
#define ORR_REPORT_RESULTS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/sum.h"

struct json_t;

enum orr_result_type {
    ORR_RESULT_TEXT, /* const char *; NULL: not known */
    ORR_RESULT_U32,
    ORR_RESULT_U64,
    ORR_RESULT_I64,
    ORR_RESULT_SUM, /* orr_sum */
    ORR_RESULT_REAL,
    ORR_RESULT_BOOL,
    ORR_RESULT_LIST /* of rows; in JSON only */
};

enum orr_result_unit {
    ORR_UNIT_NONE, /* text, a list */
    ORR_UNIT_COUNT,
    ORR_UNIT_PS,
    ORR_UNIT_US,
    ORR_UNIT_S,
    ORR_UNIT_BYTES,
    ORR_UNIT_BYTES_PER_S,
    ORR_UNIT_FLOPS,
    ORR_UNIT_PER_S,
    ORR_UNIT_SHARE, /* 0 to 1 */
    ORR_UNIT_PERCENT,
    ORR_UNIT_RATIO,
    ORR_UNIT_TIMES /* a ratio, as "2.000x" */
};

/* Forms of results, as a set of bits. Labels, sweeps and comparisons have members of their own. */
enum {
    ORR_IN_JSON = 1u << 0,
    ORR_IN_CSV = 1u << 1,
    ORR_IN_TABLE = 1u << 2,
    ORR_BY_NAME = 1u << 3 /* in none of these: only for programs, by name */
};

/* Groups of the columns of a sweep, in their order. */
enum orr_sweep_group {
    ORR_NOT_IN_SWEEPS,
    ORR_COLUMN_SIZE,
    ORR_COLUMN_TIME,
    ORR_COLUMN_PARTS, /* of the NPU that finishes last */
    ORR_COLUMN_COST,
    ORR_COLUMN_RATES,
    ORR_COLUMN_COUNTS,
    ORR_COLUMN_MORE,
    ORR_COLUMN_GROUPS
};

enum orr_value_kind {
    ORR_VALUE_NONE, /* not known */
    ORR_VALUE_INTEGER,
    ORR_VALUE_BOOL, /* an integer, 0 or 1 */
    ORR_VALUE_REAL,
    ORR_VALUE_TEXT
};

struct orr_value {
    enum orr_value_kind kind;
    union {
        orr_sum integer;
        double real;
        const char *text;
    };
};

struct orr_result_table;

/* One result of the rows of a table. */
struct orr_result {
    const char *name;    /* its key in JSON, its column in CSV */
    const char *label;   /* its column heading in tables; NULL: not in tables */
    const char *meaning; /* one line */
    enum orr_result_type type;
    enum orr_result_unit unit;
    size_t offset; /* into the row's struct */
    /* How it is computed from a row; NULL: it lies at `offset`. */
    struct orr_value (*value)(const void *row);
    struct json_t *(*list)(const void *row); /* LIST: owned by the caller; NULL: left out */
    const struct orr_result_table *rows;     /* LIST: its entries; NULL: described by meaning */
    unsigned in_forms;                       /* forms that have it; 0: all */
    int width;                               /* of its column, < 0: to the left, 0: the last one */
    int digits;                  /* REAL: significant ones in CSV, 0: 15; < 0: decimals */
    bool truncate;               /* wider values are truncated */
    bool needs_waiting_split;    /* if CPU and waiting are known apart; else a dash, and 0 */
    bool optional;               /* left out if it is 0, not known */
    bool missing_in_old_results; /* absent from results of earlier versions: 0 */
    bool part;                   /* NPU: a part; all parts add up to the job's time */
    enum orr_sweep_group sweep;
    /* Its name in comparisons, before the row's own name; NULL: not compared. */
    const char *compared;
    const struct orr_result_table *place; /* of a result with a file of its own: its table */
};

/* The results of one kind of row. */
struct orr_result_table {
    const char *title;   /* heading in the reference */
    const char *place;   /* prefix of the names of its results; NULL: not available by name */
    const char *meaning; /* what a row is; lines of Markdown */
    const struct orr_result *results;
    size_t count;
    unsigned forms;
};

/* Type, unit and source of a result: what lies in the row, at AT(member), which a file with tables
 * defines for each row; or what a function computes of the row. */
#define ORR_TEXT_AT(member) .type = ORR_RESULT_TEXT, AT(member)
#define ORR_COUNT32_AT(member) .type = ORR_RESULT_U32, .unit = ORR_UNIT_COUNT, AT(member)
#define ORR_COUNT_AT(member) .type = ORR_RESULT_U64, .unit = ORR_UNIT_COUNT, AT(member)
#define ORR_PS_AT(member) .type = ORR_RESULT_I64, .unit = ORR_UNIT_PS, AT(member)
#define ORR_RATIO_AT(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_RATIO, AT(member)
#define ORR_SHARE_AT(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_SHARE, AT(member)
#define ORR_BYTES_AT(member) .type = ORR_RESULT_U64, .unit = ORR_UNIT_BYTES, AT(member)
#define ORR_BYTES_PER_S_AT(member) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_BYTES_PER_S, AT(member)
#define ORR_TEXT_OF(function) .type = ORR_RESULT_TEXT, .value = function
#define ORR_COUNT32_OF(function) .type = ORR_RESULT_U32, .unit = ORR_UNIT_COUNT, .value = function
#define ORR_COUNT_OF(function) .type = ORR_RESULT_U64, .unit = ORR_UNIT_COUNT, .value = function
#define ORR_PS_OF(function) .type = ORR_RESULT_I64, .unit = ORR_UNIT_PS, .value = function
#define ORR_RATIO_OF(function) .type = ORR_RESULT_REAL, .unit = ORR_UNIT_RATIO, .value = function
#define ORR_BYTES_OF(function) .type = ORR_RESULT_U64, .unit = ORR_UNIT_BYTES, .value = function
#define ORR_BYTES_PER_S_OF(function)                                                               \
    .type = ORR_RESULT_REAL, .unit = ORR_UNIT_BYTES_PER_S, .value = function

/* A table may have two results of one name, if they are in different forms. */
#define ORR_RESULT_TABLE(array) .results = (array), .count = sizeof(array) / sizeof *(array)

/* The index-th result of a table, those with files of their own (result_list.h) last; NULL after
 * the last one. */
const struct orr_result *orr_result_at(const struct orr_result_table *table, size_t index);

/* True if the form (one bit) has the result. */
bool orr_result_in(const struct orr_result_table *table, const struct orr_result *result,
                   unsigned form);

/* The value of a result in a row. Texts are borrowed from the row. */
struct orr_value orr_result_value(const struct orr_result *result, const void *row);

/* Values of each kind. The text, which may be NULL (not known), is borrowed. */
struct orr_value orr_integer_value(orr_sum integer);
struct orr_value orr_real_value(double real);
struct orr_value orr_text_value(const char *text);

/* "ps", "bytes/s"; "" for texts and lists. */
const char *orr_unit_name(enum orr_result_unit unit);

/* ---- forms (result_forms.c) ---- */

/* Add the results of a row to a JSON object; or append such an object to a list. */
void orr_result_add_json(struct json_t *object, const struct orr_result_table *table,
                         const void *row);
void orr_result_append_json(struct json_t *list, const struct orr_result_table *table,
                            const void *row);
void orr_value_add_json(struct json_t *object, const char *name, const struct orr_value *value);

/* Write the names of the columns, or the values, separated by commas, without a line end. */
void orr_result_csv_head(FILE *out, const struct orr_result_table *table);
void orr_result_csv_line(FILE *out, const struct orr_result_table *table, const void *row);
void orr_value_csv(FILE *out, const struct orr_value *value, int digits);

struct orr_row_style {
    bool has_waiting_split; /* CPU and waiting are known apart */
    int first;              /* the width of the first column; 0: its own */
    const char *head;       /* heading of the first column; NULL: its own */
};

/* Print a line of a table, without a line end: the column headings, or the values. */
void orr_result_heads(FILE *out, const struct orr_result_table *table, struct orr_row_style style);
void orr_result_cells(FILE *out, const struct orr_result_table *table, const void *row,
                      struct orr_row_style style);

/* Prints a line for each known result: its label, padded to `width`, and its value. */
void orr_result_lines(FILE *out, const struct orr_result_table *table, const void *row, int width);

/* The value formatted for people, "-" if it is not known. Returns `text`, or the value itself if it
 * is a text. */
const char *orr_value_text(const struct orr_value *value, enum orr_result_unit unit, char *text,
                           size_t bytes);

/* Writes a section of the reference: what a row is, and a line for each result. */
void orr_result_reference(FILE *out, const struct orr_result_table *table);

#endif
