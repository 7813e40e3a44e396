/* A sweep: a base run, axes of values, and the points that they span. */
#ifndef ORR_STUDY_SWEEP_SWEEP_H
#define ORR_STUDY_SWEEP_SWEEP_H

#include <stdio.h>

#include "core/core.h"
#include "orrery/orrery.h"
#include "study/sweep/sweep_expr.h"

enum { ORR_SWEEP_MAX_POINTS = 4000000, ORR_SWEEP_MAX_VALUES = 1000000 };

/* One value of an axis, or of a `set`. */
struct orr_sweep_value {
    const char *label;           /* as results show it */
    const char *assignment;      /* "PATH=VALUE" as of --set; NULL: a file */
    const char *file;            /* of the axes platform and workload: its path; NULL: a value */
    struct orr_expr_value value; /* in expressions; its text lives as long as the sweep */
    bool number;                 /* JSON shows it as a number, or true or false */
};

struct orr_sweep_axis {
    const char *path;
    const struct orr_sweep_value *value; /* [count]; a `set` has one */
    size_t count;
    unsigned factor; /* of the product; those that are zipped share it */
    struct orr_location place;
};

struct orr_sweep_expr {
    const char *text, *where; /* "sweep.where[0]" */
    const struct orr_expr *expr;
    struct orr_location place;
};

struct orr_sweep {
    struct orr_arena *arena;
    const char *file;
    const char *platform, *workload; /* paths; NULL: none */
    const char *library;             /* folder of what ships, for includes */
    const char *output;              /* prefix of the results */
    struct orr_sweep_axis *axis;     /* [axes + sets]; the fixed values follow the axes */
    size_t axes, sets;
    const size_t *order;  /* [axes + sets]: that in which values are set, outer ones first */
    size_t *factor_count; /* [factors] values of each */
    unsigned factors;
    struct orr_sweep_expr *where; /* [wheres] */
    size_t wheres;
    struct orr_sweep_expr cost;
    const char **config; /* [configs] keys that expressions name */
    size_t configs;
    const uint32_t *point; /* [points] indices into the whole product, ascending */
    uint32_t points;
    const struct orr_sweep_axis *group_axis; /* whose values are groups; NULL: there is one group */
    const uint32_t *group_of;                /* [group_axis->count] the group of a value */
    const uint32_t *group_value;             /* [groups] the first value of a group */
    uint32_t groups;                         /* 0: points are not grouped */
    uint64_t hash;                           /* of all that the results depend on */
    const char *files;                       /* what was hashed: lines of a hash and a path */
};

/* The keys of a sweep's file. */
extern const struct orr_key_table orr_sweep_table;

/* Reads the file, and makes and counts the points. All but what `diag` says is in the arena. */
enum orr_status orr_sweep_read(struct orr_arena *arena, const char *path, struct orr_sweep *sweep,
                               struct orr_diag *diag);

/* The same from a text, whose files are found from the working directory. */
enum orr_status orr_sweep_read_text(struct orr_arena *arena, const char *text,
                                    struct orr_sweep *sweep, struct orr_diag *diag);

/* The value of an axis (or of a fixed one) at a place in the whole product. */
const struct orr_sweep_value *orr_sweep_value_at(const struct orr_sweep *sweep, size_t axis,
                                                 uint32_t candidate);

/* What to load for a point; set is [axes + sets] of the caller. */
void orr_sweep_inputs(const struct orr_sweep *sweep, uint32_t candidate, const char **set,
                      struct orrery_inputs *inputs);

/* The shortest end of an axis's path, from behind a dot, that no other axis ends in. */
const char *orr_sweep_axis_label(const struct orr_sweep *sweep, size_t axis);

/* The unit of an axis whose values are all quantities of one kind, "bytes/s"; "" of numbers; NULL
 * of texts. */
const char *orr_sweep_axis_unit(const struct orr_sweep_axis *axis);

/* "bandwidth=100 GB/s, scheduler=themis", cut to `bytes`. */
char *orr_sweep_describe(const struct orr_sweep *sweep, uint32_t point, char *text, size_t bytes);

/* ---- parts of reading, a file each ---- */

/* Fails unless the path names a key of platforms or workloads: "expected WHAT". */
enum orr_status orr_sweep_check_path(const char *path, const struct orr_location *place,
                                     const char *what, struct orr_diag *diag);

/* Whether a path names a key that has a value of its own. */
bool orr_sweep_is_key(const char *path);

