/* Fuzz target of the trace readers (binary, gzip, JSON): any bytes give a valid trace or an error
 * with a message. A trace that was read must survive being written and read again. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(struct orr_arena *arena, const struct orr_trace *trace)
{
    struct orr_trace_summary summary;
    ORR_ASSERT(orr_trace_summarize(arena, trace, &summary, NULL) == ORR_OK);
    ORR_ASSERT(summary.depth <= trace->nodes);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        ORR_ASSERT(i == 0 || trace->node[i].id > trace->node[i - 1].id);
        ORR_ASSERT(trace->node[i].group <= trace->group_count);
        ORR_ASSERT(trace->node[i].extra <= trace->extra_count);
    }
    for (uint32_t e = 0; e < trace->edges; e++) {
        ORR_ASSERT(trace->children[e] < trace->nodes);
    }
}

static void check_same(const struct orr_trace *a, const struct orr_trace *b)
{
    ORR_ASSERT(a->nodes == b->nodes && a->edges == b->edges);
    for (uint32_t i = 0; i < a->nodes; i++) {
        const struct orr_node *left = &a->node[i], *right = &b->node[i];
        ORR_ASSERT(left->id == right->id && left->kind == right->kind);
        ORR_ASSERT(left->amount == right->amount && left->comm == right->comm);
        ORR_ASSERT(left->duration_ps == right->duration_ps);
        ORR_ASSERT(strcmp(left->name, right->name) == 0);
        ORR_ASSERT(left->of.tensor_bytes == right->of.tensor_bytes);
    }
}

static void check_round_trip(struct orr_arena *arena, const struct orr_trace *trace)
{
    struct orr_et_writer *writer = NULL;
    struct orr_et_bytes bytes = {.name = "again"};
    const struct orr_trace *again = NULL;
    ORR_ASSERT(orr_et_writer_create_memory(&writer, NULL, NULL) == ORR_OK);
    ORR_ASSERT(orr_et_writer_add_trace(writer, trace, NULL) == ORR_OK);
    ORR_ASSERT(orr_et_writer_finish(writer, NULL) == ORR_OK);
    bytes.data = orr_et_writer_bytes(writer, &bytes.count);
    ORR_ASSERT(orr_et_read_memory(arena, &bytes, &again, NULL) == ORR_OK);
    check_same(trace, again);
    orr_et_writer_destroy(writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct orr_et_bytes bytes = {.name = "input", .data = data, .count = size};
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    if (orr_et_read_memory(arena, &bytes, &trace, &diag) == ORR_OK) {
        check_graph(arena, trace);
        check_round_trip(arena, trace);
    } else {
        ORR_ASSERT(diag.status == ORR_ERR_INPUT && diag.message[0] != '\0');
    }
    orr_arena_destroy(arena);
    return 0;
}
