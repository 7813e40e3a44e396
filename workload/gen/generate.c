/* Workload generators; see generate.h. A generator describes a rank's nodes to an emitter, which
 * builds a trace in memory or writes a file; both hold the same nodes.
 *
 * mlp: a layer of P parameters of e bytes is a square matrix of width w = sqrt(P). For a batch b
 * its forward pass takes 2 b P operations on the weights and on b w activations in and out; the
 * backward pass does twice as much (gradients of the inputs and of the weights). A plain update (w
 * -= r g) is 2 operations a parameter on three arrays. */
#include "workload/gen/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/diag.h"
#include "core/saturate.h"
#include "core/strings.h"
#include "workload/parallel/emitter.h"
#include "workload/trace/et/et_sink.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

enum { NAME_BYTES = 64, MAX_REPEATS = 100000000 };

typedef void (*emit_rank)(const struct orr_gen *gen, uint32_t rank, struct gen_emitter *emitter);

static uint64_t emit_comp(struct gen_emitter *emitter, struct orr_node_spec comp,
                          struct orr_deps deps)
{
    comp.kind = ORR_NODE_COMP;
    comp.flags = ORR_NODE_HAS_NUM_OPS | ORR_NODE_HAS_TENSOR_SIZE;
    return orr_gen_emit(emitter, &comp, deps);
}

static uint32_t value_or_one(uint32_t value)
{
    return value != 0 ? value : 1;
}

/* ---- collectives ---- */

static enum orr_trace_comm comm_of(const char *kind);

/* A node without work that waits for the first part. */
static void emit_first_part(const struct orr_gen *gen, uint64_t collective, uint32_t number,
                            struct gen_emitter *emitter)
{
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "first part of %s %" PRIu32, gen->kind, number);
    struct orr_node_spec spec = {
        .kind = ORR_NODE_METADATA,
        .name = name,
        .prefixes = {.ids = &collective, .bytes = &gen->first_part, .count = 1}};
    (void)orr_gen_emit(emitter, &spec, (struct orr_deps){&collective, 1});
}

/* Whether the rank is in the collective's group. */
static bool takes_part(const struct orr_gen *gen, uint32_t rank)
{
    uint32_t i = 0;
    while (i < gen->members && gen->member[i] != rank) {
        i++;
    }
    return gen->group == NULL || i < gen->members;
}

static void emit_collective(const struct orr_gen *gen, uint32_t rank, struct gen_emitter *emitter)
{
    const uint32_t count = takes_part(gen, rank) ? value_or_one(gen->repeat) : 0;
    uint64_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        char name[NAME_BYTES];
        (void)snprintf(name, sizeof name, "%s %" PRIu32, gen->kind, i);
        struct orr_node_spec spec = {.kind = ORR_NODE_COLL,
                                     .comm = comm_of(gen->kind),
                                     .name = name,
                                     .group = gen->group,
                                     .comm_bytes = gen->bytes,
                                     .root = gen->root};
        before = orr_gen_emit(emitter, &spec, (struct orr_deps){&before, i > 0 ? 1 : 0});
        if (gen->first_part != 0) {
            emit_first_part(gen, before, i, emitter);
        }
    }
}

/* ---- data-parallel MLP ---- */

/* The work of one layer. */
struct layer {
    uint64_t forward_flops, backward_flops, forward_bytes, backward_bytes;
    uint64_t update_flops, update_bytes;
};

static uint64_t integer_sqrt(uint64_t value)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit != 0; bit >>= 1) {
        if ((root | bit) * (root | bit) <= value) {
            root |= bit;
        }
    }
    return root;
}

static struct layer layer_of(const struct orr_gen *gen)
{
    const uint64_t element = gen->element_bytes != 0 ? gen->element_bytes : 2;
    const uint64_t parameters = gen->bytes / element;
    const uint64_t batch = value_or_one(gen->batch);
    const uint64_t activations = sat_times(2 * batch, integer_sqrt(parameters) * element);
    struct layer layer = {.forward_flops = gen->forward_flops,
                          .backward_flops = gen->backward_flops,
                          .forward_bytes = sat_plus(gen->bytes, activations),
                          .update_flops = sat_times(2, parameters),
                          .update_bytes = sat_times(3, gen->bytes)};
    if (layer.forward_flops == 0) {
        layer.forward_flops = sat_times(2 * batch, parameters);
    }
    if (layer.backward_flops == 0) {
        layer.backward_flops = sat_times(2, layer.forward_flops);
    }
    layer.backward_bytes = sat_times(2, layer.forward_bytes);
    return layer;
}

/* Ids of the nodes of a step. Nodes are numbered in a fixed pattern, so ids can be computed: per
 * step `layers` forward nodes, then for each layer from the last to the first the backward node,
 * its all-reduce, and its update if there is one. */
