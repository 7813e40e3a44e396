/* Colours of a trace's nodes: numbers that are equal where nodes and their surroundings are, in
 * whatever trace and under whatever id (colour refinement, as in the graph isomorphism test of
 * Weisfeiler and Leman 1968). */
#ifndef ORR_WORKLOAD_TRACE_TRACE_COLOUR_H
#define ORR_WORKLOAD_TRACE_TRACE_COLOUR_H

#include "workload/trace/trace_query.h"

enum orr_colouring {
    ORR_COLOUR_EXACT,     /* all attributes, of all nodes before and behind */
    ORR_COLOUR_ALIKE,     /* kinds and names of those, and all attributes of what is near */
    ORR_COLOUR_SELF,      /* kinds and names of those, and all attributes of the node */
    ORR_COLOUR_STRUCTURE, /* kinds and names of all nodes before and behind */
    ORR_COLOUR_BEFORE,    /* ... of all nodes before, and of what is near */
    ORR_COLOUR_BEHIND,    /* ... of all nodes behind, and of what is near */
    ORR_COLOUR_NEAR,      /* ... of what is two edges away at most */
    ORR_COLOUR_NAME,      /* kind and name of the node */
    ORR_COLOURINGS
};

struct orr_colours {
    const struct orr_trace *trace;
    struct orr_parents parents;
    const uint32_t *order;
    uint64_t *colour;                        /* [nodes] */
    uint64_t *name, *before, *behind, *kept; /* [nodes] scratch; name stays */
};

/* O(nodes + edges + length of the names), in the arena. Errors: out of memory. */
enum orr_status orr_colours_init(struct orr_arena *arena, const struct orr_trace *trace,
                                 struct orr_colours *out, struct orr_diag *diag);

/* Sets `colour`. O(nodes + edges). */
void orr_colours_set(struct orr_colours *colours, enum orr_colouring colouring);

#endif
