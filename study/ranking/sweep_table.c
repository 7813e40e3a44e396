/* Points of a sweep as a table; see sweep_table.h. */
#include "study/ranking/sweep_table.h"

#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/text_escape.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_measures.h"
#include "study/sweep/sweep_result.h"
#include "study/sweep/sweep_store.h"

enum { CELL = 96, MAX_SHOWN_BYTES = 40, BETWEEN = 2, MAX_NAME = 512 };

/* Layout of the columns, computed before printing. */
struct layout {
    const struct orr_sweep_table *table;
    size_t width[ORR_SWEEP_TABLE_COLUMNS];
    bool has_value[ORR_SWEEP_TABLE_COLUMNS]; /* a row has a nonzero value */
    bool omitted[ORR_SWEEP_TABLE_COLUMNS];
};

/* ---- columns ---- */

static void add_named(const struct orr_sweep *sweep, const char *name,
                      struct orr_sweep_table *table)
{
    ORR_ASSERT(orr_sweep_find_quantity(sweep, name, &table->column[table->count], NULL) == ORR_OK);
    table->count++;
}

/* Unless a column shows it already. */
static void add_measure(const struct orr_sweep *sweep, size_t index, struct orr_sweep_table *table)
{
    static const char *const shown[] = {"time_s",
                                        "MFU",
                                        "wall_ps",
                                        "cost",
                                        "model_flops_utilization",
                                        "memory_bytes",
                                        "waiting_ps",
                                        "exposed_communication_ps"};
    const struct orr_sweep_quantity quantity = orr_sweep_measure_quantity(sweep, index);
    bool there = false;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        there = there || strcmp(shown[i], quantity.name) == 0;
    }
    for (size_t c = 0; c < table->count; c++) {
        there = there || strcmp(table->column[c].name, quantity.name) == 0;
    }
    if (!there) {
        table->column[table->count++] = quantity;
    }
}

void orr_sweep_default_columns(const struct orr_sweep *sweep, bool both,
                               struct orr_sweep_table *table)
{
    static const char *const results[] = {"model_flops_utilization", "memory_bytes", "waiting_ps",
                                          "exposed_communication_ps"};
    *table = (struct orr_sweep_table){.chosen = false};
    add_named(sweep, "point", table);
    add_named(sweep, "wall_ps", table);
    add_named(sweep, "cost", table);
    if (both) {
        add_named(sweep, "time*cost", table);
    }
    for (size_t i = 0; i < orr_sweep_measure_count(sweep); i++) {
        add_measure(sweep, i, table);
    }
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        add_named(sweep, results[i], table);
    }
    for (size_t a = 0; a < sweep->axes && table->count < ORR_SWEEP_TABLE_COLUMNS; a++) {
        if (sweep->axis[a].count > 1) {
            table->column[table->count++] = orr_sweep_axis_quantity(sweep, a);
        }
    }
}

enum orr_status orr_sweep_choose_columns(const struct orr_sweep *sweep, const char *names,
                                         struct orr_sweep_table *table, struct orr_diag *diag)
{
    *table = (struct orr_sweep_table){.chosen = true};
    for (const char *at = names;; at++) {
        char name[MAX_NAME];
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof name) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "expected names with commas between them, such as "
                                 "\"point,time,MFU,memory\", got \"%s\"",
                                 names);
        }
        if (table->count == ORR_SWEEP_TABLE_COLUMNS) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "more than %d columns",
                                 ORR_SWEEP_TABLE_COLUMNS);
        }
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        const enum orr_status status =
            orr_sweep_find_quantity(sweep, name, &table->column[table->count++], diag);
        at += length;
        if (status != ORR_OK || *at == '\0') {
            return status;
        }
    }
}

/* ---- cells ---- */

static const char *cell_text(const struct orr_sweep *sweep,
                             const struct orr_sweep_quantity *quantity,
                             const struct orr_sweep_result *result, char text[CELL])
{
    if (quantity->kind == ORR_SWEEP_VALUE) {
        const char *label =
            orr_sweep_value_at(sweep, quantity->index, sweep->point[result->point])->label;
        char *clean = orr_text_escape_copy(label, false);
        const bool whole = clean != NULL && strlen(clean) <= MAX_SHOWN_BYTES;
        (void)orr_text_escape(clean != NULL ? clean : "", false, text,
                              whole ? CELL : MAX_SHOWN_BYTES - 2);
        (void)strcat(text, whole ? "" : "...");
        orr_heap_free(clean);
        return text;
    }
    const struct orr_value value = orr_sweep_quantity_value(sweep, quantity, result);
    return orr_value_text(&value, quantity->unit, text, CELL);
}

