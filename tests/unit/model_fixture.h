/* What the tests of generated models share: reading one from a workload's text or file, and its
 * nodes as text. */
#ifndef ORR_TESTS_UNIT_MODEL_FIXTURE_H
#define ORR_TESTS_UNIT_MODEL_FIXTURE_H

#include <inttypes.h>

#include "tests/unit/conf_fixture.h"
#include "workload/gen/models.h"
#include "workload/trace/trace_query.h"

static inline enum orr_status read_sections(struct fixture *fixture, const struct orr_conf *map,
                                            uint32_t npus, struct gen_model *model)
{
    struct gen_sections sections = {.parallel = orr_conf_get(map, "parallel"),
                                    .training = orr_conf_get(map, "training")};
    size_t i = 0;
    while (orr_gen_models[i] != NULL && orr_conf_get(map, orr_gen_models[i]->name) == NULL) {
        i++;
    }
    assert_non_null(orr_gen_models[i]);
    sections.model = orr_conf_get(map, orr_gen_models[i]->name);
    *model = (struct gen_model){.ops = orr_gen_models[i], .section = sections.model};
    return orr_gen_models[i]->read(fixture->arena, &sections, npus, &model->job, &fixture->diag);
}

/* `text` is what stands below `workload:`. */
static inline struct gen_model read_model(struct fixture *fixture, uint32_t npus, const char *text)
{
    struct gen_model model;
    const enum orr_status status = read_sections(fixture, parse(fixture, text), npus, &model);
    assert_string_equal(fixture->diag.message, "");
    assert_int_equal(status, ORR_OK);
    return model;
}

/* A file that ships, with a batch of a sample for each rank. */
static inline struct gen_model load_model(struct fixture *fixture, uint32_t npus, const char *path)
{
    const struct orr_conf *root = NULL;
    struct gen_model model;
    clear(fixture);
    (void)orr_conf_load(fixture->arena, path, &root, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    const enum orr_status status =
        read_sections(fixture, orr_conf_get(root, "workload"), npus, &model);
    assert_string_equal(fixture->diag.message, "");
    assert_int_equal(status, ORR_OK);
    return model;
}

static inline struct gen_totals totals_of(const struct gen_model *model)
{
    struct gen_totals totals;
    model->ops->totals(model->job, &totals);
    return totals;
}

static inline const struct orr_trace *trace_of(struct fixture *fixture,
                                               const struct gen_model *model)
{
    const struct orr_trace *trace = NULL;
    (void)orr_gen_model_trace(fixture->arena, model, 0, &trace, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    assert_non_null(trace);
    return trace;
}

/* A line for each node: "ID NAME < PARENTS". */
static inline void assert_nodes(struct fixture *fixture, const struct orr_trace *trace,
                                const char *expected)
{
    static char text[65536];
    size_t used = 0;
    struct orr_parents parents;
    assert_int_equal(orr_parents_build(fixture->arena, trace, &parents, &fixture->diag), ORR_OK);
    for (uint32_t i = 0; i < trace->nodes && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%" PRIu64 " %s <",
                                 trace->node[i].id, trace->node[i].name);
        for (uint32_t p = parents.first[i]; p < parents.first[i + 1] && used < sizeof text; p++) {
            used += (size_t)snprintf(text + used, sizeof text - used, " %" PRIu64,
                                     trace->node[parents.parent[p]].id);
        }
        used += used < sizeof text ? (size_t)snprintf(text + used, sizeof text - used, "\n") : 0;
    }
    assert_true(used < sizeof text);
    assert_string_equal(text, expected);
}

/* The node of this name; there is one. */
static inline const struct orr_node *node_named(const struct orr_trace *trace, const char *name)
{
    const struct orr_node *found = NULL;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (strcmp(trace->node[i].name, name) == 0) {
            assert_null(found);
            found = &trace->node[i];
        }
    }
    assert_non_null(found);
    return found;
}

static inline void assert_comp(const struct orr_trace *trace, const char *name, uint64_t flops,
                               uint64_t bytes)
{
    const struct orr_node *node = node_named(trace, name);
    assert_int_equal(node->kind, ORR_NODE_COMP);
    assert_int_equal(node->amount, flops);
    assert_int_equal(node->of.tensor_bytes, bytes);
}

static inline void assert_coll(const struct orr_trace *trace, const char *name,
                               enum orr_trace_comm comm, uint64_t bytes)
{
    const struct orr_node *node = node_named(trace, name);
    assert_int_equal(node->kind, ORR_NODE_COLL);
    assert_int_equal(node->comm, comm);
    assert_int_equal(node->amount, bytes);
}

struct comm_sum {
    uint64_t count, bytes;
};

static inline struct comm_sum comm_of(const struct orr_trace *trace, enum orr_trace_comm comm)
{
    struct comm_sum sum = {0, 0};
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (trace->node[i].kind == ORR_NODE_COLL && trace->node[i].comm == comm) {
            sum.count++;
            sum.bytes += trace->node[i].amount;
        }
    }
    return sum;
}

static inline void assert_memory(const struct gen_model *model, uint64_t weights,
                                 uint64_t gradients, uint64_t optimizer, uint64_t activations)
{
    struct gen_memory memory;
    assert_true(orr_gen_model_memory(model, 0, &memory));
    assert_int_equal(memory.weights_bytes, weights);
    assert_int_equal(memory.gradients_bytes, gradients);
    assert_int_equal(memory.optimizer_bytes, optimizer);
    assert_int_equal(memory.activations_bytes, activations);
}

#endif
