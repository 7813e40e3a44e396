/* Which NPUs of a job do alike, so that one of them stands for all (core/fold.h; docs/models.md,
 * section 9). */
#ifndef ORR_SIM_FOLD_JOB_H
#define ORR_SIM_FOLD_JOB_H

#include "system/system.h"
#include "workload/workload.h"

/* The traces of a job: one for all ranks, one for each pipeline stage of a model, or one for each
 * rank. */
struct wl_traces {
    const struct orr_trace *const *trace; /* [count] */
    uint32_t count;                       /* 1: for all ranks, unless there is one rank */
    const struct gen_layout *layout;      /* NULL: not by stages */
};

static inline const struct orr_trace *wl_trace_of(const struct wl_traces *traces,
                                                  struct orr_rank rank)
{
    if (traces->layout != NULL) {
        return traces->trace[orr_gen_coordinate(traces->layout, GEN_PIPELINE, rank.rank)];
    }
    return traces->trace[traces->count == 1 ? 0 : rank.rank];
}

/* All that decides. */
struct wl_fold_job {
    const struct net_config *network;
    const struct sys_config *system;
    const struct mem_config *remote;
    const struct wl_compute *compute;
    const struct wl_traces *traces;
    const struct gen_model *model; /* ops NULL: none */
    /* Adds the groups that do not come from the model to a system; NULL: there are none. */
    enum orr_status (*add_groups)(void *context, struct sys *sys, struct orr_diag *diag);
    void *context;
    /* A task graph of alike groups of so many NPUs, one behind the other, whose all-reduces are
     * done so; 0: it is none. */
    uint32_t group_npus;
    struct sys_mono all_reduce;
};

/* Why digits are kept, for people. */
struct wl_fold_reasons {
    const char *why_nothing;              /* why nothing is folded at all; NULL: does not apply */
    const char *why[ORR_FOLD_MAX_DIGITS]; /* of a kept digit; NULL: it is folded */
};

/* Why no NPUs of the job can be simulated as one; NULL: some may. (fold_unsupported.c) */
const char *orr_wl_unfoldable(const struct wl_fold_job *job);

/* Whether the job is a task graph on a network that is a graph, whose classes are found by
 * orr_wl_fold_rotations. (fold_unsupported.c) */
bool orr_wl_folds_by_rotation(const struct wl_fold_job *job);

/* The same as orr_wl_fold_find for these, of which orr_wl_unfoldable says nothing. The planner has
 * all groups. Notes live in the arena. O(turns x (links + nodes of traces)), where a turn that does
 * not hold costs as much as is looked at until that is known. (fold_rotations.c) */
enum orr_status orr_wl_fold_rotations(struct orr_arena *arena, const struct wl_fold_job *job,
                                      struct sys *planner, struct orr_fold *fold,
                                      struct wl_fold_reasons *reasons, struct orr_diag *diag);

/* Cuts ranks into digits: the dimensions of the platform and what a graph's builder numbers NPUs
 * by, cut further where the axes of a model or evenly spaced groups end; or alike groups and those
 * in them. False: the axes of the model do not fit to the dimensions; listed groups that do not are
 * not looked at. (fold_digits.c) */
bool orr_wl_fold_cut(const struct wl_fold_job *job, const struct sys *planner,
                     struct orr_fold *fold);

/* Finds the fold: as many folded digits as are exact. Never fails but for memory or bad groups,
 * which the system layer reports as well. Notes live in the arena. O(NPUs x digits) for traces of
 * their own, else O(classes x nodes). */
enum orr_status orr_wl_fold_find(struct orr_arena *arena, const struct wl_fold_job *job,
                                 struct orr_fold *fold, struct wl_fold_reasons *reasons,
                                 struct orr_diag *diag);

/* Adds to the system the groups of a model that who stands for a class is in; all groups when
 * nothing is folded. */
enum orr_status orr_wl_add_model_groups(struct sys *sys, const struct gen_model *model,
                                        const struct orr_fold *fold, struct orr_diag *diag);

#endif
