/* A trace as text, one line a node, for tests that compare all of it:
 *
 *     3 fwd comp 100 ns < 1 2
 *     4 fwd all-reduce coll ALL_REDUCE 1000 B dims 01 < 3
 */
#ifndef ORR_TESTS_UNIT_TRACE_TEXT_H
#define ORR_TESTS_UNIT_TRACE_TEXT_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workload/trace/trace.h"
#include "workload/trace/trace_query.h"

struct orr_arena;

struct trace_text {
    char text[16384];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static inline void put_line(struct trace_text *to,
                                                                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    to->used +=
        (size_t)vsnprintf(to->text + to->used, sizeof to->text - to->used, format, arguments);
    va_end(arguments);
    assert_true(to->used < sizeof to->text);
}

static inline void put_time(struct trace_text *to, uint64_t ps)
{
    if (ps % 1000 == 0) {
        put_line(to, " %" PRIu64 " ns", ps / 1000);
    } else {
        put_line(to, " %" PRIu64 " ps", ps);
    }
}

static inline void put_collective(struct trace_text *to, const struct orr_trace *trace,
                                  const struct orr_node *node)
{
    const struct orr_node_extra *extra = orr_trace_extra(trace, node);
    put_line(to, " coll %s %" PRIu64 " B", orr_trace_comm_name(node->comm), node->amount);
    if (extra != NULL && extra->has_involved_dim) {
        put_line(to, " dims ");
        for (unsigned d = 0; d < extra->involved_dims; d++) {
            put_line(to, "%u", extra->involved_mask >> d & 1);
        }
    }
    if (node->group != 0) {
        put_line(to, " group %s", trace->groups[node->group - 1]);
    }
}

static inline void put_node(struct trace_text *to, const struct orr_trace *trace,
                            const struct orr_node *node)
{
    put_line(to, "%" PRIu64 " %s", node->id, node->name);
    switch (node->kind) {
    case ORR_NODE_COMP:
        put_line(to, " comp");
        put_time(to, node->duration_ps);
        if ((node->flags & ORR_NODE_HAS_NUM_OPS) != 0) {
            put_line(to, " %" PRIu64 " ops", node->amount);
        }
        if ((node->flags & ORR_NODE_HAS_TENSOR_SIZE) != 0) {
            put_line(to, " %" PRIu64 " B", node->of.tensor_bytes);
        }
        break;
    case ORR_NODE_COLL:
        put_collective(to, trace, node);
        break;
    case ORR_NODE_SEND:
    case ORR_NODE_RECV:
        put_line(to, " %s %u tag %u %" PRIu64 " B",
                 node->kind == ORR_NODE_SEND ? "send to" : "recv from", node->of.p2p.peer,
                 node->of.p2p.tag, node->amount);
        break;
    case ORR_NODE_MEM_LOAD:
    case ORR_NODE_MEM_STORE:
        put_line(to, " %s %s %" PRIu64 " B", node->kind == ORR_NODE_MEM_LOAD ? "load" : "store",
                 (node->flags & ORR_NODE_LOCAL_MEMORY) != 0 ? "local" : "remote",
                 node->of.tensor_bytes);
        break;
    default:
        put_line(to, " other");
    }
    put_line(to, "%s", (node->flags & ORR_NODE_IS_CPU) != 0 ? " cpu" : "");
}

static inline const char *text_of_trace(struct orr_arena *arena, const struct orr_trace *trace,
                                        struct trace_text *to)
{
    struct orr_parents parents;
    *to = (struct trace_text){.used = 0};
    assert_int_equal(orr_parents_build(arena, trace, &parents, NULL), ORR_OK);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        put_node(to, trace, &trace->node[i]);
        for (uint32_t p = parents.first[i]; p < parents.first[i + 1]; p++) {
            put_line(to, "%s %" PRIu64, p == parents.first[i] ? " <" : "",
                     trace->node[parents.parent[p]].id);
        }
        put_line(to, "\n");
    }
    return to->text;
}

#endif
