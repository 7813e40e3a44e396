/* Limits, ranking and fronts of a search for layouts: expressions of the results of a layout
 * (sim/expr/expr.h, docs/results.md). While layouts are estimated, its times are the estimated
 * ones. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_GOALS_H
#define ORR_STUDY_LAYOUTS_LAYOUT_GOALS_H

#include <stdbool.h>

#include "core/status.h"

struct orr_arena;
struct orr_best_layout;
struct orr_diag;
struct orr_expr;
struct orrery_layout_search;

enum { ORR_LAYOUT_MAX_WHERES = 16, ORR_LAYOUT_MAX_FRONT = 3 };

struct orr_layout_goal {
    const char *text;
    const struct orr_expr *expr; /* NULL: none */
    bool more;                   /* more is better */
};

struct orr_layout_goals {
    struct orr_layout_goal where[ORR_LAYOUT_MAX_WHERES], rank_by, front[ORR_LAYOUT_MAX_FRONT];
    unsigned wheres, fronts;
};

/* Reads the expressions into the arena. Errors: one that cannot be read, a result that is none, or
 * that needs a price or tokens which are not given. */
enum orr_status orr_layout_goals_read(struct orr_arena *arena,
                                      const struct orrery_layout_search *search,
                                      struct orr_layout_goals *goals, struct orr_diag *diag);

/* Whether a layout is within a limit. Of a limit that compares, *excess is how far it is beyond:
 * 0.1 by a tenth; < 0: that cannot be told. */
bool orr_layout_meets(const struct orr_layout_goal *where, const struct orr_best_layout *layout,
                      double *excess);

/* The value of a goal, of which less is better; INFINITY: the layout has none. */
double orr_layout_goal_value(const struct orr_layout_goal *goal,
                             const struct orr_best_layout *layout);

/* The time of a token (of a sample where there are no tokens) or the ranking that is given. */
double orr_layout_rank(const struct orr_layout_goals *goals, const struct orr_best_layout *layout);

#endif