struct mlp {
    const struct orr_gen *gen;
    struct layer layer;
    uint32_t layers, nodes_per_layer; /* of the backward pass */
    struct gen_emitter *emitter;
};

static uint64_t id_ready(const struct mlp *mlp, uint32_t step, uint32_t layer)
{
    const uint64_t per_step = (uint64_t)mlp->layers * (1 + mlp->nodes_per_layer);
    const uint64_t behind = (uint64_t)(mlp->layers - layer) * mlp->nodes_per_layer;
    return per_step * step + mlp->layers + behind - 1;
}

static uint64_t emit_forward(const struct mlp *mlp, uint32_t step)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < mlp->layers; i++) {
        char name[NAME_BYTES];
        uint64_t deps[2];
        size_t count = 0;
        (void)snprintf(name, sizeof name, "step %" PRIu32 " layer %" PRIu32 " forward", step, i);
        if (i > 0) {
            deps[count++] = before;
        }
        if (step > 0) {
            deps[count++] = id_ready(mlp, step - 1, i);
        }
        const struct orr_node_spec forward = {.name = name,
                                              .op = ORR_OP_GEMM,
                                              .num_ops = mlp->layer.forward_flops,
                                              .tensor_bytes = mlp->layer.forward_bytes};
        before = emit_comp(mlp->emitter, forward, (struct orr_deps){deps, count});
    }
    return before;
}

static void emit_gradient(const struct mlp *mlp, uint32_t step, uint32_t layer, uint64_t backward)
{
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "step %" PRIu32 " layer %" PRIu32 " all-reduce", step, layer);
    struct orr_node_spec spec = {.kind = ORR_NODE_COLL,
                                 .comm = ORR_COMM_ALL_REDUCE,
                                 .name = name,
                                 .comm_bytes = mlp->gen->bytes};
    const uint64_t reduced = orr_gen_emit(mlp->emitter, &spec, (struct orr_deps){&backward, 1});
    if (mlp->gen->optimizer) {
        (void)snprintf(name, sizeof name, "step %" PRIu32 " layer %" PRIu32 " update", step, layer);
        const struct orr_node_spec update = {.name = name,
                                             .op = ORR_OP_ELEMENTWISE,
                                             .num_ops = mlp->layer.update_flops,
                                             .tensor_bytes = mlp->layer.update_bytes};
        (void)emit_comp(mlp->emitter, update, (struct orr_deps){&reduced, 1});
    }
}

static void emit_backward(const struct mlp *mlp, uint32_t step, uint64_t before)
{
    for (uint32_t i = mlp->layers; i-- > 0;) {
        char name[NAME_BYTES];
        (void)snprintf(name, sizeof name, "step %" PRIu32 " layer %" PRIu32 " backward", step, i);
        const struct orr_node_spec work = {.name = name,
                                           .op = ORR_OP_GEMM,
                                           .num_ops = mlp->layer.backward_flops,
                                           .tensor_bytes = mlp->layer.backward_bytes};
        before = emit_comp(mlp->emitter, work, (struct orr_deps){&before, 1});
        emit_gradient(mlp, step, i, before);
    }
}

static void emit_mlp(const struct orr_gen *gen, uint32_t rank, struct gen_emitter *emitter)
{
    (void)rank;
    const struct mlp mlp = {.gen = gen,
                            .layer = layer_of(gen),
                            .layers = value_or_one(gen->layers),
                            .nodes_per_layer = gen->optimizer ? 3 : 2,
                            .emitter = emitter};
    for (uint32_t step = 0; step < value_or_one(gen->repeat); step++) {
        const uint64_t last = emit_forward(&mlp, step);
        emit_backward(&mlp, step, last);
        ORR_ASSERT(emitter->next_id == id_ready(&mlp, step, 0) + 1);
    }
}

/* ---- pipeline ---- */

static uint64_t emit_p2p_node(const struct orr_gen *gen, enum orr_node_kind kind, uint32_t peer,
                              uint32_t tag, struct gen_emitter *emitter, struct orr_deps deps)
{
    struct orr_node_spec spec = {.kind = kind,
                                 .name = kind == ORR_NODE_SEND ? "send" : "recv",
                                 .comm_bytes = gen->bytes,
                                 .src = peer,
                                 .dst = peer,
                                 .tag = tag};
    return orr_gen_emit(emitter, &spec, deps);
}

/* Every micro-batch passes through all ranks in order: receive, compute, send. A rank begins a
 * micro-batch after the beginning of the one before it. */
