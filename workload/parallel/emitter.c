/* Emitting generated nodes; see emitter.h. */
#include "workload/parallel/emitter.h"

#include "core/diag.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

#include <inttypes.h>
#include <stdio.h>

struct gen_deps orr_gen_no_deps(void)
{
    return (struct gen_deps){.count = 0};
}

struct gen_deps orr_gen_dep(uint64_t id)
{
    return (struct gen_deps){.id = {id}, .count = 1};
}

void orr_gen_deps_add(struct gen_deps *after, uint64_t id)
{
    for (unsigned i = 0; i < after->count; i++) {
        if (after->id[i] == id) {
            return;
        }
    }
    ORR_ASSERT(after->count < GEN_MAX_DEPS);
    after->id[after->count++] = id;
}

void orr_gen_deps_merge(struct gen_deps *after, const struct gen_deps *other)
{
    for (unsigned i = 0; i < other->count; i++) {
        orr_gen_deps_add(after, other->id[i]);
    }
    if (other->part_bytes != 0) {
        ORR_ASSERT(after->part_bytes == 0 || after->part_of == other->part_of);
        after->part_of = other->part_of;
        after->part_bytes =
            after->part_bytes > other->part_bytes ? after->part_bytes : other->part_bytes;
    }
}

uint64_t orr_gen_emit(struct gen_emitter *emitter, struct orr_node_spec *spec, struct orr_deps deps)
{
    spec->id = emitter->next_id++;
    spec->flags |= ORR_NODE_HAS_CPU_FLAG;
    spec->data_deps = deps;
    if (emitter->status == ORR_OK) {
        emitter->status = emitter->builder != NULL
                              ? orr_trace_builder_add(emitter->builder, spec, emitter->diag)
                              : orr_et_writer_add(emitter->writer, spec, emitter->diag);
    }
    return spec->id;
}

uint64_t orr_gen_emit_comp(struct gen_emitter *emitter, struct orr_node_spec comp,
                           const struct gen_deps *after)
{
    comp.kind = ORR_NODE_COMP;
    comp.flags = ORR_NODE_HAS_NUM_OPS | ORR_NODE_HAS_TENSOR_SIZE;
    comp.prefixes = (struct orr_prefixes){
        .ids = &after->part_of, .bytes = &after->part_bytes, .count = after->part_bytes != 0};
    return orr_gen_emit(emitter, &comp, (struct orr_deps){after->id, after->count});
}

/* A node without work that waits for all. */
static struct gen_deps gather_deps(struct gen_emitter *emitter, const struct gen_deps *all)
{
    const struct orr_node_spec spec = {.name = "inputs", .op = ORR_OP_ELEMENTWISE};
    return orr_gen_dep(orr_gen_emit_comp(emitter, spec, all));
}

/* Whether both together are too many; nodes that both have count once. */
static bool overflows(const struct gen_deps *after, const struct gen_deps *other)
{
    uint32_t all = after->count + other->count;
    for (uint32_t i = 0; i < other->count && all > GEN_MAX_DEPS; i++) {
        bool has = false;
        for (uint32_t k = 0; k < after->count && !has; k++) {
            has = after->id[k] == other->id[i];
        }
        all -= has ? 1 : 0;
    }
    return all > GEN_MAX_DEPS;
}

void orr_gen_deps_join(struct gen_emitter *emitter, struct gen_deps *after,
                       const struct gen_deps *other)
{
    if (overflows(after, other)) {
        *after = gather_deps(emitter, after);
    }
    if (overflows(after, other)) {
        const struct gen_deps one = gather_deps(emitter, other);
        orr_gen_deps_merge(after, &one);
        return;
    }
    orr_gen_deps_merge(after, other);
}

bool orr_gen_emit_coll_after(struct gen_emitter *emitter, struct orr_node_spec coll,
                             enum gen_family family, struct orr_deps deps, uint64_t *id)
{
    if (emitter->layout != NULL && orr_gen_family_size(emitter->layout, family) == 1) {
        return false;
    }
    char number[16];
    coll.kind = ORR_NODE_COLL;
    coll.group = orr_gen_family_name(family);
    if (emitter->writer != NULL && family != GEN_WORLD) {
        (void)snprintf(number, sizeof number, "%" PRIu32, emitter->group_numbers[family]);
        coll.group = number;
    }
    *id = orr_gen_emit(emitter, &coll, deps);
    return true;
}

struct gen_deps orr_gen_emit_coll(struct gen_emitter *emitter, struct orr_node_spec coll,
                                  enum gen_family family, const struct gen_deps *after)
{
    uint64_t id;
    const struct orr_deps deps = {after->id, after->count};
    return orr_gen_emit_coll_after(emitter, coll, family, deps, &id) ? orr_gen_dep(id) : *after;
}

static uint64_t emit_message(struct gen_emitter *emitter, struct orr_node_spec *message,
                             uint32_t offset, const struct gen_deps *after)
{
    uint32_t peer = offset;
    if (emitter->writer != NULL) {
        peer = (uint32_t)(((uint64_t)emitter->rank + offset) % emitter->layout->npus);
    } else {
        message->flags |= ORR_NODE_RELATIVE_PEER;
    }
    message->src = message->dst = peer;
    return orr_gen_emit(emitter, message, (struct orr_deps){after->id, after->count});
}

uint64_t orr_gen_emit_send(struct gen_emitter *emitter, struct orr_node_spec send, uint32_t offset,
                           const struct gen_deps *after)
{
    send.kind = ORR_NODE_SEND;
    return emit_message(emitter, &send, offset, after);
}

uint64_t orr_gen_emit_recv(struct gen_emitter *emitter, struct orr_node_spec recv, uint32_t offset,
                           const struct gen_deps *after)
{
    recv.kind = ORR_NODE_RECV;
    return emit_message(emitter, &recv, offset, after);
}
