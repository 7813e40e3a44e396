/* Pages of results, as `orrery report` (docs/how-to/reports.md): one self-contained HTML file.
 *
 *     struct orrery_page *page = orrery_page_new(NULL);
 *     if (orrery_page_add_job(page, job, &inputs, "a step") != ORRERY_OK ||
 *         orrery_page_write(page, out) != ORRERY_OK) {
 *         fprintf(stderr, "%s\n", orrery_page_error(page));
 *     }
 *     orrery_page_free(page);
 *
 * One thread at a time may use a page. */
#ifndef ORRERY_PAGE_H
#define ORRERY_PAGE_H

#include <stdio.h>

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_page;

/* Creates an empty page; `title` NULL: the names of its results. NULL if out of memory. */
ORRERY_API struct orrery_page *orrery_page_new(const char *title);
ORRERY_API void orrery_page_free(struct orrery_page *page); /* NULL is fine */

/* The error of the last failed call. Owned by the page. */
ORRERY_API const char *orrery_page_error(const struct orrery_page *page);

/* Adds a result: the text that a command writes with --json. `name`: its title on the page; NULL:
 * its own. Errors: ORRERY_ERROR_INPUT, it is not such a result; memory. O(bytes). */
ORRERY_API enum orrery_status orrery_page_add(struct orrery_page *page, const char *json,
                                              const char *name);

/* The same for a file, or for the .jsonl of a sweep. Errors: also ORRERY_ERROR_IO. */
ORRERY_API enum orrery_status orrery_page_add_file(struct orrery_page *page, const char *file,
                                                   const char *name);

/* Adds a finished job with recorded nodes, and with its critical path if the page is to show it.
 * `inputs`: the inputs that it was loaded from, to simulate what-if changes and to record traffic
 * between NPUs; NULL: the page states that these parts are missing. Errors: the job has not run;
 * memory. O(nodes); with `inputs` one run for each change and, if that has few enough events, one
 * without folding. */
ORRERY_API enum orrery_status orrery_page_add_job(struct orrery_page *page, struct orrery *job,
                                                  const struct orrery_inputs *inputs,
                                                  const char *name);

/* Writes the page. Errors: ORRERY_ERROR_IO; no result was added. O(bytes). */
ORRERY_API enum orrery_status orrery_page_write(struct orrery_page *page, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