static void emit_p2p(const struct orr_gen *gen, uint32_t rank, struct gen_emitter *emitter)
{
    uint64_t first = 0;
    for (uint32_t i = 0; i < value_or_one(gen->repeat); i++) {
        struct orr_deps deps = {&first, i > 0 ? 1 : 0};
        const uint64_t begin = emitter->next_id;
        uint64_t last = 0;
        if (rank > 0) {
            last = emit_p2p_node(gen, ORR_NODE_RECV, rank - 1, i, emitter, deps);
            deps = (struct orr_deps){&last, 1};
        }
        if (gen->forward_flops != 0) {
            const struct orr_node_spec stage = {
                .name = "stage", .num_ops = gen->forward_flops, .tensor_bytes = gen->bytes};
            last = emit_comp(emitter, stage, deps);
            deps = (struct orr_deps){&last, 1};
        }
        if (rank + 1 < gen->npus) {
            (void)emit_p2p_node(gen, ORR_NODE_SEND, rank + 1, i, emitter, deps);
        }
        first = begin;
    }
}

/* ---- the table ---- */

static const struct orr_gen_kind kinds[] = {
    {"all_reduce", "the sum of all ranks' data, to all ranks", false, true},
    {"all_gather", "the data of all ranks, to all ranks", false, true},
    {"reduce_scatter", "the sum of all ranks' data, one block to each", false, true},
    {"all_to_all", "a block from each rank to each", false, true},
    {"broadcast", "the root's data, to all ranks", true, true},
    {"reduce", "the sum of all ranks' data, to the root", true, true},
    {"gather", "the data of all ranks, to the root", true, true},
    {"scatter", "a block of the root's data to each rank", true, true},
    {"barrier", "no rank leaves before all have arrived", false, true},
    {"mlp", "data-parallel training of equal layers, gradients all-reduced", false, true},
    {"p2p", "micro-batches sent from rank to rank, as through a pipeline", false, false},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0], COLLECTIVE_COUNT = 9 };

const struct orr_gen_kind *orr_gen_kinds(size_t *count)
{
    *count = KIND_COUNT;
    return kinds;
}

static size_t find_kind(const char *name)
{
    size_t i = 0;
    while (i < KIND_COUNT && strcmp(kinds[i].name, name) != 0) {
        i++;
    }
    return i;
}

static enum orr_trace_comm comm_of(const char *kind)
{
    static const enum orr_trace_comm comms[COLLECTIVE_COUNT] = {
        ORR_COMM_ALL_REDUCE, ORR_COMM_ALL_GATHER, ORR_COMM_REDUCE_SCATTER,
        ORR_COMM_ALL_TO_ALL, ORR_COMM_BROADCAST,  ORR_COMM_REDUCE,
        ORR_COMM_GATHER,     ORR_COMM_SCATTER,    ORR_COMM_BARRIER};
    const size_t index = find_kind(kind);
    ORR_ASSERT(index < COLLECTIVE_COUNT);
    return comms[index];
}

static emit_rank emit_of(const char *kind)
{
    if (strcmp(kind, "mlp") == 0) {
        return emit_mlp;
    }
    return strcmp(kind, "p2p") == 0 ? emit_p2p : emit_collective;
}

/* ---- checks ---- */

static enum orr_status fail_kind(const char *kind, struct orr_diag *diag)
{
    const char *names[KIND_COUNT];
    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = kinds[i].name;
    }
    const char *nearest = orr_nearest_name(kind, names, KIND_COUNT);
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "unknown workload \"%s\"%s%s%s", kind,
                         nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                         nearest != NULL ? "\"?" : "");
}

enum orr_status orr_gen_check(const struct orr_gen *gen, struct orr_diag *diag)
{
    const size_t kind = find_kind(gen->kind);
    const uint32_t fewest = strcmp(gen->kind, "p2p") == 0 ? 2 : 1;
    if (kind == KIND_COUNT) {
        return fail_kind(gen->kind, diag);
    }
    if (gen->npus < fewest) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "npus: expected at least %u, got %u",
                             fewest, gen->npus);
    }
    if (gen->bytes > INT64_MAX) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "bytes: expected at most 2^63 - 1, got %llu",
                             (unsigned long long)gen->bytes);
    }
    if (gen->bytes == 0 && strcmp(gen->kind, "barrier") != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "bytes: expected a size above 0 such as \"1 MiB\"");
    }
    if (kinds[kind].rooted && gen->root >= gen->npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "root: expected a rank from 0 to %u, got %u", gen->npus - 1,
                             gen->root);
    }
    if (kind < COLLECTIVE_COUNT && kinds[kind].rooted && !takes_part(gen, gen->root)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "root: expected a rank of the group \"%s\", got %u", gen->group,
                             gen->root);
    }
    if (kind < COLLECTIVE_COUNT && gen->first_part > gen->bytes) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "first_part: expected at most the collective's %" PRIu64
                             " byte%s, got %" PRIu64,
                             gen->bytes, gen->bytes == 1 ? "" : "s", gen->first_part);
    }
    const uint64_t times = (uint64_t)value_or_one(gen->repeat) * value_or_one(gen->layers);
    if (times > MAX_REPEATS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "repeat times layers: expected at most %d, got %" PRIu64, MAX_REPEATS,
                             times);
    }
    return ORR_OK;
}

