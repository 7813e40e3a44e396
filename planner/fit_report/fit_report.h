/* Reports of fits, of collectives as of compute: errors, parameters and notes as text, JSON and
 * YAML comments. */
#ifndef ORR_PLANNER_FIT_REPORT_FIT_REPORT_H
#define ORR_PLANNER_FIT_REPORT_FIT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "core/diag.h"
#include "planner/fit/least_squares.h"

struct orr_arena;
struct orr_conf;
struct orr_fit_error_row;
struct orr_fit_head_row;
struct orr_fit_parameter_row;
struct orr_measured_file;
struct orr_result_table;

struct fit_report {
    const char *command;                  /* "collectives" */
    const char *platform;                 /* its name in messages */
    const struct orr_measured_file *file; /* [files] that were read */
    size_t files;
    const char *holdout;   /* the rule; NULL: none */
    bool keep;             /* nothing was fitted */
    size_t fitted, tested; /* rows */
    const struct orr_fit_error_row *error;
    size_t errors;
    const struct orr_fit_parameter_row *parameter;
    size_t parameters;
    const char *const *warning, *const *note;
    size_t warnings, notes;
};

/* Copies the result of a parameter into its row, in which name, unit and prior are set. `parameter`
 * are all rows; row k belongs to value k. The value is the prior if it is fixed. O(1). */
void orr_fitrep_set_parameter(const struct fit_value *value,
                              struct orr_fit_parameter_row *parameter, size_t k);

/* ---- warnings and notes ---- */

enum { FITREP_MAX_NOTES = 64 };

/* A list of warnings or notes, in an arena. Texts beyond FITREP_MAX_NOTES are dropped. */
struct fit_notes {
    struct orr_arena *arena;
    const char **text; /* [FITREP_MAX_NOTES] */
    size_t count;
    bool no_memory;
};

/* Makes an empty list. Errors: memory. */
enum orr_status orr_fitrep_notes_init(struct fit_notes *note_list, struct orr_arena *arena,
                                      struct orr_diag *diag);
/* Adds a text of the arena. NULL sets no_memory. */
void orr_fitrep_add_note(struct fit_notes *note_list, const char *text);

/* ---- text ---- */

/* "platform: WHAT, fitted to 12 rows of 1 file; 3 held out (every:4)" */
void orr_fitrep_print_head(FILE *out, const struct fit_report *report, const char *what);
/* Prints the table of parameters under `head`; prints the notes. */
void orr_fitrep_print_parameters(FILE *out, const struct fit_report *report, const char *head);
void orr_fitrep_print_notes(FILE *out, const struct fit_report *report);

/* ---- JSON ---- */

/* Appends an object for the row to the list. */
void orr_fitrep_add_row(json_t *list, const struct orr_result_table *table, const void *row);
/* Writes the fit: head, parameters, errors, `rows`, warnings, notes. Both are released. 0, or 1. */
int orr_fitrep_json(FILE *out, const struct fit_report *report, const struct orr_fit_head_row *head,
                    json_t *rows);

/* ---- YAML ---- */

/* Writes a comment of one line. */
void orr_fitrep_comment(FILE *out, const char *format, ...) ORR_PRINTF(2, 3);
/* Writes comments: the platform, the files, the rows and the errors. */
void orr_fitrep_comment_head(FILE *out, const struct fit_report *report);
/* Describes how well a parameter is determined; returns `text`, or a constant text. */
const char *orr_fitrep_describe_parameter(const struct orr_fit_parameter_row *row, char *text,
                                          size_t bytes);
/* Writes the platform as YAML. Each section of `replace` (name NULL ends the list) is written by
 * its own function, in its place or, if the platform lacks it, at the end. The section workload is
 * left out. */
struct fit_section {
    const char *name;
    void (*write)(FILE *out, const void *context, const struct orr_conf *section);
};
void orr_fitrep_platform(FILE *out, const struct orr_conf *root, const struct fit_section *replace,
                         const void *context);

#endif
