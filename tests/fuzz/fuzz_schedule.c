/* Fuzzing the reader of tables of schedules: no input may crash it, every failure has a message,
 * and what is read runs or says why not. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const struct orr_pass_times times = {1, 1, 1, 0, 3};
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    struct orr_schedule schedule;
    struct orr_schedule_run run;
    orr_diag_init(&diag);
    const char *text = orr_arena_strndup(arena, (const char *)data, bytes);
    enum orr_status status = orr_schedule_table_parse("input", text, arena, &schedule, &diag);
    if (status == ORR_OK) {
        status = orr_schedule_run(&schedule, &times, arena, &run, &diag);
    }
    if (status != ORR_OK && diag.message[0] == '\0') {
        abort();
    }
    orr_arena_destroy(arena);
    return 0;
}
