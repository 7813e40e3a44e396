/* A balanced graph: parts of operators and their dependencies, in topological order (SiP-ML,
 * SIGCOMM'21, section 3.2). Edges are stored by operator, because a thousand parts that all depend
 * on a thousand others have a million of them. */
#ifndef ORR_SIPML_SEARCH_SIPML_GRAPH_H
#define ORR_SIPML_SEARCH_SIPML_GRAPH_H

#include "core/time.h"

/* On which parts of an earlier operator a part depends. */
enum sipml_link_kind {
    SIPML_ALL,   /* all */
    SIPML_SLICES /* those whose intervals [i/a, (i+1)/a) overlap its own */
};

struct sipml_link {
    uint32_t from; /* the earlier operator */
    uint8_t kind;  /* enum sipml_link_kind */
    bool halo;     /* slices: their neighbors too */
    bool untimed;  /* the parts only send to each other: no dependency in time */
};

/* An operator: identical parts. */
struct sipml_task {
    sim_time duration_ps;   /* of a part */
    uint64_t kept_bytes;    /* kept by each part on its device */
    uint64_t weights_bytes; /* weights, gradients and optimizer state of a part */
    bool one_shard;         /* all parts have the same weights: a device has them once */
    bool exchanges;         /* parts send to each other */
};

struct sipml_graph {
    uint32_t ops, parts;
    const struct sipml_task *task; /* [ops] */
    const uint32_t *first_part;    /* [ops + 1] */
    const uint32_t *first_link;    /* [ops + 1] into link: dependencies of its parts */
    const struct sipml_link *link;
};

/* A range of parts, by number in the graph. */
struct sipml_range {
    uint32_t first, end;
};

static inline uint32_t orr_sipml_parts_of(const struct sipml_graph *graph, uint32_t op)
{
    return graph->first_part[op + 1] - graph->first_part[op];
}

/* The parents of a part of an operator by a link. O(1). */
struct sipml_range orr_sipml_parents(const struct sipml_graph *graph, uint32_t op,
                                     const struct sipml_link *link, uint32_t part);

/* Number of pairs of dependent parts. O(links + parts). */
uint64_t orr_sipml_dependencies(const struct sipml_graph *graph);

#endif
