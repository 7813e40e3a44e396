/* Search for parallelization strategies: how the operators of a model are split and placed on one
 * network so that the predicted iteration time is minimal. Markov chain Monte Carlo with the
 * Metropolis rule (FlexFlow, MLSys'19, section 6; TopoOpt, NSDI'23, section 4.1; docs/models.md,
 * section 13).
 *
 * SPACE. An operator is split by a degree in each of its dimensions, into at most as many parts as
 * a group has devices; a split must have a time (search_space.h). The parts are placed at a first
 * device and a step. Starts may be outside of this space.
 *
 * CHAINS are independent random walks with a share of the budget, each with its own random numbers
 * and evaluator. They exchange the best strategy at fixed numbers of tries, so that the result does
 * not depend on the number of threads.
 *
 * OBJECTIVE. First the missing device memory, then the iteration time. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_H
#define ORR_PLANNER_SEARCH_SEARCH_H

#include <signal.h>
#include <stdio.h>

#include "planner/evaluator/eval_strategy.h"
#include "planner/evaluator/evaluator.h"
#include "workload/strategy/strategy.h"

struct model_graph;
struct model_speed;
struct orr_arena;
struct orr_conf;
struct orr_diag;

/* Names of the dimensions in which operators may be split; none: all. */
struct search_dimensions {
    const char *const *name; /* [count] */
    size_t count;
};

/* Whether operators may be split in a dimension. O(count). (search_space.c) */
bool orr_search_can_split(const struct search_dimensions *dimensions, const char *name);

/* The problem; everything it refers to must outlive the search. */
struct search_problem {
    const struct model_graph *model; /* with its batch */
    const struct model_speed *speed; /* splits without a time are not tried */
    uint32_t devices, copies;        /* the strategy is of one group of devices / copies */
    struct strategy_server server;
    uint64_t memory_bytes;     /* of a device; 0: unlimited */
    struct eval_setup network; /* graph, routes, flows, all-reduces; the rest is filled in */
    struct search_dimensions dimensions;
};

/* A strategy that is slower by dt is accepted with probability exp(-alpha dt). dt is in ms
 * (FlexFlow), or in thousandths of the time of the present strategy. */
enum search_scale { SEARCH_PER_MILLE, SEARCH_PER_MS };

/* Progress, reported in the caller's thread at fixed numbers of tries. */
struct search_progress {
    uint64_t tries, budget; /* of all chains */
    sim_time best_ps;       /* SEARCH_NO_TIME: none that fits yet */
    uint64_t missing_bytes;
};

#define SEARCH_NO_TIME ORR_TIME_MAX

struct search_state;

struct search_options {
    uint64_t budget; /* tries of all chains together */
    double alpha;    /* 0: every strategy that fits is accepted */
    enum search_scale scale;
    double propagation; /* probability of a FlexFlow propagation, 0 to 1 */
    uint32_t chains;    /* 1 to SEARCH_MAX_CHAINS */
    uint32_t restarts;  /* restarts of a chain, each from the next start */
    uint64_t seed;
    unsigned threads;        /* 0: one for each processor */
    bool exhaustive;         /* all strategies of the space instead of random ones ... */
    uint64_t max_strategies; /* ... unless they are more than this */
    void (*progress)(void *context, const struct search_progress *progress); /* or NULL */
    void *context;
    const volatile sig_atomic_t *stop; /* not 0: stop with the best so far; or NULL */
    const struct search_state *resume; /* state from which to continue; or NULL */
};

enum { SEARCH_MAX_CHAINS = 64 };

/* Default options: 4000 tries in 4 chains, a quarter of them FlexFlow propagations. */
struct search_options orr_search_default_options(void);

struct search_result {
    struct strategy best;   /* in the arena */
    sim_time time_ps;       /* of `best`; SEARCH_NO_TIME if it does not fit */
    uint64_t missing_bytes; /* maximum over the devices; 0: it fits */
    sim_time first_ps;      /* of the first start; SEARCH_NO_TIME if it does not fit */
    uint64_t tries, accepted;
    uint64_t evaluations; /* tries that were evaluated; others were rejected before */
    uint64_t refused_for_memory;
    uint64_t strategies; /* of the space, at most 2^63 */
    uint32_t chains, best_chain;
    bool stopped;
    struct search_state *state; /* from which to continue, in the arena; NULL if exhaustive */
};

/* Searches from the user's starts (checked strategies of the problem's devices and copies) and from
 * generated ones: data parallelism with tables round robin, the first one if there is no other; if
 * memory is checked and no user start fits, also the strategy with fully sharded weights.
 * Everything in *out is in the arena. Errors: a start of another problem; an operator without a
 * split that has a time; those of orr_strategy_check for data parallelism and of
 * orr_evaluator_create; an exhaustive search of more than max_strategies; a state of another
 * search; memory. */
enum orr_status orr_search(struct orr_arena *arena, const struct search_problem *problem,
                           const struct search_options *options,
                           const struct strategy *const *start, uint32_t starts,
                           struct search_result *out, struct orr_diag *diag);

/* Number of strategies of the space, at most 2^63. O(operators x splits). Errors as above. */
enum orr_status orr_search_count(const struct search_problem *problem, uint64_t *count,
                                 struct orr_diag *diag);

/* ---- states: an interrupted search continues with the same result ---- */

/* Writes a state as a JSON object, without a newline after it. Returns 0, or 1 if writing
 * failed. */
int orr_search_state_write(FILE *out, const struct search_state *state);

/* Reads a state into the arena. Errors have a location: no valid state. orr_search checks that the
 * state is of the same model, devices, network, starts and options except threads. */
enum orr_status orr_search_state_read(struct orr_arena *arena, const struct orr_conf *map,
                                      struct search_state **out, struct orr_diag *diag);

#endif
