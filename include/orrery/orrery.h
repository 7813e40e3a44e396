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
 * never print, exit or abort on bad input. A handle is used by one thread at a time. */
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

/* The first member of structs that programs fill: what they were compiled against. A struct of
 * another interface is refused (ORRERY_ERROR_INPUT). */
#define ORRERY_SIZED(name) .size = sizeof(struct name)

struct orrery;

/* Sums over NPUs, nodes and links, which 64 bits may not hold. */
__extension__ typedef __int128 orrery_wide;

/* An empty simulation, or NULL when memory is out. Free it with orrery_free. */
ORRERY_API struct orrery *orrery_new(void);

/* Frees the simulation and all it holds; NULL is fine. */
ORRERY_API void orrery_free(struct orrery *job);

/* "major.minor.patch" of the library. */
ORRERY_API const char *orrery_version(void);

/* The last error as "PLACE: MESSAGE", or "" when there was none. Owned by the handle. */
ORRERY_API const char *orrery_error(const struct orrery *job);

/* `warn` is called with each warning's text when it is given, once for each text; NULL: nothing is
 * (the default). */
ORRERY_API void orrery_on_warning(struct orrery *job, void (*warn)(void *user, const char *text),
                                  void *user);

/* The index-th of the warnings given so far, or NULL behind the last. Owned by the handle. */
ORRERY_API const char *orrery_warning(const struct orrery *job, size_t index);

/* ---- inputs ---- */

/* Our own files (docs/file-formats.md): a platform, and a workload in a file of its own or as a
 * section of the platform's. */
struct orrery_inputs {
    const char *platform;   /* YAML; NULL: `set` sets all of it */
    const char *workload;   /* YAML; NULL: the platform file has the section */
    const char *const *set; /* [set_count], "network.dims[1].bandwidth=100 GB/s" */
    size_t set_count;
    const char *library; /* folder of files that an `include` may name; NULL: none */
};

/* Loads platform and workload. Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY. */
ORRERY_API enum orrery_status orrery_load(struct orrery *job, const struct orrery_inputs *inputs);

/* Loads the jobs of a file of `orrery run --cluster`, with values set in it
 * ("jobs[0].iterations=2"), as one job of all: NPUs are servers of the cluster. Errors: as above;
 * jobs that do not share a network, or that wait for servers (cluster.queue). */
ORRERY_API enum orrery_status orrery_load_cluster(struct orrery *job, const char *file,
                                                  const char *const *set, size_t set_count);

/* How many jobs a cluster has, 0: none was loaded; and after the run what the index-th, from 0 on,
 * was like. The arrays are the handle's. */
struct orrery_job_times {
    const char *name;
    const uint32_t *ranks; /* [npus] its servers, rank 0 of the job first */
    uint32_t npus, iterations;
    int64_t start_ps, end_ps;
    const int64_t *iteration_ps; /* [iterations] what each took */
};
ORRERY_API uint32_t orrery_jobs(const struct orrery *job);
ORRERY_API enum orrery_status orrery_job(const struct orrery *job, uint32_t index,
                                         struct orrery_job_times *times);

/* Tells every value in force of a job loaded by orrery_load, and where it comes from: "FILE:LINE",
 * "command line" or "default". */
ORRERY_API void orrery_explain(const struct orrery *job,
                               void (*emit)(void *user, const char *key, const char *value,
                                            const char *origin),
                               void *user);

/* Whether NPUs that do alike are simulated once (the default); to be called before loading. The
 * results are the same; the count of events is not. */
ORRERY_API void orrery_fold(struct orrery *job, bool on);

/* Whether a job that needs more memory than there is is refused (the default); to be called before
 * loading. Without, nothing is said of it, as suits a job that is to be explained only; to run one,
 * set memory.ignore_capacity. */
ORRERY_API void orrery_check_capacity(struct orrery *job, bool on);

