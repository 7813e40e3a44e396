/* Color refinement (Weisfeiler and Leman 1968, as in graph isomorphism tests): the colors of two
 * nodes are equal if the nodes and their surroundings are, in any trace and with any ids. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_COLOR_H
#define ORR_WORKLOAD_TRACE_TRACE_COLOR_H

#include "workload/trace/trace_query.h"

enum orr_coloring {
    ORR_COLOR_EXACT,       /* all attributes of all ancestors and descendants */
    ORR_COLOR_NEAR_EXACT,  /* kinds and names of those, and all attributes of near nodes */
    ORR_COLOR_SELF_EXACT,  /* kinds and names of those, and all attributes of the node */
    ORR_COLOR_STRUCTURE,   /* kinds and names of all ancestors and descendants */
    ORR_COLOR_ANCESTORS,   /* kinds and names of all ancestors and near nodes */
    ORR_COLOR_DESCENDANTS, /* kinds and names of all descendants and near nodes */
    ORR_COLOR_NEAR,        /* kinds and names of nodes at most two edges away */
    ORR_COLOR_NAME,        /* kind and name of the node */
    ORR_COLORINGS
};

struct orr_colors {
    const struct orr_trace *trace;
    struct orr_parents parents;
    const uint32_t *order;
    uint64_t *color;                         /* [nodes] */
    uint64_t *name, *before, *behind, *kept; /* [nodes] scratch; name is kept */
};

/* O(nodes + edges + length of the names), in the arena. Errors: out of memory. */
enum orr_status orr_colors_init(struct orr_arena *arena, const struct orr_trace *trace,
                                struct orr_colors *out, struct orr_diag *diag);

/* Sets `color`. O(nodes + edges). */
void orr_colors_set(struct orr_colors *colors, enum orr_coloring coloring);

#endif
