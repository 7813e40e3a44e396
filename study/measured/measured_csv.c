/* Reader of measured tables as CSV: a header with the columns collective, npus, npus_per_node,
 * bytes and time_us in any order; further columns are kept. For bytes, which nccl-tests count of
 * all ranks, there may be bytes_per_rank or bytes_total; for time_us time_ps, as in benches of
 * Orrery.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/strings.h"
#include "core/units.h"
#include "study/measured/csv_header.h"
#include "study/measured/measured.h"
#include "study/measured/measured_fields.h"
#include "system/collectives/program.h"

struct csv_table {
    struct orr_measured_build *build;
    struct csv_reader csv;
    struct csv_header header;
    uint64_t bench_bytes; /* of the row before, in a bench of Orrery */
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

static const struct csv_field *other_field(const struct csv_table *table, enum csv_other which)
{
    const size_t field = table->header.other_field[which];
    return field != SIZE_MAX ? &table->csv.field[field] : NULL;
}

static enum orr_status read_integer(const struct csv_table *table, const struct csv_field *field,
                                    const char *name, uint64_t *out)
{
    if (orr_measured_integer(field->text, out) && *out > 0) {
        return ORR_OK;
    }
    uint64_t bytes;
    return orr_parse_bytes(field->text, &bytes) && bytes > 0
               ? fail_field(table, field,
                            "%s: expected a number without a unit, got \"%s\": write %" PRIu64,
                            name, field->text, bytes)
               : fail_field(table, field,
                            "%s: expected a whole number above 0, such as 1048576, got \"%s\"",
                            name, field->text);
}

/* Parts of a collective's buffer, one of each rank. */
static uint64_t parts_of(const struct orr_measured_row *row)
{
    switch (row->kind) {
    case COLL_ALL_GATHER:
    case COLL_REDUCE_SCATTER:
    case COLL_GATHER:
    case COLL_SCATTER:
        return row->npus;
    default:
        return 1;
    }
}

/* Of bytes_total, bytes_per_rank and bytes the first that is there; the last two must agree. */
static enum orr_status read_bytes(const struct csv_table *table, struct orr_measured_row *row)
{
    const struct csv_field *bytes = known_field(table, CSV_BYTES);
    const struct csv_field *total = other_field(table, CSV_BYTES_TOTAL);
    const struct csv_field *of_rank = other_field(table, CSV_BYTES_PER_RANK);
    const uint64_t parts = parts_of(row);
    uint64_t part = 0;
    if (total != NULL) {
        return read_integer(table, total, "bytes_total", &row->bytes);
    }
    if (of_rank == NULL) {
        return read_integer(table, bytes, "bytes", &row->bytes);
    }
    enum orr_status status = read_integer(table, of_rank, "bytes_per_rank", &part);
    if (status == ORR_OK && part > UINT64_MAX / parts) {
        return fail_field(table, of_rank, "bytes_per_rank: %" PRIu64 " ranks have too many bytes",
                          parts);
    }
    row->bytes = part * parts;
    uint64_t given = row->bytes;
    if (status == ORR_OK && bytes != NULL) {
        status = read_integer(table, bytes, "bytes", &given);
    }
    return status != ORR_OK || given == row->bytes
               ? status
               : fail_field(table, bytes,
                            "bytes: expected that of all ranks as nccl-tests count, %" PRIu64
                            " x bytes_per_rank = %" PRIu64 ", got %" PRIu64,
                            parts, row->bytes, given);
}

static enum orr_status read_time(const struct csv_table *table, struct orr_measured_row *row)
{
    const struct csv_field *in_us = known_field(table, CSV_TIME_US);
    const struct csv_field *field = in_us != NULL ? in_us : other_field(table, CSV_TIME_PS);
    const char *name = in_us != NULL ? "time_us" : "time_ps";
    struct measured_number number;
    if (orr_measured_number(field->text, &number) && number.value > 0) {
        row->time_us = number.value * (in_us != NULL ? 1 : 1e-6);
        return ORR_OK;
    }
    sim_time time_ps;
    return orr_parse_time(field->text, &time_ps) && time_ps > 0
               ? fail_field(table, field,
                            "%s: expected a number without a unit, got \"%s\": write %.12g", name,
                            field->text, (double)time_ps / (in_us != NULL ? 1e6 : 1))
               : fail_field(table, field, "%s: expected %s above 0, such as %s, got \"%s\"", name,
                            in_us != NULL ? "microseconds" : "picoseconds",
                            in_us != NULL ? "60.5" : "60500000", field->text);
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

/* Whether the row of a bench is of another algorithm than the platform's, the first of a size. */
static bool is_other_algorithm(struct csv_table *table, const struct orr_measured_row *row)
{
    const bool is_bench = table->header.other_field[CSV_SCHEDULER] != SIZE_MAX &&
                          table->header.other_field[CSV_TIME_PS] != SIZE_MAX;
    const bool is_same = is_bench && table->bench_bytes == row->bytes;
    table->bench_bytes = row->bytes;
    return is_same;
}

static enum orr_status read_row(struct csv_table *table)
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
    if (status == ORR_OK && is_other_algorithm(table, &row)) {
        return orr_measured_add_note(table->build,
                                     "of a bench left out: the first of a size is what the "
                                     "platform takes",
                                     row.line);
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
