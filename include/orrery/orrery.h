/* Orrery: simulate a distributed deep-learning training job.
 *
 *     struct orrery *job = orrery_new();
 *     if (orrery_load_astra_sim(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
 *         fprintf(stderr, "%s\n", orrery_error(job));
 *     }
 *     printf("%lld ps\n", (long long)orrery_wall_ps(job));
 *     orrery_free(job);
 *
 * All state lives in the handle: any number of simulations may exist and run interleaved. Functions
 * never print, exit or abort on bad input. One thread at a time may use a handle. */
#ifndef ORRERY_ORRERY_H
#define ORRERY_ORRERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ORRERY_API __attribute__((visibility("default")))
#else
#define ORRERY_API
#endif

#define ORRERY_VERSION "0.1.0"

enum orrery_status {
    ORRERY_OK = 0,
    ORRERY_ERROR_INTERNAL = 1,
    ORRERY_ERROR_INPUT = 2,    /* bad usage, configuration or trace */
    ORRERY_ERROR_DEADLOCK = 3, /* the simulated job cannot finish */
    ORRERY_ERROR_MEMORY = 4,
    ORRERY_ERROR_IO = 5
};

/* Initializes `size`, the first member of structs that programs fill: the size that the program was
 * compiled with. A struct of another version is rejected (ORRERY_ERROR_INPUT). */
#define ORRERY_SIZED(name) .size = sizeof(struct name)

struct orrery;

/* Sums over NPUs, nodes and links, which may exceed 64 bits. */
__extension__ typedef __int128 orrery_wide;

/* Creates an empty simulation; NULL if out of memory. Free it with orrery_free. */
ORRERY_API struct orrery *orrery_new(void);

/* Frees the simulation and all it holds; NULL is fine. */
ORRERY_API void orrery_free(struct orrery *job);

/* "major.minor.patch" of the library. */
ORRERY_API const char *orrery_version(void);

/* The last error as "LOCATION: MESSAGE"; "": none. Owned by the handle. */
ORRERY_API const char *orrery_error(const struct orrery *job);

/* `warn` is called with the text of each warning, once for each text; NULL (default): warnings are
 * only stored. */
ORRERY_API void orrery_on_warning(struct orrery *job, void (*warn)(void *user, const char *text),
                                  void *user);

/* The index-th warning so far, NULL behind the last. Owned by the handle. */
ORRERY_API const char *orrery_warning(const struct orrery *job, size_t index);

/* ---- inputs ---- */

/* Orrery's own files (docs/file-formats.md): a platform, and a workload as a separate file or as a
 * section of the platform. */
