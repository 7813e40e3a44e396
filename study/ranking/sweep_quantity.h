/* Quantities of a point: its number, a value of an axis, a result. */
#ifndef ORR_STUDY_RANKING_SWEEP_QUANTITY_H
#define ORR_STUDY_RANKING_SWEEP_QUANTITY_H

#include "study/ranking/sweep_rank.h"
#include "study/sweep/sweep_result.h"

enum orr_sweep_kind {
    ORR_SWEEP_POINT,  /* number of the point */
    ORR_SWEEP_VALUE,  /* of an axis */
    ORR_SWEEP_RESULT, /* of the columns (sweep_columns.h) */
    ORR_SWEEP_BOTH,   /* time * cost */
    ORR_SWEEP_FRONT,  /* on the front of its group */
    ORR_SWEEP_MEASURE /* an axis of the front, the ranking */
};

struct orr_sweep_quantity {
    enum orr_sweep_kind kind;
    size_t index;      /* VALUE: of the axis; RESULT: of the column; MEASURE: of its values */
    const char *name;  /* "network.dims[0].bandwidth", "wall_ps" */
    const char *label; /* "dims[0].bandwidth", "time" */
    enum orr_result_unit unit;
    const char *unit_name; /* "bytes/s"; NULL: texts */
    bool more;             /* RESULT: larger is better; else smaller */
};

/* The short name of a column, or its name. */
const char *orr_sweep_column_label(const char *column);

/* Finds a quantity by name: "point", "time*cost" or "pareto"; an axis by its path or a unique
 * suffix; a result by its name or label. Errors: unknown, with the nearest; ambiguous. */
enum orr_status orr_sweep_find_quantity(const struct orr_sweep *sweep, const char *name,
                                        struct orr_sweep_quantity *out, struct orr_diag *diag);

/* The quantity of an axis. */
struct orr_sweep_quantity orr_sweep_axis_quantity(const struct orr_sweep *sweep, size_t axis);

/* The quantity of an axis of the front, or of the ranking (index `fronts`). */
struct orr_sweep_quantity orr_sweep_measure_quantity(const struct orr_sweep *sweep, size_t index);

/* The value of a quantity at a completed point; NONE if missing; TEXT for an axis of texts. */
struct orr_value orr_sweep_quantity_value(const struct orr_sweep *sweep,
                                          const struct orr_sweep_quantity *quantity,
                                          const struct orr_sweep_result *result);

#endif
