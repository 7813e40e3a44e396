/* Emits generated nodes, into a trace in memory or into the file of one rank. Both hold the same
 * nodes.
 *
 * A trace in memory is shared by all ranks of a class: groups have the names of their family
 * ("tp"), and peers are relative (ORR_NODE_RELATIVE_PEER). A file has absolute ranks and numbers of
 * groups, as other simulators expect. */
#ifndef ORR_WORKLOAD_PARALLEL_EMITTER_H
#define ORR_WORKLOAD_PARALLEL_EMITTER_H

#include "workload/parallel/layout_parts.h"
#include "workload/trace/trace_builder.h"

struct orr_diag;
struct orr_et_writer;

struct gen_emitter {
    struct orr_trace_builder *builder; /* or */
    struct orr_et_writer *writer;
    const struct gen_layout *layout; /* NULL: neither groups nor relative peers */
    const uint32_t *group_numbers;   /* writer: [GEN_FAMILIES], the rank's groups */
    uint32_t rank;                   /* writer: the file's rank */
    uint32_t ring_place;             /* of the rank, or of its class (layout.h) */
    uint64_t next_id;
    struct orr_diag *diag;
    enum orr_status status; /* of the first failure; nothing is emitted after it */
};

enum { GEN_MAX_DEPS = 16, GEN_NAME_BYTES = 96 };

/* Dependencies of a node. Of one of them, a collective, only the first part_bytes are needed (0: no
 * such one). */
struct gen_deps {
    uint64_t id[GEN_MAX_DEPS];
    unsigned count;
    uint64_t part_of, part_bytes;
};

struct gen_deps orr_gen_no_deps(void);
struct gen_deps orr_gen_dep(uint64_t id);
/* Adds an id unless it is there already: exchanges in groups of one rank emit nothing, so an id may
 * arrive through several chains. */
void orr_gen_deps_add(struct gen_deps *after, uint64_t id);
void orr_gen_deps_merge(struct gen_deps *after, const struct gen_deps *other);

/* Merges any number: if there are too many for a node, a node without work waits for those so far.
 */
void orr_gen_deps_join(struct gen_emitter *emitter, struct gen_deps *after,
                       const struct gen_deps *other);

/* Emits a node that depends on `deps`; returns its id. */
uint64_t orr_gen_emit(struct gen_emitter *emitter, struct orr_node_spec *spec,
                      struct orr_deps deps);

/* Emits a computation. `comp` has its name, kind of operation, operations and bytes. */
uint64_t orr_gen_emit_comp(struct gen_emitter *emitter, struct orr_node_spec comp,
                           const struct gen_deps *after);

/* Emits a collective of the rank's group of a family; nothing if the group has one rank. Returns
 * the dependencies to wait for: the collective, or `after`. */
struct gen_deps orr_gen_emit_coll(struct gen_emitter *emitter, struct orr_node_spec coll,
                                  enum gen_family family, const struct gen_deps *after);

/* The same after any number of nodes; returns whether the collective, *id, was emitted. */
bool orr_gen_emit_coll_after(struct gen_emitter *emitter, struct orr_node_spec coll,
                             enum gen_family family, struct orr_deps deps, uint64_t *id);

/* Emits a message to or from the rank at an offset (modulo the number of NPUs). */
uint64_t orr_gen_emit_send(struct gen_emitter *emitter, struct orr_node_spec send, uint32_t offset,
                           const struct gen_deps *after);
uint64_t orr_gen_emit_recv(struct gen_emitter *emitter, struct orr_node_spec recv, uint32_t offset,
                           const struct gen_deps *after);

#endif
