/* A kind of result that pages show, and what its verdict is written with. page_kind_list.h lists
 * the kinds. */
#ifndef ORR_REPORT_PAGE_PAGE_KIND_H
#define ORR_REPORT_PAGE_PAGE_KIND_H

#include <jansson.h>

enum { ORR_VERDICT_BYTES = 1024, ORR_VERDICT_FIGURE_BYTES = 96 };

/* A kind of result: its command, how to recognize it, and what a page makes of it. */
struct page_kind {
    const char *name;    /* "run", as the script knows it */
    const char *need[3]; /* members that it has: "name", "name[]" a list of objects, "name{}" an
                            object, "name[].member" objects that have a list of objects */
    void (*cut)(json_t *result);                       /* NULL: nothing to cut */
    void (*verdict)(const json_t *result, char *text); /* [ORR_VERDICT_BYTES] */
};

/* Appends to a verdict, truncated to its size. */
void orr_verdict_add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Formats a time for a verdict. Returns `text`. */
const char *orr_verdict_time(double ps, char text[ORR_VERDICT_FIGURE_BYTES]);

/* A number of a result, 0 if it has none; a text, "" likewise. */
double orr_page_number(const json_t *result, const char *key);
const char *orr_verdict_text(const json_t *object, const char *key);

/* The time of a plan: simulated, else estimated, else predicted. */
double orr_verdict_planned_ps(const json_t *plan);
/* Ends the verdict on a plan of `ps` with data parallelism beside it. */
void orr_verdict_add_data_parallel(const json_t *parallel, double ps, char *text);

#endif
