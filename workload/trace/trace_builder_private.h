/* The state of the builder, shared by trace_builder.c, which stages nodes, and trace_graph.c, which
 * makes a trace of them. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_BUILDER_PRIVATE_H
#define ORR_WORKLOAD_TRACE_TRACE_BUILDER_PRIVATE_H

#include "core/diag.h"
#include "core/strings.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_query.h"

struct orr_arena;

enum { ORR_NODE_LABEL_BYTES = 96 };

/* A staged node: its name and dependencies are numbers. */
struct staged_node {
    struct orr_node node;
    uint64_t record, byte_offset;
    size_t first_dep;   /* into deps; the data dependencies come first */
    uint32_t data_deps; /* number of data dependencies */
    uint32_t name;      /* in names */
};

struct staged_extra {
    struct orr_node_extra extra;
    const uint32_t *inputs, *outputs; /* in names */
};

/* The order of the nodes that wait for a node. */
struct staged_next {
    uint64_t id;
    size_t first; /* into builder->next */
    size_t count;
    bool may_pass_over;
};

/* A part of a collective that a node waits for. */
struct staged_prefix {
    size_t node; /* staged */
    uint64_t id, bytes;
    bool may_pass_over;
};

struct orr_trace_builder {
    struct orr_arena *arena;   /* where the trace will live */
    struct orr_arena *scratch; /* dies with the builder */
    struct orr_strings names, groups;
    struct staged_node *nodes;
    uint64_t *deps;
    struct staged_extra *extras;
    size_t node_count, node_capacity;
    size_t dep_count, dep_capacity;
    size_t extra_count, extra_capacity;
    struct staged_next *orders;
    uint64_t *next;
    size_t order_count, order_capacity, next_count, next_capacity;
    struct staged_prefix *prefixes;
    size_t prefix_count, prefix_capacity;
    const char *path, *version, *rules;
    struct orr_foreign foreign, old;
    uint64_t content_hash;
    bool has_tokens;
    bool replayed;
    uint8_t *name_class; /* [names]: 0: not asked yet; else enum orr_comp_flag and CLASS_KNOWN */
    size_t name_class_capacity;
    uint64_t record, byte_offset;
    uint64_t next_id;     /* next id of the short forms */
    bool has_location;    /* record and byte_offset are set */
    struct orr_diag diag; /* the first error of a short form */
};

static inline size_t orr_staged_dep_end(const struct orr_trace_builder *builder, size_t index)
{
    return index + 1 < builder->node_count ? builder->nodes[index + 1].first_dep
                                           : builder->dep_count;
}

/* "ID (NAME)" for reports: long names are cut, non-printable characters become '?'. */
char *orr_node_label(uint64_t id, const char *name, char text[ORR_NODE_LABEL_BYTES]);

/* The location of a staged node. */
struct orr_location orr_staged_location(const struct orr_trace_builder *builder, size_t index);

/* Fails: two staged nodes have one id. */
enum orr_status orr_fail_duplicate(const struct orr_trace_builder *builder, size_t first,
                                   size_t second, struct orr_diag *diag);

/* A cycle of dependencies: each node is a parent of the next, and the last of the first, which is
 * the smallest. Length 0: none. */
struct orr_cycle {
    const uint32_t *nodes;
    uint32_t length;
};

/* Finds a cycle; false when memory is out. O(nodes + edges). */
bool orr_trace_find_cycle(struct orr_arena *scratch, const struct orr_trace *trace,
                          const struct orr_parents *parents, struct orr_cycle *out);

/* The node of an id, or UINT32_MAX. O(log nodes). (trace_next.c) */
uint32_t orr_trace_node_of_id(const struct orr_trace *trace, uint64_t id);

/* Reorders the rows of the trace's children, and their prefixes (NULL: none), by spec.next. Errors:
 * ids that are not children of the node. O(row x listed) at worst for each. (trace_next.c) */
enum orr_status orr_trace_order_children(struct orr_trace_builder *builder,
                                         const struct orr_trace *trace, uint32_t *children,
                                         uint64_t *prefix, struct orr_diag *diag);

/* The prefix that each edge waits for, in the builder's arena; the rows must ascend. NULL if no
 * prefix was staged. Dependencies that were dropped (all_dropped: all control dependencies) are no
 * errors. O(prefixes log nodes). (trace_prefix.c) */
enum orr_status orr_trace_make_prefixes(struct orr_trace_builder *builder,
                                        const struct orr_trace *trace, bool all_dropped,
                                        uint64_t **out, struct orr_diag *diag);

#endif
