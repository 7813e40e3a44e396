/* A balanced graph: parts of operators and what they wait for, in topological order (SiP-ML,
 * SIGCOMM'21, section 3.2). Edges stand operator by operator, as a thousand parts that all wait for
 * a thousand others have a million of them. */
#ifndef ORR_PLANNER_SIPML_SIPML_GRAPH_H
#define ORR_PLANNER_SIPML_SIPML_GRAPH_H

#include "core/core.h"

/* Which parts of an earlier operator a part belongs to. */
enum sipml_link_kind {
    SIPML_ALL,   /* all */
    SIPML_SLICES /* those whose intervals [i/a, (i+1)/a) overlap its own */
};

struct sipml_link {
    uint32_t from; /* the earlier operator */
    uint8_t kind;  /* enum sipml_link_kind */
    bool halo;     /* slices: and what is next to these */
    bool untimed;  /* they only send to each other: it waits for nothing */
};

/* An operator: parts that are alike. */
struct sipml_task {
    sim_time duration_ps;   /* of a part */
    uint64_t kept_bytes;    /* that each part keeps on its device */
    uint64_t weights_bytes; /* and its weights with all that belongs to them, */
    bool one_shard;         /* which all parts have alike: a device has them once */
    bool exchanges;         /* parts send to each other */
};

struct sipml_graph {
    uint32_t ops, parts;
    const struct sipml_task *task; /* [ops] */
    const uint32_t *first_part;    /* [ops + 1] */
    const uint32_t *first_link;    /* [ops + 1] into link: what its parts belong to */
    const struct sipml_link *link;
};

/* Parts, numbered in the graph. */
struct sipml_range {
    uint32_t first, end;
};

static inline uint32_t orr_sipml_parts_of(const struct sipml_graph *graph, uint32_t op)
{
    return graph->first_part[op + 1] - graph->first_part[op];
}

/* What part i of an operator belongs to by a link. O(1). */
struct sipml_range orr_sipml_parents(const struct sipml_graph *graph, uint32_t op,
                                     const struct sipml_link *link, uint32_t part);

/* Pairs of parts of which the second waits for the first. O(links + parts). */
uint64_t orr_sipml_dependencies(const struct sipml_graph *graph);

#endif
