/* Platforms fitted to measurements: what a communication library's collectives take, by the times
 * that nccl-tests measured on a cluster, as `orrery fit collectives` does, and how fast it
 * computes, by the times of training iterations, as `orrery fit compute` does (docs/user-guide.md).
 *
 *     struct orrery_fit *fit = orrery_fit_new();
 *     const struct orrery_measured data = {.path = "all_reduce.txt"};
 *     struct orrery_fit_collectives input = {ORRERY_SIZED(orrery_fit_collectives),
 *                                            .platform = "cluster.yml",
 *                                            .data = &data,
 *                                            .files = 1};
 *     if (orrery_fit_collectives(fit, &input) != ORRERY_OK ||
 *         orrery_fit_write(fit, out, ORRERY_FIT_PLATFORM) != ORRERY_OK) {
 *         fprintf(stderr, "%s\n", orrery_fit_error(fit));
 *     }
 *     orrery_fit_free(fit);
 *
 * A handle is used by one thread at a time. Calls that fail keep what is wrong for
 * orrery_fit_error, as "PLACE: MESSAGE". Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY. */
#ifndef ORRERY_FIT_H
#define ORRERY_FIT_H

#include <stdio.h>

#include "orrery/orrery.h"
#include "orrery/results.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_fit;

/* As of other objects: NULL when memory is out; NULL can be freed; texts are the handle's. */
ORRERY_API struct orrery_fit *orrery_fit_new(void);
ORRERY_API void orrery_fit_free(struct orrery_fit *fit);
ORRERY_API const char *orrery_fit_error(const struct orrery_fit *fit);

/* `warn` is called with the text of each warning from now on; NULL: nothing is (the default). */
ORRERY_API void orrery_fit_on_warning(struct orrery_fit *fit,
                                      void (*warn)(void *user, const char *text), void *user);

/* A file of measured times: a CSV table, or what nccl-tests print or write as JSON. */
struct orrery_measured {
    const char *path; /* with `data` only its name in messages */
    const void *data; /* its bytes; NULL: they are read from the path */
    size_t bytes;
};

struct orrery_fit_collectives {
    size_t size;            /* ORRERY_SIZED(orrery_fit_collectives) */
    const char *platform;   /* a file, whose system.library is fitted; or */
    const char *text;       /* the same as a text */
    const char *name;       /* what it is called in results; NULL: its path */
    const char *const *set; /* [set_count] on top: "system.library.gpu=h100" */
    size_t set_count;
    const struct orrery_measured *data; /* [files] */
    size_t files;
    const char *collective;       /* of files that do not say it; NULL */
    uint32_t npus, npus_per_node; /* the same; 0 */
    const char *holdout;          /* "every:2", "column:NAME>VALUE"; NULL: all rows are fitted */
    int keep; /* not 0: nothing is fitted, and all rows test the platform as it is (no holdout) */
};

/* Fits in place of what the handle held: seconds for a thousand rows. */
ORRERY_API enum orrery_status orrery_fit_collectives(struct orrery_fit *fit,
                                                     const struct orrery_fit_collectives *input);

struct orrery_fit_compute {
    size_t size;               /* ORRERY_SIZED(orrery_fit_compute) */
    const char *platform;      /* a file, whose compute.efficiency is fitted; or */
    const char *text;          /* the same as a text */
    const char *name;          /* what it is called in results; NULL: its path */
    const char *workload;      /* a file, of which measured rows set values; or */
    const char *workload_text; /* the same as a text */
    const char *workload_name; /* as `name` */
    const char *const *set;    /* [set_count] on top, of both */
    size_t set_count;
    const struct orrery_measured
        *data; /* [files] CSV: key paths and time_s (docs/file-formats.md) */
    size_t files;
    const char *const *fit; /* [fit_count] further keys that are fitted */
    size_t fit_count;
    const char *const *fix; /* [fix_count] parameters that stay as they are */
    size_t fix_count;
    const char *holdout; /* "every:2", "column:NAME>VALUE"; NULL: all rows are fitted */
    int keep; /* not 0: nothing is fitted, and all rows test the platform as it is (no holdout) */
    int skip_refused; /* not 0: rows that cannot run are left out, not an error */
};

/* Fits how fast the platform computes to measured training iterations, in place of what the handle
 * held: a few dozen runs for each row, on all processors. */
ORRERY_API enum orrery_status orrery_fit_compute(struct orrery_fit *fit,
                                                 const struct orrery_fit_compute *input);

/* Results by name (docs/results.md), as of a study: rows of "fit", "fit_rows" (of compute
 * "fit_iterations"), "fit_errors" and "fit_parameters"; "fit_parameters.value" of row 0 is the
 * launch, of compute the share of the peak that products reach. A text is the handle's, until the
 * next fit. */
ORRERY_API enum orrery_status orrery_fit_rows(struct orrery_fit *fit, const char *place,
                                              size_t *rows);
ORRERY_API enum orrery_status orrery_fit_result(struct orrery_fit *fit, const char *name,
                                                size_t row, struct orrery_value *value);

enum orrery_fit_view {
    ORRERY_FIT_TEXT,     /* for people */
    ORRERY_FIT_JSON,     /* the same for programs, with every row */
    ORRERY_FIT_SVG,      /* measured times and the model's, drawn */
    ORRERY_FIT_PLATFORM, /* YAML: the platform with what was fitted, which `orrery run` takes */
    ORRERY_FIT_COMPUTE   /* of compute, YAML: its efficiency alone, to include beside a platform */
};

ORRERY_API enum orrery_status orrery_fit_write(struct orrery_fit *fit, FILE *out,
                                               enum orrery_fit_view view);

/* The same as a text, which is the handle's until the next one; NULL on an error. */
ORRERY_API const char *orrery_fit_text(struct orrery_fit *fit, enum orrery_fit_view view);

#ifdef __cplusplus
}
#endif

#endif
