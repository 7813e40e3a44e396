/* The handle behind the public API, shared by the files of sim/ and by load/, which fills it. */
#ifndef ORR_SIM_ORRERY_PRIVATE_H
#define ORR_SIM_ORRERY_PRIVATE_H

#include "orrery/orrery.h"
#include "sim/fold_job.h"
#include "sim/load/workload_config.h"
#include "sim/trace_dedup.h"
#include "workload/workload.h"

enum { ORR_MAX_SCALES = 64, ORR_ERROR_BYTES = ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64 };

/* Ranks in the order in which they finished; NULL: not made yet. */
struct orr_finish_order {
    const uint32_t *ranks;
};

struct orrery {
    struct orr_arena *arena; /* while the job is rehearsed, one for that */
    struct orr_arena *texts; /* always the job's: of warnings */
    struct orr_diag diag;
    char *error;                                /* [ORR_ERROR_BYTES] */
    void (*warn)(void *user, const char *text); /* the caller's; NULL: none */
    void *warn_user;
    const char **warning; /* [warnings] so far, each once */
    size_t warnings, warning_capacity;
    /* the loaded job */
    struct net_config network;
    struct sys_astra system;
    struct mem_config remote;
    struct mem_local local;
    struct wl_compute compute;
    struct orr_evq *queue;
    struct net *net;
    struct mem *mem;
    struct sys *sys;
    struct wl_engine *engine;
    const struct wl_job *jobs; /* [job_count] of a cluster; NULL: one job */
    uint32_t job_count;
    struct orr_choices *choices;       /* NULL: nobody asked for them */
    struct wl_traces source;           /* of all ranks */
    struct orr_task_graph *task_graph; /* sim/load/task_graph.h; NULL: none */
    /* In place of what the network section says: a network that is made elsewhere; NULL: none. */
    const struct net_config *external_network;
    const struct sys_mono *workload_all_reduce; /* likewise, of workload.all_reduce */
    struct orr_pilot_result *pilot_result; /* sim/load/pilot_run.h; NULL: there was no need to */
    bool counts_traffic;                   /* bytes between NPUs, for that */
    uint32_t iterations;                   /* of the one job; 0: once */
    const struct sys *listed;    /* holds the groups that the workload lists; NULL: not read */
    struct wl_group_names names; /* what they are called */
    struct orr_fold fold;        /* what is simulated once */
    struct wl_fold_reasons fold_reasons; /* why other things are not */
    bool fold_off;                       /* the caller wants every NPU simulated */
    const struct orr_trace **traces;     /* [fold.slots] */
    uint32_t npus;
    struct net_dim *dim; /* the dimensions, when they are scaled */
    struct net_graph *graph;
    struct net_link *link; /* of the graph, likewise */
    struct net_change *change;
    struct orrery_scale scale[ORR_MAX_SCALES];
    unsigned scales;
    struct orr_finish_order *finish_order; /* made when asked for */
    bool record_spans;
    unsigned record; /* what the caller asked for: ORRERY_RECORD_... */
    bool ran;
    bool capacity_unchecked;                /* the caller wants no refusal */
    bool too_large;                         /* needs more memory than there is */
    uint64_t local_peak_bytes;              /* of tensors in a local memory; 0: not watched */
    struct orr_summary *summary;            /* NULL: not made yet */
    char *kept;                             /* a text that was handed out; of the heap */
    struct orr_path_view *path;             /* of the finished run; NULL: not asked for */
    const struct orr_sensitivities *slopes; /* likewise (sensitivity.c) */
    const struct orr_uncertain *uncertain;  /* likewise (uncertainty.c) */
    bool servers_shared;        /* logical servers have their part of the rates in `compute` */
    struct orr_shared *held[2]; /* platform and workload that are shared; NULL: none */
    /* own files */
    const struct orr_conf *platform;    /* all sections, joined; NULL: not loaded from own files */
    const struct orr_conf *user_values; /* the same, without what a task graph brings */
    struct wl_workload job_description;
};

/* The slot that a rank's results are kept by. */
static inline struct orr_slot orr_slot_of(const struct orrery *job, struct orr_rank rank)
{
    return orr_fold_slot(&job->fold, rank);
}

/* Keeps the rendered error, and makes the handle ready to report another. */
enum orrery_status orr_finish_call(struct orrery *job, enum orr_status status);

/* Keeps what is wrong with a call that asks for what there is not, whose status it returns. */
enum orrery_status orr_reject_call(const struct orrery *job, const char *format, ...)
    ORR_PRINTF(2, 3);

/* As orr_reject_call, of a rank or an index beyond `count`; or of any before the end of the run. */
enum orrery_status orr_reject_index(const struct orrery *job, const char *what, size_t index,
                                    size_t count);

