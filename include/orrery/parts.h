/* Platforms and workloads as objects of their own: made from files, from text or in memory, and
 * shared by any number of simulations.
 *
 *     struct orrery_platform *platform = orrery_platform_new();
 *     struct orrery_workload *workload = orrery_workload_new();
 *     orrery_platform_parse(platform, "network: {topology: Ring(8), bandwidth: 100 GB/s}");
 *     orrery_workload_parse(workload, "workload: {generate: all_reduce, bytes: 1 GiB}");
 *     ... for each run, in any thread:
 *     struct orrery *job = orrery_new();
 *     orrery_load_parts(job, &(struct orrery_parts){ORRERY_SIZED(orrery_parts),
 *                                                   .platform = platform, .workload = workload});
 *     orrery_run(job);
 *     orrery_free(job);
 *     ... in the end:
 *     orrery_platform_free(platform);
 *     orrery_workload_free(workload);
 *
 * An object is made by one thread. The first simulation that loads it seals it: what would change
 * it is refused from then on, and any number of threads may load it. Simulations hold what they
 * have loaded: an object that is freed goes with the last of them.
 *
 * Calls that fail keep what is wrong: orrery_platform_error and its like, as "PLACE: MESSAGE". */
#ifndef ORRERY_PARTS_H
#define ORRERY_PARTS_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- platforms ---- */

struct orrery_platform;

/* An empty platform, or NULL when memory is out. */
ORRERY_API struct orrery_platform *orrery_platform_new(void);

/* Gives the caller's hold up; NULL is fine. */
ORRERY_API void orrery_platform_free(struct orrery_platform *platform);

/* Adds the sections of a file with its includes (docs/file-formats.md); `library` is the folder of
 * files that an `include` may name, or NULL. A value that was added before is an error. O(bytes).
 */
ORRERY_API enum orrery_status orrery_platform_read(struct orrery_platform *platform,
                                                   const char *path, const char *library);

/* The same from a text in YAML or JSON, which cannot include. Places are those of a file "text". */
ORRERY_API enum orrery_status orrery_platform_parse(struct orrery_platform *platform,
                                                    const char *text);

/* Sets a value, over what was read: "network.dims[1].bandwidth=100 GB/s". */
ORRERY_API enum orrery_status orrery_platform_set(struct orrery_platform *platform,
                                                  const char *assignment);

/* What was wrong with the last call that failed; "" when none has. The platform's. */
ORRERY_API const char *orrery_platform_error(const struct orrery_platform *platform);

/* ---- workloads ---- */

struct orrery_workload;

/* As of platforms. */
ORRERY_API struct orrery_workload *orrery_workload_new(void);
ORRERY_API void orrery_workload_free(struct orrery_workload *workload);
ORRERY_API enum orrery_status orrery_workload_read(struct orrery_workload *workload,
                                                   const char *path, const char *library);
ORRERY_API enum orrery_status orrery_workload_parse(struct orrery_workload *workload,
                                                    const char *text);
ORRERY_API enum orrery_status orrery_workload_set(struct orrery_workload *workload,
                                                  const char *assignment);
ORRERY_API const char *orrery_workload_error(const struct orrery_workload *workload);

/* A node of a trace that is made in memory. Absent: 0, NULL. */
struct orrery_trace_node {
    size_t size; /* ORRERY_SIZED(orrery_trace_node) */
    uint64_t id; /* its own in the trace */
    enum orrery_node_kind kind;
    const char *name;
    const uint64_t *after; /* [after_count] ids of nodes that must be done before it begins */
    size_t after_count;
    int64_t duration_ps;    /* COMPUTE, CPU: recorded; where there are no flops and no bytes */
    uint64_t flops;         /* COMPUTE */
    uint64_t bytes;         /* of COMPUTE, LOAD, STORE: moved; of the collective or message */
    bool remote;            /* LOAD, STORE: of the remote memory */
    const char *collective; /* COLLECTIVE: "all_reduce", "all_gather", ... */
    const char *group;      /* COLLECTIVE: a name of the workload's groups; NULL: all NPUs */
    uint32_t root;          /* COLLECTIVE with a root: its rank in the group */
    uint32_t peer, tag;     /* SEND, RECEIVE: the other rank */
};

/* Adds a node to the trace-th trace of the workload, in any order. With one trace all NPUs run it,
 * else there is one for each NPU, from 0. Traces are in place of the keys `traces` and `generate`;
 * other keys of the section, such as `groups`, can be read beside them. That the graph has no cycle
 * and no unknown node is checked when it is first loaded. Amortized O(1) and texts. */
ORRERY_API enum orrery_status orrery_workload_add(struct orrery_workload *workload, uint32_t trace,
                                                  const struct orrery_trace_node *node);

/* Traces of files (the key `traces`) are read by the first simulation that loads them, and shared
 * by those that follow, as long as the workload lives. */

/* ---- simulations of them ---- */

struct orrery_parts {
    size_t size;                      /* ORRERY_SIZED(orrery_parts) */
    struct orrery_platform *platform; /* needed */
    struct orrery_workload *workload; /* NULL: the platform has the section */
    const char *const *set;           /* [set_count] over both, for this simulation alone */
    size_t set_count;
};

/* Loads a job of them, as orrery_load does; the job holds both until it is freed. Any number of
 * threads may load the same platform and workload. */
ORRERY_API enum orrery_status orrery_load_parts(struct orrery *job,
                                                const struct orrery_parts *parts);

#ifdef __cplusplus
}
#endif

#endif
