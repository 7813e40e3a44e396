/* Layouts as strategies to start from: Megatron's tensor parallelism inside data parallelism, with
 * every number of groups that divides the servers, and experts spread. */
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "orrery/study.h"
#include "planner/search/search_layouts.h"
#include "topoopt/search/topoopt_private.h"
#include "workload/strategy/strategy_check.h"

enum { MAX_TAKEN = 2 };

struct layout_trial {
    struct search_layout layout;
    sim_time time_ps; /* ORR_TIME_MAX: not evaluated, or impossible */
    uint64_t missing_bytes;
    bool is_valid;
    enum orr_status status;
};

struct layout_trials {
    struct topoopt_plan *plan;
    struct layout_trial *trial;
    uint32_t count;
};

/* ---- one ---- */

static bool make_strategy(const struct topoopt_problem *problem, const struct search_layout *layout,
                          struct orr_arena *arena, struct strategy *out)
{
    struct strategy_draft draft;
    if (!orr_strategy_draft_init(&draft, arena, problem->model, problem->devices,
                                 problem->copies) ||
        !orr_strategy_data_parallel(&draft)) {
        return false;
    }
    draft.strategy.server = problem->server;
    const bool made = orr_search_set_layout(&draft, &problem->dimensions, layout);
    *out = orr_strategy_drafted(&draft);
    return made;
}

/* Calls `of` with the strategy of a trial. */
static void
with_strategy(const struct layout_trials *trials, struct layout_trial *trial,
              enum orr_status (*of)(struct orr_arena *arena, const struct topoopt_problem *problem,
                                    const struct strategy *strategy, struct layout_trial *trial))
{
    struct orr_arena *arena = orr_arena_create();
    struct strategy strategy;
    trial->status = ORR_ERR_MEMORY;
    if (arena != NULL && make_strategy(trials->plan->problem, &trial->layout, arena, &strategy)) {
        trial->status = of(arena, trials->plan->problem, &strategy, trial);
    }
    orr_arena_destroy(arena);
}

static enum orr_status weigh(struct orr_arena *arena, const struct topoopt_problem *problem,
                             const struct strategy *strategy, struct layout_trial *trial)
{
    struct orr_diag why;
    (void)arena;
    orr_diag_init(&why);
    trial->time_ps = ORR_TIME_MAX;
    trial->is_valid = orr_strategy_check(problem->model, strategy, &why) == ORR_OK;
    return trial->is_valid ? orr_topoopt_missing(problem, strategy, &trial->missing_bytes, &why)
                           : ORR_OK;
}

/* A layout with parts that have no time is impossible. */
static enum orr_status time_of(struct orr_arena *arena, const struct topoopt_problem *problem,
                               const struct strategy *strategy, struct layout_trial *trial)
{
    const struct topoopt_standalone standalone = {problem, strategy, &problem->topology};
    struct orr_diag why;
    orr_diag_init(&why);
    const enum orr_status status =
        problem->on != NULL
            ? orr_topoopt_time(problem, problem->on, strategy, &trial->time_ps, &why)
            : orr_topoopt_evaluate_standalone(arena, &standalone, &trial->missing_bytes,
                                              &trial->time_ps, &why);
    trial->time_ps = status == ORR_OK ? trial->time_ps : ORR_TIME_MAX;
    return status == ORR_ERR_MEMORY ? status : ORR_OK;
}

/* ---- all ---- */

static void weigh_one(void *context, unsigned index)
{
    const struct layout_trials *trials = context;
    with_strategy(trials, &trials->trial[index], weigh);
}

static void time_one(void *context, unsigned index)
{
    const struct layout_trials *trials = context;
    with_strategy(trials, &trials->trial[index], time_of);
}

static int by_memory(const void *a, const void *b)
{
    const struct layout_trial *x = a, *y = b;
    if (x->is_valid != y->is_valid) {
        return x->is_valid ? -1 : 1;
    }
    if (x->missing_bytes != y->missing_bytes) {
        return x->missing_bytes < y->missing_bytes ? -1 : 1;
    }
    return x->layout.tensor != y->layout.tensor
               ? (x->layout.tensor > y->layout.tensor ? 1 : -1)
               : (x->layout.experts > y->layout.experts) - (x->layout.experts < y->layout.experts);
}

static int by_time(const void *a, const void *b)
{
    const struct layout_trial *x = a, *y = b;
    return x->time_ps != y->time_ps ? (x->time_ps < y->time_ps ? -1 : 1) : by_memory(a, b);
}

