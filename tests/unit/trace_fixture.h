/* Small traces for tests, node by node. */
#ifndef ORR_TESTS_UNIT_TRACE_FIXTURE_H
#define ORR_TESTS_UNIT_TRACE_FIXTURE_H

#include "core/time.h"
#include "tests/unit/et_bytes.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

struct orr_trace_builder;

static inline int setup(void **state)
{
    *state = orr_arena_create();
    return *state != NULL ? 0 : -1;
}

static inline int teardown(void **state)
{
    orr_arena_destroy(*state);
    return 0;
}

enum { MAX_PARENTS = 4 };

/* A node as tests write it; parents end with the first that is 0, so ids begin at 1. */
struct written {
    uint64_t id;
    const char *name;
    uint64_t duration_us;
    uint64_t parents[MAX_PARENTS];
    enum orr_node_kind kind; /* 0: COMP */
    unsigned flags;
    uint64_t bytes; /* of COLL */
    const char *group;
    const char *values;
    enum orr_trace_comm comm;
};

/* The beginning of a node that is written down. */
#define AT(number, text, us) .id = (number), .name = (text), .duration_us = (us)

static inline void add_written(struct orr_trace_builder *builder, const struct written *node)
{
    size_t count = 0;
    while (count < MAX_PARENTS && node->parents[count] != 0) {
        count++;
    }
    const struct orr_node_spec spec = {.id = node->id,
                                       .kind = node->kind != 0 ? node->kind : ORR_NODE_COMP,
                                       .comm = node->comm,
                                       .flags = node->flags,
                                       .name = node->name,
                                       .duration_ps = node->duration_us * ORR_PS_PER_US,
                                       .comm_bytes = node->bytes,
                                       .group = node->group,
                                       .inputs_values = node->values,
                                       .data_deps = {node->parents, count}};
    assert_int_equal(orr_trace_builder_add(builder, &spec, NULL), ORR_OK);
}

static inline const struct orr_trace *make_trace(void **state, const struct written *nodes,
                                                 size_t count)
{
    const struct orr_trace *trace = NULL;
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    orr_trace_builder_set_source(builder, "made.et", "");
    for (size_t i = 0; i < count; i++) {
        add_written(builder, &nodes[i]);
    }
    assert_int_equal(orr_trace_builder_finish(builder, &trace, NULL), ORR_OK);
    orr_trace_builder_destroy(builder);
    return trace;
}

#define MAKE_TRACE(state, nodes) make_trace(state, nodes, sizeof(nodes) / sizeof *(nodes))

#endif
