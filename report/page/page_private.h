/* Shared by the files of the page. */
#ifndef ORR_REPORT_PAGE_PAGE_PRIVATE_H
#define ORR_REPORT_PAGE_PAGE_PRIVATE_H

#include <jansson.h>
#include <stdint.h>

#include "report/page/page.h"

struct orr_diag;

enum { ORR_VERDICT_BYTES = 1024, ORR_VERDICT_FIGURE_BYTES = 96 };

/* A kind of result: its command, how to recognize it, and what a page makes of it. */
struct page_kind {
    const char *name;    /* "run", as the script knows it */
    const char *need[3]; /* members that it has: "name", "name[]" a list of objects, "name{}" an
                            object, "name[].member" objects that have a list of objects */
    void (*cut)(json_t *result);                       /* NULL: nothing to cut */
    void (*verdict)(const json_t *result, char *text); /* [ORR_VERDICT_BYTES] */
};

/* Parses a result: a value, or lines of values, which become {"points": [...]}. Errors: not JSON,
 * with the line of `file` (NULL: none is named). */
enum orr_status orr_page_parse(const char *text, const char *file, json_t **result,
                               struct orr_diag *diag);

/* The kind of a result; NULL: no result of Orrery. */
const struct page_kind *orr_page_kind_of(const json_t *result);

/* Writes the verdict on a result, one sentence (page_verdict.c). */
void orr_page_verdict_run(const json_t *result, char *text);
void orr_page_verdict_whatif(const json_t *result, char *text);
/* (page_verdict_kinds.c) */
void orr_page_verdict_sweep(const json_t *sweep, char *text);
void orr_page_verdict_topoopt(const json_t *plan, char *text);
void orr_page_verdict_sip_ml(const json_t *plan, char *text);
void orr_page_verdict_fit(const json_t *fit, char *text);
void orr_page_verdict_bench(const json_t *bench, char *text);
void orr_page_verdict_measured(const json_t *bench, char *text);
void orr_page_verdict_failures(const json_t *failures, char *text);
void orr_page_verdict_diff(const json_t *diff, char *text);
void orr_page_verdict_cluster(const json_t *cluster, char *text);
void orr_page_verdict_comparison(const json_t *comparison, char *text);
void orr_page_verdict_taskgraph(const json_t *run, char *text);
void orr_page_verdict_evaluation(const json_t *evaluation, char *text);
void orr_page_verdict_other(const json_t *result, char *text);
/* Appends to a verdict, truncated to its size. */
void orr_verdict_add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Formats a time for a verdict. Returns `text`. */
const char *orr_verdict_time(double ps, char text[ORR_VERDICT_FIGURE_BYTES]);
/* The verdict on several runs together; "" for fewer than two. `results` as the page has them. */
void orr_page_verdict_several(const json_t *results, char *text);

/* Appends a sentence with the change that saves the most time. */
void orr_page_verdict_best(const json_t *whatif, char *text);

/* Number of NPUs of a class of a run, from its ranks, such as "0-3,8". */
double orr_page_class_npus(const json_t *npu_class);

/* The nearest 64-bit integer; 0 for NaN. */
int64_t orr_page_integer(double value);

/* A number of a result, 0 if it has none. */
double orr_page_number(const json_t *result, const char *key);

/* Made from page.css and the scripts (cmake/embed_text.cmake). */
extern const unsigned char orr_page_style[];
extern const unsigned char orr_page_script[];

#endif
