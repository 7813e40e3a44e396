/* Fuzz target of Chakra's old layouts: any bytes give a trace or an error with its place, read as
 * either layout; a trace survives being written in the current one. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/chakra/chakra_legacy.h"
#include "workload/trace/et/et.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    ORR_ASSERT(again->nodes == trace->nodes && again->edges == trace->edges);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        ORR_ASSERT(trace->node[i].id == again->node[i].id);
        ORR_ASSERT(trace->node[i].kind == again->node[i].kind);
        ORR_ASSERT(trace->node[i].amount == again->node[i].amount);
        ORR_ASSERT(trace->node[i].duration_ps == again->node[i].duration_ps);
    }
    orr_et_writer_destroy(writer);
}

static void read_as(const struct orr_et_bytes *bytes, enum chakra_layout layout)
{
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    if (orr_chakra_legacy_read(arena, bytes, layout, &trace, &diag) == ORR_OK) {
        check_round_trip(arena, trace);
    } else {
        ORR_ASSERT(diag.status == ORR_ERR_INPUT && diag.message[0] != '\0');
    }
    orr_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct orr_et_bytes bytes = {.name = "input", .data = data, .count = size};
    ORR_ASSERT(orr_chakra_layout_of(&bytes) < CHAKRA_LAYOUTS);
    read_as(&bytes, CHAKRA_0_0_1);
    read_as(&bytes, CHAKRA_0_0_3);
    return 0;
}