/* How many NPUs a loaded job simulates: one of each class of NPUs that do alike. */
ORRERY_API uint32_t orrery_fold_classes(const struct orrery *job);
/* The class of a rank, and the lowest rank of a class. */
ORRERY_API uint32_t orrery_fold_class(const struct orrery *job, uint32_t rank);
ORRERY_API uint32_t orrery_fold_rank(const struct orrery *job, uint32_t fold_class);

/* The digits of a rank, the lowest first: rank / stride % size. Ranks that differ in folded digits
 * only are a class. */
struct orrery_fold_digit {
    uint32_t stride, size;
    bool folded;
    const char *why; /* it is not; NULL: it is */
};
/* False behind the last. */
ORRERY_API bool orrery_fold_digit(const struct orrery *job, unsigned index,
                                  struct orrery_fold_digit *digit);

/* The input files of the ASTRA-sim simulator, and its command-line options. Loading them switches
 * on its rules (docs/compatibility.md). Strings are only read during the call. */
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
    bool default_rules;        /* read the files, but run by our own rules */
    bool dimension_scheduling; /* obey inter- and intra-dimension-scheduling of the system file,
                                * which its released build ignores */
};

/* Loads platform and workload. Errors: ORRERY_ERROR_INPUT, _IO, _MEMORY. */
ORRERY_API enum orrery_status orrery_load_astra_sim(struct orrery *job,
                                                    const struct orrery_astra_sim *inputs);

/* ---- what if; to be asked for before loading ---- */

enum orrery_quantity {
    ORRERY_BANDWIDTH,      /* of a dimension */
    ORRERY_LATENCY,        /* of a dimension */
    ORRERY_COMPUTE_RATE,   /* of accelerators: the peak, and the pace of recorded durations */
    ORRERY_MEMORY_RATE,    /* bandwidth of local and remote memory; their latency goes down by it */
    ORRERY_ENDPOINT_DELAY, /* of the messages of collectives */
    ORRERY_CPU_RATE,       /* the pace of the recorded durations of CPUs */
    /* What a message holds its ports and links for beside its bytes, host synchronization included.
     */
    ORRERY_MESSAGE_OVERHEAD
};
#define ORRERY_ALL_DIMS UINT32_MAX
/* Of a network that is a graph, which has links instead: those of NPUs, and those between switches.
 */
#define ORRERY_NPU_LINKS (UINT32_MAX - 1)
#define ORRERY_SWITCH_LINKS (UINT32_MAX - 2)

struct orrery_scale {
    enum orrery_quantity quantity;
    unsigned dim;  /* from 0, or one of the above; of bandwidth and latency */
    double factor; /* >= 0; INFINITY: free */
};

/* The job will be loaded with the quantity times the factor. ORRERY_ERROR_INPUT for a factor below
 * 0 and for a job that is loaded already; a dimension that does not exist fails when loading. */
ORRERY_API enum orrery_status orrery_scale(struct orrery *job, const struct orrery_scale *scale);

/* ---- what to keep while running; to be asked for before loading ---- */

enum {
    /* when each node of each trace ran; 16 bytes a node, and 16 for each that waits for others */
    ORRERY_RECORD_NODES = 1u << 0,
    /* what each event waits for, for the critical path; up to a third slower. Where NPUs are
     * folded, its steps name those that stand for others */
    ORRERY_RECORD_PATH = 1u << 1,
    /* bytes between NPUs, 48 bytes for each pair that has some; nothing is folded */
    ORRERY_RECORD_TRAFFIC = 1u << 2,
    /* how the job's time depends on what its parts take: parts of the critical path alone, without
     * steps, but folded, with a straggler's own parts rather than waiting, and with computing told
     * apart: "gemm by peak", "gemm by memory", "gemm constant", "attention by peak", ... Twice the
     * time on a part makes the job longer by as much as the part says, as long as the path stays
     * the same. Not beside ORRERY_RECORD_PATH, which is done then */
    ORRERY_RECORD_SLOPES = 1u << 3,
    /* the same for orrery_uncertainty, alone or beside the others; beside ORRERY_RECORD_PATH the
     * job runs twice, the first time within the first call that runs it. Loading refuses a platform
     * without compute.fitted, computations that are slowed down as they run, and clusters of jobs
     */
    ORRERY_RECORD_UNCERTAINTY = 1u << 4,
    /* how many links of each dimension are in use over time (orrery_link_use); 64 KiB a dimension
     */
    ORRERY_RECORD_LINK_USE = 1u << 5
};

