/* The steps (iterations) of a trace, told by nodes whose names mark them.
 *
 * A marker's label is the number in its name; markers of the same label are one step, which counts
 * from its first marker on. Each node is in one step:
 *   - a marker in that of its label;
 *   - a node that a CPU operation launches (one that is none itself, with parents, in a trace that
 *     has CPU operations) in the latest of its parents' steps: profilers number such nodes in
 *     whatever way they like;
 *   - any other in that of the last marker whose id is not above its own, as profilers number
 *     operations in the order in which they begin;
 * and never in one before those of its parents. So dependencies lead from a step to itself or to
 * later ones only. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_STEPS_H
#define ORR_WORKLOAD_TRACE_TRACE_STEPS_H

#include "workload/trace/trace_query.h"

struct orr_step {
    const char *label;
    uint32_t marker; /* index of the first marker */
    uint32_t nodes;  /* of the step; counted by orr_steps_assign */
};

struct orr_steps {
    const struct orr_trace *trace;
    struct orr_step *step; /* [steps] in order of their first markers' ids */
    uint32_t steps;
    uint32_t *of; /* [nodes]: 0 before the first step, else one more than the index of the step;
                   * before orr_steps_assign that of markers only */
};

/* Finds markers. `pattern` NULL: "ProfilerStep#N", or a name that begins with "iteration", "iter"
 * or "step" and a number. Otherwise names that hold the pattern as text, or match it as a POSIX
 * extended regular expression; the label is the number behind the match, else the last in it, else
 * the first behind it, else the count of such markers before. O(names + nodes x labels' log), in
 * the arena. Errors: out of memory. */
enum orr_status orr_steps_find(struct orr_arena *arena, const struct orr_trace *trace,
                               const char *pattern, struct orr_steps *out, struct orr_diag *diag);

/* Two steps: "from" begins with the first node of this name, or that holds it; "to" with the first
 * such node of a higher id. `to` NULL: one step, to the end. Errors: no such node. */
enum orr_status orr_steps_between(struct orr_arena *arena, const struct orr_trace *trace,
                                  const char *from, const char *to, struct orr_steps *out,
                                  struct orr_diag *diag);

/* Puts every node into its step. O(nodes + edges). Errors: out of memory. */
enum orr_status orr_steps_assign(struct orr_arena *arena, struct orr_steps *steps,
                                 struct orr_diag *diag);

#endif