struct orrery_inputs {
    const char *platform;   /* YAML; NULL: `set` gives all of it */
    const char *workload;   /* YAML; NULL: a section of the platform file */
    const char *const *set; /* [set_count], "network.dims[1].bandwidth=100 GB/s" */
    size_t set_count;
    const char *library; /* folder of files for `include`; NULL: none */
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

/* ---- recording: call before loading ---- */

enum {
    /* start and end of each node of each trace; 16 bytes a node, and 16 more for each that waits
     * for others */
    ORRERY_RECORD_NODES = 1u << 0,
    /* the cause of each event, for the critical path; up to a third slower. Steps of folded NPUs
     * name the simulated rank of the class */
    ORRERY_RECORD_PATH = 1u << 1,
    /* bytes between NPUs; 48 bytes for each pair with traffic; nothing is folded */
    ORRERY_RECORD_TRAFFIC = 1u << 2,
    /* sensitivity of the job's time to its parts: the parts of the critical path, without steps but
     * with folding. A straggler's own parts count instead of waiting, and computing is split: "gemm
     * by peak", "gemm by memory", "gemm constant", "attention by peak", ... If a part takes twice
     * its time, the job becomes longer by the part, as long as the path stays the same. With
     * ORRERY_RECORD_PATH, only the path is recorded */
    ORRERY_RECORD_SLOPES = 1u << 3,
    /* the same for orrery_uncertainty, alone or with other flags; with ORRERY_RECORD_PATH the job
     * runs twice, first within the first call that runs it. Loading rejects a platform without
     * compute.fitted, computations with slowdown, and clusters of jobs */
    ORRERY_RECORD_UNCERTAINTY = 1u << 4,
    /* busy links of each dimension over time (orrery_link_use); 64 KiB a dimension */
    ORRERY_RECORD_LINK_USE = 1u << 5
};

/* Adds the flags to those set before. */
ORRERY_API void orrery_record(struct orrery *job, unsigned flags);

/* ---- running ---- */

/* Runs to the end. ORRERY_ERROR_DEADLOCK if the job cannot finish; orrery_error names the nodes. */
ORRERY_API enum orrery_status orrery_run(struct orrery *job);

/* Runs for at most `instants` further distinct simulated times; sets *finished at the end of the
 * job. Several simulations can be advanced in turn. */
ORRERY_API enum orrery_status orrery_run_some(struct orrery *job, uint64_t instants,
                                              bool *finished);

/* The progress of a run by orrery_run_some; all 0 before a job is loaded. O(1). */
struct orrery_progress {
    int64_t now_ps;         /* simulated time */
    uint64_t events;        /* handled */
    uint32_t npus_finished; /* of orrery_npus */
};
ORRERY_API void orrery_progress(const struct orrery *job, struct orrery_progress *progress);

/* ---- results, after the run ---- */

/* Breakdown of an NPU's time from 0 to the end of the job, in ps. The parts from compute_ps to
 * idle_ps add up to the wall time exactly: an instant belongs to the first active one. A receive
 * waits until its sender has started the send, a collective until its last member has started; from
 * then on they communicate. The five parts of the ASTRA-sim 2.0 paper are compute + CPU, the two
 * memories, communication + waiting, and idle; under the reference's rules (compat) compute
 * includes CPU nodes, communication includes waiting, and cpu_ps and waiting_ps are 0. */
struct orrery_times {
    int64_t finish_ps;
    int64_t compute_ps; /* of the accelerator */
    int64_t cpu_ps;
    int64_t exposed_local_memory_ps;
    int64_t exposed_remote_memory_ps;
    int64_t exposed_communication_ps;
    int64_t waiting_ps;
    int64_t idle_ps;
    int64_t accelerator_compute_ps; /* sum of the durations of accelerator compute nodes */
};

struct orrery_dim_stats {
    const char *block; /* "ring", "fully_connected", "switch", "mesh" */
    uint32_t npus;
    double bandwidth_bytes_per_s;
    int64_t latency_ps;
    orrery_wide messages, bytes;
    orrery_wide busy_ps; /* summed over ports or links; 0 if the backend does not count it */
    uint64_t servers;    /* ports or links */
    bool reduces;        /* switch with in-network reduction */
};

ORRERY_API uint32_t orrery_npus(const struct orrery *job);
ORRERY_API int64_t orrery_wall_ps(const struct orrery *job);
ORRERY_API uint64_t orrery_events(const struct orrery *job);      /* events handled */
ORRERY_API orrery_wide orrery_messages(const struct orrery *job); /* messages sent */
/* Heap memory of the simulation in bytes. */
ORRERY_API size_t orrery_memory_bytes(const struct orrery *job);
/* The time breakdown of a rank. ORRERY_ERROR_INPUT if there is no such rank. O(1). */
ORRERY_API enum orrery_status orrery_npu_times(const struct orrery *job, uint32_t rank,
                                               struct orrery_times *times);
/* Whether cpu_ps and waiting_ps are separate: not under the reference's rules. */
ORRERY_API bool orrery_tells_waiting(const struct orrery *job);
/* Local memory used by a rank's tensors over time, if the platform tracks it (track-local-mem).
 * `step` is owned by the handle. */
struct orrery_memory_step {
    int64_t at_ps;
    uint64_t bytes; /* in use from then on */
};
struct orrery_memory_use {
    uint64_t peak_bytes;
    int64_t peak_ps;
    const struct orrery_memory_step *step;
    size_t steps;
    /* the node that starts at the peak and writes a tensor; NULL: none */
    const char *peak_name;
    uint64_t peak_node; /* its id */
};
/* The memory of tensors: remote if a load reads them from remote memory or a store writes them
 * there, else local. */
enum orrery_memory { ORRERY_MEMORY_ALL, ORRERY_MEMORY_LOCAL, ORRERY_MEMORY_REMOTE };
/* ORRERY_ERROR_INPUT if memory is not tracked, or a trace's list of tensors is invalid. */
ORRERY_API enum orrery_status orrery_memory_use(struct orrery *job, uint32_t rank,
                                                struct orrery_memory_use *use);
/* The same for one memory. */
ORRERY_API enum orrery_status orrery_memory_use_in(struct orrery *job, uint32_t rank,
                                                   enum orrery_memory memory,
                                                   struct orrery_memory_use *use);
/* Prefix of the files for the memory trace; NULL: memory is not tracked. */
ORRERY_API const char *orrery_memory_trace_name(const struct orrery *job);

/* Ranks in the order of their finish, [orrery_npus]. Owned by the handle. */
ORRERY_API const uint32_t *orrery_finish_order(const struct orrery *job);
/* Kind of a node of a trace, and the resource that it occupies. */
enum orrery_node_kind {
    ORRERY_NODE_COMPUTE, /* the compute stream */
    ORRERY_NODE_CPU,     /* the CPU stream */
    ORRERY_NODE_LOAD,    /* the memory channel */
    ORRERY_NODE_STORE,
    ORRERY_NODE_COLLECTIVE, /* the stream of its group */
    ORRERY_NODE_SEND,       /* the stream to its peer */
    ORRERY_NODE_RECEIVE,
    ORRERY_NODE_OTHER /* metadata: takes no time */
};

struct orrery_node {
    uint64_t id;      /* as in the trace */
    const char *name; /* never NULL */
    enum orrery_node_kind kind;
    bool ran;    /* false: start and end are invalid */
    bool remote; /* LOAD, STORE: of the remote memory */
    int64_t start_ps, end_ps;
    int64_t transfer_ps;    /* end of its waiting for others; start_ps if it did not wait */
    uint64_t bytes;         /* moved: of memory, of the collective's data, of the message */
    uint64_t flops;         /* COMPUTE */
    const char *collective; /* COLLECTIVE: "all_reduce", ...; NULL otherwise */
    const char *group;      /* COLLECTIVE: its name, "" for all NPUs; NULL otherwise */
    uint32_t group_id;      /* COLLECTIVE: equal for equal groups of NPUs */
    uint32_t group_npus;    /* COLLECTIVE */
    uint32_t peer, tag;     /* SEND, RECEIVE */
};

/* The number of nodes of a rank's trace (0 without ORRERY_RECORD_NODES), and one of them by index,
 * in ascending id. Strings are owned by the handle. ORRERY_ERROR_INPUT if there is no such rank or
 * node, before the run, and if nodes were not recorded. O(log waits). */
ORRERY_API size_t orrery_nodes(const struct orrery *job, uint32_t rank);
ORRERY_API enum orrery_status orrery_node(const struct orrery *job, uint32_t rank, size_t index,
                                          struct orrery_node *node);

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
};
ORRERY_API void orrery_rates(const struct orrery *job, struct orrery_rates *rates);

