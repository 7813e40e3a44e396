/* Shared by the calls of include/orrery/study.h: a study holds the results of the last call, of one
 * kind. */
#ifndef ORR_STUDY_STUDY_CALL_H
#define ORR_STUDY_STUDY_CALL_H

#include "core/status.h"
#include "orrery/orrery.h"
#include "orrery/study.h"

struct orr_diag;
struct orr_result_sources;
struct orr_value;
struct orrery_study;

enum {
    ORR_FORMS = ORRERY_FORM_CSV + 1,
    ORR_STUDY_ROW_BYTES = 1024 /* of any table of results */
};

/* Results of one kind. If `result_sources` is NULL, the two functions below it are required. */
struct orr_study_kind {
    const struct orr_result_sources *result_sources;
    enum orr_status (*count)(void *of, const char *place, size_t *rows, struct orr_diag *diag);
    /* The text of a value must live until the next call. */
    enum orr_status (*get_value)(void *of, const char *name, size_t row, struct orr_value *value,
                                 struct orr_diag *diag);
    /* Writers by form; NULL: no such form. Return 0, or 1 with errno set. */
    int (*write[ORR_FORMS])(FILE *out, const void *of);
    void (*destroy)(void *of);
};

/* Begins a call: drops earlier results, and checks the caller's struct `given`, which begins with
 * its size. */
enum orr_status orr_study_begin(struct orrery_study *study, const char *name, const void *given,
                                size_t expected, struct orr_diag *diag);

/* Ends a call. `of`, on the heap (or NULL), is owned by the study; after an error it is destroyed,
 * and the error is kept. */
enum orrery_status orr_study_end(struct orrery_study *study, const struct orr_study_kind *kind,
                                 void *of, const struct orr_diag *diag);

/* A further form of the results of one kind. */
struct orr_study_form {
    int (*write)(FILE *out, const void *of);
    const char *(*missing)(const void *of); /* the error where they do not have it; or NULL */
};

/* Writes it; fails for results of another kind. */
enum orrery_status orr_study_write_form(struct orrery_study *study,
                                        const struct orr_study_kind *kind,
                                        const struct orr_study_form *form, FILE *out);

/* The results of a study of one kind, for a call that does more with them; fails for another kind.
 * orr_study_told ends the call: keeps the error, or drops that of an earlier one. */
enum orr_status orr_study_results(const struct orrery_study *study,
                                  const struct orr_study_kind *kind, const void **of,
                                  struct orr_diag *diag);
enum orrery_status orr_study_told(struct orrery_study *study, const struct orr_diag *diag);

/* Fails unless the number of inputs is exactly one. */
enum orr_status orr_study_check_one(unsigned given, const char *what, struct orr_diag *diag);

#endif
