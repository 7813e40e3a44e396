/* Results in expressions of a sweep: the columns of a point that ran, and what follows from them
 * and given prices: hours, GPU-hours, dollars, energy. */
#ifndef ORR_STUDY_SWEEP_SWEEP_MONEY_H
#define ORR_STUDY_SWEEP_SWEEP_MONEY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/conf/keys.h"
#include "core/status.h"

struct orr_conf;
struct orr_diag;
struct orr_expr_value;
struct orr_sweep;
struct orr_sweep_scope;

/* Section `sweep.prices`; < 0: not given. */
struct orr_sweep_money {
    double gpu_hour; /* dollars */
    double energy;   /* dollars a kWh */
    double gpu_watts;
    double pue;    /* energy of the building over that of its machines */
    double tokens; /* of the whole training; not given: those of the job */
};

extern const struct orr_key_table orr_sweep_money_table;

/* Reads the section; NULL: none. Errors: a price without a unit, keys out of range. */
enum orr_status orr_sweep_read_money(const struct orr_conf *map, struct orr_sweep_money *out,
                                     struct orr_diag *diag);

/* The code of a result (sweep.h); ORR_SWEEP_NO_RESULT: no result has the name; -1: it cannot be
 * told, with the reason in `why`. */
enum { ORR_SWEEP_NO_RESULT = -2 };
int orr_sweep_find_result(const struct orr_sweep *sweep, const char *name, char *why, size_t bytes);

/* All such names, at most `max`; returns their number. */
size_t orr_sweep_result_names(const char **names, size_t max);

/* The value of such a code; false, with the reason in `why`, if the point has none. */
bool orr_sweep_get_result(const struct orr_sweep_scope *scope, int code, struct orr_expr_value *out,
                          char *why, size_t bytes);

/* Whether the code depends on prices. */
bool orr_sweep_is_money(int code);

#endif
