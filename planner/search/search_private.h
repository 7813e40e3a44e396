/* Types and functions shared by the files of a search. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_PRIVATE_H
#define ORR_PLANNER_SEARCH_SEARCH_PRIVATE_H

#include "planner/search/search_chain.h"

/* The inputs of a search whose hashes its state contains. */
enum state_of {
    STATE_OF_MODEL,
    STATE_OF_DEVICES,
    STATE_OF_NETWORK,
    STATE_OF_STARTS,
    STATE_OF_OPTIONS,
    STATE_HASHES
};

struct search_state {
    uint64_t hash[STATE_HASHES];
    uint32_t ops, chains;
    uint32_t slice;                   /* next slice of the budget */
    struct chain_state *chain;        /* [chains] */
    const struct orr_conf *read_from; /* NULL: not read from a file */
};

struct search {
    struct orr_arena *arena;
    const struct search_problem *problem;
    const struct search_options *options;
    struct space space;
    struct move_map map;
    struct walk walk; /* for starts and the result; its evaluator only for starts */
    struct search_state *state;
    struct chain *chain; /* [chains] */
    struct search_result *out;
};

/* Computes the hashes that the state of this search has. O(model + network + starts). */
void orr_search_hashes(const struct search *search, uint64_t hash[STATE_HASHES]);

/* Creates the initial state. NULL: memory is out. */
struct search_state *orr_search_state_new(struct orr_arena *arena, uint32_t ops, uint32_t chains);

/* Copies options->resume into the search. Errors: a state of another search, with the part that
 * differs; choices outside of the space; memory. */
enum orr_status orr_search_state_copy(struct search *search, struct orr_diag *diag);

/* Searches all strategies of the space for a better one than *best. Errors: more than
 * max_strategies; those of evaluations. */
enum orr_status orr_search_exhaust(struct search *search, struct chain_point *best,
                                   struct orr_diag *diag);

#endif