/* Asks for what the flags name, beside what was asked for before. */
ORRERY_API void orrery_record(struct orrery *job, unsigned flags);

/* ---- running ---- */

/* Runs to the end. ORRERY_ERROR_DEADLOCK when the job cannot finish; orrery_error names the nodes.
 */
ORRERY_API enum orrery_status orrery_run(struct orrery *job);

/* Runs on for at most `instants` distinct simulated times; *finished tells whether it is at the
 * end. Several simulations can be advanced in turns. */
ORRERY_API enum orrery_status orrery_run_some(struct orrery *job, uint64_t instants,
                                              bool *finished);

/* How far a run is that orrery_run_some advances; all 0 before a job is loaded. O(1). */
struct orrery_progress {
    int64_t now_ps;         /* simulated time */
    uint64_t events;        /* handled */
    uint32_t npus_finished; /* of orrery_npus */
};
ORRERY_API void orrery_progress(const struct orrery *job, struct orrery_progress *progress);

/* ---- results, after the run ---- */

/* Where an NPU's time from 0 to the job's end went, in ps. The parts from compute_ps to idle_ps add
 * up to the wall time exactly: an instant belongs to the first of them that is active. A receive
 * waits until its sender has started the send, a collective until its last member has started it,
 * and communicates from then on. The five parts of the ASTRA-sim 2.0 paper are compute + CPU, the
 * two memories, communication + waiting, and idle; under the reference's rules (compat) CPU nodes
 * are within compute and waiting is within communication, and cpu_ps and waiting_ps are 0. */
struct orrery_times {
    int64_t finish_ps;
    int64_t compute_ps; /* of the accelerator */
    int64_t cpu_ps;
    int64_t exposed_local_memory_ps;
    int64_t exposed_remote_memory_ps;
    int64_t exposed_communication_ps;
    int64_t waiting_ps;
    int64_t idle_ps;
    int64_t accelerator_compute_ps; /* durations of accelerator compute nodes, added up */
};

struct orrery_dim_stats {
    const char *block; /* "ring", "fully_connected", "switch" */
    uint32_t npus;
    double bandwidth_bytes_per_s;
    int64_t latency_ps;
    orrery_wide messages, bytes;
    orrery_wide busy_ps; /* summed over ports or links; 0 where the backend does not count it */
    uint64_t servers;    /* ports or links */
    bool reduces;        /* a switch that reduces what passes it */
};

ORRERY_API uint32_t orrery_npus(const struct orrery *job);
ORRERY_API int64_t orrery_wall_ps(const struct orrery *job);
ORRERY_API uint64_t orrery_events(const struct orrery *job);      /* events handled */
ORRERY_API orrery_wide orrery_messages(const struct orrery *job); /* messages sent */
/* Heap memory of the simulation in bytes. */
ORRERY_API size_t orrery_memory_bytes(const struct orrery *job);
/* ORRERY_ERROR_INPUT when there is no such rank. O(1). */
ORRERY_API enum orrery_status orrery_npu_times(const struct orrery *job, uint32_t rank,
                                               struct orrery_times *times);
/* Whether cpu_ps and waiting_ps are told apart: not under the reference's rules. */
ORRERY_API bool orrery_tells_waiting(const struct orrery *job);
/* Local memory that a rank's tensors need over time, when the platform tracks it
 * (track-local-mem). `step` is owned by the handle. */
