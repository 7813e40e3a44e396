/* The steps (iterations) of a trace, found by marker nodes.
 *
 * A marker's label is the number in its name; markers of one label are one step, which begins with
 * its first marker. Each node belongs to one step:
 *
 *   - a marker to that of its label;
 *   - a node launched by a CPU operation (not a CPU operation itself, with parents, in a trace with
 *     CPU operations) to the latest of its parents' steps: profilers number such nodes arbitrarily;
 *   - any other node to that of the last marker with an id not above its own, because profilers
 *     number operations in the order in which they begin;
 *
 * but never to a step before those of its parents. So dependencies lead from a step to itself or to
 * later ones. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_STEPS_H
#define ORR_WORKLOAD_TRACE_TRACE_STEPS_H

#include "workload/trace/trace_query.h"

struct orr_step {
    const char *label;
    uint32_t marker; /* index of the first marker */
    uint32_t nodes;  /* nodes of the step; set by orr_steps_assign */
};

struct orr_steps {
    const struct orr_trace *trace;
    struct orr_step *step; /* [steps], ascending by the id of the first marker */
    uint32_t steps;
    uint32_t *of; /* [nodes]: 0 before the first step, else the index of the step plus one; before
                     orr_steps_assign only markers are set */
};

/* Finds markers. `pattern` NULL: "ProfilerStep#N", or a name that begins with "iteration", "iter"
 * or "step" and a number. Otherwise names that contain the pattern as text, or match it as a POSIX
 * extended regular expression; the label is the number after the match, else the last one in it,
 * else the first after it, else the count of such markers before. O(names + nodes x labels' log),
 * in the arena. Errors: out of memory. */
enum orr_status orr_steps_find(struct orr_arena *arena, const struct orr_trace *trace,
                               const char *pattern, struct orr_steps *out, struct orr_diag *diag);

/* Defines two steps: "from" begins with the first node that has this name or contains it; "to" with
 * the first such node of a higher id. `to` NULL: one step, to the end. Errors: no such node. */
enum orr_status orr_steps_between(struct orr_arena *arena, const struct orr_trace *trace,
                                  const char *from, const char *to, struct orr_steps *out,
                                  struct orr_diag *diag);

/* Assigns every node to its step. O(nodes + edges). Errors: out of memory. */
enum orr_status orr_steps_assign(struct orr_arena *arena, struct orr_steps *steps,
                                 struct orr_diag *diag);

#endif
