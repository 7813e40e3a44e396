/* Fuzzing the reader of TOML, and torchtitan's configuration: no input may crash them, every
 * failure has a message with its line, and paths of values are there once. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/launch/launch.h"
#include "et_converter/launch/launch_words.h"
#include "et_converter/launch/toml_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(const struct launch_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count && i < 64; i++) {
        const struct launch_argument *one = &arguments->argument[i];
        if (one->value == NULL || orr_launch_find_argument(arguments, one->path) != one) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    struct launch_arguments arguments;
    struct orr_launch launch;
    char *text = orr_arena_strndup(arena, (const char *)data, bytes);
    orr_diag_init(&diag);
    if (orr_toml_read("input", text, arena, &arguments, &diag) == ORR_OK) {
        check(&arguments);
    } else if (diag.message[0] == '\0' || diag.place.line == 0) {
        abort();
    }
    orr_diag_init(&diag);
    const enum orr_status status =
        orr_launch_parse("input", text, strlen(text), arena, &launch, &diag);
    if (status != ORR_OK && diag.message[0] == '\0') {
        abort();
    }
    orr_arena_destroy(arena);
    return 0;
}
