/* The space of a search: the splits and placements of each operator.
 *
 * SPLITS. A degree of a dimension divides the devices of a group or is the size of the dimension,
 * and no part is more than an eighth larger than the mean; the product of the degrees is at most
 * the devices. The problem may restrict the dimensions. At most SPACE_MAX_CUTS dimensions are split
 * at once, and fewer if there would be more than SPACE_MAX_SPLITS splits. Splits without a time are
 * left out. Operators with equal times, bytes and dimensions form a class, which stores its splits
 * once.
 *
 * PLACEMENTS. Part i is on device `first` + i `step` of the group, modulo its size. The step is the
 * largest possible (orr_strategy_default_device) or 1. If two or more dimensions are split the
 * parts may be numbered in reverse order (CHOICE_REVERSED), with the samples fastest, because it
 * matters to networks which parts are neighbors. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_SPACE_H
#define ORR_PLANNER_SEARCH_SEARCH_SPACE_H

#include "planner/search/search.h"
#include "workload/model/op_graph.h"

struct orr_arena;
struct orr_diag;
struct strategy;

enum { SPACE_MAX_SPLITS = 1024, SPACE_MAX_CUTS = 3 };

struct space_split {
    uint32_t degree[MODEL_MAX_DIMS];
    uint32_t parts, shards, cuts; /* shards of the weights; dimensions with a degree above 1 */
    sim_time forward_ps, backward_ps;
};

struct space_class {
    uint32_t op;                  /* its first operator */
    uint32_t first, splits;       /* into space.split, ascending by parts */
    uint32_t first_width, widths; /* into space.width */
};

/* Splits of a class into equally many parts. */
struct space_width {
    uint32_t parts, first, splits;
};

/* The split and placement of an operator. Equal choices have equal bits. */
struct search_choice {
    uint32_t split; /* into space.split */
    uint32_t first, step;
    uint32_t order; /* enum space_order, or CHOICE_FROM_START + a start with the placement */
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

/* Creates the space of a problem, with the splits of the starts, in the arena. Errors: an operator
 * without a split that has a time; a split of a start without a time; memory. */
enum orr_status orr_space_init(struct space *space, struct orr_arena *arena,
                               const struct search_problem *problem,
                               const struct strategy *const *start, uint32_t starts,
                               struct orr_diag *diag);

/* The index of the split of a class with these degrees, or UINT32_MAX. O(splits with as many
 * parts). */
uint32_t orr_space_find(const struct space *space, uint32_t class, const uint32_t *degree);

/* The splits of a class into `parts` parts, or NULL. */
const struct space_width *orr_space_width(const struct space *space, uint32_t class,
                                          uint32_t parts);

/* The number of placements of a split, and the n-th one. */
uint32_t orr_space_count_placements(const struct space *space, uint32_t split);
struct search_choice orr_space_placement_at(const struct space *space, uint32_t split, uint32_t n);

/* The placement of a split that is most similar to that of another choice: the same one if both
 * have equally many parts. Never one of a start. */
struct search_choice orr_space_placement_like(const struct space *space, uint32_t split,
                                              const struct search_choice *like);

/* The choice of an operator in a start. */
struct search_choice orr_space_choice_of_start(const struct space *space, uint32_t start,
                                               uint32_t op);

/* Writes the devices of a choice, device[parts]. */
void orr_space_devices(const struct space *space, uint32_t op, const struct search_choice *choice,
                       uint32_t *device);

/* Number of strategies: the product over operators of the sum over splits of their placements; at
 * most 2^63. */
uint64_t orr_space_count(const struct space *space);

#endif
