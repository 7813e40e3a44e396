/* Symmetry reduction: which NPUs of a job have equal histories, so that one of them represents all
 * (core/fold.h; docs/models.md, section 9). */
#ifndef ORR_SIM_FOLD_FOLD_JOB_H
#define ORR_SIM_FOLD_FOLD_JOB_H

#include <stddef.h>

#include "core/fold.h"
#include "system/sys_mono.h"
#include "workload/parallel/layout_parts.h"

struct gen_model;
struct mem_config;
struct net_config;
struct orr_arena;
struct orr_diag;
struct orr_trace;
struct sys;
struct sys_config;
struct wl_compute;

/* The traces of a job: one for all ranks, one for each class of ranks of a model, or one for each
 * rank. */
struct wl_traces {
    const struct orr_trace *const *trace; /* [count] */
    uint32_t count;                       /* 1: for all ranks, unless there is one rank */
    const struct gen_layout *layout;      /* NULL: not by classes (orr_gen_class) */
};

static inline const struct orr_trace *wl_trace_of(const struct wl_traces *traces,
                                                  struct orr_rank rank)
{
    if (traces->layout != NULL) {
        return traces->trace[orr_gen_class(traces->layout, rank.rank)];
    }
    return traces->trace[traces->count == 1 ? 0 : rank.rank];
}

/* The input of the search. */
struct wl_fold_job {
    const struct net_config *network;
    const struct sys_config *system;
    const struct mem_config *remote;
    const struct wl_compute *compute;
    const struct wl_traces *traces;
    const struct gen_model *model; /* ops NULL: none */
    /* Adds the groups that are not the model's to a system; NULL: there are none. */
    enum orr_status (*add_groups)(void *context, struct sys *sys, struct orr_diag *diag);
    void *context;
    /* For a task graph of consecutive equivalent groups: NPUs of each, and its all-reduce; 0: it
     * has none. */
    uint32_t group_npus;
    struct sys_mono all_reduce;
};

/* Why digits are not folded, for reports. */
struct wl_fold_reasons {
    const char *why_nothing;              /* why nothing is folded; NULL: does not apply */
    const char *why[ORR_FOLD_MAX_DIGITS]; /* why a digit is kept; NULL: it is folded */
};

/* Why the job cannot be folded at all; NULL: it may be. (fold_unsupported.c) */
const char *orr_wl_unfoldable(const struct wl_fold_job *job);

/* Whether the job is a task graph on a graph, whose classes orr_wl_fold_rotations finds.
 * (fold_unsupported.c) */
bool orr_wl_folds_by_rotation(const struct wl_fold_job *job);

/* As orr_wl_fold_find, for these jobs, if orr_wl_unfoldable returns NULL. The planner has all
 * groups. Reasons are in the arena. O(rotations x (links + nodes of traces)); a rotation that fails
 * costs what was checked until then. (fold_rotations.c) */
enum orr_status orr_wl_fold_rotations(struct orr_arena *arena, const struct wl_fold_job *job,
                                      struct sys *planner, struct orr_fold *fold,
                                      struct wl_fold_reasons *reasons, struct orr_diag *diag);

/* Cuts ranks into digits: the dimensions of the platform and the digits of a graph's builder, cut
 * further at the axes of a model or at evenly spaced groups; or equivalent groups and the NPUs in
 * them. False: the axes of the model do not fit the dimensions. Listed groups that do not fit are
 * ignored. (fold_digits.c) */
bool orr_wl_fold_cut(const struct wl_fold_job *job, const struct sys *planner,
                     struct orr_fold *fold);

/* Finds the fold: folds as many digits as is exact. Fails only for lack of memory, or bad groups,
 * which the system layer also reports. Reasons are in the arena. O(NPUs x digits) if each rank has
 * its own trace, else O(classes x nodes). */
enum orr_status orr_wl_fold_find(struct orr_arena *arena, const struct wl_fold_job *job,
                                 struct orr_fold *fold, struct wl_fold_reasons *reasons,
                                 struct orr_diag *diag);

/* Adds to the system the groups of a model that contain a representative; all groups if nothing is
 * folded. */
enum orr_status orr_wl_add_model_groups(struct sys *sys, const struct gen_model *model,
                                        const struct orr_fold *fold, struct orr_diag *diag);

#endif
