/* Building an execution trace in memory. Readers, generators and tests describe nodes one by one,
 * in any order; finishing sorts them by id, resolves their parents and checks the graph, so that
 * every struct orr_trace that exists is a valid acyclic graph. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_BUILDER_H
#define ORR_WORKLOAD_TRACE_TRACE_BUILDER_H

#include <stddef.h>

#include "core/core.h"
#include "workload/trace/trace.h"

/* Ids of nodes that must be done first. */
struct orr_deps {
    const uint64_t *ids;
    size_t count;
};

/* Collectives among the dependencies of which a part is enough: the first bytes, as many as
 * bytes[i] of ids[i]. */
struct orr_prefixes {
    const uint64_t *ids, *bytes;
    size_t count;
};

/* Everything there is to say about a node. Zero means absent or default; what is not of the node's
 * kind is ignored. Pointers are borrowed for the call only. */
struct orr_node_spec {
    uint64_t id;
    enum orr_node_kind kind;
    enum orr_trace_comm comm;     /* COLL */
    unsigned flags;               /* enum orr_node_flag */
    const char *name;             /* NULL = "" */
    uint64_t duration_ps;         /* at most ORR_TIME_MAX, which a larger one becomes */
    uint64_t num_ops;             /* COMP */
    enum orr_op_kind op;          /* COMP */
    uint64_t tensor_bytes;        /* COMP, MEM_* */
    enum orr_mem_access access;   /* MEM_* */
    uint64_t comm_bytes;          /* COLL, SEND, RECV */
    uint32_t src, dst;            /* SEND: dst is the peer; RECV: src is */
    uint32_t tag, priority, root; /* COLL, SEND, RECV; root: COLL */
    const char *group;            /* pg_name; NULL or "" = all NPUs */
    bool has_involved_dim;        /* the next two are given */
    uint8_t involved_dims;        /* how many, at most 32 */
    uint32_t involved_mask;       /* bit d: dimension d takes part */
    const char *inputs_values;    /* kept for METADATA only */
    const char *const *inputs;    /* names of tensors read, or NULL */
    const char *const *outputs;   /* names of tensors written, or NULL */
    uint32_t input_count, output_count;
    bool delay;          /* COMP: takes its time beside everything else, on no stream */
    bool unaligned, fp8; /* COMP: ORR_COMP_UNALIGNED, ORR_COMP_FP8 */
    bool signal;         /* SEND, RECV: is there at once and takes nothing of the network */
    struct orr_deps data_deps, ctrl_deps; /* both are parents */
    struct orr_prefixes prefixes;         /* of some of these */
    struct orr_deps
        next; /* nodes that wait for it, in the order in which they begin; none: by id */
};

struct orr_trace_builder;

/* A builder of a trace that will live in `arena`; NULL when memory is out. The builder's own
 * scratch memory is given back by orr_trace_builder_destroy (NULL is fine). */
struct orr_trace_builder *orr_trace_builder_create(struct orr_arena *arena);
void orr_trace_builder_destroy(struct orr_trace_builder *builder);

/* Where the trace comes from, for reports; copied. Default "" and "". Out of memory shows at
 * finish. */
void orr_trace_builder_set_source(struct orr_trace_builder *builder, const char *path,
                                  const char *version);
/* By which rules the trace is to be run (orr_trace.rules); "" by default. Copied. */
void orr_trace_builder_set_rules(struct orr_trace_builder *builder, const char *rules);
/* The trace is of a run, or another program's: orr_trace.replayed. */
void orr_trace_builder_set_replayed(struct orr_trace_builder *builder);
void orr_trace_builder_set_content_hash(struct orr_trace_builder *builder, uint64_t hash);

/* The record and byte offset of the nodes added from now on, for reports. Until the first call,
 * reports have no place. */
void orr_trace_builder_set_location(struct orr_trace_builder *builder, uint64_t record,
                                    uint64_t byte_offset);

/* Adds a node. Its flags HAS_* follow the spec's `flags`; SEND gets HAS_DST and RECV HAS_SRC.
 * Errors: more than 32 dimensions, out of memory; the graph is checked at the end. Amortized O(1)
 * plus dependencies and text. */
enum orr_status orr_trace_builder_add(struct orr_trace_builder *builder,
                                      const struct orr_node_spec *spec, struct orr_diag *diag);

/* What spec.next says, of a node that was added or will be: those that wait for it and are not
 * listed begin behind the others. At finish an id that waits for no such node is an error. False
 * when memory is out. Amortized O(count). */
bool orr_trace_builder_order_next(struct orr_trace_builder *builder, uint64_t id,
                                  struct orr_deps next);

/* What spec.prefixes says, of the node that was added last. False when memory is out. */
bool orr_trace_builder_add_prefix(struct orr_trace_builder *builder, uint64_t collective,
                                  uint64_t bytes);

/* Short forms: they number the node (the largest id so far plus one, from 0), take data
 * dependencies and return the id. An error is kept in the builder and returned by finish. */
uint64_t orr_trace_builder_add_comp(struct orr_trace_builder *builder, const char *name,
                                    uint64_t num_ops, uint64_t tensor_bytes, struct orr_deps deps);
uint64_t orr_trace_builder_add_replay(struct orr_trace_builder *builder, const char *name,
                                      uint64_t duration_ps, bool on_cpu, struct orr_deps deps);
uint64_t orr_trace_builder_add_coll(struct orr_trace_builder *builder, const char *name,
                                    enum orr_trace_comm comm, uint64_t bytes, struct orr_deps deps);
uint64_t orr_trace_builder_add_coll_in(struct orr_trace_builder *builder, const char *group,
                                       enum orr_trace_comm comm, uint64_t bytes,
                                       struct orr_deps deps); /* the name is that of the kind */
uint64_t orr_trace_builder_add_send(struct orr_trace_builder *builder, uint32_t dst, uint32_t tag,
                                    uint64_t bytes, struct orr_deps deps);
uint64_t orr_trace_builder_add_recv(struct orr_trace_builder *builder, uint32_t src, uint32_t tag,
                                    uint64_t bytes, struct orr_deps deps);
/* `kind` is MEM_LOAD or MEM_STORE. */
uint64_t orr_trace_builder_add_mem(struct orr_trace_builder *builder, enum orr_node_kind kind,
                                   bool local, uint64_t tensor_bytes, struct orr_deps deps);
uint64_t orr_trace_builder_add_metadata(struct orr_trace_builder *builder, const char *name,
                                        const char *inputs_values);

/* Sorts, resolves and checks; *out lives in the arena given at creation. Duplicates of a parent are
 * merged. Errors: two nodes with one id, a data parent that does not exist, a cycle (its nodes are
 * named in order), a prefix of what is no collective, has fewer bytes or is no dependency. Control
 * dependencies on nodes that do not exist are dropped with a warning; when the rest has a cycle
 * that data dependencies alone do not have, all control dependencies are dropped (real traces of
 * early converters are like this). The builder can only be destroyed afterwards. O(nodes log nodes
 * + edges), O(nodes + edges) when ids were added in ascending order.
 */
enum orr_status orr_trace_builder_finish(struct orr_trace_builder *builder,
                                         const struct orr_trace **out, struct orr_diag *diag);

#endif
