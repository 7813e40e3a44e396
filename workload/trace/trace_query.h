/* Queries of a trace: names of its kinds, parents of its nodes, totals. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_QUERY_H
#define ORR_WORKLOAD_TRACE_TRACE_QUERY_H

#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

struct orr_arena;
struct orr_diag;

/* The Chakra schema's names: "COMP_NODE", "ALL_REDUCE"; "?" when out of range. */
const char *orr_node_kind_name(unsigned kind);
const char *orr_trace_comm_name(unsigned comm);

/* The parents of every node, the transpose of the trace's children: those of node i are
 * parent[first[i]] .. parent[first[i + 1] - 1], ascending node indices. */
struct orr_parents {
    const uint32_t *first;  /* [nodes + 1] */
    const uint32_t *parent; /* [edges] */
    const uint64_t *prefix; /* [edges], as orr_trace.prefix; NULL: none */
};

/* The index p of the parent in parents->parent; UINT32_MAX: not a parent. O(log parents). */
uint32_t orr_parents_find(const struct orr_parents *parents, uint32_t node, uint32_t parent);

/* The first bytes of the p-th parent that are needed; 0: its end. */
static inline uint64_t orr_prefix_at(const struct orr_parents *parents, uint32_t p)
{
    return parents->prefix != NULL ? parents->prefix[p] : 0;
}

/* O(nodes + edges) time and memory, in the arena. Errors: out of memory. */
enum orr_status orr_parents_build(struct orr_arena *arena, const struct orr_trace *trace,
                                  struct orr_parents *out, struct orr_diag *diag);

/* A topological order: all node indices, [nodes], each after its parents, in the arena. O(nodes +
 * edges). Errors: out of memory. */
enum orr_status orr_trace_order(struct orr_arena *arena, const struct orr_trace *trace,
                                const uint32_t **out, struct orr_diag *diag);

/* The order in which the children of a node begin, if it is not by id: ids, in `ids`, which has
 * space for all nodes. O(children). */
struct orr_deps orr_trace_next(const struct orr_trace *trace, uint32_t index, uint64_t *ids);

/* The description of a node without its dependencies; text is borrowed from the trace. O(1). */
struct orr_node_spec orr_trace_spec(const struct orr_trace *trace, uint32_t index);

/* Buffers for the dependencies of a node: [nodes] each. */
struct orr_dep_buffers {
    uint64_t *ids, *part_ids, *part_bytes;
    const bool *keep; /* [nodes], the parents to include; NULL: all */
};
enum orr_status orr_dep_buffers_create(struct orr_arena *arena, const struct orr_trace *trace,
                                       struct orr_dep_buffers *out, struct orr_diag *diag);
/* Adds the node's dependencies to a description, all as data dependencies. O(parents). */
void orr_trace_add_deps(const struct orr_trace *trace, const struct orr_parents *parents,
                        uint32_t node, const struct orr_dep_buffers *buffers,
                        struct orr_node_spec *spec);

/* Sums over a trace; they saturate at UINT64_MAX. */
struct orr_trace_summary {
    uint64_t nodes[ORR_NODE_KINDS];      /* nodes of each kind */
    uint64_t comm_nodes[ORR_COMM_KINDS]; /* collectives of each kind */
    uint64_t comm_bytes[ORR_COMM_KINDS]; /* their comm_size */
    uint64_t kind_bytes[ORR_NODE_KINDS]; /* COLL, SEND, RECV: comm_size; else tensor_size */
    uint64_t total_ops;                  /* num_ops of the compute nodes */
    uint64_t duration_ps;                /* recorded durations added up */
    uint64_t critical_duration_ps;       /* largest sum of durations along a path */
    uint32_t depth;                      /* nodes of the longest path */
};

/* O(nodes + edges); scratch memory is taken from the arena. Errors: out of memory. */
enum orr_status orr_trace_summarize(struct orr_arena *arena, const struct orr_trace *trace,
                                    struct orr_trace_summary *out, struct orr_diag *diag);

#endif
