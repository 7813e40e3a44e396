/* A timeline of a run in the trace-event format that Perfetto and chrome://tracing open: a process
 * for each NPU drawn, a track for each of its resources, a slice for each node, and an arrow from
 * each send to its receive. */
#ifndef ORR_REPORT_TIMELINE_TIMELINE_H
#define ORR_REPORT_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"
#include "orrery/orrery.h"

struct orr_diag;
struct orrery;

struct orr_timeline {
    const char *path;  /* NULL: none; compressed if it ends in ".gz" */
    const char *ranks; /* "all", "classes" or a list such as "0-3,8"; NULL: "classes" */
};

/* Checks before loading. Errors: ranks that are not in one of these forms. */
enum orr_status orr_timeline_check(const struct orr_timeline *timeline, struct orr_diag *diag);

/* Checks against a job. Errors: ranks that a job of `npus` NPUs does not have. */
enum orr_status orr_timeline_check_npus(const struct orr_timeline *timeline, uint32_t npus,
                                        struct orr_diag *diag);

/* Writes the timeline of a job that recorded its nodes and has run. Memory: some 100 bytes for each
 * node of one NPU, and 56 for each send and receive of all drawn NPUs. Returns 0, or 1 with errno
 * set. O(nodes log nodes). */
int orr_timeline_write(FILE *out, const struct orr_timeline *timeline, struct orrery *job);

#endif
