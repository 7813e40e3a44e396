/* Fuzzing the configuration reader: no input may crash it, and every failure has a message. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/conf/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    const struct orr_conf *root = NULL;
    orr_diag_init(&diag);
    const enum orr_status status =
        orr_conf_parse(arena, (const char *)data, bytes, "input", &root, &diag);
    if (status == ORR_OK ? root == NULL : diag.message[0] == '\0') {
        abort();
    }
    if (status == ORR_OK) {
        (void)orr_conf_set(arena, root, "a.b[1].c=1", &root, &diag);
    }
    orr_arena_destroy(arena);
    return 0;
}
