/* Reports: the outputs of `orrery run` for a job, to any stream (docs/how-to/run-a-job.md). Files
 * are open for writing, and stay open. Errors: ORRERY_ERROR_INPUT before the end of the run, if the
 * job did not record the data, and for NULL; ORRERY_ERROR_IO if the file cannot be written; each
 * with its message (orrery_error). Single results by name: orrery/results.h. */
#ifndef ORRERY_REPORT_H
#define ORRERY_REPORT_H

#include <stdio.h>

#include "orrery/results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- after the run ---- */

/* The tables of `orrery run`: a row for each class of NPUs with equal times, or for each NPU; with
 * ORRERY_RECORD_NODES also the summary of nodes; with ORRERY_RECORD_PATH the critical path, as
 * --why. O(NPUs log NPUs), with nodes O(nodes log nodes). */
ORRERY_API enum orrery_status orrery_write_table(struct orrery *job, FILE *out, bool per_npu);

/* The lines of ASTRA-sim for each NPU in the order of their finish, as --format astra; cycles are
 * ns. Without ORRERY_RECORD_NODES only the first of each. O(nodes log nodes). */
ORRERY_API enum orrery_status orrery_write_finishes(struct orrery *job, FILE *out);

/* One JSON object, as --json. */
ORRERY_API enum orrery_status orrery_write_json(struct orrery *job, FILE *out, bool per_npu);

/* A line for each NPU, as --csv. */
ORRERY_API enum orrery_status orrery_write_csv(struct orrery *job, FILE *out);

/* A timeline for Perfetto: a track for each resource of the NPUs `ranks`: "all", "classes" (NULL:
 * one NPU of each class) or a list such as "0-3,8". Requires ORRERY_RECORD_NODES; with
 * ORRERY_RECORD_LINK_USE it also has counters of busy links. `gzip`: compressed, which needs a
 * stream with a file descriptor (not open_memstream). */
ORRERY_API enum orrery_status orrery_write_timeline(struct orrery *job, FILE *out,
                                                    const char *ranks, bool gzip);

/* The bytes of live tensors over time, as --memory-timeline. Requires ORRERY_RECORD_NODES. */
ORRERY_API enum orrery_status orrery_write_memory(struct orrery *job, FILE *out);

/* A line for each NPU's peak of local memory if the platform tracks it (track-local-mem), else
 * nothing; the memory traces go to the files that the platform names. */
ORRERY_API enum orrery_status orrery_write_memory_peaks(struct orrery *job, FILE *out);

/* Bytes and utilization of every link of a graph, as --link-stats; ORRERY_ERROR_INPUT for other
 * networks. O(links). */
ORRERY_API enum orrery_status orrery_write_links(struct orrery *job, FILE *out);

/* Bytes between any two NPUs, as --traffic-matrix: as CSV (at most 16384 NPUs) or as an SVG
 * picture. Requires ORRERY_RECORD_TRAFFIC. O(NPUs^2), for a picture O(pairs). */
ORRERY_API enum orrery_status orrery_write_traffic(struct orrery *job, FILE *out, bool picture);

/* ---- after loading ---- */

/* The job as one file with the same results, with origins, applicable defaults and selected
 * algorithms as comments, as --explain; paths are relative to the working directory of this
 * process. O(nodes). */
ORRERY_API enum orrery_status orrery_write_job(struct orrery *job, FILE *out);

/* Every effective value and its origin, and the selected algorithms, as --explain=all. O(nodes). */
ORRERY_API enum orrery_status orrery_write_config(struct orrery *job, FILE *out);

/* The folding of NPUs, as --explain-fold. */
ORRERY_API enum orrery_status orrery_write_fold(struct orrery *job, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
