/* A page of results: one self-contained HTML file, made from results as JSON (the output of --json,
 * read back or in memory). The page holds its data once, as JSON, and a script that draws them;
 * title and verdicts are plain HTML, visible without the script. */
#ifndef ORR_REPORT_PAGE_PAGE_H
#define ORR_REPORT_PAGE_PAGE_H

#include <stdio.h>

#include "core/status.h"

struct orr_diag;

struct json_t;
struct orr_page;

/* Creates an empty page; `title` NULL: made from the results. NULL: no memory. */
struct orr_page *orr_page_create(const char *title);
void orr_page_destroy(struct orr_page *page); /* NULL is fine */

/* Sets the command line that makes the page, for the page's foot; copied. */
void orr_page_set_command(struct orr_page *page, const char *command);

/* Adds a result; the page takes the reference, also on failure. `name` is its name on the page: a
 * file's name without folders and extension, or that of its platform; NULL: the result's own. Long
 * lists in `result` are cut to the size that a page shows. Errors: `result` is not the result of a
 * command of Orrery (location: `file`, NULL: none); memory. O(bytes of the result). */
enum orr_status orr_page_add(struct orr_page *page, struct json_t *result, const char *name,
                             const char *file, struct orr_diag *diag);

/* Number of results of the page. */
size_t orr_page_results(const struct orr_page *page);

/* Adds a picture, the text of an SVG file, to the last result; copied. */
void orr_page_picture(struct orr_page *page, const char *title, const char *svg);

/* As orr_page_add, for a result as text of JSON. */
enum orr_status orr_page_add_text(struct orr_page *page, const char *text, const char *name,
                                  struct orr_diag *diag);

/* Reads a result from a file: one JSON value, or a line of JSON for each point of a sweep. The
 * value is owned by the caller. Errors: not JSON, with the line; the file cannot be read. */
enum orr_status orr_page_read(const char *file, struct json_t **result, struct orr_diag *diag);

/* Writes the page. For struct orr_output: the context is a struct orr_page. Returns 0, or 1 with
 * errno set. O(bytes). */
int orr_page_write(FILE *out, const void *page);

#endif
