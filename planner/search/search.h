/* A search for parallelization strategies: how the operators of any model are split and placed on
 * one network so that an iteration is short, as the evaluator predicts it (Metropolis' rule, from
 * FlexFlow, MLSys'19, section 6, as TopoOpt, NSDI'23, section 4.1, uses it; docs/models.md, section
 * 13).
 *
 * SPACE. An operator is split by degrees in its dimensions, with at most as many parts as a group
 * has devices, and has a time for that (search_space.h); its parts are every so many devices from
 * one on (search_place.h). So starts may be that are not of this space.
 *
 * CHAINS are independent walks of a share of the budget, each with numbers and an evaluator of its
 * own, that meet at times fixed beforehand: the answer is the same at any number of threads.
 *
 * OBJECTIVE. First that nothing is missing in any device's memory, then the time. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_H
#define ORR_PLANNER_SEARCH_SEARCH_H

#include <signal.h>
#include <stdio.h>

#include "planner/evaluator/eval_strategy.h"

/* Dimensions that operators may be split in, by their names; none: all. */
struct search_dimensions {
    const char *const *name; /* [count] */
    size_t count;
};

/* Whether a dimension is one of them. O(count). (search_space.c) */
bool orr_search_can_split(const struct search_dimensions *dimensions, const char *name);

/* What is searched for; all of it must outlive the search. */
struct search_problem {
    const struct model_graph *model; /* knows its batch */
    const struct model_speed *speed; /* splits of which it says no time are not tried */
    uint32_t devices, copies;        /* groups of devices / copies, of which one is searched for */
    struct strategy_server server;
    uint64_t memory_bytes;     /* of a device; 0: any number */
    struct eval_setup network; /* graph, routes, flows, all-reduces; the rest is filled in */
    struct search_dimensions dimensions;
};

/* A strategy that takes dt more is taken with probability exp(-alpha dt): alpha is per ms
 * (FlexFlow), or per thousandth of the time of the strategy at hand. */
enum search_scale { SEARCH_PER_MILLE, SEARCH_PER_MS };

/* How far it is; heard in the caller's thread, at fixed numbers of tries. */
struct search_progress {
    uint64_t tries, budget; /* of all chains */
    sim_time best_ps;       /* SEARCH_NO_TIME: none that fits yet */
    uint64_t missing_bytes;
};

#define SEARCH_NO_TIME ORR_TIME_MAX

struct search_state;

struct search_options {
    uint64_t budget; /* tries of all chains together */
    double alpha;    /* 0: every strategy that fits is taken */
    enum search_scale scale;
    double propagation; /* chance that a try is one of FlexFlow's propagations, 0 to 1 */
    uint32_t chains;    /* 1 to SEARCH_MAX_CHAINS */
    uint32_t restarts;  /* a chain begins so many times anew, from the next start */
    uint64_t seed;
    unsigned threads;        /* 0: one for each processor */
    bool exhaustive;         /* all strategies of the space instead of tries at random ... */
    uint64_t max_strategies; /* ... unless they are more than this */
    void (*progress)(void *context, const struct search_progress *progress); /* or NULL */
    void *context;
    const volatile sig_atomic_t *stop; /* not 0: ends with the best so far; or NULL */
    const struct search_state *resume; /* goes on where this was written; or NULL */
};

enum { SEARCH_MAX_CHAINS = 64 };

/* What is usual: 4000 tries in 4 chains, FlexFlow's propagation in a quarter of them. */
struct search_options orr_search_default_options(void);

struct search_result {
    struct strategy best;   /* in the arena */
    sim_time time_ps;       /* of it; SEARCH_NO_TIME where it does not fit */
    uint64_t missing_bytes; /* of the device that has most of it missing; 0: it fits */
    sim_time first_ps;      /* of the first start; SEARCH_NO_TIME where it does not fit */
    uint64_t tries, accepted;
    uint64_t evaluations; /* of these tries; others were refused without */
    uint64_t refused_for_memory;
    uint64_t strategies; /* of the space, as far as 2^63 */
    uint32_t chains, best_chain;
    bool stopped;
    struct search_state *state; /* to go on from, in the arena; NULL where exhaustive */
};

/* Searches from the starts (checked strategies of the problem's devices and copies), beside which
 * data parallelism with tables round robin is always one, the first where there is no other; where
 * memory is checked and holds none of the starts given, also all weights sharded as far as they can
 * be. Everything in *out is the arena's. Errors: a start that is none of this problem; an operator
 * that no split has a time of; those of orr_strategy_check of data parallelism and of
 * orr_evaluator_create; an exhaustive search of more than max_strategies; a state of another
 * search; memory. */
enum orr_status orr_search(struct orr_arena *arena, const struct search_problem *problem,
                           const struct search_options *options,
                           const struct strategy *const *start, uint32_t starts,
                           struct search_result *out, struct orr_diag *diag);

/* How many strategies the space has, at most 2^63; O(operators x splits). Errors as above. */
enum orr_status orr_search_count(const struct search_problem *problem, uint64_t *count,
                                 struct orr_diag *diag);

/* ---- states: searches that go on later, with the same result as in one go ---- */

/* Writes a state as JSON (an object; no newline behind it). 0, or 1 when it could not be written.
 */
int orr_search_state_write(FILE *out, const struct search_state *state);

/* Reads what was written, into the arena. Errors name the place: what is no such state. That it is
 * one of this search is found by orr_search, by what it was written of: model, devices, network,
 * starts, and options except threads. */
enum orr_status orr_search_state_read(struct orr_arena *arena, const struct orr_conf *map,
                                      struct search_state **out, struct orr_diag *diag);

#endif