struct orrery_memory_step {
    int64_t at_ps;
    uint64_t bytes; /* in use from then on */
};
struct orrery_memory_use {
    uint64_t peak_bytes;
    int64_t peak_ps;
    const struct orrery_memory_step *step;
    size_t steps;
    /* The node that starts at the peak and writes a tensor; NULL: none does. */
    const char *peak_name;
    uint64_t peak_node; /* its id */
};
/* Tensors that a load reads from the remote memory, or a store writes there, are there; all others
 * are in the NPU's own. */
enum orrery_memory { ORRERY_MEMORY_ALL, ORRERY_MEMORY_LOCAL, ORRERY_MEMORY_REMOTE };
/* ORRERY_ERROR_INPUT when memory is not tracked, or a trace's list of tensors is wrong. */
ORRERY_API enum orrery_status orrery_memory_use(struct orrery *job, uint32_t rank,
                                                struct orrery_memory_use *use);
/* The same of one memory. */
ORRERY_API enum orrery_status orrery_memory_use_in(struct orrery *job, uint32_t rank,
                                                   enum orrery_memory memory,
                                                   struct orrery_memory_use *use);
/* Prefix of the files that the memory's trace is to be written to; NULL: memory is not tracked. */
ORRERY_API const char *orrery_memory_trace_name(const struct orrery *job);

/* Ranks in the order in which they finished, [orrery_npus]. Owned by the handle. */
ORRERY_API const uint32_t *orrery_finish_order(const struct orrery *job);
/* What a node of a trace does, and the resource that it occupies meanwhile. */
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
    bool ran;    /* false: start and end mean nothing */
    bool remote; /* LOAD, STORE: of the remote memory */
    int64_t start_ps, end_ps;
    int64_t transfer_ps;    /* until then it waited for others; start_ps where it never did */
    uint64_t bytes;         /* moved: of memory, of the collective's data, of the message */
    uint64_t flops;         /* COMPUTE */
    const char *collective; /* COLLECTIVE: "all_reduce", ...; NULL otherwise */
    const char *group;      /* COLLECTIVE: its name, "" of all NPUs; NULL otherwise */
    uint32_t group_id;      /* COLLECTIVE: equal for equal groups of NPUs */
    uint32_t group_npus;    /* COLLECTIVE */
    uint32_t peer, tag;     /* SEND, RECEIVE */
};

/* Nodes of a rank's trace, 0 without ORRERY_RECORD_NODES; one of them by index, in ascending id.
 * Strings are owned by the handle. ORRERY_ERROR_INPUT when there is no such rank or node, before
 * the run, and when nodes were not recorded. O(log waits). */
ORRERY_API size_t orrery_nodes(const struct orrery *job, uint32_t rank);
ORRERY_API enum orrery_status orrery_node(const struct orrery *job, uint32_t rank, size_t index,
                                          struct orrery_node *node);

/* The nodes of all ranks by what they do: a row for each kind of collective, number of NPUs and
 * size; one for each other kind of node and name. */
struct orrery_summary_row {
    enum orrery_node_kind kind;
    bool remote;         /* LOAD, STORE: of the remote memory */
    const char *name;    /* of the collective ("all_reduce"), else of the nodes; of the handle */
    bool several_names;  /* the nodes' names differ in numbers, for which the name has a '#' */
    uint32_t npus;       /* COLLECTIVE: of the group; 0 otherwise */
    uint64_t bytes_each; /* COLLECTIVE: of one; 0 otherwise */
    uint64_t count;      /* of nodes: a collective counts once on each of its NPUs */
    orrery_wide bytes, flops;
    /* All added up: from where nodes no longer waited for others to their ends, and before that. */
    orrery_wide time_ps, waiting_ps;
    int64_t shortest_ps, longest_ps; /* without waiting */
    /* Exposed: an instant of an NPU belongs to the first part of struct orrery_times that it is at,
     * and there to the node that was at it first. All rows' exposed times add up to what
     * orrery_npu_times says of all NPUs, exposed_waiting_ps to waiting_ps. */
    orrery_wide exposed_ps, exposed_waiting_ps;
};

