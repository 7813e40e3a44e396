/* What the calls of include/orrery/fit.h have in common: a handle holds the last fit, of one kind.
 */
#ifndef ORR_PLANNER_FIT_API_PRIVATE_H
#define ORR_PLANNER_FIT_API_PRIVATE_H

#include "orrery/fit.h"
#include "report/report.h"
#include "sim/sim.h"
#include "study/study.h"

enum { ORR_FIT_VIEWS = ORRERY_FIT_COMPUTE + 1 };

/* What is known of a kind of fit. */
struct fit_kind {
    struct orr_result_sources result_sources;
    int (*write[ORR_FIT_VIEWS])(FILE *out, const void *of); /* NULL: there is no such view */
};

struct orrery_fit {
    struct orr_object object;
    const struct fit_kind *kind;
    void *of; /* NULL: nothing was fitted yet; the object's arena */
};

/* A file, or a text, with values set. */
struct fit_tree_input {
    const char *path, *text;
    const char *what; /* "platform" */
    const char *const *set;
    size_t sets;
};

enum orr_status orr_fit_tree(struct orr_object *object, const struct fit_tree_input *tree_input,
                             const struct orr_conf **root);

/* Measured files, whose names are copied. */
enum orr_status orr_fit_data(struct orr_object *object, const struct orrery_measured *measured,
                             size_t files, const struct orr_measured_source **out);

/* A copy of a text, or of another one where it is NULL; NULL: neither is there, or no memory, which
 * becomes the status. */
const char *orr_fit_copy_text(struct orr_object *object, const char *text, const char *other,
                              enum orr_status *status);
enum orr_status orr_fit_copy_texts(struct orr_object *object, const char *const *text, size_t count,
                                   const char *const **out);

void orr_fit_warn(struct orr_object *object, const char *const *warning, size_t warnings);

/* What all fits need. */
struct fit_common {
    const char *name; /* of the struct */
    const size_t *size;
    size_t expected;
    const char *platform, *text, *holdout;
    int keep;
    size_t files;
};

/* Drops the earlier fit, and checks what is given. */
enum orr_status orr_fit_check(struct orrery_fit *fit, const struct fit_common *common);

#endif
