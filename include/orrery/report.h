/* Results of a job that has run, as the command writes them (docs/user-guide.md). Files are open
 * for writing, and stay so. Errors: ORRERY_ERROR_INPUT before the end of the run, or where the job
 * did not record what is asked for; ORRERY_ERROR_IO when the file cannot be written; each with its
 * message (orrery_error). */
#ifndef ORRERY_REPORT_H
#define ORRERY_REPORT_H

#include <stdio.h>

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tables of `orrery run`: a row for each class of NPUs with equal times, or for each NPU. */
ORRERY_API enum orrery_status orrery_write_table(struct orrery *job, FILE *out, bool per_npu);

/* One JSON object, as of --json. */
ORRERY_API enum orrery_status orrery_write_json(struct orrery *job, FILE *out, bool per_npu);

/* A line for each NPU, as of --csv. */
ORRERY_API enum orrery_status orrery_write_csv(struct orrery *job, FILE *out);

/* A timeline for Perfetto: a track for each resource of the NPUs `ranks`: "all", "classes" (NULL:
 * one NPU of each class) or a list such as "0-3,8". Needs ORRERY_RECORD_NODES. */
ORRERY_API enum orrery_status orrery_write_timeline(struct orrery *job, FILE *out,
                                                    const char *ranks, bool gzip);

/* The bytes of live tensors over time, as of --memory-timeline. Needs ORRERY_RECORD_NODES. */
ORRERY_API enum orrery_status orrery_write_memory(struct orrery *job, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