/* Makes the summary (once) and tells how many rows it has, the longest exposed time with exposed
 * waiting first.
 * ORRERY_ERROR_INPUT before the end of the run and without ORRERY_RECORD_NODES. O(nodes log). */
ORRERY_API enum orrery_status orrery_summarize(struct orrery *job, size_t *rows);
/* A row of the summary made; ORRERY_ERROR_INPUT when there is no such row. O(1). */
ORRERY_API enum orrery_status orrery_summary(const struct orrery *job, size_t index,
                                             struct orrery_summary_row *row);
/* What collectives run with, where several ways are possible: a row for each kind, number of NPUs,
 * size and way. */
struct orrery_choice {
    const char *collective; /* "all_reduce" */
    uint32_t npus;
    uint64_t bytes;
    /* The algorithms of the dimensions that take part, the innermost first: "ring+direct"; once
     * when they are the same. */
    const char *algorithms;
    const char *scheduler; /* in which order chunks visit the dimensions; "" of a single one */
    /* In how many parts it is there for nodes that wait for one (orrery/prefix.h), 1: only at its
     * end; 0: no node does. */
    uint64_t parts;
    bool whole; /* the group does it as a whole, whatever the algorithms of dimensions are */
    /* The communication library that does it ("nccl"), and `algorithms` is its algorithm and
     * protocol; NULL: none does. */
    const char *library;
};

/* Makes the rows (once) of a loaded job and tells how many there are; the first 64. O(nodes). */
ORRERY_API enum orrery_status orrery_choices(struct orrery *job, size_t *rows);
/* A row; ORRERY_ERROR_INPUT when there is no such row. Strings are the handle's. O(1). */
ORRERY_API enum orrery_status orrery_choice(const struct orrery *job, size_t index,
                                            struct orrery_choice *row);

/* Bytes a second that a row's collectives make each NPU send at least, over their mean time without
 * waiting (as nccl-tests define bus bandwidth); 0 for other rows. */
ORRERY_API double orrery_bus_bandwidth(const struct orrery_summary_row *row);

/* What the job achieves, where the workload says how many tokens and useful operations it is; 0
 * where it does not. */
struct orrery_rates {
    double tokens_per_s;
    double model_flops_per_s;
    double model_flops_utilization; /* of the peak of all NPUs; 0 without a peak */
    double samples_per_s;           /* of a generated model */
};
ORRERY_API void orrery_rates(const struct orrery *job, struct orrery_rates *rates);

/* How far the job's time may be off, by what the platform's compute was fitted to (compute.fitted;
 * docs/models.md, section 18): its logarithm is taken as normal, with variances that add up. */
struct orrery_uncertainty {
    double share;            /* 0.8: of the probability, between ... */
    int64_t low_ps, high_ps; /* ... these, by the same factor below and above the job's time */
    /* Standard deviations of the time's logarithm: for how well parameters were told; for what the
     * fit left of measured times (0: not said). */
    double parameters, residuals;
    uint64_t rows; /* that were fitted; 0: not said */
    /* Of what orrery_rates says; 0 where it says nothing. */
    double low_utilization, high_utilization;
    size_t slopes; /* parameters that parts of a job's time go by */
};

/* Needs ORRERY_RECORD_UNCERTAINTY. ORRERY_ERROR_INPUT without it, before the end of the run, and of
 * a job of which a fit of computing tells nothing, as its computing takes recorded durations or
 * none is on its critical path. O(1). */
ORRERY_API enum orrery_status orrery_uncertainty(const struct orrery *job,
                                                 struct orrery_uncertainty *uncertainty);

