/* What `orrery run` prints and writes of a job, to any stream (docs/user-guide.md). Files are open
 * for writing, and stay so. Errors: ORRERY_ERROR_INPUT before the end of the run, where the job did
 * not record what is asked for, and for no file (NULL); ORRERY_ERROR_IO when the file cannot be
 * written; each with its message (orrery_error). Single results are asked for by name:
 * orrery/results.h. */
#ifndef ORRERY_REPORT_H
#define ORRERY_REPORT_H

#include <stdio.h>

#include "orrery/results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- of a job that has run ---- */

/* The tables of `orrery run`: a row for each class of NPUs with equal times, or for each NPU. With
 * ORRERY_RECORD_NODES also what was done; with ORRERY_RECORD_PATH the critical path, as of --why.
 * O(NPUs log), with nodes O(nodes log). */
ORRERY_API enum orrery_status orrery_write_table(struct orrery *job, FILE *out, bool per_npu);

/* A line for each NPU in the order in which they finish, as of --format astra; cycles are ns. */
ORRERY_API enum orrery_status orrery_write_finishes(struct orrery *job, FILE *out);

/* One JSON object, as of --json. */
ORRERY_API enum orrery_status orrery_write_json(struct orrery *job, FILE *out, bool per_npu);

/* A line for each NPU, as of --csv. */
ORRERY_API enum orrery_status orrery_write_csv(struct orrery *job, FILE *out);

/* A timeline for Perfetto: a track for each resource of the NPUs `ranks`: "all", "classes" (NULL:
 * one NPU of each class) or a list such as "0-3,8". Needs ORRERY_RECORD_NODES; with
 * ORRERY_RECORD_LINK_USE it has the counters of the links in use too. */
ORRERY_API enum orrery_status orrery_write_timeline(struct orrery *job, FILE *out,
                                                    const char *ranks, bool gzip);

/* The bytes of live tensors over time, as of --memory-timeline. Needs ORRERY_RECORD_NODES. */
ORRERY_API enum orrery_status orrery_write_memory(struct orrery *job, FILE *out);

/* A line for each NPU's peak of local memory, where the platform tracks it (track-local-mem), and
 * nothing elsewhere; the tracks go to the files that the platform names. */
ORRERY_API enum orrery_status orrery_write_memory_peaks(struct orrery *job, FILE *out);

/* Bytes and utilization of every link of a network that is a graph, as of --link-stats; of another
 * network ORRERY_ERROR_INPUT. O(links). */
ORRERY_API enum orrery_status orrery_write_links(struct orrery *job, FILE *out);

/* Bytes between any two NPUs, as of --traffic-matrix: as CSV (at most 16384 NPUs), or as a picture,
 * SVG. Needs ORRERY_RECORD_TRAFFIC. O(NPUs^2), of a picture O(pairs). */
ORRERY_API enum orrery_status orrery_write_traffic(struct orrery *job, FILE *out, bool picture);

/* ---- of a job that is loaded ---- */

/* The job as one file that gives the same results, with origins, the defaults that apply and what
 * collectives run with as comments, as of --explain; paths are as seen from this process. O(nodes).
 */
ORRERY_API enum orrery_status orrery_write_job(struct orrery *job, FILE *out);

/* Every value in force and its origin, and what collectives run with, as of --explain=all.
 * O(nodes). */
ORRERY_API enum orrery_status orrery_write_config(struct orrery *job, FILE *out);

/* Which NPUs are simulated once for all, as of --explain-fold. */
ORRERY_API enum orrery_status orrery_write_fold(struct orrery *job, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
