/* Speed and memory of reading execution traces: a generated training job of
 * about a million nodes, as a file in memory. Prints one line. Usage: bench_trace [NODES] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/gen/generate.h"
#include "workload/trace/et/et.h"

enum { LAYERS = 32, NODES_PER_LAYER = 4, RUNS = 5, MAX_NODES = 100000000 };

static double cpu_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static enum orr_status write_job(uint32_t steps, struct orr_et_writer **out, struct orr_diag *diag)
{
    const struct orr_gen gen = {.kind = "mlp",
                                .npus = 1,
                                .bytes = 1 << 20,
                                .repeat = steps,
                                .layers = LAYERS,
                                .optimizer = true};
    struct orr_arena *arena = orr_arena_create();
    const struct orr_trace *trace;
    enum orr_status status = arena != NULL ? orr_gen_trace(arena, &gen, 0, &trace, diag)
                                           : orr_diag_no_memory(diag, "the benchmark");
    if (status == ORR_OK) {
        status = orr_et_writer_create_memory(out, NULL, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_writer_add_trace(*out, trace, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_writer_finish(*out, diag);
    }
    orr_arena_destroy(arena);
    return status;
}

/* The best of some runs, in CPU time, because the machine has other work too. */
static enum orr_status read_job(const struct orr_et_bytes *bytes, struct orr_diag *diag)
{
    double best_s = 0;
    size_t memory = 0;
    const struct orr_trace *trace = NULL;
    uint32_t nodes = 0;
    for (int run = 0; run < RUNS; run++) {
        struct orr_arena *arena = orr_arena_create();
        const double begin_s = cpu_s();
        const enum orr_status status = arena != NULL
                                           ? orr_et_read_memory(arena, bytes, &trace, diag)
                                           : orr_diag_no_memory(diag, "the benchmark");
        const double taken_s = cpu_s() - begin_s;
        if (status != ORR_OK) {
            orr_arena_destroy(arena);
            return status;
        }
        best_s = run == 0 || taken_s < best_s ? taken_s : best_s;
        memory = orr_arena_bytes(arena);
        nodes = trace->nodes;
        orr_arena_destroy(arena);
    }
    (void)printf("trace_read nodes=%u file_bytes=%zu cpu_seconds=%.4f nodes_per_s=%.0f "
                 "bytes_per_node=%.1f\n",
                 nodes, bytes->count, best_s, (double)nodes / best_s,
                 (double)memory / (double)nodes);
    return ORR_OK;
}

int main(int argc, char **argv)
{
    const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    if (wanted < LAYERS * NODES_PER_LAYER || wanted > MAX_NODES) {
        (void)fprintf(stderr, "usage: %s [NODES]   (%d to %d)\n", argv[0], LAYERS * NODES_PER_LAYER,
                      MAX_NODES);
        return 2;
    }
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct orr_et_writer *writer = NULL;
    enum orr_status status =
        write_job((uint32_t)(wanted / (LAYERS * NODES_PER_LAYER)), &writer, &diag);
    if (status == ORR_OK) {
        struct orr_et_bytes bytes = {.name = "generated"};
        bytes.data = orr_et_writer_bytes(writer, &bytes.count);
        status = read_job(&bytes, &diag);
    }
    orr_et_writer_destroy(writer);
    if (status != ORR_OK) {
        char text[ORR_DIAG_MESSAGE_BYTES];
        (void)orr_diag_render(&diag, text, sizeof text);
        (void)fprintf(stderr, "bench_trace: %s\n", text);
    }
    return status == ORR_OK ? 0 : 1;
}
