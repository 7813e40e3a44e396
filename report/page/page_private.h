/* Shared by the files of the page. */
#ifndef ORR_REPORT_PAGE_PAGE_PRIVATE_H
#define ORR_REPORT_PAGE_PAGE_PRIVATE_H

#include <jansson.h>
#include <stdint.h>

#include "report/page/page.h"
#include "report/page/page_kind.h"

struct orr_diag;

/* Parses a result: a value, or lines of values, which become {"points": [...]}. Errors: not JSON,
 * with the line of `file` (NULL: none is named). */
enum orr_status orr_page_parse(const char *text, const char *file, json_t **result,
                               struct orr_diag *diag);

/* The kinds, in the order in which results are asked; NULL after the last. */
const struct page_kind *orr_page_kind_at(size_t index);

/* Cuts the long lists of a run. */
void orr_page_cut_run(json_t *run);

/* The kind of a result; NULL: no result of Orrery. */
const struct page_kind *orr_page_kind_of(const json_t *result);

/* The verdict on a result of no kind. */
void orr_page_verdict_other(const json_t *result, char *text);
/* The verdict on several runs together; "" for fewer than two. `results` as the page has them. */
void orr_page_verdict_several(const json_t *results, char *text);

/* Appends a sentence with the change that saves the most time. */
void orr_page_verdict_best(const json_t *whatif, char *text);

/* Number of NPUs of a class of a run, from its ranks, such as "0-3,8". */
double orr_page_class_npus(const json_t *npu_class);

/* The nearest 64-bit integer; 0 for NaN. */
int64_t orr_page_integer(double value);

/* Made from page.css and the scripts (cmake/embed_text.cmake). */
extern const unsigned char orr_page_style[];
extern const unsigned char orr_page_script[];

#endif
