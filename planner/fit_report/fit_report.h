/* What is told of a fit, whatever was fitted: errors, parameters and notes as text, JSON and
 * comments of YAML; pictures of measured against modelled times. */
#ifndef ORR_PLANNER_FIT_REPORT_FIT_REPORT_H
#define ORR_PLANNER_FIT_REPORT_FIT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "planner/fit/least_squares.h"
#include "report/report.h"
#include "study/study.h"

struct fit_report {
    const char *command;                  /* "collectives" */
    const char *platform;                 /* as messages call it */
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

/* Takes over what a fit says of a parameter; its name, unit and prior are there. `parameter` are
 * all, of which row k is of value k. The value is the prior where it is fixed. O(1). */
void orr_fitrep_set_parameter(const struct fit_value *value,
                              struct orr_fit_parameter_row *parameter, size_t k);

/* ---- what is said beside numbers ---- */

enum { FITREP_MAX_NOTES = 64 };

/* Texts of warnings or notes, in an arena; those beyond FITREP_MAX_NOTES are not kept. */
struct fit_notes {
    struct orr_arena *arena;
    const char **text; /* [FITREP_MAX_NOTES] */
    size_t count;
    bool no_memory;
};

/* Errors: memory. */
enum orr_status orr_fitrep_notes_init(struct fit_notes *note_list, struct orr_arena *arena,
                                      struct orr_diag *diag);
/* NULL: memory is out. */
void orr_fitrep_add_note(struct fit_notes *note_list, const char *text);

/* ---- text ---- */

/* "platform: WHAT, fitted to 12 rows of 1 file; 3 held out (every:4)" */
void orr_fitrep_print_head(FILE *out, const struct fit_report *report, const char *what);
/* Parameters under `head`, and notes. */
void orr_fitrep_print_parameters(FILE *out, const struct fit_report *report, const char *head);
void orr_fitrep_print_notes(FILE *out, const struct fit_report *report);

/* ---- JSON ---- */

/* A list with an object for the row. */
void orr_fitrep_add_row(json_t *list, const struct orr_result_table *table, const void *row);
/* Writes the fit: head, parameters, errors, `rows`, warnings, notes. Both are released. 0, or 1. */
int orr_fitrep_json(FILE *out, const struct fit_report *report, const struct orr_fit_head_row *head,
                    json_t *rows);

/* ---- YAML ---- */

/* A comment of one line. */
void orr_fitrep_comment(FILE *out, const char *format, ...) ORR_PRINTF(2, 3);
/* What was fitted to what, and how near: comments. */
void orr_fitrep_comment_head(FILE *out, const struct fit_report *report);
/* How well a parameter is told, into `text`, or a text of its own. */
const char *orr_fitrep_describe_parameter(const struct orr_fit_parameter_row *row, char *text,
                                          size_t bytes);
/* The platform with `replace` in place of its sections' values: each section (NULL behind the last)
 * is written by its own function, in its place or, where the platform lacks it, at the end. What
 * is the workload's is left out. */
struct fit_section {
    const char *name;
    void (*write)(FILE *out, const void *context, const struct orr_conf *section);
};
void orr_fitrep_platform(FILE *out, const struct orr_conf *root, const struct fit_section *replace,
                         const void *context);

/* ---- pictures ---- */

/* A plot with two logarithmic axes, in pixels. */
struct fit_plot {
    FILE *out;
    int left, top, width, height;
    double min_x, max_x, min_y, max_y; /* of the axes, above 0 */
};
double orr_fitrep_x(const struct fit_plot *plot, double x);
double orr_fitrep_y(const struct fit_plot *plot, double y);
/* A line of the grid across the plot, with a name. */
void orr_fitrep_grid_x(const struct fit_plot *plot, double x, const char *name);
void orr_fitrep_grid_y(const struct fit_plot *plot, double y, const char *name);
/* The frame, the title and the names of the axes. */
void orr_fitrep_frame(const struct fit_plot *plot, const char *title, const char *x, const char *y);
/* A circle: full, or empty where it was held out; `name` is shown where it is pointed at; NULL. */
void orr_fitrep_point(const struct fit_plot *plot, double x, double y, bool held_out,
                      const char *color, const char *name);
/* The file's begin, and its end. */
void orr_fitrep_svg_begin(FILE *out, int width, int height, const char *title);
int orr_fitrep_svg_end(FILE *out);

#endif
