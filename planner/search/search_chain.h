/* A chain of a search: Metropolis' walk from a start through a share of the budget. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_CHAIN_H
#define ORR_PLANNER_SEARCH_SEARCH_CHAIN_H

#include "planner/search/search_moves.h"

/* A strategy and what it is worth. */
struct chain_point {
    struct search_choice *choice; /* [ops] */
    uint64_t missing_bytes;       /* of all devices */
    sim_time time_ps;             /* SEARCH_NO_TIME: it does not fit */
};

/* All that a chain goes on from, and nothing that follows from it. */
struct chain_state {
    uint64_t tries, accepted, evaluations, refused;
    struct orr_rng rng;
    uint32_t begun; /* how many times it began at a start; 0: it did not yet */
    struct chain_point now;
    struct chain_point high; /* the best since it began last, which it goes back to */
    struct chain_point best; /* of all */
};

struct chain {
    const struct space *space;
    const struct move_map *map;
    const struct search_options *options;
    struct chain_state *state; /* outlives the chain */
    uint32_t number, first;    /* of it; the start it begins at */
    uint64_t share;            /* of the budget */
    uint64_t until;            /* tries after which it stands still */
    struct orr_arena *arena;   /* its own; NULL: it has not been made */
    struct walk walk;
    struct mover mover;
    enum orr_status status;
    struct orr_diag diag;
};

/* A state's points, in the arena. */
bool orr_chain_state_init(struct chain_state *state, struct orr_arena *arena, uint32_t ops);

/* Whether a is better than b. */
bool orr_chain_better(const struct chain_point *a, const struct chain_point *b);

void orr_chain_copy(struct chain_point *to, const struct chain_point *from, uint32_t ops);

/* Goes on to `until` tries, or to where the options say stop; chain.status and .diag tell what
 * failed. */
void orr_chain_run(struct chain *chain);

void orr_chain_fini(struct chain *chain);

#endif
