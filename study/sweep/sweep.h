/* A sweep (design-space exploration): a base run, axes of values, and the points that they span. */
#ifndef ORR_STUDY_SWEEP_SWEEP_H
#define ORR_STUDY_SWEEP_SWEEP_H

#include <stdio.h>

#include "core/conf/keys.h"
#include "core/diag.h"
#include "orrery/orrery.h"
#include "sim/expr/expr.h"

struct orr_arena;
struct orr_conf;
struct orr_expr;
struct orr_sweep_money;
struct orr_value;

enum { ORR_SWEEP_MAX_POINTS = 4000000, ORR_SWEEP_MAX_VALUES = 1000000, ORR_SWEEP_MAX_FRONT = 3 };

/* One value of an axis, or of a `set`. */
struct orr_sweep_value {
    const char *label;           /* text in results */
    const char *assignment;      /* "PATH=VALUE" as of --set; NULL: a file */
    const char *file;            /* axes platform and workload: path of the file; NULL: a value */
    struct orr_expr_value value; /* value in expressions; its text lives as long as the sweep */
    bool number;                 /* a number or boolean in JSON */
};

struct orr_sweep_axis {
    const char *path;
    const struct orr_sweep_value *value; /* [count]; a `set` has one */
    size_t count;
    unsigned factor;    /* factor of the product; zipped axes share one */
    bool derived;       /* of a `set`: an expression of other keys */
    const char *suffix; /* of the path, of its values as numbers: "_bytes_per_s"; NULL: none */
    struct orr_location place;
};

struct orr_sweep_expr {
    const char *text, *where; /* "sweep.where[0]" */
    const struct orr_expr *expr;
    bool more; /* of a front or ranking: more is better, and its value is negated */
    struct orr_location place;
};

struct orr_sweep {
    struct orr_arena *arena;
    const char *file;
    const char *platform, *workload; /* paths; NULL: none */
    const char *library;             /* folder of shipped inputs, for includes */
    const char *output;              /* prefix of the result files */
    struct orr_sweep_axis *axis;     /* [axes + sets] the axes, then the fixed values */
    size_t axes, sets;
    const size_t *order;  /* [axes + sets] order in which values are set, outer paths first */
    size_t *factor_count; /* [factors] number of values */
    unsigned factors;
    struct orr_sweep_expr *where; /* [wheres] of what is known before a point runs */
    size_t wheres;
    struct orr_sweep_expr *filter; /* [filters] constraints on results */
    size_t filters;
    struct orr_sweep_expr cost;
    struct orr_sweep_expr front[ORR_SWEEP_MAX_FRONT]; /* axes of the Pareto front: less is better */
    size_t fronts;                                    /* 0: time and cost */
    struct orr_sweep_expr rank_by;                    /* less is better; .expr NULL: none */
    const struct orr_sweep_money *money;              /* prices (sweep_money.h) */
    const char **config;                              /* [configs] keys named in expressions */
    size_t configs;
    const uint32_t *point; /* [points] indices into the full product, ascending */
    uint32_t points;
    uint32_t simulate;  /* points that run, those with the least estimates; 0: all */
    uint32_t estimated; /* points that were estimated and do not run */
    const struct orr_sweep_axis *group_axis; /* its values are the groups; NULL: one group */
    const uint32_t *group_of;                /* [group_axis->count] the group of a value */
    const uint32_t *group_value;             /* [groups] the first value of a group */
    uint32_t groups;                         /* 0: no grouping */
    uint64_t hash;                           /* hash of everything that results depend on */
    const char *files;                       /* hashed files: lines of a hash and a path */
};

/* Keys of a sweep file. */
extern const struct orr_key_table orr_sweep_table;

/* Reads a sweep file and creates its points. The sweep belongs to the arena. Errors: those of the
 * keys, with location; no points; too many points; files that cannot be read; memory. */
enum orr_status orr_sweep_read(struct orr_arena *arena, const char *path, struct orr_sweep *sweep,
                               struct orr_diag *diag);

/* The same from a text; relative paths start at the working directory. */
enum orr_status orr_sweep_read_text(struct orr_arena *arena, const char *text,
                                    struct orr_sweep *sweep, struct orr_diag *diag);

/* The value of an axis (or of a fixed value) at an index of the full product. */
const struct orr_sweep_value *orr_sweep_value_at(const struct orr_sweep *sweep, size_t axis,
                                                 uint32_t candidate);

/* The tree of a point in the arena, with its values set and evaluated; NULL: it cannot be read. */
const struct orr_conf *orr_sweep_tree(struct orr_arena *arena, const struct orr_sweep *sweep,
                                      uint32_t candidate);

/* Inputs of a point; `set` is [axes + sets], owned by the caller. */
void orr_sweep_inputs(const struct orr_sweep *sweep, uint32_t candidate, const char **set,
                      struct orrery_inputs *inputs);

/* Label of an axis: the shortest suffix of its path after a dot that is unique among the axes. */
const char *orr_sweep_axis_label(const struct orr_sweep *sweep, size_t axis);

