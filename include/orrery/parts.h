/* Platforms and workloads as separate objects: from files, from text or built in memory, and shared
 * by any number of simulations.
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
 * One thread builds an object. The first simulation that loads it makes it immutable: further
 * changes are rejected, and any number of threads may load it. Objects are reference-counted: a
 * freed object lives until the last simulation that has loaded it is freed.
 *
 * A failed call stores its message, "LOCATION: MESSAGE": orrery_platform_error,
 * orrery_workload_error. */
#ifndef ORRERY_PARTS_H
#define ORRERY_PARTS_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- platforms ---- */

struct orrery_platform;

/* Creates an empty platform; NULL if out of memory. */
ORRERY_API struct orrery_platform *orrery_platform_new(void);

/* Releases the caller's reference; NULL is fine. */
ORRERY_API void orrery_platform_free(struct orrery_platform *platform);

/* Adds the sections of a file with its includes (docs/file-formats.md); `library`: folder of files
 * for `include`, or NULL. A value that was already added is an error. O(bytes). */
ORRERY_API enum orrery_status orrery_platform_read(struct orrery_platform *platform,
                                                   const char *path, const char *library);

/* The same from a text in YAML or JSON, which cannot include files. Locations name a file
 * "text". */
ORRERY_API enum orrery_status orrery_platform_parse(struct orrery_platform *platform,
                                                    const char *text);

/* Sets a value, which overrides those read: "network.dims[1].bandwidth=100 GB/s". */
ORRERY_API enum orrery_status orrery_platform_set(struct orrery_platform *platform,
                                                  const char *assignment);

/* The error of the last failed call; "": none. Owned by the platform. */
ORRERY_API const char *orrery_platform_error(const struct orrery_platform *platform);

/* ---- workloads ---- */

struct orrery_workload;

/* As for platforms. */
ORRERY_API struct orrery_workload *orrery_workload_new(void);
ORRERY_API void orrery_workload_free(struct orrery_workload *workload);
ORRERY_API enum orrery_status orrery_workload_read(struct orrery_workload *workload,
                                                   const char *path, const char *library);
ORRERY_API enum orrery_status orrery_workload_parse(struct orrery_workload *workload,
                                                    const char *text);
ORRERY_API enum orrery_status orrery_workload_set(struct orrery_workload *workload,
                                                  const char *assignment);
ORRERY_API const char *orrery_workload_error(const struct orrery_workload *workload);

/* A node of a trace that is built in memory. Absent: 0, NULL. */
struct orrery_trace_node {
    size_t size; /* ORRERY_SIZED(orrery_trace_node) */
    uint64_t id; /* its own in the trace */
    enum orrery_node_kind kind;
    const char *name;
    const uint64_t *after; /* [after_count] ids of the nodes that it waits for */
    size_t after_count;
    int64_t duration_ps; /* COMPUTE, CPU: recorded duration, if there are no flops and no bytes */
    uint64_t flops;      /* COMPUTE */
    uint64_t bytes;      /* of COMPUTE, LOAD, STORE: moved; of the collective or message */
    bool remote;         /* LOAD, STORE: of the remote memory */
    const char *collective; /* COLLECTIVE: "all_reduce", "all_gather", ... */
    const char *group;      /* COLLECTIVE: a name of the workload's groups; NULL: all NPUs */
    uint32_t root;          /* COLLECTIVE with a root: its rank in the group */
    uint32_t peer, tag;     /* SEND, RECEIVE: the other rank */
};

/* Adds a node to the trace-th trace of the workload, in any order. A single trace is run by all
 * NPUs; otherwise there is one for each NPU, from 0. Such traces replace the keys `traces` and
 * `generate`; other keys of the section, such as `groups`, can be read as well. Cycles and unknown
 * nodes are checked at the first load. Amortized O(1), and the bytes of texts. */
ORRERY_API enum orrery_status orrery_workload_add(struct orrery_workload *workload, uint32_t trace,
                                                  const struct orrery_trace_node *node);

/* Traces of files (the key `traces`) are read by the first simulation that loads them, and shared
 * by later ones as long as the workload lives. */

/* ---- simulations ---- */

struct orrery_parts {
    size_t size;                      /* ORRERY_SIZED(orrery_parts) */
    struct orrery_platform *platform; /* required */
    struct orrery_workload *workload; /* NULL: a section of the platform */
    const char *const *set;           /* [set_count] override both, for this simulation only */
    size_t set_count;
};

/* Loads a job, as orrery_load; the job holds a reference to both until it is freed. Any number of
 * threads may load the same platform and workload. */
ORRERY_API enum orrery_status orrery_load_parts(struct orrery *job,
                                                const struct orrery_parts *parts);

#ifdef __cplusplus
}
#endif

#endif
