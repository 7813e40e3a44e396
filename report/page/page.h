/* A page of results: one HTML file that asks for nothing else, made from results as JSON (those of
 * --json, read back or not yet written). The page holds its data once, as JSON, and a script of
 * ours that draws them; text that must be there at once (title, verdicts) is HTML. */
#ifndef ORR_REPORT_PAGE_PAGE_H
#define ORR_REPORT_PAGE_PAGE_H

#include <stdio.h>

#include "core/core.h"

struct json_t;
struct orr_page;

/* An empty page; `title` NULL: made from the results. NULL when memory is out. */
struct orr_page *orr_page_create(const char *title);
void orr_page_destroy(struct orr_page *page); /* NULL is fine */

/* The command line that makes the page, which its foot tells; it is copied. */
void orr_page_set_command(struct orr_page *page, const char *command);

/* Adds a result, which the page takes, also where it fails; `name` is what the page calls it: a
 * file's name without folders and end, or that of its platform; NULL: the result's own. What is
 * told at length is cut to what a page shows: `result` changes. Errors: it is no result of a
 * command of Orrery (place: `file`, NULL: none); memory. O(bytes of the result). */
enum orr_status orr_page_add(struct orr_page *page, struct json_t *result, const char *name,
                             const char *file, struct orr_diag *diag);

/* How many results it has. */
size_t orr_page_results(const struct orr_page *page);

/* A picture of the result that was added last, the text of an SVG file, which is copied. */
void orr_page_picture(struct orr_page *page, const char *title, const char *svg);

/* The same as orr_page_add of a result as text of JSON. */
enum orr_status orr_page_add_text(struct orr_page *page, const char *text, const char *name,
                                  struct orr_diag *diag);

/* Reads a result from a file: one JSON value, or a line of JSON for each point of a sweep. Errors:
 * no JSON, with the line; files that cannot be read. The value is the caller's. */
enum orr_status orr_page_read(const char *file, struct json_t **result, struct orr_diag *diag);

/* Writes the page; the context is a struct orr_page. 0, or 1 with errno set. For struct orr_output.
 * O(bytes). */
int orr_page_write(FILE *out, const void *page);

#endif