/* The values of an axis: a list or a range. `key` is its name. */
enum orr_status orr_sweep_read_axis(struct orr_sweep *sweep, const char *key,
                                    const struct orr_conf *node, struct orr_sweep_axis *axis,
                                    struct orr_diag *diag);

/* One value for a path. */
enum orr_status orr_sweep_read_value(struct orr_sweep *sweep, const char *path,
                                     const struct orr_conf *node, struct orr_sweep_value *out,
                                     struct orr_diag *diag);

/* A range as a list of scalars. */
enum orr_status orr_sweep_read_range(struct orr_sweep *sweep, const struct orr_conf *map,
                                     const struct orr_conf **list, struct orr_diag *diag);

/* ---- groups of points (sweep_group.c) ---- */

/* Groups the points by an axis, named by its path or an end of it that no other has: one group for
 * each label of its values, in their order. Errors, which begin with `where` and a colon unless it
 * is NULL: none of the axes, with the nearest; fixed for all points; several. O(n log n) of
 * values. */
enum orr_status orr_sweep_group_by(struct orr_sweep *sweep, const char *name, const char *where,
                                   const struct orr_location *place, struct orr_diag *diag);

/* The group of a point; 0 where points are not grouped. */
uint32_t orr_sweep_group(const struct orr_sweep *sweep, uint32_t point);

/* The label of a group. */
const char *orr_sweep_group_label(const struct orr_sweep *sweep, uint32_t group);

/* The axis (or fixed value, from `axes` on) of that name; -1: none, -2: several. */
int orr_sweep_find_axis(const struct orr_sweep *sweep, const char *name);

/* Says which ones. */
void orr_sweep_describe_ambiguous(const struct orr_sweep *sweep, const char *name, char *why,
                                  size_t bytes);

/* The path of a platform's or workload's file that the node names. */
enum orr_status orr_sweep_find_file(struct orr_sweep *sweep, const char *kind,
                                    const struct orr_conf *node, const char **out,
                                    struct orr_diag *diag);

/* Parses the expression, whose names are those of the sweep. `before`: it is evaluated before a
 * run, so that results are not known. */
enum orr_status orr_sweep_parse(struct orr_sweep *sweep, struct orr_sweep_expr *expr, bool before,
                                struct orr_diag *diag);

/* Counts the product and keeps the points that no constraint forbids. */
enum orr_status orr_sweep_make_points(struct orr_sweep *sweep, struct orr_diag *diag);

/* Hashes the points and the files that they need. */
enum orr_status orr_sweep_hash(struct orr_sweep *sweep, struct orr_diag *diag);

/* ---- names in expressions ---- */

enum { ORR_SWEEP_NPUS, ORR_SWEEP_TIME, ORR_SWEEP_DOLLARS, ORR_SWEEP_WATTS, ORR_SWEEP_AXIS };

/* What the hardware of a network costs, and the power that it takes; < 0: why not. */
struct orr_sweep_price {
    double dollars, watts;
    bool unpriced; /* a part of it has no price */
    bool unbuilt;  /* what it takes cannot be told */
    char no_dollars[ORR_DIAG_MESSAGE_BYTES], no_watts[ORR_DIAG_MESSAGE_BYTES];
};
struct net_config;
void orr_sweep_find_price(const struct net_config *network, struct orr_sweep_price *out);
bool orr_sweep_get_price(const struct orr_sweep_price *price, int name, double *out, char *why,
                         size_t bytes);
bool orr_sweep_needs_price(const struct orr_sweep_expr *expr);

/* What gives names their values at a point. */
struct orr_sweep_scope {
    const struct orr_sweep *sweep;
    uint32_t candidate;
    double npus, time_s;                 /* npus < 0: not known */
    const struct orr_sweep_price *price; /* NULL: not known */
    bool *lacks_price;         /* becomes true where the network lacks a price asked for */
    const char *const *config; /* [sweep->configs] texts of their values; NULL: none */
};

/* Evaluates to a number; the diagnostic shows the place in the expression. */
enum orr_status orr_sweep_eval(const struct orr_sweep_expr *expr,
                               const struct orr_sweep_scope *scope, double *out,
                               struct orr_diag *diag);

/* Whether the expression needs the number of NPUs, or keys of the configuration. */
bool orr_sweep_needs_config(const struct orr_sweep_expr *expr, const struct orr_sweep *sweep);

/* Keeps a key's value when expressions name it: for orr_conf_explain and orrery_explain. */
struct orr_sweep_found {
    const struct orr_sweep *sweep;
    struct orr_arena *arena;
    const char **config; /* [sweep->configs] */
};
void orr_sweep_keep_value(void *context, const char *path, const char *value, const char *origin);

#endif
