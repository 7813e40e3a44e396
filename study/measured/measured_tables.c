/* Grouping rows into tables, and sorting them. */
#include "study/measured/measured_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WARNED = 8 };

/* The sort key of a row. */
struct row_key {
    enum coll_kind kind;
    uint32_t npus, npus_per_node, row;
    uint64_t bytes;
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_table(const struct row_key *a, const struct row_key *b)
{
    const int kind = compare(a->kind, b->kind), npus = compare(a->npus, b->npus);
    return kind != 0 ? kind : npus != 0 ? npus : compare(a->npus_per_node, b->npus_per_node);
}

static int by_key(const void *first, const void *second)
{
    const struct row_key *a = first, *b = second;
    const int table = by_table(a, b), bytes = compare(a->bytes, b->bytes);
    return table != 0 ? table : bytes != 0 ? bytes : compare(a->row, b->row);
}

/* A table: its rows among the sorted ones, and its first row in the order of the files. */
struct row_group {
    uint32_t first, count, row;
};

static int by_first_row(const void *first, const void *second)
{
    const struct row_group *a = first, *b = second;
    return compare(a->row, b->row);
}

/* ---- repeated measurements ---- */

/* Warns of the fastest and the slowest of repeated measurements. */
static void warn_apart(const struct orr_measured_build *build, const struct orr_measured_row *fast,
                       const struct orr_measured_row *slow)
{
    const struct orr_measured_row *first = fast < slow ? fast : slow;
    const struct orr_measured_row *second = fast < slow ? slow : fast;
    const struct orr_location location =
        orr_location_text(build->file[second->file].path, second->line, second->column);
    orr_diag_warn(build->diag, &location,
                  "%s of %" PRIu64 " bytes on %" PRIu32 " NPUs takes %g us here and %g us at "
                  "%s:%" PRIu32 ":%" PRIu32 ", which differ by more than a factor of 2; both are "
                  "kept",
                  orr_coll_kind_name(first->kind), first->bytes, first->npus, second->time_us,
                  first->time_us, build->file[first->file].path, first->line, first->column);
}

/* Checks `count` rows of equal bytes, in the order of a table. `apart` counts groups whose times
 * are far apart. */
static void check_identical(const struct orr_measured_build *build, const uint32_t *order,
                            size_t count, size_t *apart)
{
    const struct orr_measured_row *fast = &build->row[order[0]], *slow = fast;
    for (size_t i = 1; i < count; i++) {
        const struct orr_measured_row *row = &build->row[order[i]];
        fast = row->time_us < fast->time_us ? row : fast;
        slow = row->time_us > slow->time_us ? row : slow;
    }
    if (slow->time_us > 2 * fast->time_us && (*apart)++ < MAX_WARNED) {
        warn_apart(build, fast, slow);
    }
}

static void check_table(const struct orr_measured_build *build,
                        const struct orr_measured_table *table, const uint32_t *order,
                        size_t *apart)
{
    const uint32_t *of = order + table->first;
    size_t first = 0;
    for (size_t i = 1; i <= table->count; i++) {
        if (i == table->count || build->row[of[i]].bytes != build->row[of[first]].bytes) {
            check_identical(build, of + first, i - first, apart);
            first = i;
        }
    }
}

static void check_tables(const struct orr_measured_build *build,
                         const struct orr_measured_table *table, size_t tables,
                         const uint32_t *order)
{
    size_t apart = 0;
    for (size_t t = 0; t < tables; t++) {
        check_table(build, &table[t], order, &apart);
    }
    if (apart > MAX_WARNED) {
        orr_diag_warn(build->diag, NULL,
                      "%zu more sizes were measured several times with results that differ by more "
                      "than a factor of 2: are the rows of one machine?",
                      apart - MAX_WARNED);
    }
}

/* ---- tables ---- */

static size_t find_groups(const struct row_key *row_key, size_t rows, struct row_group *row_group)
{
    size_t groups = 0;
    for (size_t i = 0; i < rows; i++) {
        if (i == 0 || by_table(&row_key[i - 1], &row_key[i]) != 0) {
            row_group[groups++] = (struct row_group){.first = (uint32_t)i, .row = row_key[i].row};
        }
        struct row_group *last = &row_group[groups - 1];
        last->count++;
        last->row = row_key[i].row < last->row ? row_key[i].row : last->row;
    }
    qsort(row_group, groups, sizeof *row_group, by_first_row);
    return groups;
}

/* Fills the allocated tables, sorted. */
static void fill_tables(struct orr_measured_build *build, struct row_key *row_key,
                        struct orr_measured_table *table, const struct row_group *row_group,
                        size_t groups, uint32_t *order)
{
    size_t at = 0;
    for (size_t t = 0; t < groups; t++) {
        const struct row_key *first = &row_key[row_group[t].first];
        table[t] = (struct orr_measured_table){first->kind, first->npus, first->npus_per_node, at,
                                               row_group[t].count};
        for (uint32_t i = 0; i < row_group[t].count; i++) {
            order[at++] = first[i].row;
            build->row[first[i].row].table = (uint32_t)t;
        }
    }
}

static enum orr_status make_tables(struct orr_measured_build *build, struct row_key *row_key,
                                   struct row_group *row_group, struct orr_measured *out)
{
    for (size_t i = 0; i < build->rows; i++) {
        const struct orr_measured_row *row = &build->row[i];
        row_key[i] =
            (struct row_key){row->kind, row->npus, row->npus_per_node, (uint32_t)i, row->bytes};
    }
    qsort(row_key, build->rows, sizeof *row_key, by_key);
    const size_t groups = find_groups(row_key, build->rows, row_group);
    struct orr_measured_table *table = orr_arena_array(build->arena, groups, sizeof *table);
    uint32_t *order = orr_arena_array(build->arena, build->rows, sizeof *order);
    const char **column = orr_arena_array(build->arena, build->columns + 1, sizeof *column);
    if (table == NULL || order == NULL || column == NULL) {
        return orr_measured_no_memory(build);
    }
    fill_tables(build, row_key, table, row_group, groups, order);
    check_tables(build, table, groups, order);
    memcpy(column, build->column, build->columns * sizeof *column);
    *out = (struct orr_measured){.row = build->row,
                                 .rows = build->rows,
                                 .table = table,
                                 .tables = groups,
                                 .order = order,
                                 .column = column,
                                 .columns = build->columns,
                                 .file = build->file,
                                 .files = build->files,
                                 .note = build->note,
                                 .notes = build->notes};
    return ORR_OK;
}

enum orr_status orr_measured_tables(struct orr_measured_build *build, struct orr_measured *out)
{
    struct row_key *row_key = orr_heap_calloc(build->rows, sizeof *row_key);
    struct row_group *row_group = orr_heap_calloc(build->rows, sizeof *row_group);
    const enum orr_status status = row_key != NULL && row_group != NULL
                                       ? make_tables(build, row_key, row_group, out)
                                       : orr_measured_no_memory(build);
    orr_heap_free(row_key);
    orr_heap_free(row_group);
    return status;
}

/* ---- rows ---- */

uint64_t orr_measured_coll_bytes(const struct orr_measured_row *row)
{
    const bool part = row->kind == COLL_ALL_GATHER || row->kind == COLL_GATHER;
    return part ? row->bytes / row->npus + (row->bytes % row->npus != 0 ? 1 : 0) : row->bytes;
}
