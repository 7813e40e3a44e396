/* TopoOpt's alternating optimization (NSDI'23, section 4.1, Fig. 6): a strategy is searched on the
 * topology at hand, topologies are found for the strategy at hand, and the best pair of both that
 * was seen is kept.
 *
 * Data parallelism with tables round robin is always among what is tried, with the best topology
 * that was found for it, so that no answer is worse. What is predicted is the evaluator's time; a
 * plan is to be confirmed by a run. The same problem and options give the same answer at any number
 * of threads (docs/models.md, section 13). */
#ifndef ORR_PLANNER_TOPOOPT_TOPOOPT_H
#define ORR_PLANNER_TOPOOPT_TOPOOPT_H

#include "planner/finder/finder.h"
#include "planner/search/search.h"

/* A network with what flows do on it: what a strategy is judged on. */
struct topoopt_network {
    const struct net_graph *graph;
    struct net_route_options routes;
};

struct topoopt_problem {
    const struct model_graph *model;     /* knows its batch */
    const struct model_speed *speed;     /* of a device */
    uint32_t devices, copies;            /* copies divide the devices */
    struct strategy_server server;       /* that a device is */
    uint64_t memory_bytes;               /* of a device; 0: not checked */
    struct net_flow_model flows;         /* as eval_setup */
    bool stream;                         /* likewise */
    struct search_dimensions dimensions; /* that searches and rules split */
    struct finder_options topology;   /* degree, links and their kind; discount, selection and the
                                         degree of rings that are tried first */
    const struct topoopt_network *on; /* NULL: a topology is found; else strategies only */
};

enum {
    TOPOOPT_DEFAULT_BUDGET = 1500, /* of 128 devices */
    TOPOOPT_MAX_DEFAULT_BUDGET = 50000,
    TOPOOPT_DEFAULT_ROUNDS = 4,
    TOPOOPT_MAX_ROUNDS = 1000,
    TOPOOPT_BARREN_ROUNDS = 2, /* that find nothing better: convergence */
    TOPOOPT_DEFAULT_TOPOLOGIES = 8,
    TOPOOPT_MAX_TOPOLOGIES = 64
};

/* Where a strategy is from. */
enum topoopt_origin {
    TOPOOPT_DATA_PARALLEL,
    TOPOOPT_ON_SWITCH,   /* searched on the ideal switch of d x B */
    TOPOOPT_ON_TOPOLOGY, /* searched on the topology at hand */
    TOPOOPT_BY_RULE,     /* branches apart, or every operator split by what it gives as well */
    TOPOOPT_RELINKED,    /* partly as the one, partly as the other of two */
    TOPOOPT_USER,        /* options.start */
    TOPOOPT_ORIGINS
};
const char *orr_topoopt_origin_name(enum topoopt_origin origin);

/* What became of something that was tried. */
enum topoopt_outcome {
    TOPOOPT_KEPT,      /* the best pair until then */
    TOPOOPT_SLOWER,    /* than the best pair */
    TOPOOPT_TOO_LARGE, /* than memory, by more than the best pair */
    TOPOOPT_NO_NETWORK /* such a topology cannot be: attempt.why */
};
const char *orr_topoopt_outcome_name(enum topoopt_outcome outcome);

/* A strategy on a topology that was tried. */
struct topoopt_attempt {
    uint32_t round; /* 0: the naive way and data parallelism */
    enum topoopt_origin origin;
    struct finder_options options; /* of the topology */
    bool matched;                  /* some interfaces are for pairs */
    sim_time before_ps, after_ps;  /* the best pair's until then, and this one's */
    uint64_t missing_bytes;        /* of memory, for this one */
    uint64_t evaluations;          /* spent for its strategy */
    enum topoopt_outcome outcome;
    const char *why; /* of TOPOOPT_NO_NETWORK: what the finder says; else NULL */
};

struct topoopt_progress {
    uint32_t round;
    uint64_t evaluations, budget;
    sim_time best_ps;       /* of the best pair */
    uint64_t missing_bytes; /* of memory, for it */
};

struct topoopt_options {
    /* Of each search; the budget is that of all searches together: strategies by rule, between two
     * and for each topology are judged beside it, even where it is 0. The threads also try
     * topologies side by side. Its progress is not called. */
    struct search_options search;
    const struct strategy *start; /* checked, judged beside data parallelism; or NULL */
    uint32_t rounds;              /* 0: naive, a strategy for the switch and then one topology */
    bool until_convergence;       /* ends when TOPOOPT_BARREN_ROUNDS find nothing better */
    uint32_t topologies;          /* tried for a strategy, 1 to TOPOOPT_MAX_TOPOLOGIES */
    void (*progress)(void *context, const struct topoopt_progress *progress); /* or NULL */
    void *context;
};

/* What is usual, of 128 devices. */
struct topoopt_options orr_topoopt_default_options(void);

/* The usual budget for so many devices: TOPOOPT_DEFAULT_BUDGET for 128 or more; of fewer, for which
 * an evaluation costs less, as many times more as they are fewer squared, up to
 * TOPOOPT_MAX_DEFAULT_BUDGET. */
uint64_t orr_topoopt_default_budget(uint32_t devices);

/* A strategy and its topology. */
struct topoopt_pair {
    struct strategy strategy;
    struct finder_topology topology; /* not of a fixed network */
    struct net_graph graph;          /* with rings and paths */
    struct net_route_options routes;
    sim_time predicted_ps;
    uint64_t missing_bytes; /* of memory, on the device that misses most; 0: it fits */
    enum topoopt_origin origin;
};

struct topoopt_result {
    struct topoopt_pair best, naive, data_parallel;
    const struct topoopt_attempt *attempt; /* [attempts], in the order in which they were judged */
    uint32_t attempts;
    uint32_t rounds; /* that were done */
    bool converged;  /* the last TOPOOPT_BARREN_ROUNDS found nothing better */
    bool stopped;    /* by the search's flag: the best so far */
    uint64_t evaluations;
};

/* The time of a strategy on a network. Errors: memory, parts without a time, no way between two
 * devices. */
enum orr_status orr_topoopt_time(const struct topoopt_problem *problem,
                                 const struct topoopt_network *network,
                                 const struct strategy *strategy, sim_time *out,
                                 struct orr_diag *diag);

/* All of the result lives in the arena. Nothing is said of a strategy that does not fit the memory:
 * the best pair's missing_bytes tell. Errors: what the finder says of the degree; parts whose time
 * nothing tells; memory. */
enum orr_status orr_topoopt_plan(struct orr_arena *arena, const struct topoopt_problem *problem,
                                 const struct topoopt_options *options, struct topoopt_result *out,
                                 struct orr_diag *diag);

#endif
