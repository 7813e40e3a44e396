/* Where generated nodes go: a trace in memory, or a file of one rank. A generator describes nodes
 * to an emitter, so that both always hold the same nodes.
 *
 * In memory a trace is shared by all ranks of a class: groups are named by their family ("tp"),
 * and peers are relative (ORR_NODE_RELATIVE_PEER). A file says the ranks and the numbers of groups,
 * as other simulators expect. */
#ifndef ORR_WORKLOAD_GEN_EMITTER_H
#define ORR_WORKLOAD_GEN_EMITTER_H

#include "workload/gen/layout.h"
#include "workload/trace/et/et.h"

struct gen_emitter {
    struct orr_trace_builder *builder; /* or */
    struct orr_et_writer *writer;
    const struct gen_layout *layout; /* NULL: no groups and no relative peers */
    const uint32_t *group_numbers;   /* writer: [GEN_FAMILIES] of the rank's groups */
    uint32_t rank;                   /* writer: whose file it is */
    uint64_t next_id;
    struct orr_diag *diag;
    enum orr_status status; /* of the first failure; nothing is emitted behind it */
};

enum { GEN_MAX_DEPS = 16, GEN_NAME_BYTES = 96 };

/* A few nodes to wait for; of one of them, a collective, the first part_bytes only (0: no such). */
struct gen_deps {
    uint64_t id[GEN_MAX_DEPS];
    unsigned count;
    uint64_t part_of, part_bytes;
};

struct gen_deps orr_gen_no_deps(void);
struct gen_deps orr_gen_dep(uint64_t id);
/* Each node once: exchanges in groups of one leave out their nodes, so that the same one may come
 * by several ways. */
void orr_gen_deps_add(struct gen_deps *after, uint64_t id);
void orr_gen_deps_merge(struct gen_deps *after, const struct gen_deps *other);

/* Adds a node that depends on `deps`; returns its id. */
uint64_t orr_gen_emit(struct gen_emitter *emitter, struct orr_node_spec *spec,
                      struct orr_deps deps);

/* The name, kind of operation, operations and bytes of a computation come in `comp`. */
uint64_t orr_gen_emit_comp(struct gen_emitter *emitter, struct orr_node_spec comp,
                           const struct gen_deps *after);

/* A collective of the rank's group of a family; with one rank in the group nothing is emitted.
 * Returns what to wait for: the collective, or `after` itself. */
struct gen_deps orr_gen_emit_coll(struct gen_emitter *emitter, struct orr_node_spec coll,
                                  enum gen_family family, const struct gen_deps *after);

/* The same after any number of nodes: whether the collective, *id, was emitted. */
bool orr_gen_emit_coll_after(struct gen_emitter *emitter, struct orr_node_spec coll,
                             enum gen_family family, struct orr_deps deps, uint64_t *id);

/* A message to or from the rank at an offset (modulo the number of NPUs). */
uint64_t orr_gen_emit_send(struct gen_emitter *emitter, struct orr_node_spec send, uint32_t offset,
                           const struct gen_deps *after);
uint64_t orr_gen_emit_recv(struct gen_emitter *emitter, struct orr_node_spec recv, uint32_t offset,
                           const struct gen_deps *after);

#endif
