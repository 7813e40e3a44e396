/* Fuzzing the expressions of sweeps: no text may crash the parser or the evaluation, and every
 * failure has a message and a column inside of the text. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "sim/expr/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Names of one letter are known: small ones numbers, large ones texts, '_' has no value. */
static int find(void *context, const char *name, char *why, size_t bytes)
{
    (void)context;
    (void)snprintf(why, bytes, "unknown name \"%.20s\"", name);
    return name[1] == '\0' ? name[0] : -1;
}

static bool get(const void *context, int name, struct orr_expr_value *out, char *why, size_t bytes)
{
    (void)context;
    (void)snprintf(why, bytes, "no value");
    *out = (struct orr_expr_value){.text = name <= 'Z' ? "text" : NULL, .number = name - 'm'};
    return name != '_';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const struct orr_expr_names names = {.find = find};
    const struct orr_expr_values values = {.get = get};
    struct orr_arena *arena = orr_arena_create();
    const char *text = orr_arena_strndup(arena, (const char *)data, bytes);
    struct orr_expr_error error = {.column = 0};
    struct orr_expr_value value;
    const struct orr_expr *expr = orr_expr_parse(arena, text, &names, &error);
    const bool ok = expr != NULL && orr_expr_eval(expr, &values, &value, &error);
    if (!ok && (error.message[0] == '\0' || error.column < 1 || error.column > strlen(text) + 1)) {
        abort();
    }
    orr_arena_destroy(arena);
    return 0;
}
