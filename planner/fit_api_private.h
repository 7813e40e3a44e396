/* Shared by the implementation of include/orrery/fit.h: a handle (struct orrery_fit) holds the last
 * fit, of collectives or of compute. */
#ifndef ORR_PLANNER_FIT_API_PRIVATE_H
#define ORR_PLANNER_FIT_API_PRIVATE_H

#include "orrery/fit.h"
#include "report/results/result_rows.h"
#include "sim/api_object.h"

struct orr_conf;
struct orr_measured_source;

enum { ORR_FIT_VIEWS = ORRERY_FIT_COMPUTE + 1 };

/* The operations of a kind of fit (collectives, compute): its tables of results and its views. */
struct fit_kind {
    struct orr_result_sources result_sources;
    int (*write[ORR_FIT_VIEWS])(FILE *out, const void *of); /* NULL: no such view */
};

struct orrery_fit {
    struct orr_object object;
    const struct fit_kind *kind;
    void *of; /* struct collfit or compfit, in the object's arena; NULL: nothing was fitted yet */
};

/* A configuration to read: a file (path) or a text, with values set on top. */
struct fit_tree_input {
    const char *path, *text;
    const char *what; /* "platform" */
    const char *const *set;
    size_t sets;
};

enum orr_status orr_fit_tree(struct orr_object *object, const struct fit_tree_input *tree_input,
                             const struct orr_conf **root);

/* Describes measured files as sources, in the arena. The names are copied, the data are not.
 * Errors: memory. */
enum orr_status orr_fit_data(struct orr_object *object, const struct orrery_measured *measured,
                             size_t files, const struct orr_measured_source **out);

/* Copies a text into the arena, or `other` if it is NULL. Returns NULL if both are NULL, or if
 * memory is out, which sets *status. */
const char *orr_fit_copy_text(struct orr_object *object, const char *text, const char *other,
                              enum orr_status *status);
enum orr_status orr_fit_copy_texts(struct orr_object *object, const char *const *text, size_t count,
                                   const char *const **out);

void orr_fit_warn(struct orr_object *object, const char *const *warning, size_t warnings);

/* The arguments that all fits have. */
struct fit_common {
    const char *name; /* of the struct */
    const size_t *size;
    size_t expected;
    const char *platform, *text, *holdout;
    int keep;
    size_t files;
};

/* Drops the earlier fit and checks the arguments: one of path and text, at least one file, no
 * holdout with keep. */
enum orr_status orr_fit_check(struct orrery_fit *fit, const struct fit_common *common);

#endif