/* Fails when a job is loaded already. */
enum orr_status orr_check_empty(struct orrery *job);

/* Joins the tree of a platform, *root, with that of a workload (NULL: none), and sets values on
 * top. */
enum orr_status orr_merge_tree(struct orrery *job, const struct orr_conf *workload,
                               const char *const *set, size_t set_count,
                               const struct orr_conf **root);

/* The traces and groups of what the handle's description asks for. (load_source.c) */
enum orr_status orr_load_source(struct orrery *job, bool has_compute);
/* Adds the groups that the workload lists, under their names in the traces, to a system; and those
 * of its model as well, to the handle's. */
enum orr_status orr_add_listed_groups(void *job, struct sys *sys, struct orr_diag *diag);
enum orr_status orr_add_groups(struct orrery *job);
/* Gives an error without a place that of the value that asked for what failed. */
enum orr_status orr_locate_error(struct orrery *job, enum orr_status status, const char *section,
                                 const char *key);

/* Finds what is simulated once, of the network and the traces as they are. (load_platform.c) */
enum orr_status orr_find_fold(struct orrery *job);

/* Frees what orr_build has made; and runs again with every NPU, for a report of them all.
 * (orrery.c) */
void orr_destroy_layers(struct orrery *job);
enum orr_status orr_run_unfolded(struct orrery *job);

/* Loads a job from the tree of all sections. */
enum orr_status orr_load_tree(struct orrery *job, const struct orr_conf *root);

/* Multiplies what orrery_scale was asked for. */
enum orr_status orr_apply_scales(struct orrery *job);

/* Warns of what works but as a rule is not meant, in files of our own. */
void orr_warn_inputs(struct orrery *job);

/* Warns of algorithms asked for by name, and of messages between NPUs, that take longer on some
 * backends than on others. The latter O(nodes of the distinct traces). (bandwidth_warnings.c) */
void orr_warn_bandwidth(struct orrery *job);
void orr_warn_send_bandwidth(struct orrery *job);

/* Warns where most nodes of the traces [count] that are replayed have no duration. O(nodes). */
void orr_warn_replay(struct orrery *job, const struct orr_trace *const *traces, uint32_t count,
                     const struct orr_location *place);

/* Reads what a platform says of itself beside its network, of so many NPUs and dimensions, which
 * the handle knows already; a section may be NULL. (load_machine.c) */
struct orr_machine_sections {
    const struct orr_conf *system, *memory, *compute;
};
enum orr_status orr_read_machine(struct orrery *job, const struct orr_machine_sections *sections);

/* Queue, network, memory and system from the configurations in the handle. */
enum orr_status orr_build_layers(struct orrery *job);

/* From the traces on, all that is simulated: traces by slot, layers, groups, engine. */
enum orr_status orr_build(struct orrery *job);

/* The engine over job->traces[job->npus]. */
enum orr_status orr_build_engine(struct orrery *job);

/* Frees what the summary holds outside the arena. */
void orr_summary_destroy(struct orrery *job);

/* What the memory pool holds for all NPUs; 0: not limited. */
static inline uint64_t orr_pool_capacity(const struct orrery *job)
{
    return job->remote.fabric != NULL ? job->remote.fabric->capacity_bytes : 0;
}

/* Whether a memory is limited and traces tell what they keep in it. */
bool orr_watches_capacity(const struct orrery *job);

/* Takes the refusal in the diagnostic of a job that does not fit: keeps it, or with
 * memory.ignore_capacity warns instead. */
enum orr_status orr_too_large(struct orrery *job);

/* Refuses a finished run whose tensors need more than a memory holds. */
enum orr_status orr_check_capacity(struct orrery *job);

/* Prepares the public view of the critical path at the end of the run, when it was asked for. */
enum orr_status orr_path_prepare(struct orrery *job);

/* Keeps the slopes of the run that is at its end, in the arena, where it tells them.
 * (sensitivity.c) */
enum orr_status orr_sensitivities_keep(struct orrery *job, struct orr_arena *arena);

/* Whether ORRERY_RECORD_UNCERTAINTY was asked for. All of the following do nothing without it.
 * (uncertainty.c, uncertainty_check.c) */
bool orr_is_uncertain(const struct orrery *job);
/* Refuses a platform that tells too little for it; its compute section may be NULL. */
enum orr_status orr_uncertainty_check(struct orrery *job, const struct orr_conf *compute);
/* Runs for slopes before the run, where that is for the critical path. */
enum orr_status orr_uncertainty_pilot_run(struct orrery *job);
/* Works it out, at the end of the run. */
enum orr_status orr_uncertainty_make(struct orrery *job);

#endif
