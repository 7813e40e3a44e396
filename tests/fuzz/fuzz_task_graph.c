/* Fuzz target of our own task graphs, binary and JSON: any bytes give a graph that makes sense,
 * comes back the same when it is written, and has traces; or an error with a message. Checksums are
 * made right, so that what is behind them is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/arena.h"
#include "workload/taskgraph/tg_file.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_traces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_NPUS = 4096, MAX_TASKS = 1 << 16 }; /* more only take time */

static void put_checksum(unsigned char *data, size_t size)
{
    const uLong sum = crc32(crc32(0, Z_NULL, 0), data + 8, (uInt)(size - 12));
    for (unsigned i = 0; i < 4; i++) {
        data[size - 4 + i] = (unsigned char)(sum >> 8 * i);
    }
}

static void check_again(const struct tg_graph *graph, enum tg_form form)
{
    struct orr_arena *arena = orr_arena_create();
    struct tg_graph again;
    char *text = NULL;
    size_t count = 0;
    FILE *out = open_memstream(&text, &count);
    ORR_ASSERT(out != NULL && orr_tg_write(graph, form, out, NULL) == ORR_OK && fclose(out) == 0);
    const struct tg_bytes bytes = {.name = "again", .data = text, .count = count};
    ORR_ASSERT(orr_tg_read(arena, &bytes, &again, NULL) == ORR_OK);
    ORR_ASSERT(again.tasks == graph->tasks && again.nexts == graph->nexts);
    free(text);
    orr_arena_destroy(arena);
}

static void check_traces(struct orr_arena *arena, const struct tg_graph *graph)
{
    struct tg_graph plain;
    struct tg_traces traces;
    struct orr_diag diag;
    orr_diag_init(&diag);
    enum orr_status status = orr_tg_expand(arena, graph, &plain, &diag);
    if (status == ORR_OK && plain.npus <= MAX_NPUS && plain.tasks <= MAX_TASKS) {
        status = orr_tg_traces_make(&traces, &plain, arena, NULL, &diag);
    }
    ORR_ASSERT(status == ORR_OK || (status == ORR_ERR_INPUT && diag.message[0] != '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_arena *arena = orr_arena_create();
    struct tg_graph graph;
    struct orr_diag diag;
    enum tg_form form = TG_JSON;
    unsigned char *copy = malloc(size + 1);
    ORR_ASSERT(copy != NULL);
    memcpy(copy, data, size);
    orr_diag_init(&diag);
    if (orr_tg_is_file(copy, size, &form) && form == TG_BINARY && size >= 44) {
        put_checksum(copy, size);
    }
    const struct tg_bytes bytes = {.name = "input", .data = copy, .count = size};
    const enum orr_status status = orr_tg_read(arena, &bytes, &graph, &diag);
    ORR_ASSERT(status == ORR_OK || (status == ORR_ERR_INPUT && diag.message[0] != '\0'));
    if (status == ORR_OK) {
        check_again(&graph, TG_BINARY);
        check_traces(arena, &graph);
    }
    if (status == ORR_OK && graph.tasks <= MAX_TASKS) {
        check_again(&graph, TG_JSON);
    }
    orr_arena_destroy(arena);
    free(copy);
    return 0;
}
