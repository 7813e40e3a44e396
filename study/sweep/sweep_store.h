/* Results of a sweep in files: PREFIX.jsonl and PREFIX.csv, to which a line is added as each point
 * comes, and PREFIX.state, which says of which sweep they are. A line that is there is done: after
 * any end, also by a signal, the next run goes on from the lines that are whole. When all points
 * are done both files are written anew in the order of the points. */
#ifndef ORR_STUDY_SWEEP_SWEEP_STORE_H
#define ORR_STUDY_SWEEP_SWEEP_STORE_H

#include "study/sweep/sweep_result.h"

enum orr_sweep_state { ORR_SWEEP_OPEN, ORR_SWEEP_DONE, ORR_SWEEP_FAILED };

/* Why results are not gone on with. */
enum orr_sweep_trouble {
    ORR_SWEEP_NO_TROUBLE,
    ORR_SWEEP_CHANGED, /* what is there was begun from other inputs */
    ORR_SWEEP_UNKNOWN, /* what is there is not known to be of a sweep */
    ORR_SWEEP_DAMAGED, /* a line of what is there is none of ours */
    ORR_SWEEP_UNKEPT   /* a file of results cannot be written, or others changed it */
};

/* What is remembered of a point. */
struct orr_sweep_row {
    int64_t wall_ps;
    double cost;     /* INFINITY: there is none */
    uint64_t offset; /* of its line in the file */
    enum orr_sweep_state state;
    bool pareto; /* on the front of its group (study/ranking/sweep_rank.h) */
};

struct orr_sweep_store {
    const struct orr_sweep *sweep;
    struct orr_arena *arena;
    const char *prefix;        /* NULL: in memory */
    struct orr_sweep_row *row; /* [points] */
    uint32_t done, failed;     /* done: failed ones as well */
    uint32_t unfit;            /* of these, those that failed to fit */
    bool marked;               /* rows know whether they are on a front */
    FILE *json, *csv;
    uint64_t json_bytes;
    FILE *lines; /* where results are read again; NULL: nobody has */
    char *line;  /* [line_capacity] the last one */
    size_t line_capacity;
    int lock;
    enum orr_sweep_trouble trouble;
};

/* Opens the results of the sweep, those of an earlier run included. `restart`: without these;
 * `retry`: without those that failed. Errors: files that cannot be written (ORR_ERR_IO), results of
 * something else, lines that are none (ORR_ERR_INPUT). To be closed also after an error. */
enum orr_status orr_sweep_store_open(struct orr_sweep_store *store, const struct orr_sweep *sweep,
                                     bool restart, bool retry, struct orr_diag *diag);

/* The same without files: nothing was done before, and nothing stays. */
enum orr_status orr_sweep_store_in_memory(struct orr_sweep_store *store,
                                          const struct orr_sweep *sweep, struct orr_diag *diag);

/* Reads the result of a point that is done, in memory or after orr_sweep_store_finish; its line is
 * store->line. An error of the point is in the arena. */
enum orr_status orr_sweep_store_read(struct orr_sweep_store *store, uint32_t point,
                                     struct orr_sweep_result *result, struct orr_diag *diag);

/* Adds a line, whose result is *result then. */
enum orr_status orr_sweep_store_add(struct orr_sweep_store *store, const char *line,
                                    struct orr_sweep_result *result, struct orr_diag *diag);

/* Puts both files in order, with the marks of rows. */
enum orr_status orr_sweep_store_finish(struct orr_sweep_store *store, struct orr_diag *diag);

void orr_sweep_store_close(struct orr_sweep_store *store);

/* ---- PREFIX.state ---- */

/* Takes the lock and looks whether the results are of this sweep; *begun tells whether there are
 * any. */
enum orr_status orr_sweep_state_open(struct orr_sweep_store *store, bool restart, bool *begun,
                                     struct orr_diag *diag);

#endif
