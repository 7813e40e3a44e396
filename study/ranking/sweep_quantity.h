/* What a point of a sweep can be told by: its number, a value of an axis, a result. */
#ifndef ORR_STUDY_RANKING_SWEEP_QUANTITY_H
#define ORR_STUDY_RANKING_SWEEP_QUANTITY_H

#include "study/ranking/sweep_rank.h"

enum orr_sweep_kind {
    ORR_SWEEP_POINT,  /* its number */
    ORR_SWEEP_VALUE,  /* of an axis */
    ORR_SWEEP_RESULT, /* of the columns (sweep_columns.h) */
    ORR_SWEEP_BOTH,   /* time * cost */
    ORR_SWEEP_FRONT   /* whether it is on the front of its group */
};

struct orr_sweep_quantity {
    enum orr_sweep_kind kind;
    size_t index;      /* VALUE: of the axis; RESULT: of the column */
    const char *name;  /* "network.dims[0].bandwidth", "wall_ps" */
    const char *label; /* "dims[0].bandwidth", "time" */
    enum orr_result_unit unit;
    const char *unit_name; /* "bytes/s"; NULL: texts */
    bool more;             /* RESULT: the larger the better; else the smaller */
};

/* Whether a column is to be large; its short name, where it has one. */
bool orr_sweep_wants_more(const char *column);
const char *orr_sweep_column_label(const char *column);

/* The quantity of that name: "point", "time*cost" or "pareto"; an axis by its path or an end of it
 * that no other has; a result by its name or its label. Errors: none, with the nearest; several. */
enum orr_status orr_sweep_find_quantity(const struct orr_sweep *sweep, const char *name,
                                        struct orr_sweep_quantity *out, struct orr_diag *diag);

/* The value of an axis. */
struct orr_sweep_quantity orr_sweep_axis_quantity(const struct orr_sweep *sweep, size_t axis);

/* Of a point that is done; NONE where it is not told. An axis that has a text: TEXT. */
struct orr_value orr_sweep_quantity_value(const struct orr_sweep *sweep,
                                          const struct orr_sweep_quantity *quantity,
                                          const struct orr_sweep_result *result);

#endif
