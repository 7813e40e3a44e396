/* The tables of results of jobs that wait for servers of a cluster, and their rows. */
#ifndef ORR_REPORT_RESULTS_QUEUE_RESULTS_H
#define ORR_REPORT_RESULTS_QUEUE_RESULTS_H

#include "report/results/result.h"
#include "sim/cluster/queue.h"
#include "system/sys_mono.h"

struct json_t;
struct orr_job;

/* All jobs of a queue. */
struct orr_queue_row {
    struct orr_queue_run of;
    const char *file, *fabric, *network, *placement, *queue, *flow_model;
    bool block, ring_ocs;   /* block: jobs are placed in blocks; ring_ocs only then */
    const char *technology; /* of panels; NULL: no panels */
    int64_t reconfiguration_ps;
    bool look_ahead;
    int64_t seed;
    uint32_t servers, sample;
};

/* One of the jobs. */
struct orr_queued_row {
    const struct orr_job *job;
    struct orr_queued_job of;
    const char *name, *taskgraph, *traces, *workload; /* NULL: not run */
    int64_t wait_ps;
    uint32_t servers, iterations;
    char all_reduce[SYS_MONO_BYTES];
};

extern const struct orr_result_table orr_queue_results;
extern const struct orr_result_table orr_queued_results;
/* struct orr_queued_row, if jobs are placed in blocks */
extern const struct orr_result_table orr_queued_block_results;
extern const struct orr_result_table orr_queue_span_results; /* struct orr_queue_span */

/* Lists for JSON; the row is a struct orr_queue_row, or a struct orr_queued_row. */
struct json_t *orr_json_queued(const void *row);
struct json_t *orr_json_queued_servers(const void *row);
struct json_t *orr_json_queue_spans(const void *row);

#endif
