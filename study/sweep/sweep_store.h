/* Result files of a sweep: PREFIX.jsonl and PREFIX.csv, to which a line is appended as each point
 * completes, and PREFIX.state, which identifies the sweep. A complete line means a completed point:
 * after any end, also by a signal, the next run resumes from the complete lines. When all points
 * are done both files are rewritten in the order of points. */
#ifndef ORR_STUDY_SWEEP_SWEEP_STORE_H
#define ORR_STUDY_SWEEP_SWEEP_STORE_H

#include "study/sweep/sweep_result.h"

struct orr_sweep_failures;
struct orr_sweep_measures;

enum orr_sweep_state { ORR_SWEEP_OPEN, ORR_SWEEP_DONE, ORR_SWEEP_FAILED };

/* Why results cannot be resumed. */
enum orr_sweep_trouble {
    ORR_SWEEP_NO_TROUBLE,
    ORR_SWEEP_CHANGED, /* existing results are of other inputs */
    ORR_SWEEP_UNKNOWN, /* existing files are not known to be of a sweep */
    ORR_SWEEP_DAMAGED, /* a line is not the sweep's */
    ORR_SWEEP_UNKEPT   /* a result file cannot be written, or was changed by others */
};

/* State of a point. */
struct orr_sweep_row {
    int64_t wall_ps;
    double cost;     /* INFINITY: none */
    uint64_t offset; /* offset of its line in the file */
    enum orr_sweep_state state;
    bool pareto;   /* on the front of its group (study/ranking/sweep_rank.h) */
    bool excluded; /* done: a constraint on results is not fulfilled */
};

struct orr_sweep_store {
    const struct orr_sweep *sweep;
    struct orr_arena *arena;
    const char *prefix;                  /* NULL: in memory */
    struct orr_sweep_row *row;           /* [points] */
    uint32_t done, failed;               /* done: with failed ones */
    uint32_t unfit;                      /* failed ones that failed to fit */
    struct orr_sweep_failures *failures; /* why they failed (sweep_failures.h) */
    uint32_t excluded;                   /* done: constraints on results are not fulfilled */
    struct orr_sweep_measures *measures; /* values of expressions (sweep_measures.h) */
    bool marked;                         /* `pareto` of rows is valid */
    FILE *json, *csv;
    uint64_t json_bytes;
    FILE *lines; /* handle for reading results; NULL: not opened */
    char *line;  /* [line_capacity] last line read */
    size_t line_capacity;
    int lock;
    enum orr_sweep_trouble trouble;
};

/* Opens the results of the sweep, with those of an earlier run. `restart`: discards these; `retry`:
 * discards failed ones. Errors: files that cannot be written (ORR_ERR_IO); results of another
 * sweep, invalid lines (ORR_ERR_INPUT). Close it also after an error. */
enum orr_status orr_sweep_store_open(struct orr_sweep_store *store, const struct orr_sweep *sweep,
                                     bool restart, bool retry, struct orr_diag *diag);

/* The same in memory: nothing is resumed or kept. */
enum orr_status orr_sweep_store_in_memory(struct orr_sweep_store *store,
                                          const struct orr_sweep *sweep, struct orr_diag *diag);

/* Reads the result of a completed point, in memory or after orr_sweep_store_finish; its line is
 * store->line. The error text belongs to the arena. */
enum orr_status orr_sweep_store_read(struct orr_sweep_store *store, uint32_t point,
                                     struct orr_sweep_result *result, struct orr_diag *diag);

/* Appends a line; sets *result. */
enum orr_status orr_sweep_store_add(struct orr_sweep_store *store, const char *line,
                                    struct orr_sweep_result *result, struct orr_diag *diag);

/* Sorts both files by point and adds the front marks; sorts the reasons of failures. */
enum orr_status orr_sweep_store_finish(struct orr_sweep_store *store, struct orr_diag *diag);

void orr_sweep_store_close(struct orr_sweep_store *store);

/* ---- PREFIX.state ---- */

/* Locks the results and checks that they are of this sweep; *begun: there are some. */
enum orr_status orr_sweep_state_open(struct orr_sweep_store *store, bool restart, bool *begun,
                                     struct orr_diag *diag);

#endif
