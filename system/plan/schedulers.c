/* Registry of schedulers, and the schedulers without a file. */
#include "system/plan/autotune.h"

#include <string.h>

#define ORR_SCHEDULER(name) extern const struct sys_scheduler_ops name;
#include "system/plan/scheduler_list.h"
#undef ORR_SCHEDULER

const struct sys_scheduler_ops orr_sys_baseline = {
    .name = "baseline",
    .summary = "all chunks visit the dimensions in the same order, up and down again",
    .compared = true,
};

const struct sys_scheduler_ops orr_sys_best = {
    .name = "best",
    .summary = "baseline or Themis, whichever takes less time when it is simulated alone",
    .compares = true,
};

const struct sys_scheduler_ops *const orr_sys_schedulers[] = {
#define ORR_SCHEDULER(name) &name,
#include "system/plan/scheduler_list.h"
#undef ORR_SCHEDULER
    NULL};

_Static_assert(sizeof orr_sys_schedulers / sizeof *orr_sys_schedulers <= SYS_MAX_SCHEDULERS,
               "a search has room for all schedulers");

const char *orr_sys_scheduler_name(size_t index)
{
    return orr_sys_schedulers[index] != NULL ? orr_sys_schedulers[index]->name : NULL;
}

const struct sys_scheduler_ops *orr_sys_scheduler_find(const char *name)
{
    for (size_t i = 0; orr_sys_schedulers[i] != NULL; i++) {
        if (strcmp(orr_sys_schedulers[i]->name, name) == 0) {
            return orr_sys_schedulers[i];
        }
    }
    return NULL;
}

const struct sys_scheduler_ops *orr_sys_scheduler_astra(void)
{
    size_t i = 0;
    while (orr_sys_schedulers[i] != NULL && !orr_sys_schedulers[i]->of_astra) {
        i++;
    }
    return orr_sys_schedulers[i];
}

/* ---- the scheduler of an operation ---- */

static bool applies(const struct sys *sys, const struct sys_operation *operation,
                    const struct sys_scheduler_ops *scheduler)
{
    if (scheduler == NULL || operation->kind >= SYS_LISTED_KINDS ||
        (scheduler->keeps_all_to_all && operation->kind == COLL_ALL_TO_ALL)) {
        return false;
    }
    return !sys->policy->schedules_whole_only || operation->group->whole;
}

const struct sys_scheduler_ops *orr_sys_scheduler_of(const struct sys *sys,
                                                     const struct sys_operation *operation)
{
    const struct sys_scheduler_ops *scheduler =
        operation->tuning != NULL ? operation->tuning->scheduler : sys->config->scheduler;
    if (!applies(sys, operation, scheduler)) {
        return orr_sys_schedulers[0];
    }
    if (!scheduler->compares) {
        return scheduler;
    }
    const struct sys_scheduler_ops *best = orr_sys_schedulers[0];
    sim_time min = ORR_TIME_MAX;
    for (unsigned c = 0; orr_sys_schedulers[c] != NULL && operation->dims > 1; c++) {
        const struct sys_scheduler_ops *candidate = orr_sys_schedulers[c];
        const sim_time time = candidate->compared
                                  ? sys->up.predict->scheduled(sys, operation, candidate)
                                  : ORR_TIME_MAX;
        if (time < min) {
            min = time;
            best = candidate;
        }
    }
    return best;
}

/* ---- loads ---- */

/* Overhead of the messages that an NPU sends for a chunk; of an all-reduce, those of its
 * reduce-scatter. */
static double overhead_s(const struct sys *sys, const struct sys_operation *operation, unsigned d)
{
    const sim_time each = orr_sys_dim_overhead(sys, operation, d);
    if (each == 0) {
        return 0;
    }
    const enum coll_kind kind =
        operation->kind == COLL_ALL_REDUCE ? COLL_REDUCE_SCATTER : operation->kind;
    const struct sys_algorithm algorithm = orr_sys_algorithm_of(sys, operation, d, kind);
    const struct coll_args args = {.kind = kind,
                                   .n = operation->dim[d].n,
                                   .window = algorithm.window,
                                   .bytes = operation->bytes};
    return (double)each * 1e-12 * algorithm.algorithm->sends(&args);
}

static void fill_own(const struct sys *sys, const struct sys_operation *operation,
                     struct sys_tracker *tracker)
{
    tracker->dims = 0;
    for (unsigned d = 0; d < operation->dims && operation->scheduler->order != NULL; d++) {
        if (sys_takes_part(operation, d)) {
            tracker->rank[tracker->dims] = tracker->dims;
            tracker->dim[tracker->dims++] =
                (struct sys_load){.index = d,
                                  .n = operation->dim[d].n,
                                  .bytes_per_s = orr_sys_dim_bandwidth(sys, operation, d),
                                  .overhead_s = overhead_s(sys, operation, d)};
        }
    }
    /* One dimension needs no order; but an all-reduce may become two phases. */
    if (tracker->dims < 2 && !sys->policy->schedules_one_dim) {
        tracker->dims = 0;
    }
}

struct sys_tracker *orr_sys_tracker_of(struct sys *sys, const struct sys_operation *operation,
                                       uint64_t chunk_bytes, struct sys_tracker *own)
{
    struct sys_tracker *tracker = own;
    if (sys->planning.loads != NULL && operation->scheduler->order != NULL &&
        operation->dims == sys->planning.loads->dims) {
        tracker = sys->planning.loads;
        for (unsigned d = 0; d < tracker->dims; d++) {
            tracker->dim[d].idle = !sys_takes_part(operation, d);
        }
    } else {
        fill_own(sys, operation, own);
    }
    tracker->chunk_bytes = chunk_bytes;
    return tracker;
}

static void reset(struct sys_tracker *loads)
{
    for (unsigned d = 0; d < loads->dims; d++) {
        loads->dim[d].load_s = 0;
        loads->rank[d] = d;
    }
}

bool orr_sys_loads_create(struct sys *sys)
{
    const struct net_config *net = sys->net->config;
    const struct sys_scheduler_ops *given = sys->config->scheduler;
    if (!sys->policy->keeps_loads || given == NULL || !given->keeps_loads) {
        return true;
    }
    sys->planning.loads = orr_arena_alloc(sys->arena, sizeof *sys->planning.loads);
    if (sys->planning.loads == NULL) {
        return false;
    }
    sys->planning.loads->dims = net->dims;
    for (unsigned d = 0; d < net->dims; d++) {
        sys->planning.loads->dim[d] = (struct sys_load){
            .index = d, .n = net->dim[d].npus, .bytes_per_s = net->dim[d].bandwidth_bytes_per_s};
    }
    reset(sys->planning.loads);
    return true;
}

void orr_sys_loads_start(struct sys *sys, struct orr_slot npu)
{
    const sim_time now = orr_evq_now(sys->queue);
    if (sys->planning.loads != NULL && npu.slot == 0 && sys->planning.loads_ps != now) {
        reset(sys->planning.loads);
        sys->planning.loads_ps = now;
    }
}
