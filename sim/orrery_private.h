/* The handle of the public API, shared by the files of sim/ and by load/, which fills it. */
#ifndef ORR_SIM_ORRERY_PRIVATE_H
#define ORR_SIM_ORRERY_PRIVATE_H

#include "core/fold.h"
#include "memory/fabric.h"
#include "memory/mem.h"
#include "memory/mem_local.h"
#include "network/net_config.h"
#include "orrery/orrery.h"
#include "sim/fold/fold_job.h"
#include "sim/load/workload_config.h"
#include "sim/trace_dedup.h"
#include "system/sys_astra.h"
#include "workload/engine/engine.h"

struct net;
struct net_change;
struct net_dim;
struct net_graph;
struct net_link;
struct orr_arena;
struct orr_choices;
struct orr_conf;
struct orr_diag;
struct orr_evq;
struct orr_location;
struct orr_path_view;
struct orr_pilot_result;
struct orr_sensitivities;
struct orr_shared;
struct orr_summary;
struct orr_task_graph;
struct orr_trace;
struct orr_uncertain;
struct sys;
struct sys_mono;
struct wl_engine;

enum { ORR_MAX_SCALES = 64, ORR_ERROR_BYTES = ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64 };

/* Ranks in the order in which they finished; NULL: not made yet. */
struct orr_finish_order {
    const uint32_t *ranks;
};

/* What calls tell the caller. (api_call.c, orrery.c) */
struct orr_call_notes {
    struct orr_arena *texts;                    /* always the job's; for warnings */
    char *error;                                /* [ORR_ERROR_BYTES] */
    void (*warn)(void *user, const char *text); /* the caller's; NULL: none */
    void *warn_user;
    const char **warning; /* [warnings] distinct warnings so far */
    size_t warnings, warning_capacity;
    char *kept; /* text returned to the caller; heap */
};

/* What the caller asks for before the job is loaded. (api_call.c) */
struct orr_requests {
    unsigned record; /* ORRERY_RECORD_... */
    bool record_spans;
    bool counts_traffic;     /* the pilot run records the traffic matrix */
    bool fold_off;           /* every NPU is simulated */
    bool capacity_unchecked; /* jobs that exceed a memory run as well */
    struct orrery_scale scale[ORR_MAX_SCALES];
    unsigned scales;
};

/* Copies of the network's parts that are scaled. (what_if_scale.c) */
struct orr_scaled_parts {
    struct net_dim *dim;
    struct net_graph *graph;
    struct net_link *link; /* of the graph */
    struct net_change *change;
};

/* The job's own files. (load/load_platform.c, load/load_parts.c) */
struct orr_loaded_files {
    const struct orr_conf *platform;    /* all sections, merged; NULL: none of Orrery's files */
    const struct orr_conf *user_values; /* the same, without additions of a task graph */
    struct wl_workload job_description;
    struct orr_shared *held[2]; /* shared platform and workload; NULL: none */
    const char *compute_basis;  /* load/compute_basis.h; NULL: none */
};

/* The groups that the workload lists. (load/load_source.c) */
struct orr_listed_groups {
    const struct sys *listed;    /* has them; NULL: not read */
    struct wl_group_names names; /* their names */
};

/* Task graphs. (load/task_graph.c) */
struct orr_task_graph_parts {
    struct orr_task_graph *graph; /* load/task_graph.h; NULL: none */
    /* Replaces the network of the network section; NULL: no replacement. */
    const struct net_config *external_network;
    const struct sys_mono *all_reduce; /* replaces that of the system section; NULL: no */
};

/* Jobs of a cluster, and iterations of one job. (cluster/cluster_load.c) */
struct orr_job_list {
    const struct wl_job *jobs; /* [job_count]; NULL: one job */
    uint32_t job_count;
    uint32_t iterations; /* of the one job; 0: once */
};

/* What is built for a run. (load/load.c) */
struct orr_layers {
    struct orr_evq *queue;
    struct net *net;
    struct mem *mem;
    struct sys *sys;
    struct wl_engine *engine;
};

/* What is computed of a finished run, on request; NULL: not yet. */
struct orr_findings {
    struct orr_finish_order *finish_order;
    struct orr_summary *summary;
    struct orr_path_view *path;             /* path_api.c */
    const struct orr_sensitivities *slopes; /* sensitivity.c */
    const struct orr_uncertain *uncertain;  /* uncertainty.c */
    uint64_t local_peak_bytes; /* of tensors in a local memory; 0: not watched (capacity.c) */
    bool too_large;            /* needs more memory than available */
};

struct orrery {
    struct orr_arena *arena; /* during a pilot run the pilot's */
    struct orr_diag diag;
    struct orr_call_notes notes;
    struct orr_requests requests;
    /* the loaded job */
    uint32_t npus;
    struct net_config network;
    struct sys_astra system;
    struct mem_config remote;
    struct mem_local local;
    struct wl_compute compute;
    bool servers_shared;     /* `compute` has the rates of a logical server */
    struct wl_traces source; /* of all ranks */
    struct orr_loaded_files files;
    struct orr_listed_groups groups;
    struct orr_task_graph_parts tasks;
    struct orr_job_list cluster;
    struct orr_scaled_parts scaled;
    struct orr_choices *choices;           /* NULL: not requested */
    struct orr_pilot_result *pilot_result; /* load/pilot_run.h; NULL: no pilot run was needed */
    struct orr_fold fold;                  /* the classes of NPUs */
    struct wl_fold_reasons fold_reasons;   /* why other digits are not folded */
    const struct orr_trace **traces;       /* [fold.slots] */
    /* the run */
    struct orr_layers layers;
    bool ran;
    struct orr_findings found;
};

