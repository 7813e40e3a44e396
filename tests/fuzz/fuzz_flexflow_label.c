/* Fuzz target of the labels of DOT files: any text is split into fields of its own letters, or is
 * refused. */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/flexflow/flexflow_label.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_arena *arena = orr_arena_create();
    const char *text = orr_arena_strndup(arena, (const char *)data, size), *problem;
    struct label_fields fields;
    if (orr_label_split(&fields, text, arena, &problem)) {
        ORR_ASSERT(fields.count > 0 && fields.count <= LABEL_MAX_FIELDS);
        for (size_t i = 0; i < fields.count; i++) {
            double number;
            uint64_t whole;
            ORR_ASSERT(strlen(fields.field[i]) <= size);
            if (orr_label_integer(fields.field[i], &whole)) {
                ORR_ASSERT(orr_label_number(fields.field[i], &number));
            }
            (void)orr_label_value(fields.field[i], "npu_id");
        }
    }
    orr_arena_destroy(arena);
    return 0;
}