/* ---- results ---- */

enum orr_status orr_gen_trace(struct orr_arena *arena, const struct orr_gen *gen, uint32_t rank,
                              const struct orr_trace **out, struct orr_diag *diag)
{
    const enum orr_status status = orr_gen_check(gen, diag);
    if (status != ORR_OK) {
        return status;
    }
    struct gen_emitter emitter = {.builder = orr_trace_builder_create(arena), .diag = diag};
    if (emitter.builder == NULL) {
        return orr_diag_no_memory(diag, "a trace");
    }
    orr_trace_builder_set_source(emitter.builder, gen->kind, "");
    emit_of(gen->kind)(gen, rank, &emitter);
    if (emitter.status == ORR_OK) {
        emitter.status = orr_trace_builder_finish(emitter.builder, out, diag);
    }
    orr_trace_builder_destroy(emitter.builder);
    return emitter.status;
}

static enum orr_status fill_writer(struct orr_et_writer *writer, const struct orr_gen *gen,
                                   uint32_t rank, struct orr_diag *diag)
{
    struct gen_emitter emitter = {.writer = writer, .diag = diag};
    emit_of(gen->kind)(gen, rank, &emitter);
    return emitter.status == ORR_OK ? orr_et_writer_finish(writer, diag) : emitter.status;
}

static enum orr_status write_rank(const struct orr_gen *gen, uint32_t rank, const char *path,
                                  bool gzip, struct orr_diag *diag)
{
    const struct orr_et_writer_options options = {.gzip = gzip};
    struct orr_et_writer *writer;
    enum orr_status status = orr_et_writer_create(&writer, path, &options, diag);
    if (status == ORR_OK) {
        status = fill_writer(writer, gen, rank, diag);
        orr_et_writer_destroy(writer);
    }
    return status;
}

static enum orr_status write_bytes(const struct orr_et_writer *ready, const char *path,
                                   struct orr_diag *diag)
{
    struct et_sink sink;
    size_t count;
    const void *bytes = orr_et_writer_bytes(ready, &count);
    enum orr_status status = orr_et_sink_open(&sink, path, false, diag);
    if (status == ORR_OK) {
        status = orr_et_sink_write(&sink, bytes, count, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_sink_finish(&sink, diag);
    }
    orr_et_sink_close(&sink);
    return status;
}

/* `ready`: the file that every rank gets; NULL: each rank has its own. */
static enum orr_status write_ranks(const struct orr_gen *gen, const char *prefix, bool gzip,
                                   const struct orr_et_writer *ready, struct orr_diag *diag)
{
    struct orr_arena *paths = orr_arena_create();
    enum orr_status status = paths != NULL ? ORR_OK : orr_diag_no_memory(diag, "paths");
    for (uint32_t rank = 0; rank < gen->npus && status == ORR_OK; rank++) {
        const char *path =
            orr_arena_printf(paths, "%s.%" PRIu32 ".et%s", prefix, rank, gzip ? ".gz" : "");
        if (path == NULL) {
            status = orr_diag_no_memory(diag, "paths");
        } else {
            status = ready != NULL ? write_bytes(ready, path, diag)
                                   : write_rank(gen, rank, path, gzip, diag);
        }
        orr_arena_reset(paths);
    }
    orr_arena_destroy(paths);
    return status;
}

enum orr_status orr_gen_write(const struct orr_gen *gen, const char *prefix, bool gzip,
                              struct orr_diag *diag)
{
    enum orr_status status = orr_gen_check(gen, diag);
    if (status != ORR_OK || !kinds[find_kind(gen->kind)].same_traces || gen->group != NULL) {
        return status == ORR_OK ? write_ranks(gen, prefix, gzip, NULL, diag) : status;
    }
    const struct orr_et_writer_options options = {.gzip = gzip};
    struct orr_et_writer *ready;
    status = orr_et_writer_create_memory(&ready, &options, diag);
    if (status == ORR_OK) {
        status = fill_writer(ready, gen, 0, diag);
        if (status == ORR_OK) {
            status = write_ranks(gen, prefix, gzip, ready, diag);
        }
        orr_et_writer_destroy(ready);
    }
    return status;
}
