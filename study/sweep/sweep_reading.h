/* Parts of the reading of a sweep, one per file. */
#ifndef ORR_STUDY_SWEEP_SWEEP_READING_H
#define ORR_STUDY_SWEEP_SWEEP_READING_H

#include "core/conf/conf_read.h"
#include "study/sweep/sweep.h"

/* Reads the values of an axis: a list or a range. `key` is its path. */
enum orr_status orr_sweep_read_axis(struct orr_sweep *sweep, const char *key,
                                    const struct orr_conf *node, struct orr_sweep_axis *axis,
                                    struct orr_diag *diag);

/* Reads one value for a path. */
enum orr_status orr_sweep_read_value(struct orr_sweep *sweep, const char *path,
                                     const struct orr_conf *node, struct orr_sweep_value *out,
                                     struct orr_diag *diag);

/* Expands a range to a list of scalars. */
enum orr_status orr_sweep_read_range(struct orr_sweep *sweep, const struct orr_conf *map,
                                     const struct orr_conf **list, struct orr_diag *diag);

/* Sets the suffixes of axes whose values are quantities with a unit. */
void orr_sweep_set_suffixes(struct orr_sweep *sweep);

/* Resolves the path of a platform or workload file. Error: no such file, with the nearest name. */
enum orr_status orr_sweep_find_file(struct orr_sweep *sweep, const char *kind,
                                    const struct orr_conf *node, const char **out,
                                    struct orr_diag *diag);

/* Parses the expression with the names of the sweep. Errors: syntax, unknown name, `cost` in the
 * cost itself, a price that is not given, with the place marked. */
enum orr_status orr_sweep_parse(struct orr_sweep *sweep, struct orr_sweep_expr *expr,
                                struct orr_diag *diag);

/* Expressions as written. */
struct orr_sweep_texts {
    const char *cost, *rank_by; /* rank_by: NULL if not given */
    const struct orr_conf *prices;
    struct orr_conf_list where, front; /* const char * */
};

/* Reads prices and expressions; `map`: the section. */
enum orr_status orr_sweep_read_expressions(struct orr_sweep *sweep, const struct orr_conf *map,
                                           const struct orr_sweep_texts *texts,
                                           struct orr_diag *diag);

/* Creates the points: the product without those that a constraint excludes, and with `estimate`
 * those with the least estimates, and those that cannot be estimated. */
enum orr_status orr_sweep_make_points(struct orr_sweep *sweep, struct orr_diag *diag);

/* Hashes the points and their files. */
enum orr_status orr_sweep_hash(struct orr_sweep *sweep, struct orr_diag *diag);

#endif