/* The slot of a rank's results. */
static inline struct orr_slot orr_slot_of(const struct orrery *job, struct orr_rank rank)
{
    return orr_fold_slot(&job->fold, rank);
}

/* Ends a call: keeps the formatted error, and resets the diagnostic. */
enum orrery_status orr_finish_call(struct orrery *job, enum orr_status status);

/* Rejects a call that requests something unavailable: keeps the error, and returns its status. */
enum orrery_status orr_reject_call(const struct orrery *job, const char *format, ...)
    ORR_PRINTF(2, 3);

/* Rejects a rank or index >= `count`, or any before the end of the run. */
enum orrery_status orr_reject_index(const struct orrery *job, const char *what, size_t index,
                                    size_t count);

/* Fails when a job is loaded already. */
enum orr_status orr_check_empty(struct orrery *job);

/* Merges the tree of a platform, *root, with that of a workload (NULL: none), and sets values on
 * top. */
enum orr_status orr_merge_tree(struct orrery *job, const struct orr_conf *workload,
                               const char *const *set, size_t set_count,
                               const struct orr_conf **root);

/* Loads the traces and groups of the handle's workload description. (load_source.c) */
enum orr_status orr_load_source(struct orrery *job, bool has_compute);
/* Adds the groups that the workload lists, under their names in the traces, to a system; the second
 * function adds them, and those of the model, to the handle's system. */
enum orr_status orr_add_listed_groups(void *job, struct sys *sys, struct orr_diag *diag);
enum orr_status orr_add_groups(struct orrery *job);
/* Adds to an error without location the location of the key that caused it. */
enum orr_status orr_locate_error(struct orrery *job, enum orr_status status, const char *section,
                                 const char *key);

/* Finds the fold of the present network and traces. (load_platform.c) */
enum orr_status orr_find_fold(struct orrery *job);

/* Frees the layers of orr_build; runs again with every NPU, to report them all. (orrery.c) */
void orr_destroy_layers(struct orrery *job);
enum orr_status orr_run_unfolded(struct orrery *job);

/* Loads a job from the tree of all sections. */
enum orr_status orr_load_tree(struct orrery *job, const struct orr_conf *root);

/* Applies the factors of orrery_scale. */
enum orr_status orr_apply_scales(struct orrery *job);

/* Warns about valid but probably unintended inputs, in Orrery's files. */
void orr_warn_inputs(struct orrery *job);

/* Warns about algorithms chosen by name, and messages between NPUs, that take longer on some
 * backends than on others. The latter O(nodes of the distinct traces). (bandwidth_warnings.c) */
void orr_warn_bandwidth(struct orrery *job);
void orr_warn_send_bandwidth(struct orrery *job);

/* Warns if most replayed nodes of the traces [count] have no duration. O(nodes). */
void orr_warn_replay(struct orrery *job, const struct orr_trace *const *traces, uint32_t count,
                     const struct orr_location *place);

/* Reads the sections of a platform other than its network, whose NPUs and dimensions the handle
 * has; a section may be NULL. (load_machine.c) */
struct orr_machine_sections {
    const struct orr_conf *system, *memory, *compute;
};
enum orr_status orr_read_machine(struct orrery *job, const struct orr_machine_sections *sections);

/* Builds queue, network, memory and system from the configurations in the handle. */
enum orr_status orr_build_layers(struct orrery *job);

/* Builds everything that is simulated, given the traces: traces by slot, layers, groups, engine. */
enum orr_status orr_build(struct orrery *job);

/* Builds the engine over job->traces[job->npus]. */
enum orr_status orr_build_engine(struct orrery *job);

/* Frees memory of the summary outside the arena. */
void orr_summary_destroy(struct orrery *job);

/* Capacity of the memory pool for all NPUs; 0: not limited. */
static inline uint64_t orr_pool_capacity(const struct orrery *job)
{
    return job->remote.fabric != NULL ? job->remote.fabric->capacity_bytes : 0;
}

/* Whether a memory is limited and traces list their tensors in it. */
bool orr_watches_capacity(const struct orrery *job);

/* Handles the error, in the diagnostic, of a job that does not fit: keeps it, or warns instead with
 * memory.ignore_capacity. */
enum orr_status orr_too_large(struct orrery *job);

/* Fails a finished run whose tensors exceed a memory. */
enum orr_status orr_check_capacity(struct orrery *job);

/* Prepares the critical path for the public API at the end of the run, if it was requested. */
enum orr_status orr_path_prepare(struct orrery *job);

/* Keeps the sensitivities of a finished run, in the arena, if they were recorded. (sensitivity.c)
 */
enum orr_status orr_sensitivities_keep(struct orrery *job, struct orr_arena *arena);

/* Whether ORRERY_RECORD_UNCERTAINTY was requested. The following functions do nothing without it.
 * (uncertainty.c, uncertainty_check.c) */
bool orr_is_uncertain(const struct orrery *job);
/* Fails if the platform lacks data for it; its compute section may be NULL. */
enum orr_status orr_uncertainty_check(struct orrery *job, const struct orr_conf *compute);
/* Runs once before the run for the sensitivities, if the run itself does not record them. */
enum orr_status orr_uncertainty_pilot_run(struct orrery *job);
/* Computes the uncertainty at the end of the run. */
enum orr_status orr_uncertainty_make(struct orrery *job);

#endif
