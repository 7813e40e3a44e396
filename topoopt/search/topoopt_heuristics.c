/* Heuristic strategies, from which searches start if they are better than data parallelism on
 * topologies of their own:
 *
 * - Separate branches: independent chains of operators on separate servers, split by samples there,
 *   so that only these servers all-reduce their weights.
 * - Hybrids: every operator whose weights can be sliced by an output dimension is split in m parts
 *   in that dimension and in n / m by samples; neighbors have the same samples. */
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "orrery/study.h"
#include "planner/search/search.h"
#include "topoopt/search/topoopt_private.h"
#include "workload/model/op_graph.h"

enum { MAX_RULES = 16, MAX_TAKEN = 2, MAX_CUT = 8 };

/* A heuristic with its parameter: the number of server sets (contiguous or interleaved), or m. */
struct rule {
    bool hybrid, row;
    uint32_t number;
    sim_time time_ps; /* ORR_TIME_MAX: infeasible */
    uint64_t missing_bytes;
    enum orr_status status;
};

struct rules {
    struct topoopt_plan *plan;
    struct topoopt_branches branches;
    struct rule rule[MAX_RULES];
    uint32_t count;
};

/* ---- strategies ---- */

/* Assigns each branch, the heaviest first, to the set with the least load. */
static void assign(const struct topoopt_branches *branches, uint32_t sets, uint32_t *set)
{
    uint64_t load[TOPOOPT_MAX_BRANCHES] = {0};
    for (uint32_t b = 0; b < branches->count; b++) {
        set[b] = 0;
        for (uint32_t s = 1; s < sets; s++) {
            set[b] = load[s] < load[set[b]] ? s : set[b];
        }
        load[set[b]] += branches->bytes[b];
    }
}

static bool set_apart(struct strategy_draft *draft, const struct rules *rules,
                      const struct rule *rule, uint32_t *scratch)
{
    const struct topoopt_branches *branches = &rules->branches;
    const uint32_t group = orr_strategy_group(&draft->strategy), parts = group / rule->number;
    uint32_t set[TOPOOPT_MAX_BRANCHES], degree[MODEL_MAX_DIMS] = {parts, 1, 1, 1, 1, 1, 1, 1};
    bool made = true;
    assign(branches, rule->number, set);
    for (uint32_t op = 0; op < draft->model->ops && made; op++) {
        const uint32_t b = branches->of[op];
        for (uint32_t i = 0; b != TOPOOPT_NONE && i < parts; i++) {
            scratch[i] = rule->row ? set[b] * parts + i : set[b] + i * rule->number;
        }
        made = b == TOPOOPT_NONE || orr_strategy_set(draft, op, degree, scratch);
    }
    return made;
}

/* The dimension that slices the output and the weights of an operator and may be split in `parts`;
 * 0: none. */
static uint32_t slicing(const struct topoopt_problem *problem, const struct model_op *op,
                        uint32_t parts)
{
    uint32_t d = op->dims;
    while (--d > 0 && !(op->dim[d].gives == MODEL_GIVES_SLICE &&
                        op->dim[d].weights == MODEL_WEIGHTS_SLICED && op->dim[d].size >= parts &&
                        orr_search_can_split(&problem->dimensions, op->dim[d].name))) {
    }
    return d;
}

static bool set_hybrid(struct strategy_draft *draft, const struct topoopt_problem *problem,
                       const struct rule *rule)
{
    const uint32_t group = orr_strategy_group(&draft->strategy);
    bool made = true;
    for (uint32_t op = 0; op < draft->model->ops && made; op++) {
        const struct model_op *of = &draft->model->op[op];
        uint32_t degree[MODEL_MAX_DIMS] = {group / rule->number, 1, 1, 1, 1, 1, 1, 1};
        const uint32_t cut =
            of->table || of->weight_bytes == 0 ? 0 : slicing(problem, of, rule->number);
        degree[cut] *= cut != 0 ? rule->number : 1;
        made = cut == 0 || orr_strategy_set(draft, op, degree, NULL);
    }
    return made;
}

static bool make_strategy(const struct rules *rules, const struct rule *rule,
                          struct orr_arena *arena, struct strategy *out)
{
    const struct topoopt_problem *problem = rules->plan->problem;
    struct strategy_draft draft;
    const uint32_t group = problem->devices / problem->copies;
    uint32_t *scratch = orr_arena_array(arena, group, sizeof *scratch);
    if (scratch == NULL ||
        !orr_strategy_draft_init(&draft, arena, problem->model, problem->devices,
                                 problem->copies) ||
        !orr_strategy_data_parallel(&draft)) {
        return false;
    }
    draft.strategy.server = problem->server;
    const bool made =
        rule->hybrid ? set_hybrid(&draft, problem, rule) : set_apart(&draft, rules, rule, scratch);
    *out = orr_strategy_drafted(&draft);
    return made;
}

/* ---- evaluation ---- */

