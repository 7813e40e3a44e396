/* What the calls of include/orrery/study.h have in common: a study holds the results of the last of
 * them, of one kind. */
#ifndef ORR_STUDY_STUDY_CALL_H
#define ORR_STUDY_STUDY_CALL_H

#include "core/core.h"
#include "orrery/study.h"
#include "report/report.h"

enum {
    ORR_FORMS = ORRERY_FORM_CSV + 1,
    ORR_STUDY_ROW_BYTES = 1024 /* of any place with a table */
};

/* Results of one kind. Where `places` is NULL both functions below it are needed. */
struct orr_study_kind {
    const struct orr_result_sources *result_sources;
    enum orr_status (*count)(void *of, const char *place, size_t *rows, struct orr_diag *diag);
    /* The text of a value need live until the next call. */
    enum orr_status (*get_value)(void *of, const char *name, size_t row, struct orr_value *value,
                                 struct orr_diag *diag);
    /* By form; NULL: it has none. 0, or 1 with errno set. */
    int (*write[ORR_FORMS])(FILE *out, const void *of);
    void (*destroy)(void *of);
};

/* Begins a call: drops earlier results, and checks the struct, `given`, that begins with its size.
 */
enum orr_status orr_study_begin(struct orrery_study *study, const char *name, const void *given,
                                size_t expected, struct orr_diag *diag);

/* Ends it: `of`, of the heap (or NULL), belongs to the study, or is destroyed after an error, which
 * is kept. */
enum orrery_status orr_study_end(struct orrery_study *study, const struct orr_study_kind *kind,
                                 void *of, const struct orr_diag *diag);

/* Errors: not exactly one of so many things is given. */
enum orr_status orr_study_check_one(unsigned given, const char *what, struct orr_diag *diag);

#endif
