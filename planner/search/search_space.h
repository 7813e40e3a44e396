/* The space of a search: in how many ways each operator can be split and placed.
 *
 * SPLITS. A degree of a dimension divides the devices of a group or is the whole dimension, and
 * leaves no part with over an eighth more than the mean; the product is at most the devices; the
 * problem may name the dimensions. Not
 * more than three dimensions are cut at once, and fewer where that leaves over SPACE_MAX_SPLITS.
 * Splits that nothing says a time of are left out. Operators that are alike in all that counts are
 * of one class, which has its splits once.
 *
 * PLACES. Part i is at position `first` + i `step` of the group, around: as far apart as can be
 * (orr_strategy_default_device) or one beside the other. Where two dimensions or more are cut the
 * parts may be counted the other way round (`turned`), with the samples fastest: which of its
 * parts' groups are neighbours matters to networks. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_SPACE_H
#define ORR_PLANNER_SEARCH_SEARCH_SPACE_H

#include "planner/search/search.h"

enum { SPACE_MAX_SPLITS = 1024, SPACE_MAX_CUTS = 3 };

struct space_split {
    uint32_t degree[MODEL_MAX_DIMS];
    uint32_t parts, shards, cuts; /* shards of the weights; dimensions cut */
    sim_time forward_ps, backward_ps;
};

struct space_class {
    uint32_t op;                  /* the first of it */
    uint32_t first, splits;       /* into space.split, by ascending parts */
    uint32_t first_width, widths; /* into space.width */
};

/* Splits of a class into equally many parts. */
struct space_width {
    uint32_t parts, first, splits;
};

/* How an operator is split and placed. Equal ones are equal bit by bit. */
struct search_choice {
    uint32_t split; /* into space.split */
    uint32_t first, step;
    uint32_t order; /* enum space_order, or CHOICE_FROM_START + the start that says the places */
};

enum space_order { CHOICE_FORWARD, CHOICE_REVERSED, CHOICE_FROM_START };

struct space {
    struct orr_arena *arena;
    const struct search_problem *problem;
    const struct strategy *const *start; /* [starts] */
    uint32_t starts;
    uint32_t group;   /* devices of a group */
    uint64_t samples; /* of a group */
    struct space_class *class;
    uint32_t classes;
    uint32_t *class_of; /* [ops] */
    struct space_split *split;
    size_t splits, capacity;
    struct space_width *width;
    size_t widths, width_capacity;
};

/* The space of a problem, with the splits that the starts have, in the arena. Errors: an operator
 * that no split has a time of; a split of a start that has none; memory. */
enum orr_status orr_space_init(struct space *space, struct orr_arena *arena,
                               const struct search_problem *problem,
                               const struct strategy *const *start, uint32_t starts,
                               struct orr_diag *diag);

/* The split of a class by these degrees, or UINT32_MAX. O(splits of equally many parts). */
uint32_t orr_space_find(const struct space *space, uint32_t class, const uint32_t *degree);

/* The width of so many parts, or NULL. */
const struct space_width *orr_space_width(const struct space *space, uint32_t class,
                                          uint32_t parts);

/* In how many ways a split can be placed, and the n-th of them. */
uint32_t orr_space_count_placements(const struct space *space, uint32_t split);
struct search_choice orr_space_placement_at(const struct space *space, uint32_t split, uint32_t n);

/* A place for the split that is as like another choice's as can be: the same where it has equally
 * many parts. Never a start's. */
struct search_choice orr_space_placement_like(const struct space *space, uint32_t split,
                                              const struct search_choice *like);

/* The choice of an operator that is as a start has it. */
struct search_choice orr_space_choice_of_start(const struct space *space, uint32_t start,
                                               uint32_t op);

/* The devices of a choice of an operator's, device[parts]. */
void orr_space_devices(const struct space *space, uint32_t op, const struct search_choice *choice,
                       uint32_t *device);

/* All strategies: the product over operators of the sum over splits of places; at most 2^63. */
uint64_t orr_space_count(const struct space *space);

#endif