/* A parameter that was fitted. */
struct orrery_slope {
    const char *name; /* its key, as compute.fitted has it; of the handle */
    double slope;     /* d log(time) / d log(value) */
    double spread;    /* standard deviation of the value's logarithm */
};
/* One of them by index, in the order of compute.fitted. Errors: as above; no such index. O(1). */
ORRERY_API enum orrery_status orrery_slope(const struct orrery *job, size_t index,
                                           struct orrery_slope *slope);

/* A generated model: its size, and what it needs. All false or 0 for other workloads. */
struct orrery_model {
    double parameters, active_parameters; /* active: what a token meets, fewer with experts */
    double step_flops;                    /* useful operations of a step, all NPUs together */
    double step_samples, step_tokens;     /* tokens 0: the model has none */
    uint32_t steps, stages;               /* pipeline stages */
};
ORRERY_API enum orrery_status orrery_model(const struct orrery *job, struct orrery_model *model);

/* The most memory that an NPU of a pipeline stage needs, by what it holds. */
struct orrery_model_memory {
    uint64_t weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes;
    uint64_t capacity_bytes; /* of an NPU's memory; 0: not limited */
};
ORRERY_API enum orrery_status orrery_model_memory(const struct orrery *job, uint32_t stage,
                                                  struct orrery_model_memory *memory);

/* Whether the job needs more memory than there is: it was refused for that (ORRERY_ERROR_INPUT of
 * orrery_load or orrery_run), or with memory.ignore_capacity only told of. */
ORRERY_API bool orrery_too_large(const struct orrery *job);

/* A layout of a generated model on the same NPUs. */
enum { ORRERY_MAX_LAYOUTS = 3, ORRERY_MAX_SETTINGS = 5 };
struct orrery_layout {
    uint64_t bytes;                       /* that an NPU needs */
    unsigned changes;                     /* of tensor, pipeline, zero and recompute */
    const char *set[ORRERY_MAX_SETTINGS]; /* [sets], "workload.parallel.zero=3"; of the handle */
    unsigned sets;
};

/* The layouts that fit with the fewest changes of the given one, at most three, the fastest by
 * estimate first among equals; and the one that needs least, whether it fits or not (no changes:
 * as given, also of models that have one layout only). */
struct orrery_layouts {
    struct orrery_layout near[ORRERY_MAX_LAYOUTS]; /* [count] */
    unsigned count;
    struct orrery_layout min;
    bool single; /* the model has one layout */
    bool pool;   /* the given one fits into an NPU's memory, but not into the pool */
};
/* Looks for them, also after orrery_load refused the job as too large. ORRERY_ERROR_INPUT when it
 * is no generated model. O(divisors of the NPUs squared x stages). */
ORRERY_API enum orrery_status orrery_find_layouts(struct orrery *job, struct orrery_layouts *out);

/* The critical path: the chain, back from the last finish, of what had to be over before what came
 * next could begin. Its parts say what the job's time was spent on and add up to the wall time. */
struct orrery_path_part {
    const char *what; /* "compute", "local memory", "dimension 2 bandwidth", ...; of the handle */
    unsigned dim;     /* of a bandwidth or latency part, from 0; UINT_MAX otherwise */
    int64_t ps;
};

/* A node on the path. The path was at it from start_ps on, until the next step's start. */
struct orrery_path_step {
    uint32_t rank;
    size_t node; /* index, as of orrery_node */
    uint64_t id;
    const char *name;
    int64_t start_ps;
};

/* How many parts and steps there are, 0 without ORRERY_RECORD_PATH (parts: or _SLOPES) or before
 * the end of the run. Parts that took no time are left out. Each is an index of the functions
 * below, which return ORRERY_ERROR_INPUT beyond. Parts are in a fixed order, steps in order of
 * time. */
ORRERY_API size_t orrery_path_parts(const struct orrery *job);
ORRERY_API enum orrery_status orrery_path_part(const struct orrery *job, size_t index,
                                               struct orrery_path_part *part);
ORRERY_API size_t orrery_path_steps(const struct orrery *job);
ORRERY_API enum orrery_status orrery_path_step(const struct orrery *job, size_t index,
                                               struct orrery_path_step *step);

