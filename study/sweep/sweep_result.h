/* What a point of a sweep comes to: one line of JSON, which is all that goes from those who run
 * points to the one who keeps results, and from an interrupted sweep to the one that resumes it. */
#ifndef ORR_STUDY_SWEEP_SWEEP_RESULT_H
#define ORR_STUDY_SWEEP_SWEEP_RESULT_H

#include "study/sweep/sweep.h"
#include "study/sweep/sweep_columns.h"

/* The status of points that need more memory than there is. */
#define ORR_SWEEP_UNFIT "failed to fit"

struct orr_sweep_result {
    uint32_t point;
    bool ok;
    int64_t wall_ps;
    double cost; /* INFINITY: a part of the network has no price */
    struct orr_value value[ORR_SWEEP_MAX_COLUMNS]; /* of the columns (sweep_columns.h) */
    const char *error;                             /* not ok */
    bool marked, pareto; /* pareto: on the front of its group, which is known once `marked` */
    bool unfit;          /* not ok, because it needs more memory than there is */
};

/* Loads a point and says why it cannot be; ORR_OK, and "", when it can, or when it is too large for
 * the memory, which is a result. Nothing runs. */
enum orr_status orr_sweep_check_point(const struct orr_sweep *sweep, uint32_t point, char *why,
                                      size_t bytes);

/* Runs a point. Returns its line, without the line's end, of the heap; NULL when memory is out. A
 * point that fails has a line too. Any number of threads may run points. */
char *orr_sweep_run(const struct orr_sweep *sweep, uint32_t point);

/* The line of a point whose run did not come back. */
char *orr_sweep_lost_line(const struct orr_sweep *sweep, uint32_t point, const char *why);

/* "ok", "failed", "failed to fit". */
const char *orr_sweep_status_name(const struct orr_sweep_result *result);

/* Reads a line; false when it is none of this sweep. The error lives in the arena. */
bool orr_sweep_parse_line(const struct orr_sweep *sweep, const char *line, struct orr_arena *arena,
                          struct orr_sweep_result *out);

/* Writes a point's line, with what `result` says of its front in place of what the line does.
 * Returns the bytes. With the line's end, or bare. */
size_t orr_sweep_print_bare(FILE *out, const char *line, const struct orr_sweep_result *result);
size_t orr_sweep_print_line(FILE *out, const char *line, const struct orr_sweep_result *result);

/* The head of the CSV file, and the line of a result. */
void orr_sweep_csv_head(FILE *out, const struct orr_sweep *sweep);
void orr_sweep_csv_line(FILE *out, const struct orr_sweep *sweep,
                        const struct orr_sweep_result *result);

#endif
