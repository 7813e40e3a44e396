/* A chain of a search: a Metropolis random walk from a start, with a share of the budget. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_CHAIN_H
#define ORR_PLANNER_SEARCH_SEARCH_CHAIN_H

#include "core/diag.h"
#include "core/rng.h"
#include "planner/search/search_moves.h"
#include "planner/search/search_walk.h"

struct orr_arena;
struct search_choice;
struct search_options;
struct space;

/* A strategy and its objective. */
struct chain_point {
    struct search_choice *choice; /* [ops] */
    uint64_t missing_bytes;       /* of all devices */
    sim_time time_ps;             /* SEARCH_NO_TIME: it does not fit */
};

/* State from which a chain continues; everything else is derived from it. */
struct chain_state {
    uint64_t tries, accepted, evaluations, refused;
    struct orr_rng rng;
    uint32_t begun; /* number of (re)starts; 0: not started yet */
    struct chain_point now;
    struct chain_point high; /* the best since the last (re)start, to which it returns */
    struct chain_point best; /* of all */
};

struct chain {
    const struct space *space;
    const struct move_map *map;
    const struct search_options *options;
    struct chain_state *state; /* outlives the chain */
    uint32_t number, first;    /* of the chain; its first start */
    uint64_t share;            /* of the budget */
    uint64_t until;            /* tries after which orr_chain_run returns */
    struct orr_arena *arena;   /* private; NULL: not created yet */
    struct walk walk;
    struct mover mover;
    enum orr_status status;
    struct orr_diag diag;
};

/* Allocates the points of a state in the arena. false: memory is out. */
bool orr_chain_state_init(struct chain_state *state, struct orr_arena *arena, uint32_t ops);

/* Whether a is better than b. */
bool orr_chain_better(const struct chain_point *a, const struct chain_point *b);

void orr_chain_copy(struct chain_point *to, const struct chain_point *from, uint32_t ops);

/* Runs up to `until` tries, or until options->stop; errors are in chain.status and chain.diag. */
void orr_chain_run(struct chain *chain);

void orr_chain_fini(struct chain *chain);

#endif
