/* Fuzz target of measured training steps: any bytes give rows that are whole, or an error with a
 * message. Nothing runs. */
#include <string.h>

#include "core/conf/conf.h"
#include "planner/fit_compute/fit_compute.h"
#include "study/measured/measured.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct orr_conf *tree(struct orr_arena *arena, const char *text)
{
    const struct orr_conf *root = NULL;
    ORR_ASSERT(orr_conf_parse(arena, text, strlen(text), "a", &root, NULL) == ORR_OK);
    return root;
}

static void look(const struct compfit *fit)
{
    ORR_ASSERT(fit->rows > 0 && fit->split.fitted + fit->split.tested == fit->rows);
    for (size_t i = 0; i < fit->rows; i++) {
        const struct compfit_row *row = &fit->row[i];
        ORR_ASSERT(row->time_s > 0 && row->name[0] != '\0' && row->line >= 1 && row->column >= 1);
        for (size_t s = 0; s < row->sets; s++) {
            ORR_ASSERT(strchr(row->set[s], '=') != NULL);
        }
        for (size_t c = 0; c < fit->columns; c++) {
            ORR_ASSERT(row->text[c] != NULL && fit->column[c][0] != '\0');
        }
    }
}

static void read_once(const uint8_t *data, size_t size, const char *holdout)
{
    struct orr_arena *arena = orr_arena_create();
    const struct orr_measured_source source[] = {{"a.csv", data, size}, {"b.csv", data, size}};
    const struct compfit_input input = {
        .platform = tree(arena, "compute: {peak: 312 TFLOP/s}"),
        .workload = tree(arena, "workload: {}"),
        .platform_name = "a",
        .workload_name = "a",
        .source = source,
        .sources = 2,
        .holdout = holdout,
    };
    struct compfit fit;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_compfit_load(arena, &input, &fit, &diag) == ORR_OK) {
        look(&fit);
    } else {
        ORR_ASSERT(diag.status == ORR_ERR_INPUT && diag.message[0] != '\0');
    }
    orr_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t none[1] = {0};
    read_once(size > 0 ? data : none, size, NULL);
    read_once(size > 0 ? data : none, size, "every:2");
    read_once(size > 0 ? data : none, size, "column:a>1");
    return 0;
}
