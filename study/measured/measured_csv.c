/* Reader of measured tables as CSV: a header with the columns collective, npus, npus_per_node,
 * bytes and time_us in any order; further columns are kept. */
#include <inttypes.h>
#include <stdio.h>

#include "study/measured/csv_header.h"
#include "study/measured/measured_fields.h"

struct csv_table {
    struct orr_measured_build *build;
    struct csv_reader csv;
    struct csv_header header;
};

#define fail_field(table, field, ...)                                                              \
    orr_measured_fail((table)->build, (field)->line, (field)->column, __VA_ARGS__)

/* ---- values ---- */

/* A row's field of a known column; NULL: the file has no such column. */
static const struct csv_field *known_field(const struct csv_table *table, enum csv_known which)
{
    const size_t field = table->header.known_field[which];
    return field != SIZE_MAX ? &table->csv.field[field] : NULL;
}

/* Reads the collective; sets `skip` if there is no model of it. */
static enum orr_status read_collective(const struct csv_table *table, struct orr_measured_row *row,
                                       bool *skip)
{
    const struct csv_field *field = known_field(table, CSV_COLLECTIVE);
    const char *name = field != NULL ? field->text : table->build->inputs->collective;
    const enum orr_measured_name known = orr_measured_name(name, &row->kind);
    *skip = known == ORR_MEASURED_NOT_MODELED;
    if (known != ORR_MEASURED_UNKNOWN) {
        return *skip ? orr_measured_skip_name(table->build, name, row->line) : ORR_OK;
    }
    const char *near = orr_nearest_name(name, orr_measured_names, ORR_MEASURED_NAMES);
    return near != NULL
               ? fail_field(table, field, "collective: there is no \"%s\", did you mean \"%s\"?",
                            name, near)
               : fail_field(table, field,
                            "collective: expected all_reduce, all_gather, "
                            "reduce_scatter, all_to_all, broadcast, reduce, gather or "
                            "scatter, got \"%s\"",
                            name);
}

static enum orr_status read_npus(const struct csv_table *table, struct orr_measured_row *row)
{
    const struct csv_field *field = known_field(table, CSV_NPUS),
                           *of_node = known_field(table, CSV_NPUS_PER_NODE);
    uint64_t npus = table->build->inputs->npus, per_node = table->build->inputs->npus_per_node;
    if (field != NULL &&
        (!orr_measured_integer(field->text, &npus) || npus < 2 || npus > INT32_MAX)) {
        return fail_field(table, field, "npus: expected a whole number of at least 2, got \"%s\"",
                          field->text);
    }
    if (of_node != NULL &&
        (!orr_measured_integer(of_node->text, &per_node) || per_node < 1 || per_node > INT32_MAX)) {
        return fail_field(table, of_node,
                          "npus_per_node: expected a whole number of at least 1, got \"%s\"",
                          of_node->text);
    }
    if (npus % per_node != 0) {
        return fail_field(table, of_node != NULL ? of_node : field,
                          "%" PRIu64 " NPUs are no whole number of nodes of %" PRIu64 " NPUs", npus,
                          per_node);
    }
    row->npus = (uint32_t)npus;
    row->npus_per_node = (uint32_t)per_node;
    return ORR_OK;
}

static enum orr_status read_bytes(const struct csv_table *table, struct orr_measured_row *row)
{
    const struct csv_field *field = known_field(table, CSV_BYTES);
    if (orr_measured_integer(field->text, &row->bytes) && row->bytes > 0) {
        return ORR_OK;
    }
    uint64_t bytes;
    return orr_parse_bytes(field->text, &bytes) && bytes > 0
               ? fail_field(table, field,
                            "bytes: expected a number without a unit, got \"%s\": write %" PRIu64,
                            field->text, bytes)
               : fail_field(table, field,
                            "bytes: expected a whole number above 0, such as 1048576, got \"%s\"",
                            field->text);
}

static enum orr_status read_time(const struct csv_table *table, struct orr_measured_row *row)
{
    const struct csv_field *field = known_field(table, CSV_TIME_US);
    struct measured_number number;
    if (orr_measured_number(field->text, &number) && number.value > 0) {
        row->time_us = number.value;
        return ORR_OK;
    }
    sim_time time_ps;
    return orr_parse_time(field->text, &time_ps) && time_ps > 0
               ? fail_field(table, field,
                            "time_us: expected a number without a unit, got \"%s\": write %.12g",
                            field->text, (double)time_ps / 1e6)
               : fail_field(table, field,
                            "time_us: expected microseconds above 0, such as 60.5, got \"%s\"",
                            field->text);
}

static enum orr_status read_extra(const struct csv_table *table, struct orr_measured_row *row)
{
    struct orr_measured_build *build = table->build;
    if (table->header.furthers == 0) {
        return ORR_OK;
    }
    const char **extra = orr_arena_array(build->arena, build->columns, sizeof *extra);
    if (extra == NULL) {
        return orr_measured_no_memory(build);
    }
    for (size_t i = 0; i < build->columns; i++) {
        extra[i] = "";
    }
    for (size_t i = 0; i < table->header.furthers; i++) {
        const char *text = table->csv.field[table->header.further[i]].text;
        const uint32_t index = orr_strings_add(&build->texts, text, SIZE_MAX);
        if (index == UINT32_MAX) {
            return orr_measured_no_memory(build);
        }
        extra[table->header.column[i]] = build->texts.text[index];
    }
    row->extra = extra;
    return ORR_OK;
}

/* ---- rows ---- */

static enum orr_status read_row(const struct csv_table *table)
{
    const struct csv_reader *csv = &table->csv;
    struct orr_measured_row row = {.line = csv->field[0].line, .column = csv->field[0].column};
    bool skip = false;
    if (csv->fields != table->header.fields) {
        return orr_measured_fail(table->build, row.line, row.column,
                                 "the row has %zu field%s where the header has %zu", csv->fields,
                                 orr_plural(csv->fields), table->header.fields);
    }
    enum orr_status status = read_collective(table, &row, &skip);
    if (status == ORR_OK && skip) {
        return ORR_OK;
    }
    if (status == ORR_OK) {
        status = read_npus(table, &row);
    }
    if (status == ORR_OK) {
        status = read_bytes(table, &row);
    }
    if (status == ORR_OK) {
        status = read_time(table, &row);
    }
    if (status == ORR_OK) {
        status = read_extra(table, &row);
    }
    return status == ORR_OK ? orr_measured_add(table->build, &row) : status;
}

static enum orr_status read_rows(struct csv_table *table)
{
    struct orr_measured_build *build = table->build;
    bool more;
    enum orr_status status = orr_csv_next(&table->csv, &more, build->diag);
    if (status == ORR_OK) {
        ORR_ASSERT(more); /* the file is not empty */
        status = orr_csv_header(build, &table->csv, &table->header);
        build->width[build->files - 1] = build->columns;
    }
    while (status == ORR_OK && more) {
        status = orr_csv_next(&table->csv, &more, build->diag);
        if (status == ORR_OK && more) {
            status = read_row(table);
        }
    }
    return status;
}

enum orr_status orr_measured_read_csv(struct orr_measured_build *build)
{
    struct csv_table table = {.build = build};
    orr_csv_init(&table.csv, build->path, build->data, build->bytes);
    const enum orr_status status = read_rows(&table);
    orr_csv_fini(&table.csv);
    return status;
}
