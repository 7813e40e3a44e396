/* The tables of results of a fit to measurements, and their rows. */
#ifndef ORR_REPORT_RESULTS_FIT_RESULTS_H
#define ORR_REPORT_RESULTS_FIT_RESULTS_H

#include "report/results/result.h"

/* The fit as a whole. */
struct orr_fit_head_row {
    const char *platform;
    const char *workload;      /* of a fit of compute; NULL: of collectives */
    uint64_t fitted, held_out; /* rows */
    uint64_t refused;          /* of compute: rows left out */
    bool nvls_tree;            /* of collectives */
    double cost, sigma;
};

/* A measured time, and the time of the fitted model. */
struct orr_fit_time_row {
    const char *collective;
    uint32_t npus, npus_per_node;
    uint64_t bytes;
    double measured_us, model_us, error; /* model / measured - 1 */
    const char *algorithm, *protocol;    /* protocol NULL: the algorithm has none */
    bool held_out;
    const char *file;
    uint32_t line;
};

/* A measured training iteration, and the time of the fitted model. */
struct orr_fit_iteration_row {
    const char *name; /* as in the file, or the values that are set in it */
    double measured_s, model_s, error;
    bool held_out;
    const char *file;
    uint32_t line;
};

/* Errors of rows of one collective and class of sizes, or of iterations (NULL), fitted or held out.
 */
struct orr_fit_error_row {
    bool held_out;
    const char *collective, *sizes;
    uint64_t count;
    double median, p90, bias, worst;
    size_t worst_row;       /* its number */
    const char *worst_name; /* of an iteration; NULL: of collectives */
    const char *worst_file;
    uint32_t worst_line;
};

/* A parameter. */
struct orr_fit_parameter_row {
    const char *name, *unit; /* unit "": a scale */
    double value, prior, std_dev, prior_std_dev;
    bool fixed, used; /* fixed: kept at its prior; used: it affects fitted rows */
    bool identified;
    const char *at_bound;       /* "low", "high"; NULL: at no bound */
    const char *trades_with;    /* NULL: with none */
    double correlation;         /* with trades_with */
    const char *would_identify; /* the measurement that would identify it; NULL: it is identified */
};

extern const struct orr_result_table orr_fit_head_results;      /* struct orr_fit_head_row */
extern const struct orr_result_table orr_fit_time_results;      /* struct orr_fit_time_row */
extern const struct orr_result_table orr_fit_iteration_results; /* struct orr_fit_iteration_row */
extern const struct orr_result_table orr_fit_error_results;     /* struct orr_fit_error_row */
extern const struct orr_result_table orr_fit_parameter_results; /* struct orr_fit_parameter_row */

#endif
