/* State of the alternating optimization: known strategies, candidate networks, and attempts. */
#ifndef ORR_TOPOOPT_SEARCH_TOPOOPT_PRIVATE_H
#define ORR_TOPOOPT_SEARCH_TOPOOPT_PRIVATE_H

#include "network/graph.h"
#include "network/route_options.h"
#include "planner/finder/finder.h"
#include "topoopt/search/topoopt.h"
#include "workload/strategy/strategy.h"

struct model_graph;
struct orr_arena;
struct orr_diag;

#define TOPOOPT_NONE UINT32_MAX

/* A known strategy. */
struct topoopt_strategy {
    struct strategy strategy; /* in the plan's arena */
    uint64_t hash;
    enum topoopt_origin origin;
    uint64_t missing_bytes, evaluations;
};

/* A candidate network, and the strategy for which it was built. */
struct topoopt_candidate {
    struct orr_arena *arena; /* private; NULL: freed, only the hash is kept */
    uint32_t strategy;       /* for whose traffic it was built, */
    uint32_t routed;         /* and whose transfers are routed */
    bool padded;             /* pairs without transfers have routes, too */
    bool ecmp_pairs;         /* transfers use ecmp-pairs, without a route table */
    struct finder_options options;
    struct finder_topology topology;
    struct net_graph graph;
    struct net_route_options routes;
    uint64_t hash;   /* of links, rings and paths */
    const char *why; /* why it is infeasible; NULL: it is feasible */
    /* The best strategy on it (TOPOOPT_NONE: none evaluated), with its time and missing memory. */
    uint32_t best;
    sim_time best_ps;
    uint64_t missing_bytes;
    uint32_t searched; /* its best strategy when it was last searched; TOPOOPT_NONE: never */
};

/* A strategy to be evaluated on a network. */
struct topoopt_trial {
    uint32_t strategy, network;
    sim_time time_ps;
    enum orr_status status;
};

enum { TOPOOPT_MAX_STARTS = 4 };

/* Start strategies of a search. */
struct topoopt_starts {
    enum topoopt_origin origin; /* of the strategy that it finds */
    uint32_t count, strategy[TOPOOPT_MAX_STARTS];
};

struct topoopt_plan {
    const struct topoopt_problem *problem;
    const struct topoopt_options *options;
    struct orr_arena *arena; /* of the result */
    struct orr_diag *diag;
    struct topoopt_result *out;
    struct topoopt_strategy *known;
    size_t known_count, known_capacity;
    struct topoopt_candidate *candidate;
    size_t candidate_count, candidate_capacity;
    struct topoopt_attempt *attempt;
    size_t attempts, attempt_capacity;
    uint32_t round, searches;
    uint32_t barren; /* consecutive rounds without improvement */
    uint32_t best;   /* network of the best pair; TOPOOPT_NONE: there is none */
    struct topoopt_chosen {
        uint32_t strategy, network;
    } data_parallel, naive;        /* TOPOOPT_NONE: not yet */
    struct topoopt_starts rules;   /* heuristic strategies */
    struct topoopt_starts layouts; /* those that are better than data parallelism */
    uint64_t spent;
};

static inline bool topoopt_stopped(const struct topoopt_plan *plan)
{
    const volatile sig_atomic_t *stop = plan->options->search.stop;
    return stop != NULL && *stop != 0;
}

/* Whether a pair is better than another: less memory is missing, or as much and it is faster. */
static inline bool topoopt_better(uint64_t missing, sim_time time_ps, uint64_t than_missing,
                                  sim_time than_ps)
{
    return missing != than_missing ? missing < than_missing : time_ps < than_ps;
}

/* ---- topoopt_strategies.c ---- */

/* Copies a strategy into the arena; false: memory is out. */
bool orr_topoopt_copy(struct orr_arena *arena, const struct model_graph *model,
                      const struct strategy *from, struct strategy *out);

/* Whether two strategies split and place an operator identically. */
bool orr_topoopt_op_is_identical(const struct model_graph *model, const struct strategy *a,
                                 const struct strategy *b, uint32_t op);

/* Computes the missing memory in bytes, maximum over the devices. Errors: memory. */
enum orr_status orr_topoopt_missing(const struct topoopt_problem *problem,
                                    const struct strategy *strategy, uint64_t *missing,
                                    struct orr_diag *diag);

/* Adds a strategy unless it is known; its index is in *number. Errors: memory. */
enum orr_status orr_topoopt_add_strategy(struct topoopt_plan *plan, const struct strategy *strategy,
                                         enum topoopt_origin origin, uint64_t evaluations,
                                         uint32_t *number);

/* ---- topoopt_options.c: options of candidates ---- */

struct topoopt_guide {
    uint32_t distinct;   /* interfaces that rings of all servers use with every jump once */
    uint32_t by_traffic; /* degree of rings by the traffic; 0: unknown */
};

/* Sets `distinct`; false: memory is out. */
bool orr_topoopt_guide(struct orr_arena *arena, const struct finder_options *requested,
                       uint32_t servers, struct topoopt_guide *out);

struct topoopt_option_list {
    uint32_t count;
    struct finder_options options[TOPOOPT_MAX_TOPOLOGIES];
};

/* Lists at most `max` options: the requested ones; other degrees of rings; other jumps; another
 * discount, which matters if pairs are matched more than once. A degree of rings that the user set
 * is kept. */
