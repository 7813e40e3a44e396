/* Sums by collective and operator, what was chosen for each collective, rates; after the run. */
#ifndef ORRERY_SUMMARY_H
#define ORRERY_SUMMARY_H

#include "orrery/base.h"
#include "orrery/nodes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Summary of the nodes of all ranks: a row for each kind of collective, number of NPUs and size; a
 * row for each other kind of node and name. */
struct orrery_summary_row {
    enum orrery_node_kind kind;
    bool remote;      /* LOAD, STORE: of the remote memory */
    const char *name; /* of the collective ("all_reduce"), else of the nodes; owned by the handle */
    bool several_names;  /* names of the nodes differ in numbers, shown as '#' */
    uint32_t npus;       /* COLLECTIVE: of the group; 0 otherwise */
    uint64_t bytes_each; /* COLLECTIVE: of one; 0 otherwise */
    uint64_t count;      /* of nodes: a collective counts once on each of its NPUs */
    orrery_wide bytes, flops;
    /* Sums: time after the end of waiting for others, and the waiting before it. */
    orrery_wide time_ps, waiting_ps;
    int64_t shortest_ps, longest_ps; /* without waiting */
    /* Exposed time: an instant of an NPU belongs to its part of struct orrery_times, and in it to
     * the node that started that part first. The exposed times of all rows add up to
     * orrery_npu_times of all NPUs, and exposed_waiting_ps to waiting_ps. */
    orrery_wide exposed_ps, exposed_waiting_ps;
};

/* Builds the summary (once) and sets *rows to its number of rows, ordered by descending exposed
 * time, exposed waiting first. ORRERY_ERROR_INPUT before the end of the run and without
 * ORRERY_RECORD_NODES. O(nodes log nodes). */
ORRERY_API enum orrery_status orrery_summarize(struct orrery *job, size_t *rows);
/* A row of the built summary; ORRERY_ERROR_INPUT if there is no such row. O(1). */
ORRERY_API enum orrery_status orrery_summary(const struct orrery *job, size_t index,
                                             struct orrery_summary_row *row);
/* Selected algorithms of collectives, if there is a choice: a row for each kind, number of NPUs,
 * size and selection. */
struct orrery_choice {
    const char *collective; /* "all_reduce" */
    uint32_t npus;
    uint64_t bytes;
    /* The algorithms of the participating dimensions, innermost first: "ring+direct"; a single name
     * if they are equal. */
    const char *algorithms;
    const char *scheduler; /* order in which chunks visit the dimensions; "" for a single one */
    /* Number of prefixes that nodes can wait for (orrery/prefix.h); 1: only the complete result; 0:
     * no node waits for a prefix. */
    uint64_t parts;
    /* monolithic collective of the whole group, independent of the algorithms of dimensions */
    bool whole;
    /* The communication library that runs it ("nccl"); `algorithms` is then its algorithm and
     * protocol. NULL: none. */
    const char *library;
    /* a size for each rank or pair; `bytes` is the largest rank's. A library runs it as if all had
     * as many. */
    bool uneven;
    int64_t launch_ps; /* time of the library's launch by the host that the collective includes */
};

/* Builds the rows (once) of a loaded job and sets *rows to their number, at most 64. O(nodes). */
ORRERY_API enum orrery_status orrery_choices(struct orrery *job, size_t *rows);
/* A row; ORRERY_ERROR_INPUT if there is no such row. Strings are owned by the handle. O(1). */
ORRERY_API enum orrery_status orrery_choice(const struct orrery *job, size_t index,
                                            struct orrery_choice *row);

/* Bus bandwidth of a row's collectives in bytes/s as nccl-tests define it: the bytes that each NPU
 * must send at least, over the mean time without waiting; 0 for other rows. */
ORRERY_API double orrery_bus_bandwidth(const struct orrery_summary_row *row);

/* Throughput of the job, if the workload gives its tokens and useful operations; else 0. */
struct orrery_rates {
    double tokens_per_s;
    double model_flops_per_s;
    double model_flops_utilization; /* of the peak of all NPUs; 0 without a peak */
    double samples_per_s;           /* of a generated model */
    /* Of the model operations, those of products of fp8 and fp4, which the utilization counts at
     * the peaks of these types; the others at that of 16 bits. */
    double fp8_share, fp4_share;
};
ORRERY_API void orrery_rates(const struct orrery *job, struct orrery_rates *rates);

#ifdef __cplusplus
}
#endif

#endif
