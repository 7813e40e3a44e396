/* Small models for tests of strategies, made by hand: every operator can be split in the same
 * dimensions, those that layers have. */
#ifndef ORR_TESTS_UNIT_STRATEGY_FIXTURE_H
#define ORR_TESTS_UNIT_STRATEGY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/demand.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"
#include "workload/strategy/strategy_file.h"

struct orr_arena;

enum { TOY_OPS = 64, TOY_EDGES = 512, TOY_DIMS = 5 };
/* In their order. */
enum { SAMPLE, OUTPUT, INPUT, ALIKE, HEIGHT };

struct toy {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct model_graph graph;
    struct model_op op[TOY_OPS];
    struct model_edge edge[TOY_EDGES];
    struct strategy_draft draft;
};

#define ALL                                                                                        \
    {                                                                                              \
        MODEL_NEEDS_ALL, MODEL_NO_AXIS                                                             \
    }
#define SLICE(axis)                                                                                \
    {                                                                                              \
        MODEL_NEEDS_SLICE, axis                                                                    \
    }
static const struct model_dim toy_dims[TOY_DIMS] = {
    {"sample", {SLICE(0), SLICE(0)}, MODEL_GIVES_SLICE, 0, MODEL_WEIGHTS_COPIED, 0, 0, 0},
    {"output", {ALL, ALL}, MODEL_GIVES_SLICE, 1, MODEL_WEIGHTS_SLICED, 4096, 0, 0},
    {"input",
     {SLICE(1), SLICE(1)},
     MODEL_GIVES_PARTIAL_SUM,
     MODEL_NO_AXIS,
     MODEL_WEIGHTS_SLICED,
     4096,
     0,
     0},
    {"alike", {SLICE(1), SLICE(1)}, MODEL_GIVES_SLICE, 1, MODEL_WEIGHTS_COPIED, 4096, 0, 0},
    {"height", {SLICE(2), SLICE(2)}, MODEL_GIVES_SLICE, 2, MODEL_WEIGHTS_COPIED, 64, 16, 0},
};
#undef ALL
#undef SLICE

static inline void toy_init(struct toy *toy, uint64_t batch)
{
    *toy = (struct toy){.arena = orr_arena_create(),
                        .graph = {.name = "toy", .batch = batch, .element_bytes = 4}};
    toy->graph.op = toy->op;
    toy->graph.edge = toy->edge;
    orr_diag_init(&toy->diag);
}

static inline void toy_fini(struct toy *toy)
{
    orr_arena_destroy(toy->arena);
}

/* An operator behind others (UINT32_MAX ends the two inputs) with bytes of a sample's output, and
 * of its weights. Returns its number. */
static inline uint32_t toy_op(struct toy *toy, const char *name, uint64_t output_bytes,
                              uint64_t weight_bytes, const uint32_t input[2])
{
    const uint32_t number = toy->graph.ops++;
    struct model_op *op = &toy->op[number];
    *op = (struct model_op){.name = name,
                            .dims = TOY_DIMS,
                            .dim = toy_dims,
                            .weights = weight_bytes / 4,
                            .weight_bytes = weight_bytes,
                            .owner = number,
                            .output_bytes = output_bytes,
                            .first_edge = toy->graph.edges};
    for (uint32_t i = 0; i < 2 && input != NULL && input[i] != UINT32_MAX; i++) {
        toy->edge[toy->graph.edges++] = (struct model_edge){.from = input[i], .input = i};
        op->edges++;
    }
    return number;
}

static inline uint32_t toy_after(struct toy *toy, const char *name, uint64_t output_bytes,
                                 uint64_t weight_bytes, uint32_t before)
{
    const uint32_t input[2] = {before, UINT32_MAX};
    return toy_op(toy, name, output_bytes, weight_bytes, input);
}

/* Adds one more input to the operator that was added last. */
static inline void toy_input(struct toy *toy, uint32_t from)
{
    struct model_op *op = &toy->op[toy->graph.ops - 1];
    toy->edge[toy->graph.edges++] = (struct model_edge){.from = from, .input = op->edges++};
}

static inline void toy_draft(struct toy *toy, uint32_t devices, uint32_t copies)
{
    assert_true(orr_strategy_draft_init(&toy->draft, toy->arena, &toy->graph, devices, copies));
}

/* Splits an operator in one dimension, its parts on the devices from `first` on. */
static inline void toy_split(struct toy *toy, uint32_t op, unsigned dim, uint32_t parts,
                             uint32_t first)
{
    uint32_t degree[TOY_DIMS] = {1, 1, 1, 1, 1}, device[64];
    degree[dim] = parts;
    for (uint32_t i = 0; i < parts; i++) {
        device[i] = first + i;
    }
    assert_true(orr_strategy_set(&toy->draft, op, degree, device));
}

#endif
