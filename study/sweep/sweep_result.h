/* Result of a point: one line of JSON. Only lines go from workers to the store, and from an
 * interrupted sweep to the one that resumes it. */
#ifndef ORR_STUDY_SWEEP_SWEEP_RESULT_H
#define ORR_STUDY_SWEEP_SWEEP_RESULT_H

#include "study/sweep/sweep.h"
#include "study/sweep/sweep_columns.h"

/* Status of points that need more memory than an NPU has. */
#define ORR_SWEEP_UNFIT "failed to fit"

struct orr_sweep_result {
    uint32_t point;
    bool ok;
    int64_t wall_ps;
    double cost; /* INFINITY: a part of the network has no price */
    struct orr_value value[ORR_SWEEP_MAX_COLUMNS]; /* [columns], see sweep_columns.h */
    const char *error;                             /* not ok */
    bool marked, pareto;   /* pareto: on the front of its group, known once `marked` */
    bool unfit;            /* not ok: needs more memory than there is */
    bool excluded;         /* ok: a constraint on results is not fulfilled */
    const double *measure; /* [orr_sweep_measure_count]; of the store, or NULL */
};

/* Loads a point without running it. `why`: the reason if it cannot be loaded. ORR_OK if it can, or
 * if it is too large for the memory, which is a result; `why` is then "", or a line feed and how
 * its compute times are found. */
enum orr_status orr_sweep_check_point(const struct orr_sweep *sweep, uint32_t point, char *why,
                                      size_t bytes);

/* Runs a point. Returns its line without newline (heap, owned by the caller); NULL: no memory. A
 * point that fails has a line too. Thread-safe. */
char *orr_sweep_run(const struct orr_sweep *sweep, uint32_t point);

/* Line of a point whose worker process ended. */
char *orr_sweep_lost_line(const struct orr_sweep *sweep, uint32_t point, const char *why);

/* "ok", "failed", "failed to fit". */
const char *orr_sweep_status_name(const struct orr_sweep_result *result);

/* Parses a line; false: it is none of this sweep. The error text belongs to the arena. */
bool orr_sweep_parse_line(const struct orr_sweep *sweep, const char *line, struct orr_arena *arena,
                          struct orr_sweep_result *out);

/* Writes a point's line with the front mark of `result`, without or with a newline; returns the
 * bytes. */
size_t orr_sweep_print_bare(FILE *out, const char *line, const struct orr_sweep_result *result);
size_t orr_sweep_print_line(FILE *out, const char *line, const struct orr_sweep_result *result);

/* Writes the header of the CSV file, and the line of a result. */
void orr_sweep_csv_head(FILE *out, const struct orr_sweep *sweep);
void orr_sweep_csv_line(FILE *out, const struct orr_sweep *sweep,
                        const struct orr_sweep_result *result);

#endif
