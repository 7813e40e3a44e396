/* Platforms fitted to measurements: parameters of a communication library to times of nccl-tests,
 * as `orrery fit collectives`, and compute efficiency to times of training iterations, as
 * `orrery fit compute` (docs/how-to/calibrate.md).
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
 * One thread at a time may use a handle. A failed call stores its message, "LOCATION: MESSAGE", for
 * orrery_fit_error. Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY. */
#ifndef ORRERY_FIT_H
#define ORRERY_FIT_H

#include <stdio.h>

#include "orrery/orrery.h"
#include "orrery/results.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_fit;

/* Create and free a handle: NULL if out of memory; freeing NULL is fine. orrery_fit_error: the
 * error of the last failed call, owned by the handle. */
ORRERY_API struct orrery_fit *orrery_fit_new(void);
ORRERY_API void orrery_fit_free(struct orrery_fit *fit);
ORRERY_API const char *orrery_fit_error(const struct orrery_fit *fit);

/* `warn` is called with the text of each warning from now on; NULL (default): warnings are
 * ignored. */
ORRERY_API void orrery_fit_on_warning(struct orrery_fit *fit,
                                      void (*warn)(void *user, const char *text), void *user);

/* A file of measured times: a CSV table, or the text or JSON output of nccl-tests. */
struct orrery_measured {
    const char *path; /* with `data` only the name in messages */
    const void *data; /* its bytes; NULL: the file at the path is read */
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
    const char *collective;       /* default for files without it; NULL: none */
    uint32_t npus, npus_per_node; /* likewise; 0: none */
    const char *holdout;          /* "every:2", "column:NAME>VALUE"; NULL: all rows are fitted */
    int keep; /* not 0: nothing is fitted, and all rows test the platform as it is (no holdout) */
};

/* Fits the library of the platform; replaces the previous result. Takes seconds for a thousand
 * rows. */
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
    int skip_refused; /* not 0: rows that cannot run are omitted instead of being an error */
};

/* Fits the compute efficiency of the platform to measured training iterations; replaces the
 * previous result. Costs a few dozen runs for each row, on all processors. */
ORRERY_API enum orrery_status orrery_fit_compute(struct orrery_fit *fit,
                                                 const struct orrery_fit_compute *input);

/* Results by name (docs/results.md), as of a study. Tables: "fit", "fit_rows" (compute:
 * "fit_iterations"), "fit_errors" and "fit_parameters". "fit_parameters.value" of row 0 is the
 * launch overhead; for compute, the fraction of the peak that GEMMs reach. A text is owned by the
 * handle until the next fit. */
ORRERY_API enum orrery_status orrery_fit_rows(struct orrery_fit *fit, const char *place,
                                              size_t *rows);
ORRERY_API enum orrery_status orrery_fit_result(struct orrery_fit *fit, const char *name,
                                                size_t row, struct orrery_value *value);

enum orrery_fit_view {
    ORRERY_FIT_TEXT,     /* for people */
    ORRERY_FIT_JSON,     /* the same for programs, with every row */
    ORRERY_FIT_SVG,      /* plot of measured and modelled times */
    ORRERY_FIT_PLATFORM, /* YAML: the fitted platform, input of `orrery run` */
    ORRERY_FIT_COMPUTE   /* compute only, YAML: the efficiency alone, to include in a platform */
};

ORRERY_API enum orrery_status orrery_fit_write(struct orrery_fit *fit, FILE *out,
                                               enum orrery_fit_view view);

/* The same as a text, owned by the handle until the next call; NULL on an error. */
ORRERY_API const char *orrery_fit_text(struct orrery_fit *fit, enum orrery_fit_view view);

#ifdef __cplusplus
}
#endif

#endif
