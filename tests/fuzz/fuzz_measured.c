/* Fuzz target of measured tables: any bytes give rows that are whole and lie in tables, or an error
 * with a message. What holds for files that do not say it is given in every second run. */
#include "core/arena.h"
#include "study/measured/holdout.h"
#include "study/measured/measured.h"
#include "system/collectives/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_row(const struct orr_measured *measured, const struct orr_measured_row *row)
{
    ORR_ASSERT(row->kind < COLL_BARRIER && row->npus >= 2 && row->npus_per_node >= 1);
    ORR_ASSERT(row->npus % row->npus_per_node == 0 && row->bytes > 0);
    ORR_ASSERT(row->time_us > 0 && row->time_us < 1e300 * 1e300);
    ORR_ASSERT(row->line >= 1 && row->column >= 1 && row->file < measured->files);
    ORR_ASSERT(row->table < measured->tables && orr_measured_coll_bytes(row) > 0);
    for (size_t c = 0; c < measured->columns; c++) {
        ORR_ASSERT(row->extra[c] != NULL && measured->column[c][0] != '\0');
    }
}

static void look(const struct orr_measured *measured)
{
    size_t rows = 0;
    for (size_t t = 0; t < measured->tables; t++) {
        const struct orr_measured_table *table = &measured->table[t];
        ORR_ASSERT(table->first == rows && table->count > 0);
        rows += table->count;
        for (size_t i = 0; i < table->count; i++) {
            const struct orr_measured_row *row = orr_measured_row_of(measured, table, i);
            look_at_row(measured, row);
            ORR_ASSERT(row->table == t && row->npus == table->npus && row->kind == table->kind);
            ORR_ASSERT(i == 0 || orr_measured_row_of(measured, table, i - 1)->bytes <= row->bytes);
        }
    }
    ORR_ASSERT(rows == measured->rows && rows > 0);
}

static void select_rows(const struct orr_measured *measured, struct orr_arena *arena)
{
    static const char *const holdouts[] = {"every:2", "column:npus>8", "column:a", "column:a>1",
                                           ""};
    for (size_t i = 0; i < sizeof holdouts / sizeof *holdouts; i++) {
        struct orr_measured_split split;
        struct orr_diag diag;
        orr_diag_init(&diag);
        if (orr_measured_select(measured, holdouts[i], arena, &split, &diag) == ORR_OK) {
            ORR_ASSERT(split.fitted + split.tested == measured->rows && split.fitted > 0);
        } else {
            ORR_ASSERT(diag.status == ORR_ERR_INPUT && diag.message[0] != '\0');
        }
    }
}

static void read_once(const uint8_t *data, size_t size, bool given)
{
    const struct orr_measured_source source = {"all_reduce", data, size};
    struct orr_measured_inputs inputs = {.source = &source, .sources = 1};
    struct orr_measured measured;
    struct orr_diag diag;
    if (given) {
        inputs.collective = "all_gather";
        inputs.npus = 16;
        inputs.npus_per_node = 8;
    }
    orr_diag_init(&diag);
    struct orr_arena *arena = orr_arena_create();
    if (orr_measured_read(&inputs, arena, &measured, &diag) == ORR_OK) {
        look(&measured);
        select_rows(&measured, arena);
    } else {
        ORR_ASSERT(diag.status == ORR_ERR_INPUT && diag.message[0] != '\0');
    }
    orr_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t none[1] = {0};
    read_once(size > 0 ? data : none, size, false);
    read_once(size > 0 ? data : none, size, true);
    return 0;
}
