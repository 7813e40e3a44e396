/* TopoOpt's alternating optimization (NSDI'23, section 4.1, Fig. 6): searches a strategy on the
 * current topology, finds topologies for the current strategy, and keeps the best pair of both.
 *
 * Data parallelism with tables round robin is always a candidate, with the best topology that was
 * found for it, so that no result is worse. Times are predictions of the evaluator; a plan should
 * be confirmed by a simulation. The same problem and options give the same result at any number of
 * threads (docs/models.md, section 13). */
#ifndef ORR_TOPOOPT_SEARCH_TOPOOPT_H
#define ORR_TOPOOPT_SEARCH_TOPOOPT_H

#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "planner/finder/finder.h"
#include "planner/plan_network.h"
#include "planner/search/search.h"
#include "workload/strategy/strategy.h"

struct model_graph;
struct model_speed;
struct orr_arena;
struct orr_diag;

struct topoopt_problem {
    const struct model_graph *model;     /* with its batch */
    const struct model_speed *speed;     /* of a device */
    uint32_t devices, copies;            /* copies divide the devices */
    struct strategy_server server;       /* the server that a device represents */
    uint64_t memory_bytes;               /* of a device; 0: not checked */
    struct net_flow_model flows;         /* as eval_setup */
    bool stream;                         /* likewise */
    struct search_dimensions dimensions; /* that searches and heuristics split */
    struct finder_options topology; /* degree, links and their kind; discount, selection and degree
                                       of rings that are tried first */
    const struct plan_network *on;  /* NULL: find a topology; else search strategies only */
};

enum {
    TOPOOPT_DEFAULT_BUDGET = 1500, /* for 128 devices */
    TOPOOPT_MAX_DEFAULT_BUDGET = 50000,
    TOPOOPT_DEFAULT_ROUNDS = 4,
    TOPOOPT_MAX_ROUNDS = 1000,
    TOPOOPT_BARREN_ROUNDS = 2, /* consecutive rounds without improvement: convergence */
    TOPOOPT_DEFAULT_TOPOLOGIES = 8,
    TOPOOPT_MAX_TOPOLOGIES = 64
};

/* Origin of a strategy. */
enum topoopt_origin {
    TOPOOPT_DATA_PARALLEL,
    TOPOOPT_ON_SWITCH,   /* searched on the ideal switch of d x B */
    TOPOOPT_ON_TOPOLOGY, /* searched on the current topology */
    TOPOOPT_BY_RULE,     /* heuristics: branches on separate servers, or hybrids */
    TOPOOPT_LAYOUT,      /* tensor and data parallelism, experts spread */
    TOPOOPT_RELINKED,    /* path relinking of two strategies */
    TOPOOPT_USER,        /* options.start */
    TOPOOPT_ORIGINS
};
const char *orr_topoopt_origin_name(enum topoopt_origin origin);

/* Outcome of an attempt. */
enum topoopt_outcome {
    TOPOOPT_KEPT,      /* the best pair so far */
    TOPOOPT_SLOWER,    /* than the best pair */
    TOPOOPT_TOO_LARGE, /* exceeds memory by more than the best pair */
    TOPOOPT_NO_NETWORK /* no such topology exists: attempt.why */
};
const char *orr_topoopt_outcome_name(enum topoopt_outcome outcome);

/* An attempt: a strategy on a topology. */
struct topoopt_attempt {
    uint32_t round; /* 0: naive plan and data parallelism */
    enum topoopt_origin origin;
    struct finder_options options; /* of the topology */
    bool matched;                  /* some interfaces are used by matchings */
    sim_time before_ps, after_ps;  /* time of the best pair before, and of this one */
    uint64_t missing_bytes;        /* of memory, for this one */
    uint64_t evaluations;          /* used to find its strategy */
    enum topoopt_outcome outcome;
    const char *why; /* of TOPOOPT_NO_NETWORK: the finder's message; else NULL */
};

struct topoopt_progress {
    uint32_t round;
    uint64_t evaluations, budget;
    sim_time best_ps;       /* of the best pair */
    uint64_t missing_bytes; /* of memory, for it */
};

struct topoopt_options {
    /* Options of each search; the budget is shared by all searches. Strategies of heuristics, of
     * path relinking and for each topology are evaluated in addition to the budget, also if it is
     * 0. The threads also evaluate topologies in parallel. `search.progress` is not called. */
    struct search_options search;
    const struct strategy *start; /* checked; evaluated in addition to data parallelism; or NULL */
    uint32_t rounds;              /* 0: naive: a strategy for the ideal switch, then one topology */
    bool until_convergence;       /* stop after TOPOOPT_BARREN_ROUNDS rounds without improvement */
    uint32_t topologies;          /* maximum for a strategy, 1 to TOPOOPT_MAX_TOPOLOGIES */
    void (*progress)(void *context, const struct topoopt_progress *progress); /* or NULL */
    void *context;
};

/* Default options, for 128 devices. */
struct topoopt_options orr_topoopt_default_options(void);

/* The default budget: TOPOOPT_DEFAULT_BUDGET for n >= 128 devices. For n < 128, whose evaluations
 * cost less, it is (128 / n)^2 times as large, at most TOPOOPT_MAX_DEFAULT_BUDGET. */
uint64_t orr_topoopt_default_budget(uint32_t devices);

/* A strategy and its topology. */
struct topoopt_pair {
    struct strategy strategy;
    struct finder_topology topology; /* not of a fixed network */
    struct net_graph graph;          /* with rings and paths */
    struct net_route_options routes;
    sim_time predicted_ps;
    uint64_t missing_bytes; /* of memory, maximum over the devices; 0: it fits */
    enum topoopt_origin origin;
};

/* Of layouts that all are too large the one that needs the least memory; missing_bytes 0: none. */
struct topoopt_least {
    uint32_t tensor, experts; /* servers that share a sample; that share the experts */
    uint64_t missing_bytes;   /* maximum over the devices */
};

struct topoopt_result {
    struct topoopt_pair best, naive, data_parallel;
    const struct topoopt_attempt *attempt; /* [attempts], in the order of evaluation */
    uint32_t attempts;
    struct topoopt_least least;
    uint32_t rounds; /* completed */
    bool converged;  /* the last TOPOOPT_BARREN_ROUNDS rounds brought no improvement */
    bool stopped;    /* by options.search.stop: the result is the best so far */
    uint64_t evaluations;
};

/* Evaluates a strategy on a network. Errors: memory, parts without a time, no path between two
 * devices. */
enum orr_status orr_topoopt_time(const struct topoopt_problem *problem,
                                 const struct plan_network *network,
                                 const struct strategy *strategy, sim_time *out,
                                 struct orr_diag *diag);

/* Plans a topology and a strategy; the result is in the arena. It is no error if no strategy fits
 * the memory: then missing_bytes of the best pair is not 0. Errors: those of the finder about the
 * degree; parts without a time; memory. */
enum orr_status orr_topoopt_plan(struct orr_arena *arena, const struct topoopt_problem *problem,
                                 const struct topoopt_options *options, struct topoopt_result *out,
                                 struct orr_diag *diag);

#endif