static void evaluate_one(void *context, unsigned index)
{
    struct rules *rules = context;
    struct rule *rule = &rules->rule[index];
    struct orr_arena *arena = orr_arena_create();
    struct strategy strategy;
    struct orr_diag diag;
    orr_diag_init(&diag);
    rule->status = ORR_ERR_MEMORY;
    rule->time_ps = ORR_TIME_MAX;
    if (arena != NULL && make_strategy(rules, rule, arena, &strategy)) {
        const struct topoopt_standalone standalone = {rules->plan->problem, &strategy,
                                                      &rules->plan->problem->topology};
        rule->status = orr_topoopt_evaluate_standalone(arena, &standalone, &rule->missing_bytes,
                                                       &rule->time_ps, &diag);
    }
    orr_arena_destroy(arena);
}

/* Whether hybrids differ from data parallelism: some operator has such a dimension. */
static bool has_hybrids(const struct topoopt_problem *problem)
{
    bool any = problem->dimensions.count == 0;
    for (uint32_t op = 0; op < problem->model->ops && !any; op++) {
        const struct model_op *of = &problem->model->op[op];
        any = !of->table && of->weight_bytes != 0 && slicing(problem, of, 2) != 0;
    }
    return any;
}

/* Whether operators may be split by samples other than in data parallelism. */
static bool can_split_samples(const struct topoopt_problem *problem)
{
    return problem->model->ops > 0 &&
           orr_search_can_split(&problem->dimensions, problem->model->op[0].dim[0].name);
}

static void list_rules(struct rules *rules)
{
    const struct topoopt_problem *problem = rules->plan->problem;
    const uint32_t group = problem->devices / problem->copies;
    const bool hybrid = has_hybrids(problem), samples = can_split_samples(problem);
    for (uint32_t n = 2; n <= 16 && n < group; n *= 2) {
        if (group % n == 0 && rules->branches.count > 1 && samples) {
            rules->rule[rules->count++] = (struct rule){.number = n, .row = true};
            rules->rule[rules->count++] = (struct rule){.number = n};
        }
        if (group % n == 0 && n <= MAX_CUT && hybrid && samples) {
            rules->rule[rules->count++] = (struct rule){.hybrid = true, .number = n};
        }
    }
}

static int by_time(const void *a, const void *b)
{
    const struct rule *x = a, *y = b;
    if (x->missing_bytes != y->missing_bytes) {
        return x->missing_bytes < y->missing_bytes ? -1 : 1;
    }
    if (x->time_ps != y->time_ps) {
        return x->time_ps < y->time_ps ? -1 : 1;
    }
    return x->hybrid != y->hybrid ? (x->hybrid ? 1 : -1)
           : x->row != y->row     ? (x->row ? -1 : 1)
                                  : (x->number > y->number) - (x->number < y->number);
}

static enum orr_status add_rule_strategy(struct rules *rules, const struct rule *rule,
                                         uint32_t *number)
{
    struct orr_arena *arena = orr_arena_create();
    struct strategy strategy;
    const enum orr_status status =
        arena != NULL && make_strategy(rules, rule, arena, &strategy)
            ? orr_topoopt_add_strategy(rules->plan, &strategy, TOPOOPT_BY_RULE, rules->count,
                                       number)
            : orr_diag_no_memory(rules->plan->diag, "strategies by rule");
    orr_arena_destroy(arena);
    return status;
}

static enum orr_status evaluate(struct rules *rules, struct topoopt_starts *out)
{
    struct topoopt_plan *plan = rules->plan;
    enum orr_status status = ORR_OK;
    list_rules(rules);
    orrery_parallel(plan->options->search.threads, rules->count, evaluate_one, rules);
    plan->spent += rules->count;
    for (uint32_t i = 0; i < rules->count && status == ORR_OK; i++) {
        status =
            rules->rule[i].status == ORR_OK ? ORR_OK : orr_diag_no_memory(plan->diag, "strategies");
    }
    qsort(rules->rule, rules->count, sizeof *rules->rule, by_time);
    for (uint32_t i = 0; i < rules->count && i < MAX_TAKEN && status == ORR_OK; i++) {
        if (rules->rule[i].time_ps != ORR_TIME_MAX) {
            status = add_rule_strategy(rules, &rules->rule[i], &out->strategy[out->count]);
            out->count += status == ORR_OK;
        }
    }
    return status;
}

enum orr_status orr_topoopt_heuristics(struct topoopt_plan *plan, struct topoopt_starts *out)
{
    struct rules rules = {.plan = plan};
    struct orr_arena *arena = orr_arena_create();
    out->count = 0;
    enum orr_status status = arena == NULL ? orr_diag_no_memory(plan->diag, "strategies by rule")
                                           : orr_topoopt_branches(arena, plan->problem->model,
                                                                  &rules.branches, plan->diag);
    if (status == ORR_OK) {
        status = evaluate(&rules, out);
    }
    orr_arena_destroy(arena);
    return status;
}
