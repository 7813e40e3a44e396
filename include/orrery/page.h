/* Pages of results, as of `orrery report` (docs/user-guide.md): one HTML file that asks for nothing
 * else.
 *
 *     struct orrery_page *page = orrery_page_new(NULL);
 *     if (orrery_page_add_job(page, job, &inputs, "a step") != ORRERY_OK ||
 *         orrery_page_write(page, out) != ORRERY_OK) {
 *         fprintf(stderr, "%s\n", orrery_page_error(page));
 *     }
 *     orrery_page_free(page);
 *
 * A page is of one thread at a time. */
#ifndef ORRERY_PAGE_H
#define ORRERY_PAGE_H

#include <stdio.h>

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_page;

/* An empty page; `title` NULL: the names of its results. NULL when memory is out. */
ORRERY_API struct orrery_page *orrery_page_new(const char *title);
ORRERY_API void orrery_page_free(struct orrery_page *page); /* NULL is fine */

/* What was wrong with the last call that failed. Owned by the page. */
ORRERY_API const char *orrery_page_error(const struct orrery_page *page);

/* Adds a result, the text of what a command writes with --json; `name` is what the page calls it,
 * NULL: the result's own. Errors: ORRERY_ERROR_INPUT, it is no such result; memory. O(bytes). */
ORRERY_API enum orrery_status orrery_page_add(struct orrery_page *page, const char *json,
                                              const char *name);

/* The same of a file, or of the lines that a sweep keeps (.jsonl). Errors: also ORRERY_ERROR_IO. */
ORRERY_API enum orrery_status orrery_page_add_file(struct orrery_page *page, const char *file,
                                                   const char *name);

/* Adds a job that has run and recorded its nodes, and its critical path where the page is to have
 * that, with all that a page tells. `inputs` are what it was loaded from, to run it again for each
 * change that may help, and for the traffic between NPUs; NULL: those parts say that they are
 * missing. Errors: the job has not run; memory. O(its nodes), and with `inputs` a run for each
 * change and, where that takes few enough events, one with nothing folded. */
ORRERY_API enum orrery_status orrery_page_add_job(struct orrery_page *page, struct orrery *job,
                                                  const struct orrery_inputs *inputs,
                                                  const char *name);

/* Writes the page. Errors: ORRERY_ERROR_IO; no result was added. O(bytes). */
ORRERY_API enum orrery_status orrery_page_write(struct orrery_page *page, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
