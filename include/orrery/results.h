/* Results by name (docs/results.md): `wall_ps` of a job, `npus.idle_ps` of each of its NPUs,
 * `changes.saved_ps` of a what-if. The part before the dot is a table, which has rows (here called
 * place); a name without it is a result of the job.
 *
 *     struct orrery_value value;
 *     if (orrery_result(job, "npus.idle_ps", rank, &value) == ORRERY_OK) {
 *         printf("%lld ps\n", (long long)value.integer);
 *     } */
#ifndef ORRERY_RESULTS_H
#define ORRERY_RESULTS_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

enum orrery_value_kind {
    ORRERY_VALUE_NONE, /* unknown for this row */
    ORRERY_VALUE_INTEGER,
    ORRERY_VALUE_BOOL, /* an integer, 0 or 1 */
    ORRERY_VALUE_REAL,
    ORRERY_VALUE_TEXT
};

struct orrery_value {
    enum orrery_value_kind kind;
    orrery_wide integer; /* INTEGER, BOOL; else 0 */
    double real;         /* REAL; for INTEGER and BOOL the nearest; else 0 */
    const char *text;    /* TEXT, else NULL; owned by the handle until the next value */
};

/* Description of a result. Texts are constant. */
struct orrery_result_info {
    const char *place;   /* "npus" */
    const char *name;    /* "idle_ps" */
    const char *unit;    /* "ps", "bytes/s", ...; "": none */
    const char *meaning; /* one line */
};

/* The index-th of all results by name, grouped by table. False behind the last. O(results). */
ORRERY_API bool orrery_result_info(size_t index, struct orrery_result_info *info);

/* The number of rows of a table: "job" (1), "npus", "dims", "collectives" and "operators" (with
 * ORRERY_RECORD_NODES), "critical_path.parts" and "critical_path.steps" (with ORRERY_RECORD_PATH),
 * "uncertainty" (1) and "uncertainty.slopes" (with ORRERY_RECORD_UNCERTAINTY). ORRERY_ERROR_INPUT
 * before the end of the run, and for an unknown table. O(rows); first call for collectives and
 * operators O(nodes log nodes). */
ORRERY_API enum orrery_status orrery_result_rows(struct orrery *job, const char *place,
                                                 size_t *rows);

/* A result of a row, from 0: for "npus" the rank, for "dims" the dimension, for others the order of
 * the JSON. ORRERY_ERROR_INPUT before the end of the run, and for an unknown table, result or row.
 * O(1); for collectives, operators and steps O(rows). */
ORRERY_API enum orrery_status orrery_result(struct orrery *job, const char *name, size_t row,
                                            struct orrery_value *value);

#ifdef __cplusplus
}
#endif

#endif