/* Unit of an axis whose values are quantities of one kind, such as "bytes/s"; "" for numbers; NULL
 * for texts. */
const char *orr_sweep_axis_unit(const struct orr_sweep_axis *axis);

/* Describes a point as "bandwidth=100 GB/s, scheduler=themis", truncated to `bytes`; returns
 * `text`. */
char *orr_sweep_describe(const struct orr_sweep *sweep, uint32_t point, char *text, size_t bytes);

/* Checks that the path names a key of platforms or workloads; `what` prefixes the error. */
enum orr_status orr_sweep_check_path(const char *path, const struct orr_location *place,
                                     const char *what, struct orr_diag *diag);

/* Whether a path names a key. */
bool orr_sweep_is_key(const char *path);

/* ---- groups of points (sweep_group.c) ---- */

/* Groups the points by an axis, named by its path or a unique suffix: one group per label of its
 * values, in their order. Errors, prefixed by `where` and a colon unless it is NULL: no such axis,
 * with the nearest; a value fixed for all points; ambiguous. O(n log n) of values. */
enum orr_status orr_sweep_group_by(struct orr_sweep *sweep, const char *name, const char *where,
                                   const struct orr_location *place, struct orr_diag *diag);

/* The group of a point; 0 without grouping. */
uint32_t orr_sweep_group(const struct orr_sweep *sweep, uint32_t point);

/* The label of a group. */
const char *orr_sweep_group_label(const struct orr_sweep *sweep, uint32_t group);

/* Index of the axis (or fixed value, from `axes` on) of that name; -1: none, -2: several. */
int orr_sweep_find_axis(const struct orr_sweep *sweep, const char *name);

/* Describes the axes that an ambiguous name may mean. */
void orr_sweep_describe_ambiguous(const struct orr_sweep *sweep, const char *name, char *why,
                                  size_t bytes);

/* ---- names in expressions ---- */

/* Codes of names: those from ORR_SWEEP_COST to ORR_SWEEP_AXIS, and the time, are known when a point
 * has run. */
enum {
    ORR_SWEEP_NPUS,
    ORR_SWEEP_TIME,
    ORR_SWEEP_DOLLARS,
    ORR_SWEEP_WATTS,
    ORR_SWEEP_COST,
    ORR_SWEEP_MONEY,                        /* sweep_money.h */
    ORR_SWEEP_COLUMN = ORR_SWEEP_MONEY + 8, /* the columns (sweep_columns.h) */
    ORR_SWEEP_AXIS = ORR_SWEEP_COLUMN + 64
};

/* Price and power of a network's hardware; < 0: unknown, for the reason given. */
struct orr_sweep_price {
    double dollars, watts;
    bool unpriced; /* a part has no price */
    bool unbuilt;  /* the parts cannot be counted */
    char no_dollars[ORR_DIAG_MESSAGE_BYTES], no_watts[ORR_DIAG_MESSAGE_BYTES];
};
struct net_config;
void orr_sweep_find_price(const struct net_config *network, struct orr_sweep_price *out);
bool orr_sweep_get_price(const struct orr_sweep_price *price, int name, double *out, char *why,
                         size_t bytes);
bool orr_sweep_needs_price(const struct orr_sweep_expr *expr);

/* Values of names at a point. */
struct orr_sweep_scope {
    const struct orr_sweep *sweep;
    uint32_t candidate;
    double npus, time_s;                 /* npus < 0: unknown */
    const struct orr_sweep_price *price; /* NULL: unknown */
    bool *lacks_price;             /* set to true if the network lacks a price that was needed */
    const char *const *config;     /* [sweep->configs] texts of the values; NULL: none */
    const struct orr_value *value; /* [columns] of a point that ran; NULL: it has not */
    double cost;                   /* INFINITY: none */
};

/* Evaluates to a number. Errors: no value, a text, not finite; the diagnostic marks the place in
 * the expression. */
enum orr_status orr_sweep_eval(const struct orr_sweep_expr *expr,
                               const struct orr_sweep_scope *scope, double *out,
                               struct orr_diag *diag);

/* Whether the expression names what is known only when a point has run. */
bool orr_sweep_needs_results(const struct orr_sweep_expr *expr);

/* Whether the expression needs the configuration: the number of NPUs, prices, or keys; with
 * `orr_sweep_needs_files` prices or keys. */
bool orr_sweep_needs_files(const struct orr_sweep_expr *expr, const struct orr_sweep *sweep);
bool orr_sweep_needs_config(const struct orr_sweep_expr *expr, const struct orr_sweep *sweep);

/* Collects the values of keys that expressions name: callback of orr_conf_explain and
 * orrery_explain. */
struct orr_sweep_found {
    const struct orr_sweep *sweep;
    struct orr_arena *arena;
    const char **config; /* [sweep->configs] */
};
void orr_sweep_keep_value(void *context, const char *path, const char *value, const char *origin);

#endif