static enum orr_status status_of(const struct layout_trials *trials, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (trials->trial[i].status != ORR_OK) {
            return orr_diag_no_memory(trials->plan->diag, "strategies of layouts");
        }
    }
    return ORR_OK;
}

/* The layouts that fit; if none does, tells the one that needs least. */
static uint32_t count_fitting(const struct layout_trials *trials)
{
    const struct layout_trial *trial = trials->trial;
    uint32_t count = 0;
    while (count < trials->count && trial[count].is_valid && trial[count].missing_bytes == 0) {
        count++;
    }
    if (count == 0 && trials->count > 0 && trial[0].is_valid) {
        trials->plan->out->least = (struct topoopt_least){.tensor = trial[0].layout.tensor,
                                                          .experts = trial[0].layout.experts,
                                                          .missing_bytes = trial[0].missing_bytes};
    }
    return count;
}

/* ---- the best ---- */

/* Missing memory and time of data parallelism. */
static enum orr_status time_data_parallel(const struct topoopt_plan *plan, struct layout_trial *out)
{
    const struct topoopt_problem *problem = plan->problem;
    const struct topoopt_strategy *known = &plan->known[plan->data_parallel.strategy];
    struct orr_arena *arena = orr_arena_create();
    *out = (struct layout_trial){
        .missing_bytes = known->missing_bytes, .time_ps = ORR_TIME_MAX, .status = ORR_ERR_MEMORY};
    if (arena != NULL) {
        out->status = time_of(arena, problem, &known->strategy, out);
    }
    orr_arena_destroy(arena);
    return out->status == ORR_OK ? ORR_OK : orr_diag_no_memory(plan->diag, "data parallelism");
}

static enum orr_status add_layout(struct topoopt_plan *plan, const struct layout_trial *trial,
                                  uint32_t evaluations, uint32_t *number)
{
    struct orr_arena *arena = orr_arena_create();
    struct strategy strategy;
    const enum orr_status status =
        arena != NULL && make_strategy(plan->problem, &trial->layout, arena, &strategy)
            ? orr_topoopt_add_strategy(plan, &strategy, TOPOOPT_LAYOUT, evaluations, number)
            : orr_diag_no_memory(plan->diag, "strategies of layouts");
    orr_arena_destroy(arena);
    return status;
}

static enum orr_status take_best(const struct layout_trials *trials, uint32_t count,
                                 struct topoopt_starts *out)
{
    struct layout_trial data;
    enum orr_status status = time_data_parallel(trials->plan, &data);
    for (uint32_t i = 0; i < count && i < MAX_TAKEN && status == ORR_OK; i++) {
        const struct layout_trial *trial = &trials->trial[i];
        if (trial->time_ps != ORR_TIME_MAX && topoopt_better(trial->missing_bytes, trial->time_ps,
                                                             data.missing_bytes, data.time_ps)) {
            status = add_layout(trials->plan, trial, count, &out->strategy[out->count]);
            out->count += status == ORR_OK;
        }
    }
    return status;
}

static enum orr_status try_all(struct layout_trials *trials, struct topoopt_starts *out)
{
    const unsigned threads = trials->plan->options->search.threads;
    orrery_parallel(threads, trials->count, weigh_one, trials);
    enum orr_status status = status_of(trials, trials->count);
    qsort(trials->trial, trials->count, sizeof *trials->trial, by_memory);
    const uint32_t count = status == ORR_OK ? count_fitting(trials) : 0;
    orrery_parallel(threads, count, time_one, trials);
    trials->plan->spent += count;
    status = status == ORR_OK ? status_of(trials, count) : status;
    qsort(trials->trial, count, sizeof *trials->trial, by_time);
    return status == ORR_OK && count > 0 ? take_best(trials, count, out) : status;
}

enum orr_status orr_topoopt_layouts(struct topoopt_plan *plan, struct topoopt_starts *out)
{
    const struct topoopt_problem *problem = plan->problem;
    const uint32_t group = problem->devices / problem->copies;
    struct layout_trials trials = {.plan = plan,
                                   .count = orr_search_count_layouts(problem->model, group)};
    out->count = 0;
    trials.trial = orr_heap_calloc((size_t)trials.count + 1, sizeof *trials.trial);
    if (trials.trial == NULL) {
        return orr_diag_no_memory(plan->diag, "strategies of layouts");
    }
    for (uint32_t i = 0; i < trials.count; i++) {
        trials.trial[i].layout = orr_search_layout_at(problem->model, group, i);
    }
    const enum orr_status status = try_all(&trials, out);
    orr_heap_free(trials.trial);
    return status;
}
