/* Fuzzing the readers of launch files: no input may crash them, every failure has a message, and a
 * model that is read can be counted. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/launch/launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    struct orr_launch launch;
    orr_diag_init(&diag);
    const enum orr_status status =
        orr_launch_parse("input", (const char *)data, bytes, arena, &launch, &diag);
    if (status != ORR_OK && diag.message[0] == '\0') {
        abort();
    }
    if (status == ORR_OK && launch.has_shape) {
        struct orr_shape_counts counts;
        orr_shape_count(&launch.shape, 4096, &counts);
        if (counts.active_parameters > counts.parameters) {
            abort();
        }
    }
    orr_arena_destroy(arena);
    return 0;
}