void orr_topoopt_list(const struct finder_options *requested, const struct topoopt_guide *guide,
                      uint32_t max, struct topoopt_option_list *option_list);

/* ---- topoopt_candidates.c: networks ---- */

struct topoopt_wanted {
    const struct strategy *built_for, *routed_for;
};

/* Builds the network of out->options for a strategy, with routes for the transfers of the same or
 * another strategy, in the arena; if it is infeasible the reason is out->why. Errors: memory. */
enum orr_status orr_topoopt_add_candidates(struct orr_arena *arena,
                                           const struct topoopt_problem *problem,
                                           const struct topoopt_wanted *wanted,
                                           struct topoopt_candidate *out, struct orr_diag *diag);

/* Networks, each once, in the order of evaluation. */
struct plan_networks {
    uint32_t count, number[TOPOOPT_MAX_TOPOLOGIES];
    uint32_t fastest; /* for the first strategy evaluated on them; or TOPOOPT_NONE */
};

/* Builds networks for a strategy by at most `max` options in parallel, the requested options first,
 * and adds the new ones. Errors: memory. */
enum orr_status orr_topoopt_add_all_candidates(struct topoopt_plan *plan, uint32_t strategy,
                                               uint32_t max, struct plan_networks *out);

/* Adds a copy of a network with routes for another strategy, unless it is known. Errors: memory. */
enum orr_status orr_topoopt_reroute(struct topoopt_plan *plan, uint32_t network, uint32_t strategy,
                                    struct plan_networks *out);

/* Frees all networks but those in `kept`. */
void orr_topoopt_free_candidates(struct topoopt_plan *plan, const uint32_t *kept, uint32_t count);

/* ---- topoopt_evaluate.c: pairs ---- */

/* Evaluates strategies on networks in parallel and updates the best pair. Errors: those of
 * orr_topoopt_time. */
enum orr_status orr_topoopt_evaluate(struct topoopt_plan *plan, struct plan_networks *networks,
                                     const uint32_t *strategy, uint32_t strategies);

/* Records an infeasible network as an attempt. Errors: memory. */
enum orr_status orr_topoopt_add_infeasible(struct topoopt_plan *plan,
                                           const struct topoopt_candidate *candidate);

/* A strategy on a topology of its own, found with some options. */
struct topoopt_standalone {
    const struct topoopt_problem *problem;
    const struct strategy *strategy;
    const struct finder_options *options;
};

/* Evaluates it: missing memory and time, with ecmp-pairs instead of a search for routes;
 * ORR_TIME_MAX if it is infeasible: an invalid strategy, parts without a time, no topology. Errors:
 * memory. */
enum orr_status orr_topoopt_evaluate_standalone(struct orr_arena *arena,
                                                const struct topoopt_standalone *standalone,
                                                uint64_t *missing, sim_time *time_ps,
                                                struct orr_diag *diag);

/* ---- topoopt_search.c ---- */

/* Searches on a network and adds the best strategy, whose index is in *number. Errors: those of
 * orr_search. */
enum orr_status orr_topoopt_search(struct topoopt_plan *plan, const struct plan_network *network,
                                   const struct topoopt_starts *starts, uint64_t budget,
                                   uint32_t *number);

/* Reports the progress of the plan. */
void orr_topoopt_report_progress(const struct topoopt_plan *plan, uint64_t spent);

/* ---- topoopt_branches.c ---- */

/* Branches of a model: mutually independent chains of operators, by descending weights. */
enum { TOPOOPT_MAX_BRANCHES = 64 };
struct topoopt_branches {
    uint32_t count;
    uint64_t bytes[TOPOOPT_MAX_BRANCHES];
    uint32_t *of; /* [ops]; TOPOOPT_NONE: none */
};
enum orr_status orr_topoopt_branches(struct orr_arena *arena, const struct model_graph *model,
                                     struct topoopt_branches *out, struct orr_diag *diag);

/* ---- topoopt_heuristics.c ---- */

/* Adds heuristic strategies, the best first. Errors: memory. */
enum orr_status orr_topoopt_heuristics(struct topoopt_plan *plan, struct topoopt_starts *out);

/* ---- topoopt_layouts.c ---- */

/* Adds the best layouts (planner/search/search_layouts.h), the best first, if they are better than
 * data parallelism: on the problem's network, or on topologies of their own. Only those that fit
 * the memory are evaluated; if none does, plan->out->least is the one that needs the least. Data
 * parallelism must be added before. Errors: memory. */
enum orr_status orr_topoopt_layouts(struct topoopt_plan *plan, struct topoopt_starts *out);

/* ---- topoopt_fixed.c ---- */

/* Plans for the problem's fixed network; data parallelism must be added before. Errors: as
 * above. */
enum orr_status orr_topoopt_plan_fixed(struct topoopt_plan *plan);

/* ---- topoopt_path_relinking.c ---- */

/* Path relinking of two strategies: *number is the best intermediate strategy, each evaluated on a
 * topology of its own; TOPOOPT_NONE: they differ in fewer than two blocks. Errors: as above. */
enum orr_status orr_topoopt_path_relinking(struct topoopt_plan *plan, uint32_t from, uint32_t to,
                                           uint32_t *number);

#endif