static bool has_nonzero_value(const struct orr_sweep *sweep,
                              const struct orr_sweep_quantity *quantity,
                              const struct orr_sweep_result *result)
{
    const struct orr_value value = orr_sweep_quantity_value(sweep, quantity, result);
    return quantity->kind != ORR_SWEEP_RESULT ||
           (value.kind == ORR_VALUE_INTEGER && value.integer != 0) ||
           (value.kind == ORR_VALUE_REAL && (value.real > 0 || value.real < 0));
}

/* Axes are left-aligned, like words. */
static void print_cell(FILE *out, const struct layout *layout, size_t column, const char *text)
{
    const int width = (int)layout->width[column];
    const bool left = layout->table->column[column].kind == ORR_SWEEP_VALUE;
    bool last = true;
    for (size_t c = column + 1; c < layout->table->count; c++) {
        last = last && layout->omitted[c];
    }
    if (left && last) {
        (void)fprintf(out, "%s", text);
    } else {
        (void)fprintf(out, "%*s", left ? -width : width, text);
    }
    (void)fputs(last ? "\n" : "  ", out);
}

/* ---- widths ---- */

static enum orr_status measure(struct layout *layout, struct orr_sweep_store *store,
                               const struct orr_sweep_entry *entry, uint32_t count,
                               struct orr_diag *diag)
{
    const struct orr_sweep_table *table = layout->table;
    for (size_t c = 0; c < table->count; c++) {
        layout->width[c] = strlen(table->column[c].label);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct orr_sweep_result result;
        const enum orr_status status = orr_sweep_store_read(store, entry[i].point, &result, diag);
        if (status != ORR_OK) {
            return status;
        }
        for (size_t c = 0; c < table->count; c++) {
            char text[CELL];
            const size_t width = strlen(cell_text(store->sweep, &table->column[c], &result, text));
            layout->width[c] = width > layout->width[c] ? width : layout->width[c];
            layout->has_value[c] =
                layout->has_value[c] || has_nonzero_value(store->sweep, &table->column[c], &result);
        }
    }
    return ORR_OK;
}

static size_t line_width(const struct layout *layout)
{
    size_t width = 0;
    for (size_t c = 0; c < layout->table->count; c++) {
        width += layout->omitted[c] ? 0 : layout->width[c] + BETWEEN;
    }
    return width > BETWEEN ? width - BETWEEN : 0;
}

static void omit_columns(struct layout *layout)
{
    const struct orr_sweep_table *table = layout->table;
    for (size_t c = 0; c < table->count; c++) {
        layout->omitted[c] = !layout->has_value[c];
    }
    for (size_t c = table->count; c-- > 0 && line_width(layout) > ORR_SWEEP_TABLE_WIDTH;) {
        const struct orr_sweep_quantity *column = &table->column[c];
        layout->omitted[c] = layout->omitted[c] || (column->kind == ORR_SWEEP_RESULT &&
                                                    strcmp(column->name, "wall_ps") != 0 &&
                                                    strcmp(column->name, "cost") != 0);
    }
}

/* ---- the table ---- */

static void print_heads(FILE *out, const struct layout *layout)
{
    for (size_t c = 0; c < layout->table->count; c++) {
        if (!layout->omitted[c]) {
            print_cell(out, layout, c, layout->table->column[c].label);
        }
    }
}

enum orr_status orr_sweep_print_table(FILE *out, struct orr_sweep_store *store,
                                      const struct orr_sweep_table *table,
                                      const struct orr_sweep_entry *entry, uint32_t count,
                                      struct orr_diag *diag)
{
    struct layout layout = {.table = table};
    enum orr_status status = measure(&layout, store, entry, count, diag);
    if (status == ORR_OK && !table->chosen) {
        omit_columns(&layout);
    }
    if (status == ORR_OK) {
        print_heads(out, &layout);
    }
    for (uint32_t i = 0; i < count && status == ORR_OK; i++) {
        struct orr_sweep_result result;
        status = orr_sweep_store_read(store, entry[i].point, &result, diag);
        for (size_t c = 0; c < table->count && status == ORR_OK; c++) {
            char text[CELL];
            if (!layout.omitted[c]) {
                print_cell(out, &layout, c,
                           cell_text(store->sweep, &table->column[c], &result, text));
            }
        }
    }
    return status;
}
