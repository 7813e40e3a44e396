/* Colours of a trace's nodes: numbers that are equal where nodes and their surroundings are, in
 * whatever trace and under whatever id (colour refinement, as in the graph isomorphism test of
 * Weisfeiler and Leman 1968). */
#ifndef ORR_WORKLOAD_TRACE_TRACE_COLOR_H
#define ORR_WORKLOAD_TRACE_TRACE_COLOR_H

#include "workload/trace/trace_query.h"

enum orr_coloring {
    ORR_COLOR_EXACT,       /* all attributes, of all nodes before and behind */
    ORR_COLOR_NEAR_EXACT,  /* kinds and names of those, and all attributes of what is near */
    ORR_COLOR_SELF_EXACT,  /* kinds and names of those, and all attributes of the node */
    ORR_COLOR_STRUCTURE,   /* kinds and names of all nodes before and behind */
    ORR_COLOR_ANCESTORS,   /* ... of all nodes before, and of what is near */
    ORR_COLOR_DESCENDANTS, /* ... of all nodes behind, and of what is near */
    ORR_COLOR_NEAR,        /* ... of what is two edges away at most */
    ORR_COLOR_NAME,        /* kind and name of the node */
    ORR_COLORINGS
};

struct orr_colors {
    const struct orr_trace *trace;
    struct orr_parents parents;
    const uint32_t *order;
    uint64_t *color;                         /* [nodes] */
    uint64_t *name, *before, *behind, *kept; /* [nodes] scratch; name stays */
};

/* O(nodes + edges + length of the names), in the arena. Errors: out of memory. */
enum orr_status orr_colors_init(struct orr_arena *arena, const struct orr_trace *trace,
                                struct orr_colors *out, struct orr_diag *diag);

/* Sets `colour`. O(nodes + edges). */
void orr_colors_set(struct orr_colors *colors, enum orr_coloring coloring);

#endif
