/* Results of a sweep in files: PREFIX.jsonl and PREFIX.csv, to which a line is added as each point
 * comes, and PREFIX.state, which says of which sweep they are. A line that is there is done: after
 * any end, also by a signal, the next run goes on from the lines that are whole. When all points
 * are done both files are written anew in the order of the points. */
#ifndef ORR_CLI_SWEEP_STORE_H
#define ORR_CLI_SWEEP_STORE_H

#include "cli/sweep_result.h"

enum orr_sweep_state { ORR_SWEEP_OPEN, ORR_SWEEP_DONE, ORR_SWEEP_FAILED };

/* What is remembered of a point. */
struct orr_sweep_row {
    int64_t wall_ps;
    double cost;
    uint64_t offset; /* of its line in the file */
    enum orr_sweep_state state;
};

struct orr_sweep_store {
    const struct orr_sweep *sweep;
    struct orr_arena *arena;
    const char *prefix;
    struct orr_sweep_row *row; /* [points] */
    uint32_t done, failed;     /* done: failed ones as well */
    uint32_t unfit;            /* of these, those that failed to fit */
    FILE *json, *csv;
    uint64_t json_bytes;
    int lock;
};

/* Opens the results of the sweep, those of an earlier run included. `restart`: without these;
 * `retry`: without those that failed. Returns 0, or the exit status of what it says. */
int orr_sweep_store_open(struct orr_sweep_store *store, const struct orr_sweep *sweep, bool restart,
                         bool retry);

/* Adds a line, whose result is *result then. Returns 0 or the exit status of what it says. */
int orr_sweep_store_add(struct orr_sweep_store *store, const char *line,
                        struct orr_sweep_result *result);

/* Puts both files in order. Returns 0 or the exit status of what it says. */
int orr_sweep_store_finish(struct orr_sweep_store *store);

void orr_sweep_store_close(struct orr_sweep_store *store);

/* ---- PREFIX.state ---- */

/* Takes the lock and looks whether the results are of this sweep; *begun tells whether there are
 * any. Returns 0 or the exit status of what it says. */
int orr_sweep_state_open(struct orr_sweep_store *store, bool restart, bool *begun);

#endif
