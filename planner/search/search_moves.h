/* Moves of a chain: the set of operators that change together, and their new splits and placements.
 *
 * WHICH: one operator; a chain of operators with one input and one user; a run of consecutive
 * operators; all operators on the same devices; one or two tables; the operators on a path of
 * FlexFlow's propagation, which goes to a neighbor chosen by bytes and continues with probability
 * 0.75. With probability 1/2 all runs with the same sequence of classes, such as the layers of a
 * transformer or the towers of CANDLE, change too.
 *
 * HOW: one operator, the pivot, gets a random split, by number of parts first, and a random
 * placement. The others get the same degrees in dimensions of the same names, or any split into as
 * many parts (such as Megatron's pairs of layers split by columns and by rows), the same for all of
 * a class; they take the pivot's placement or keep their own.
 *
 * Operators that share weights are made to slice them equally; if that is impossible there is no
 * move. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_MOVES_H
#define ORR_PLANNER_SEARCH_SEARCH_MOVES_H

#include "planner/search/search_walk.h"

/* Index of the model for moves, shared by all chains (search_map.c). */
struct move_map {
    const struct space *space;
    uint32_t *chain;                 /* [ops] the first operator of its chain */
    uint32_t *next;                  /* [ops] the next of the chain, or UINT32_MAX */
    uint32_t *first_user, *user;     /* [ops + 1], [edges] operators that use its output */
    uint32_t *first_sharer, *sharer; /* [ops + 1], [ops] operators with an owner's weights */
    uint32_t *table, tables;
};

bool orr_move_map_init(struct move_map *map, struct orr_arena *arena, const struct space *space);

/* State of the moves of a chain. */
struct mover {
    const struct move_map *map;
    struct walk *walk;
    struct orr_rng *rng;
    double propagation;
    uint32_t *pick, picks; /* [ops] selected operators */
    uint32_t pivot;
    bool *picked;      /* [ops] */
    uint32_t *like;    /* [classes] split of a class in this move plus one; UINT32_MAX: none; 0: not
                          determined */
    uint32_t *classes; /* classes with `like` set */
    uint32_t liked;
};

bool orr_mover_init(struct mover *mover, struct orr_arena *arena, const struct move_map *map,
                    struct walk *walk, struct orr_rng *rng);

/* Makes a random move of the walk; false: no legal move, and nothing is changed. O(operators). */
bool orr_move(struct mover *mover);

#endif