/* Uncertainty of the job's time from the fit of the platform's compute (compute.fitted;
 * docs/models.md, section 18): the logarithm of the time is assumed normal, with additive
 * variances. */
struct orrery_uncertainty {
    double share; /* probability of the interval: 0.8 ... */
    /* ... its bounds, the job's time divided and multiplied by one factor */
    int64_t low_ps, high_ps;
    /* Standard deviations of the time's logarithm: from the uncertainty of the parameters, and from
     * the residuals of the fit (0: not given). */
    double parameters, residuals;
    uint64_t rows; /* fitted rows; 0: not given */
    /* Bounds of model_flops_utilization (orrery_rates); 0 if that is 0. */
    double low_utilization, high_utilization;
    size_t slopes; /* number of parameters that the job's time depends on */
};

/* Requires ORRERY_RECORD_UNCERTAINTY. ORRERY_ERROR_INPUT without it, before the end of the run, and
 * for a job to which a fit of compute does not apply, because its computations have recorded
 * durations or none is on its critical path. O(1). */
ORRERY_API enum orrery_status orrery_uncertainty(const struct orrery *job,
                                                 struct orrery_uncertainty *uncertainty);

/* Sensitivity to a fitted parameter. */
struct orrery_slope {
    const char *name; /* its key in compute.fitted; owned by the handle */
    double slope;     /* d log(time) / d log(value) */
    double spread;    /* standard deviation of the value's logarithm */
};
/* A parameter by index, in the order of compute.fitted. Errors: as above; no such index. O(1). */
ORRERY_API enum orrery_status orrery_slope(const struct orrery *job, size_t index,
                                           struct orrery_slope *slope);

