/* Builds an execution trace in memory. Readers, generators and tests add nodes one by one, in any
 * order; finishing sorts them by id, resolves their parents and checks the graph, so every struct
 * orr_trace is a valid acyclic graph. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_BUILDER_H
#define ORR_WORKLOAD_TRACE_TRACE_BUILDER_H

#include <stddef.h>

#include "core/status.h"
#include "workload/trace/trace.h"

struct orr_arena;
struct orr_diag;

/* Ids of nodes that must end first. */
struct orr_deps {
    const uint64_t *ids;
    size_t count;
};

/* Dependencies on a part (prefix) of collectives: the first bytes[i] of collective ids[i] suffice.
 */
struct orr_prefixes {
    const uint64_t *ids, *bytes;
    size_t count;
};

/* The description of a node. Zero means absent or default; fields that do not apply to the node's
 * kind are ignored. Pointers are borrowed for the call only. */
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
    bool has_involved_dim;        /* the next two are set */
    uint8_t involved_dims;        /* number of dimensions, at most 32 */
    uint32_t involved_mask;       /* bit d: dimension d takes part */
    struct orr_comm_sizes sizes;  /* COLL: of an uneven collective */
    const char *inputs_values;    /* kept for METADATA only */
    const char *const *inputs;    /* names of tensors read, or NULL */
    const char *const *outputs;   /* names of tensors written, or NULL */
    uint32_t input_count, output_count;
    bool delay;                    /* COMP: takes its time without using a stream */
    bool tokens;                   /* COLL: ORR_COLL_TOKENS */
    bool unaligned;                /* COMP: ORR_COMP_UNALIGNED */
    enum orr_product_type product; /* COMP: of a product */
    bool signal;                   /* SEND, RECV: arrives at once, without using the network */
    struct orr_deps data_deps, ctrl_deps; /* both are parents */
    struct orr_prefixes prefixes;         /* of some of the parents */
    struct orr_deps
        next; /* nodes that wait for it, in the order in which they begin; default: by id */
    bool may_pass_over; /* next and prefixes may be another tool's: what does not fit the graph is
                           passed over (orr_trace.foreign) */
};

struct orr_trace_builder;

/* Creates a builder of a trace that will live in `arena`; NULL when memory is out.
 * orr_trace_builder_destroy frees the builder's own memory (NULL is fine). */
struct orr_trace_builder *orr_trace_builder_create(struct orr_arena *arena);
void orr_trace_builder_destroy(struct orr_trace_builder *builder);

/* Sets the source of the trace, for reports; copied. Default "" and "". Out of memory is reported
 * at finish. */
void orr_trace_builder_set_source(struct orr_trace_builder *builder, const char *path,
                                  const char *version);
/* Sets the issue rules (orr_trace.rules); default "". Copied. */
void orr_trace_builder_set_rules(struct orr_trace_builder *builder, const char *rules);
/* Counts an attribute of another tool; `name` is constant. */
void orr_trace_builder_pass_over(struct orr_trace_builder *builder, const char *name);
/* Counts attributes of Orrery's own that were taken by names of before. */
void orr_trace_builder_count_old(struct orr_trace_builder *builder, const struct orr_foreign *old);
/* Marks the trace as recorded: orr_trace.replayed. */
void orr_trace_builder_set_replayed(struct orr_trace_builder *builder);
void orr_trace_builder_set_content_hash(struct orr_trace_builder *builder, uint64_t hash);

/* Sets the record and byte offset of the nodes added from now on, for reports. Before the first
 * call, reports have no location. */
void orr_trace_builder_set_location(struct orr_trace_builder *builder, uint64_t record,
                                    uint64_t byte_offset);

/* Adds a node. Its flags HAS_* follow the spec's `flags`; SEND gets HAS_DST and RECV HAS_SRC.
 * Errors: more than 32 dimensions, out of memory; the graph is checked at the end. Amortized O(1)
 * plus dependencies and text. */
enum orr_status orr_trace_builder_add(struct orr_trace_builder *builder,
                                      const struct orr_node_spec *spec, struct orr_diag *diag);

/* Sets spec.next of a node that was added or will be: waiting nodes that are not listed begin after
 * the listed ones. An id that does not wait for the node is an error at finish. False when memory
 * is out. Amortized O(count). */
bool orr_trace_builder_order_next(struct orr_trace_builder *builder, uint64_t id,
                                  struct orr_deps next);

/* Adds to spec.prefixes of the node that was added last. False when memory is out. */
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
uint64_t
orr_trace_builder_add_coll_in(struct orr_trace_builder *builder, const char *group,
                              enum orr_trace_comm comm, uint64_t bytes,
                              struct orr_deps deps); /* its name is that of the collective */
uint64_t orr_trace_builder_add_send(struct orr_trace_builder *builder, uint32_t dst, uint32_t tag,
                                    uint64_t bytes, struct orr_deps deps);
uint64_t orr_trace_builder_add_recv(struct orr_trace_builder *builder, uint32_t src, uint32_t tag,
                                    uint64_t bytes, struct orr_deps deps);
/* `kind` is MEM_LOAD or MEM_STORE. */
uint64_t orr_trace_builder_add_mem(struct orr_trace_builder *builder, enum orr_node_kind kind,
                                   bool local, uint64_t tensor_bytes, struct orr_deps deps);
uint64_t orr_trace_builder_add_metadata(struct orr_trace_builder *builder, const char *name,
                                        const char *inputs_values);

/* Sorts, resolves and checks; *out lives in the arena given at creation. Duplicate parents are
 * merged. Errors: two nodes with one id; a data parent that does not exist; a cycle (its nodes are
 * named in order); a prefix of a node that is no collective, has fewer bytes or is no dependency.
 * Control dependencies on nodes that do not exist are dropped with a warning; if the others form a
 * cycle that data dependencies alone do not have, all control dependencies are dropped (traces of
 * early converters need this). Afterwards the builder can only be destroyed. O(nodes log nodes +
 * edges), O(nodes + edges) if ids were added in ascending order. */
enum orr_status orr_trace_builder_finish(struct orr_trace_builder *builder,
                                         const struct orr_trace **out, struct orr_diag *diag);

#endif
