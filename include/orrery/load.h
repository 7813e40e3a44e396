/* Loading a job: from files of Orrery or of the ASTRA-sim simulator, scaled or not; which NPUs are
 * simulated for others. */
#ifndef ORRERY_LOAD_H
#define ORRERY_LOAD_H

#include "orrery/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Orrery's own files (docs/file-formats.md): a platform, and a workload as a separate file or as a
 * section of the platform. */
struct orrery_inputs {
    const char *platform;   /* YAML; NULL: `set` gives all of it */
    const char *workload;   /* YAML; NULL: a section of the platform file */
    const char *const *set; /* [set_count], "network.dims[1].bandwidth=100 GB/s" */
    size_t set_count;
    const char *library; /* folder of files for `include`; NULL: none */
    /* The text of the workload, whose file `workload` only names then; NULL: it is read. */
    const char *workload_text;
};

/* Loads platform and workload. Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY. */
ORRERY_API enum orrery_status orrery_load(struct orrery *job, const struct orrery_inputs *inputs);

/* Loads the jobs of a file of `orrery run --cluster`, with assignments such as
 * "jobs[0].iterations=2", as one simulation whose NPUs are the servers of the cluster. Errors: as
 * above; jobs that do not share a network, or that are queued (cluster.queue). */
ORRERY_API enum orrery_status orrery_load_cluster(struct orrery *job, const char *file,
                                                  const char *const *set, size_t set_count);

/* The number of jobs of a cluster (0: no cluster was loaded), and after the run the times of the
 * index-th job, from 0 on. The arrays are owned by the handle. */
struct orrery_job_times {
    const char *name;
    const uint32_t *ranks; /* [npus] its servers, rank 0 of the job first */
    uint32_t npus, iterations;
    int64_t start_ps, end_ps;
    const int64_t *iteration_ps; /* [iterations] duration of each */
};
ORRERY_API uint32_t orrery_jobs(const struct orrery *job);
ORRERY_API enum orrery_status orrery_job(const struct orrery *job, uint32_t index,
                                         struct orrery_job_times *times);

/* Calls `emit` for every effective value of a job loaded by orrery_load, with its origin:
 * "FILE:LINE", "command line" or "default". */
ORRERY_API void orrery_explain(const struct orrery *job,
                               void (*emit)(void *user, const char *key, const char *value,
                                            const char *origin),
                               void *user);

/* Whether symmetric NPUs are folded, that is, simulated once per class (default: true); call it
 * before loading. The results are the same; the number of events is not. */
ORRERY_API void orrery_fold(struct orrery *job, bool on);

/* Whether a job that exceeds the memory capacity is rejected (default: true); call it before
 * loading. With false there is neither error nor warning, which suits a job that is only explained;
 * to run such a job, set memory.ignore_capacity. */
ORRERY_API void orrery_check_capacity(struct orrery *job, bool on);

/* The number of NPUs that a loaded job simulates: one of each class of symmetric NPUs. */
ORRERY_API uint32_t orrery_fold_classes(const struct orrery *job);
/* The class of a rank, and the lowest rank of a class. */
ORRERY_API uint32_t orrery_fold_class(const struct orrery *job, uint32_t rank);
ORRERY_API uint32_t orrery_fold_rank(const struct orrery *job, uint32_t fold_class);

/* The digits of a rank, the lowest first: rank / stride % size. Ranks that differ only in folded
 * digits form a class. */
struct orrery_fold_digit {
    uint32_t stride, size;
    bool folded;
    const char *why; /* reason why it is not folded; NULL: it is */
};
/* The index-th digit; false behind the last. */
ORRERY_API bool orrery_fold_digit(const struct orrery *job, unsigned index,
                                  struct orrery_fold_digit *digit);

/* Input files and command-line options of the ASTRA-sim simulator. Loading them switches on its
 * rules (docs/how-to/astra-sim-rules.md). Strings are only read during the call. */
struct orrery_astra_sim {
    const char *workload;      /* prefix: traces are PREFIX.RANK.et, for every rank */
    const char *system;        /* JSON */
    const char *network;       /* YAML */
    const char *remote_memory; /* JSON; NULL: no remote memory */
    const char *comm_group;    /* JSON; NULL or "empty": none */
    const char *backend;       /* "analytical" (NULL) or "congestion" */
    unsigned queues_per_dim;   /* 0: 1 */
    unsigned injection_scale;  /* multiplies the endpoint delay; 0: 1 */
    bool rendezvous;
    bool default_rules;        /* read the files, but use Orrery's own rules */
    bool dimension_scheduling; /* obey inter- and intra-dimension-scheduling of the system file,
                                * which its released build ignores */
};

/* Loads platform and workload. Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY. */
ORRERY_API enum orrery_status orrery_load_astra_sim(struct orrery *job,
                                                    const struct orrery_astra_sim *inputs);

/* ---- what if: call before loading ---- */

enum orrery_quantity {
    ORRERY_BANDWIDTH,      /* of a dimension */
    ORRERY_LATENCY,        /* of a dimension */
    ORRERY_COMPUTE_RATE,   /* of accelerators: the peak, and the speed of recorded durations */
    ORRERY_MEMORY_RATE,    /* bandwidth of local and remote memory; divides their latency too */
    ORRERY_ENDPOINT_DELAY, /* of the messages of collectives */
    ORRERY_CPU_RATE,       /* the speed of the recorded durations of CPUs */
    /* time for which a message occupies ports and links in addition to its bytes, host
     * synchronization included */
    ORRERY_MESSAGE_OVERHEAD
};
#define ORRERY_ALL_DIMS UINT32_MAX
/* Links of a graph, which has no dimensions: of NPUs, and between switches. */
#define ORRERY_NPU_LINKS (UINT32_MAX - 1)
#define ORRERY_SWITCH_LINKS (UINT32_MAX - 2)

struct orrery_scale {
    enum orrery_quantity quantity;
    unsigned dim;  /* from 0, or one of the constants above; for bandwidth and latency only */
    double factor; /* >= 0; INFINITY: free */
};

/* Multiplies the quantity by the factor when the job is loaded. ORRERY_ERROR_INPUT for a factor
 * below 0 and for a loaded job; an unknown dimension fails when loading. */
ORRERY_API enum orrery_status orrery_scale(struct orrery *job, const struct orrery_scale *scale);

#ifdef __cplusplus
}
#endif

#endif