/* Size and cost of a generated model. All false or 0 for other workloads. */
struct orrery_model {
    double parameters, active_parameters; /* active: used by a token, fewer with experts */
    double step_flops;                    /* useful operations of a step on all NPUs */
    double step_samples, step_tokens;     /* step_tokens 0: the model has no tokens */
    uint32_t steps, stages;               /* pipeline stages */
};
ORRERY_API enum orrery_status orrery_model(const struct orrery *job, struct orrery_model *model);

/* Maximum memory of an NPU of a pipeline stage, by contents. */
struct orrery_model_memory {
    uint64_t weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes;
    uint64_t capacity_bytes; /* of an NPU; 0: not limited */
};
ORRERY_API enum orrery_status orrery_model_memory(const struct orrery *job, uint32_t stage,
                                                  struct orrery_model_memory *memory);

/* Whether the job exceeds the memory capacity: it was rejected for that (ORRERY_ERROR_INPUT of
 * orrery_load or orrery_run), or with memory.ignore_capacity only a warning was given. */
ORRERY_API bool orrery_too_large(const struct orrery *job);

/* A layout of a generated model on the same NPUs. */
enum { ORRERY_MAX_LAYOUTS = 3, ORRERY_MAX_SETTINGS = 5 };
/* Deprecated names, for one release. */
#define ORRERY_MOST_LAYOUTS ORRERY_MAX_LAYOUTS
#define ORRERY_MOST_SETTINGS ORRERY_MAX_SETTINGS
struct orrery_layout {
    uint64_t bytes;   /* per NPU */
    unsigned changes; /* of tensor, pipeline, zero and recompute */
    /* [sets], "workload.parallel.zero=3"; owned by the handle */
    const char *set[ORRERY_MAX_SETTINGS];
    unsigned sets;
};

/* The layouts that fit with the fewest changes of the current one, at most three, ties by estimated
 * speed; and the layout with the smallest need, whether it fits or not (without changes: the
 * current one, also for models with a single layout). */
struct orrery_layouts {
    struct orrery_layout near[ORRERY_MAX_LAYOUTS]; /* [count] */
    unsigned count;
    struct orrery_layout min;
    bool single; /* the model has one layout */
    bool pool;   /* the current one fits into an NPU's memory, but not into the pool */
};
/* Searches for them, also after orrery_load rejected the job as too large. ORRERY_ERROR_INPUT
 * unless it is a generated model. O(divisors of the NPUs squared x stages). */
ORRERY_API enum orrery_status orrery_find_layouts(struct orrery *job, struct orrery_layouts *out);

/* The critical path: the chain of causes back from the last finish. Its parts break down the job's
 * time and add up to the wall time. */
struct orrery_path_part {
    /* "compute", "local memory", "dimension 2 bandwidth", ...; owned by the handle */
    const char *what;
    unsigned dim; /* of a bandwidth or latency part, from 0; UINT_MAX otherwise */
    int64_t ps;
};

/* A node on the path, from start_ps until the next step's start. */
struct orrery_path_step {
    uint32_t rank;
    size_t node; /* index, as of orrery_node */
    uint64_t id;
    const char *name;
    int64_t start_ps;
};

/* The number of parts and steps: 0 without ORRERY_RECORD_PATH (parts: or _SLOPES) and before the
 * end of the run. Parts of zero time are omitted. The functions by index return ORRERY_ERROR_INPUT
 * behind the last. Parts are in a fixed order, steps in the order of time. */
ORRERY_API size_t orrery_path_parts(const struct orrery *job);
ORRERY_API enum orrery_status orrery_path_part(const struct orrery *job, size_t index,
                                               struct orrery_path_part *part);
