/* Shared by the files of a search: its parts, and its state. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_PRIVATE_H
#define ORR_PLANNER_SEARCH_SEARCH_PRIVATE_H

#include "planner/search/search_chain.h"

/* What a state was made of, as hashes. */
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
    uint32_t slice;                   /* of the budget, that chains are in */
    struct chain_state *chain;        /* [chains] */
    const struct orr_conf *read_from; /* NULL: made */
};

struct search {
    struct orr_arena *arena;
    const struct search_problem *problem;
    const struct search_options *options;
    struct space space;
    struct move_map map;
    struct walk walk; /* for starts and answers; its evaluator for the former alone */
    struct search_state *state;
    struct chain *chain; /* [chains] */
    struct search_result *out;
};

/* What the state of a search must have been made of. O(model + network + starts). */
void orr_search_hashes(const struct search *search, uint64_t hash[STATE_HASHES]);

/* A state at the beginning. NULL: memory. */
struct search_state *orr_search_state_new(struct orr_arena *arena, uint32_t ops, uint32_t chains);

/* A copy of a state that a search is to go on from. Errors: it is another search's, with what is
 * other; choices that there are not; memory. */
enum orr_status orr_search_state_copy(struct search *search, struct orr_diag *diag);

/* Goes through all strategies of the space for one better than *best. Errors: more than
 * max_strategies; of evaluations. */
enum orr_status orr_search_exhaust(struct search *search, struct chain_point *best,
                                   struct orr_diag *diag);

#endif
