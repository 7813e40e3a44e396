/* What the files of the alternation share: strategies and networks that were seen, and what became
 * of their pairs. */
#ifndef ORR_PLANNER_TOPOOPT_TOPOOPT_PRIVATE_H
#define ORR_PLANNER_TOPOOPT_TOPOOPT_PRIVATE_H

#include "planner/topoopt/topoopt.h"

#define TOPOOPT_NONE UINT32_MAX

/* A strategy that was seen. */
struct topoopt_strategy {
    struct strategy strategy; /* the plan's arena's */
    uint64_t hash;
    enum topoopt_origin origin;
    uint64_t missing_bytes, evaluations;
};

/* A network, and the strategy that it was laid for. */
struct topoopt_candidate {
    struct orr_arena *arena; /* its own; NULL: forgotten but for its hash */
    uint32_t strategy;       /* that it was laid for, */
    uint32_t routed;         /*   and whose transfers have routes */
    bool padded;             /* pairs without transfers have ways as well */
    bool ecmp_pairs;         /* transfers go as ecmp-pairs has it */
    struct finder_options options;
    struct finder_topology topology;
    struct net_graph graph;
    struct net_route_options routes;
    uint64_t hash;   /* of links, rings and paths */
    const char *why; /* it cannot be; NULL: it can */
    /* The strategy that is best on it, TOPOOPT_NONE: none was judged; and with that */
    uint32_t best;
    sim_time best_ps;
    uint64_t missing_bytes;
    uint32_t searched; /* the best one when it was last searched on; TOPOOPT_NONE: never */
};

/* A strategy to be judged on a network. */
struct topoopt_trial {
    uint32_t strategy, network;
    sim_time time_ps;
    enum orr_status status;
};

enum { TOPOOPT_MAX_STARTS = 4 };

/* Strategies that a search starts from. */
struct topoopt_starts {
    enum topoopt_origin origin; /* of what it finds */
    uint32_t count, strategy[TOPOOPT_MAX_STARTS];
};

struct topoopt_plan {
    const struct topoopt_problem *problem;
    const struct topoopt_options *options;
    struct orr_arena *arena; /* of what is answered */
    struct orr_diag *diag;
    struct topoopt_result *out;
    struct topoopt_strategy *known;
    size_t known_count, known_capacity;
    struct topoopt_candidate *candidate;
    size_t candidate_count, candidate_capacity;
    struct topoopt_attempt *attempt;
    size_t attempts, attempt_capacity;
    uint32_t round, searches;
    uint32_t barren; /* rounds one after the other that found nothing better */
    uint32_t best;   /* the network of the best pair; TOPOOPT_NONE: there is none */
    struct topoopt_chosen {
        uint32_t strategy, network;
    } data_parallel, naive;      /* TOPOOPT_NONE: not yet */
    struct topoopt_starts rules; /* strategies by rule */
    uint64_t spent;
};

static inline bool topoopt_stopped(const struct topoopt_plan *plan)
{
    const volatile sig_atomic_t *stop = plan->options->search.stop;
    return stop != NULL && *stop != 0;
}

/* Whether a pair is better than another: less is missing, or it takes less time. */
static inline bool topoopt_better(uint64_t missing, sim_time time_ps, uint64_t than_missing,
                                  sim_time than_ps)
{
    return missing != than_missing ? missing < than_missing : time_ps < than_ps;
}

/* ---- topoopt_strategy.c: strategies ---- */

/* A copy of a strategy in the arena; false: memory is out. */
bool orr_topoopt_copy(struct orr_arena *arena, const struct model_graph *model,
                      const struct strategy *from, struct strategy *out);

/* Whether two strategies split and place an operator alike. */
bool orr_topoopt_op_is_identical(const struct model_graph *model, const struct strategy *a,
                                 const struct strategy *b, uint32_t op);

/* Bytes missing in the memory of the device that misses most. Errors: memory. */
enum orr_status orr_topoopt_missing(const struct topoopt_problem *problem,
                                    const struct strategy *strategy, uint64_t *missing,
                                    struct orr_diag *diag);

/* Adds a strategy unless it was seen, and says which it is in *number. Errors: memory. */
enum orr_status orr_topoopt_add_strategy(struct topoopt_plan *plan, const struct strategy *strategy,
                                         enum topoopt_origin origin, uint64_t evaluations,
                                         uint32_t *number);

/* ---- topoopt_options.c: which networks are tried ---- */

struct topoopt_guide {
    uint32_t distinct;   /* interfaces that rings of all servers take with every jump once */
    uint32_t by_traffic; /* for rings, as asked; 0: not known */
};

/* `distinct`; false: memory is out. */
bool orr_topoopt_guide(struct orr_arena *arena, const struct finder_options *requested,
                       uint32_t servers, struct topoopt_guide *out);