ORRERY_API size_t orrery_path_steps(const struct orrery *job);
ORRERY_API enum orrery_status orrery_path_step(const struct orrery *job, size_t index,
                                               struct orrery_path_step *step);

ORRERY_API unsigned orrery_dims(const struct orrery *job);
ORRERY_API enum orrery_status orrery_dim(const struct orrery *job, unsigned dim,
                                         struct orrery_dim_stats *stats);

/* Busy links or ports of a dimension over time, in steps of equal length with an average each: at
 * most 4096 steps, and more than 2000 for a job longer than 4 ns. All steps of a dimension add up
 * to its busy_ps; a flow of the backend `flow` counts evenly from its start to its end. 0 steps
 * without ORRERY_RECORD_LINK_USE, before the end of the run, and if nothing was busy or it is
 * unknown (clusters whose jobs have a network each, ASTRA-sim's timing). */
struct orrery_link_steps {
    size_t steps;
    int64_t step_ps;
};
ORRERY_API struct orrery_link_steps orrery_link_steps(const struct orrery *job);
/* Writes the number of busy links of each step, of at most `max` steps. ORRERY_ERROR_INPUT if there
 * is no such dimension or nothing was recorded. O(steps). */
ORRERY_API enum orrery_status orrery_link_use(const struct orrery *job, unsigned dim, double *links,
                                              size_t max);

/* A link of a graph, one way; `count` parallel ones. Nodes below orrery_npus() are NPUs, the others
 * switches. */
struct orrery_link {
    uint32_t from, to, count;
    double bandwidth_bytes_per_s; /* of one of them */
    int64_t latency_ps;
    uint64_t bytes;       /* carried bytes */
    double offered_bytes; /* capacity of all of them over the job's time */
};

/* The number of links (0 if the network is not a graph), and one of them by index. */
ORRERY_API size_t orrery_links(const struct orrery *job);
ORRERY_API enum orrery_status orrery_link(const struct orrery *job, size_t index,
                                          struct orrery_link *link);
/* The name of a node of a graph, owned by the job; NULL: it has only a number. */
ORRERY_API const char *orrery_node_name(const struct orrery *job, uint32_t node);

/* Demand-aware optical circuits of a job (network.circuits, controllers sip_ocs and sip_ring;
 * SiP-ML, SIGCOMM'21). */
struct orrery_circuits {
    bool once;         /* set once; else reconfigured periodically */
    uint32_t group;    /* NPUs with this distance have equivalent circuits */
    uint32_t pairs;    /* pairs that the NPUs of the first group send to */
    double weight;     /* weight of bytes inside of a group: the fastest of ... */
    uint32_t weights;  /* ... this many simulated ones; 1: none was simulated */
    uint32_t deficit;  /* once: wavelengths missing in the first assignment */
    int64_t switch_ps; /* iteration time on one switch with the same bandwidth */
};

/* False: the job has no such circuits. */
ORRERY_API bool orrery_circuits(const struct orrery *job, struct orrery_circuits *circuits);

/* The number of iterations of the job (workload.iterations), and the duration of each by index; 0
 * behind the last, and before the end. */
ORRERY_API uint32_t orrery_iterations(const struct orrery *job);
ORRERY_API int64_t orrery_iteration_ps(const struct orrery *job, uint32_t index);

/* Bandwidth tax of a graph: how often NPUs send each byte on average; 1 if no NPU forwards traffic
 * of others (TopoOpt, NSDI'23, section 5.4). 0: unknown. */
ORRERY_API double orrery_bandwidth_tax(const struct orrery *job);

/* Traffic from one NPU to another. */
struct orrery_pair {
    uint32_t from, to;
    uint64_t messages, bytes;
};

/* The number of pairs of NPUs with traffic (0 without ORRERY_RECORD_TRAFFIC), and one of them by
 * index, in no order. */
ORRERY_API size_t orrery_pairs(const struct orrery *job);
ORRERY_API enum orrery_status orrery_pair(const struct orrery *job, size_t index,
                                          struct orrery_pair *pair);

#ifdef __cplusplus
}
#endif

#endif
