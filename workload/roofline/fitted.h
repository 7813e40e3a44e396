/* What efficiency was fitted to, and how well measurements told it: `compute.fitted`, which
 * `orrery fit compute` writes (docs/models.md, 18). */
#ifndef ORR_WORKLOAD_ROOFLINE_FITTED_H
#define ORR_WORKLOAD_ROOFLINE_FITTED_H

#include "core/core.h"

enum { WL_MAX_FITTED = 64 };

struct wl_fitted {
    const char *gpu, *stack, *source; /* NULL: not said */
    uint64_t rows;                    /* that were fitted; 0: not said */
    double error;                     /* median of |model / measured - 1| of these */
    double sigma;                     /* standard deviation of log(model / measured); 0: not said */
    size_t params;                    /* <= WL_MAX_FITTED */
    const char *const *name;          /* [params], such as "compute.efficiency.gemm.points" */
    const double *spread;             /* [params] standard deviations of their logarithms */
    const double *correlation;        /* [params x params] of the logarithms; 1 on the diagonal */
};

/* The keys of the mapping. */
extern const struct orr_key_table orr_wl_fitted_table;

/* Reads the mapping; NULL: *out is NULL. Errors, by place: values out of range, a parameter that
 * is there twice, correlations that are not as many as parameters, or that cannot be. O(params^3).
 */
enum orr_status orr_wl_fitted_read(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct wl_fitted **out, struct orr_diag *diag);

#endif