ORRERY_API unsigned orrery_dims(const struct orrery *job);
ORRERY_API enum orrery_status orrery_dim(const struct orrery *job, unsigned dim,
                                         struct orrery_dim_stats *stats);

/* How many links, or ports, of the job's dimensions are in use over time: in steps of equal length,
 * at most 4096 and more than 2000 of a job longer than 4 ns, each with an average. All steps of a
 * dimension together are its busy_ps; a flow of the backend `flow` is in use evenly from its start
 * to its end. 0 steps without ORRERY_RECORD_LINK_USE, before the end of the
 * run, and where nothing was in use or is not known (jobs on clusters with a network for each,
 * ASTRA-sim's timing). */
struct orrery_link_steps {
    size_t steps;
    int64_t step_ps;
};
ORRERY_API struct orrery_link_steps orrery_link_steps(const struct orrery *job);
/* Writes as many numbers as there are steps, or the first `most` of them. ORRERY_ERROR_INPUT when
 * there is no such dimension or nothing was recorded. O(steps). */
ORRERY_API enum orrery_status orrery_link_use(const struct orrery *job, unsigned dim, double *links,
                                              size_t max);

/* A link of a network that is a graph, one way; `count` are side by side. Nodes below
 * orrery_npus() are NPUs, the others switches. */
struct orrery_link {
    uint32_t from, to, count;
    double bandwidth_bytes_per_s; /* of one of them */
    int64_t latency_ps;
    uint64_t bytes;       /* that crossed it */
    double offered_bytes; /* that all of them could have carried in the job's time */
};

/* Links of the network, 0 where it is no graph; one of them by index. */
ORRERY_API size_t orrery_links(const struct orrery *job);
ORRERY_API enum orrery_status orrery_link(const struct orrery *job, size_t index,
                                          struct orrery_link *link);
/* The name of a node of such a network, the job's; NULL: it has its number only. */
ORRERY_API const char *orrery_node_name(const struct orrery *job, uint32_t node);

/* Circuits that are set for what a job sends (network.circuits, controllers sip_ocs and sip_ring;
 * SiP-ML, SIGCOMM'21). */
struct orrery_circuits {
    bool once;         /* they are set once, else again and again */
    uint32_t group;    /* NPUs so many apart have alike circuits */
    uint32_t pairs;    /* that those of the first group send to */
    double weight;     /* of bytes inside of a group, the fastest of */
    uint32_t weights;  /* so many that were simulated; 1: none was */
    uint32_t deficit;  /* once: wavelengths that were wanted at first and not there */
    int64_t switch_ps; /* what an iteration takes on one switch with the same bandwidth */
};

/* False: the job has none. */
ORRERY_API bool orrery_circuits(const struct orrery *job, struct orrery_circuits *circuits);

/* How often the job ran (workload.iterations), and how long that took each time, by index; 0 behind
 * the last, and before the end. */
ORRERY_API uint32_t orrery_iterations(const struct orrery *job);
ORRERY_API int64_t orrery_iteration_ps(const struct orrery *job, uint32_t index);

/* How many times the bytes are sent by NPUs, on average, in a network that is a graph: 1 where
 * none forwards what is another's (TopoOpt, NSDI'23, section 5.4). 0: not known. */
ORRERY_API double orrery_bandwidth_tax(const struct orrery *job);

/* What one NPU sent to another. */
struct orrery_pair {
    uint32_t from, to;
    uint64_t messages, bytes;
};

/* Pairs of NPUs with traffic, 0 without ORRERY_RECORD_TRAFFIC; one of them by index, in no order.
 */
ORRERY_API size_t orrery_pairs(const struct orrery *job);
ORRERY_API enum orrery_status orrery_pair(const struct orrery *job, size_t index,
                                          struct orrery_pair *pair);

#ifdef __cplusplus
}
#endif

#endif
