/* Results as tables: what is told of a job, of an NPU, of a dimension and so on. Tables for people,
 * JSON, CSV, the lines of sweeps, comparisons and the reference (docs/results.md) are all made from
 * them, so that a result is named in one place. */
#ifndef ORR_REPORT_RESULTS_RESULT_H
#define ORR_REPORT_RESULTS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/core.h"

struct json_t;

enum orr_result_type {
    ORR_RESULT_TEXT, /* const char *; NULL: not told */
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

/* Forms of results, as a set. Labels, sweeps and comparisons say for themselves what they have. */
enum {
    ORR_IN_JSON = 1u << 0,
    ORR_IN_CSV = 1u << 1,
    ORR_IN_TABLE = 1u << 2,
    ORR_BY_NAME = 1u << 3 /* in none of these: programs ask for it */
};

/* Groups of the columns of a sweep, in their order. */
enum orr_sweep_group {
    ORR_NOT_IN_SWEEPS,
    ORR_COLUMN_SIZE,
    ORR_COLUMN_TIME,
    ORR_COLUMN_PARTS, /* of the NPU that is last */
    ORR_COLUMN_COST,
    ORR_COLUMN_RATES,
    ORR_COLUMN_COUNTS,
    ORR_COLUMN_MORE,
    ORR_COLUMN_GROUPS
};

enum orr_value_kind {
    ORR_VALUE_NONE, /* not told */
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

/* One result of the rows of a place. */
struct orr_result {
    const char *name;    /* its key in JSON, its column in CSV */
    const char *label;   /* its head in tables; NULL: in none */
    const char *meaning; /* one line */
    enum orr_result_type type;
    enum orr_result_unit unit;
    size_t offset; /* into the row's struct */
    /* How it is computed from a row; NULL: it lies at `offset`. */
    struct orr_value (*value)(const void *row);
    struct json_t *(*list)(const void *row); /* LIST: the caller's; NULL: left out */
    const struct orr_result_table *rows; /* LIST: what its entries hold; NULL: told by meaning */
    unsigned in_forms;                   /* the forms that have it; 0: all */
    int width;                           /* of its column, < 0: to the left, 0: the last one */
    int digits;                          /* REAL: significant ones in CSV, 0: 15; < 0: decimals */
    bool truncate;                       /* what is wider is cut */
    bool needs_waiting_split;    /* only where CPU and waiting are: else a dash in tables, and 0 */
    bool optional;               /* left out where it is 0: not known */
    bool missing_in_old_results; /* results of earlier versions lack it: 0 */
    bool part;                   /* NPU: its parts add up to the job's time */
    enum orr_sweep_group sweep;
    /* Its name where results are compared, before the row's own; NULL: it is not. */
    const char *compared;
    const struct orr_result_table *place; /* of a result with a file of its own */
};

/* The results of one kind of row. */
struct orr_result_table {
    const char *title;   /* heading in the reference */
    const char *place;   /* before the names of its results; NULL: not to be asked for by name */
    const char *meaning; /* what a row is; lines of Markdown */
    const struct orr_result *results;
    size_t count;
    unsigned forms;
};

/* A result may stand twice in a table, where forms have it in different places. */
#define ORR_RESULT_TABLE(array) .results = (array), .count = sizeof(array) / sizeof *(array)

/* The index-th result of a table, those with files of their own (result_list.h) behind the others;
 * NULL behind the last. */
const struct orr_result *orr_result_at(const struct orr_result_table *table, size_t index);

/* Whether the form, one of them, has the result. */
bool orr_result_in(const struct orr_result_table *table, const struct orr_result *result,
                   unsigned form);

struct orr_value orr_result_value(const struct orr_result *result, const void *row);

struct orr_value orr_integer_value(orr_sum integer);
struct orr_value orr_real_value(double real);
struct orr_value orr_text_value(const char *text);

/* "ps", "bytes/s"; "" of texts and lists. */
const char *orr_unit_name(enum orr_result_unit unit);

/* ---- forms (result_forms.c) ---- */

/* Adds what JSON has of a row to an object; or appends an object of it to a list. */
void orr_result_add_json(struct json_t *object, const struct orr_result_table *table,
                         const void *row);
void orr_result_append_json(struct json_t *list, const struct orr_result_table *table,
                            const void *row);
void orr_value_add_json(struct json_t *object, const char *name, const struct orr_value *value);

/* The names of the columns, and their values, between commas, without the line's end. */
void orr_result_csv_head(FILE *out, const struct orr_result_table *table);
void orr_result_csv_line(FILE *out, const struct orr_result_table *table, const void *row);
void orr_value_csv(FILE *out, const struct orr_value *value, int digits);

struct orr_row_style {
    bool has_waiting_split; /* CPU and waiting are told apart */
    int first;              /* the width of the first column; 0: its own */
    const char *head;       /* of the first column; NULL: its own */
};

/* A line of a table, without its end: the labels, or the values. */
void orr_result_heads(FILE *out, const struct orr_result_table *table, struct orr_row_style style);
void orr_result_cells(FILE *out, const struct orr_result_table *table, const void *row,
                      struct orr_row_style style);

/* A line for each result: its label, as wide, and its value; none where it is not told. */
void orr_result_lines(FILE *out, const struct orr_result_table *table, const void *row, int width);

/* The value as people read it, "-" when it is not told; into `text`, or what it is. */
const char *orr_value_text(const struct orr_value *value, enum orr_result_unit unit, char *text,
                           size_t bytes);

/* A section of the reference: what a row is, and a line for each result. */
void orr_result_reference(FILE *out, const struct orr_result_table *table);

#endif