struct topoopt_option_list {
    uint32_t count;
    struct finder_options options[TOPOOPT_MAX_TOPOLOGIES];
};

/* At most so many options: as asked; other degrees of rings; other jumps; another discount, which
 * matters where pairs are matched more than once. A degree of rings that was said stays. */
void orr_topoopt_list(const struct finder_options *requested, const struct topoopt_guide *guide,
                      uint32_t max, struct topoopt_option_list *option_list);

/* ---- topoopt_candidates.c: networks ---- */

struct topoopt_wanted {
    const struct strategy *built_for, *routed_for;
};

/* Lays out->options' network for a strategy, with routes for another one's transfers or the same's,
 * in the arena; what cannot be is out->why. Errors: memory. */
enum orr_status orr_topoopt_add_candidates(struct orr_arena *arena,
                                           const struct topoopt_problem *problem,
                                           const struct topoopt_wanted *wanted,
                                           struct topoopt_candidate *out, struct orr_diag *diag);

/* Networks, each once, in the order in which they are to be judged. */
struct topoopt_networks {
    uint32_t count, number[TOPOOPT_MAX_TOPOLOGIES];
    uint32_t fastest; /* for the first strategy that was judged on them; TOPOOPT_NONE */
};

/* Lays networks of a strategy by at most so many options, side by side, as asked first, and adds
 * those that are new. Errors: memory. */
enum orr_status orr_topoopt_add_all_candidates(struct topoopt_plan *plan, uint32_t strategy,
                                               uint32_t max, struct topoopt_networks *out);

/* Adds a network with routes for another strategy, if there is none like that. Errors: memory. */
enum orr_status orr_topoopt_reroute(struct topoopt_plan *plan, uint32_t network, uint32_t strategy,
                                    struct topoopt_networks *out);

/* Frees all networks but those kept. */
void orr_topoopt_free_candidates(struct topoopt_plan *plan, const uint32_t *kept, uint32_t count);

/* ---- topoopt_evaluate.c: pairs ---- */

/* Judges strategies on networks, side by side, and keeps what is better. Errors: those of
 * orr_topoopt_time. */
enum orr_status orr_topoopt_evaluate(struct topoopt_plan *plan, struct topoopt_networks *networks,
                                     const uint32_t *strategy, uint32_t strategies);

/* Notes that a network cannot be. Errors: memory. */
enum orr_status orr_topoopt_add_infeasible(struct topoopt_plan *plan,
                                           const struct topoopt_candidate *candidate);

/* A strategy on a topology of its own, by some options. */
struct topoopt_standalone {
    const struct topoopt_problem *problem;
    const struct strategy *strategy;
    const struct finder_options *options;
};

/* What that is missing and takes, with routes that cost nothing to find; ORR_TIME_MAX where it
 * cannot be: a strategy that is none, parts without a time, no topology. Errors: memory. */
enum orr_status orr_topoopt_evaluate_standalone(struct orr_arena *arena,
                                                const struct topoopt_standalone *standalone,
                                                uint64_t *missing, sim_time *time_ps,
                                                struct orr_diag *diag);

/* ---- topoopt_search.c ---- */

/* Searches on a network; what is best there is seen. Errors: those of orr_search. */
enum orr_status orr_topoopt_search(struct topoopt_plan *plan, const struct topoopt_network *network,
                                   const struct topoopt_starts *starts, uint64_t budget,
                                   uint32_t *number);

/* Tells how far the plan is. */
void orr_topoopt_report_progress(const struct topoopt_plan *plan, uint64_t spent);

/* ---- topoopt_branches.c ---- */

/* Branches of a model: chains of operators of which none waits for another, by falling weights. */
enum { TOPOOPT_MAX_BRANCHES = 64 };
struct topoopt_branches {
    uint32_t count;
    uint64_t bytes[TOPOOPT_MAX_BRANCHES];
    uint32_t *of; /* [ops]; TOPOOPT_NONE: none */
};
enum orr_status orr_topoopt_branches(struct orr_arena *arena, const struct model_graph *model,
                                     struct topoopt_branches *out, struct orr_diag *diag);

/* ---- topoopt_heuristics.c ---- */

/* Strategies by rule, the best first. Errors: memory. */
enum orr_status orr_topoopt_heuristics(struct topoopt_plan *plan, struct topoopt_starts *out);

/* ---- topoopt_fixed.c ---- */

/* The answer on the problem's own network, after data parallelism was seen. Errors: as above. */
enum orr_status orr_topoopt_plan_fixed(struct topoopt_plan *plan);

/* ---- topoopt_path_relinking.c ---- */

/* The best strategy found that is partly as the one and partly as the other, each judged on a
 * topology of its own; TOPOOPT_NONE: they differ in less than two blocks. Errors: as above. */
enum orr_status orr_topoopt_path_relinking(struct topoopt_plan *plan, uint32_t from, uint32_t to,
                                           uint32_t *number);

#endif
