/* The fit behind an efficiency: its measurements and its uncertainty. Key `compute.fitted`, which
 * `orrery fit compute` writes (docs/models.md, section 18). */
#ifndef ORR_WORKLOAD_ROOFLINE_FITTED_H
#define ORR_WORKLOAD_ROOFLINE_FITTED_H

#include <stddef.h>
#include <stdint.h>

#include "core/conf/keys.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

enum { WL_MAX_FITTED = 64 };

struct wl_fitted {
    const char *gpu, *stack, *source; /* NULL: unknown */
    const char *taken_over_for;       /* GPU without a fit of its own; NULL: none */
    uint64_t rows;                    /* measurements that were fitted; 0: unknown */
    double error;                     /* median of |model / measured - 1| over these */
    double sigma;                     /* standard deviation of log(model / measured); 0: unknown */
    size_t params;                    /* <= WL_MAX_FITTED */
    const char *const *name;          /* [params], such as "compute.efficiency.gemm.points" */
    const double *spread;             /* [params] standard deviations of their logarithms */
    const double *correlation;        /* [params x params] of the logarithms; 1 on the diagonal */
};

/* The keys of the mapping. */
extern const struct orr_key_table orr_wl_fitted_table;

/* Reads the mapping; map NULL: *out is NULL. Errors, with location: values out of range, a
 * duplicate parameter, correlations whose number is not that of the parameters or that are not
 * positive semidefinite. O(params^3). */
enum orr_status orr_wl_fitted_read(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct wl_fitted **out, struct orr_diag *diag);

#endif
