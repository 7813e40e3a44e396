/* Matches the nodes of two traces by content: their ids may differ. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_MATCH_H
#define ORR_WORKLOAD_TRACE_TRACE_MATCH_H

#include "workload/trace/trace_query.h"

#define ORR_NO_MATCH UINT32_MAX

struct orr_trace_match {
    uint32_t *b_of_a; /* [nodes of a] index in b, or ORR_NO_MATCH */
    uint32_t *a_of_b; /* [nodes of b] */
};

/* Whether two descriptions are equal except for id and dependencies. */
bool orr_specs_equal(const struct orr_node_spec *a, const struct orr_node_spec *b);

/* Pairs nodes of equal kind, collective, device and name, first those with the most similar
 * surroundings. A node without a counterpart has no match. O((nodes + edges) log) time, O(nodes +
 * edges) memory in the arena. Errors: out of memory. */
enum orr_status orr_trace_match(struct orr_arena *arena, const struct orr_trace *a,
                                const struct orr_trace *b, struct orr_trace_match *out,
                                struct orr_diag *diag);

#endif
