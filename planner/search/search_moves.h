/* What a chain tries next: operators that change together, and how.
 *
 * WHICH: one operator; a chain of operators of one input and one output; neighbours in the model's
 * order; all that are on the same devices; a table or two; operators that FlexFlow's propagation
 * passes through: from one to its neighbours, along edges chosen by bytes, on with 0.75. Runs of
 * operators whose classes stand elsewhere in the same order, as the layers of a transformer and the
 * towers of CANDLE do, are as often changed all at once.
 *
 * HOW: one of them is split and placed at random, by number of parts first; the others get the same
 * degrees in dimensions of the same names, or any split into as many parts (as Megatron's pairs of
 * layers by columns and by rows), the same for all of a class, and its place, or stay at theirs.
 *
 * Operators that use the same weights are made to slice them alike; a try that cannot be is none.
 */
#ifndef ORR_PLANNER_SEARCH_SEARCH_MOVES_H
#define ORR_PLANNER_SEARCH_SEARCH_MOVES_H

#include "planner/search/search_walk.h"

/* The model as moves see it; shared by all chains. */
struct move_map {
    const struct space *space;
    uint32_t *chain;                 /* [ops] the first operator of its chain */
    uint32_t *next;                  /* [ops] the next of the chain, or UINT32_MAX */
    uint32_t *first_user, *user;     /* [ops + 1], [edges] operators that take its output */
    uint32_t *first_sharer, *sharer; /* [ops + 1], [ops] operators with an owner's weights */
    uint32_t *table, tables;
};

bool orr_move_map_init(struct move_map *map, struct orr_arena *arena, const struct space *space);

/* A chain's own. */
struct mover {
    const struct move_map *map;
    struct walk *walk;
    struct orr_rng *rng;
    double propagation;
    uint32_t *pick, picks; /* [ops] which, and the one the others follow */
    uint32_t pivot;
    bool *picked;   /* [ops] */
    uint32_t *like; /* [classes] the split of a class in this move plus one, or UINT32_MAX: none; 0:
                     * not looked for */
    uint32_t *classes; /* [classes] of which `like` is set */
    uint32_t liked;
};

bool orr_mover_init(struct mover *mover, struct orr_arena *arena, const struct move_map *map,
                    struct walk *walk, struct orr_rng *rng);

/* Sets the choices of a try; false: it is none, and nothing is set. O(operators). */
bool orr_move(struct mover *mover);

#endif
