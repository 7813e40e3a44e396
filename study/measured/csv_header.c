/* The header of a measured table; see csv_header.h. */
#include "study/measured/csv_header.h"

#include <stdio.h>
#include <string.h>

#include "study/measured/measured_fields.h"

const char *const orr_csv_known[CSV_KNOWN] = {
    [CSV_COLLECTIVE] = "collective",
    [CSV_NPUS] = "npus",
    [CSV_NPUS_PER_NODE] = "npus_per_node",
    [CSV_BYTES] = "bytes",
    [CSV_TIME_US] = "time_us",
};

const char *const orr_csv_other[CSV_OTHER] = {
    [CSV_BYTES_PER_RANK] = "bytes_per_rank",
    [CSV_BYTES_TOTAL] = "bytes_total",
    [CSV_TIME_PS] = "time_ps",
    [CSV_SCHEDULER] = "scheduler",
};

/* Other tools' names of the columns, in the same unit. */
enum { OTHER_NAMES = 12 };
static const char *const others[CSV_KNOWN][OTHER_NAMES] = {
    [CSV_COLLECTIVE] = {"coll", "collective_name", "operation", "op", "test"},
    [CSV_NPUS] = {"gpus", "ngpus", "num_gpus", "n_gpus", "ranks", "nranks", "num_ranks",
                  "world_size", "n", "devices"},
    [CSV_NPUS_PER_NODE] = {"gpus_per_node", "ngpus_per_node", "ranks_per_node", "gpn", "ppn",
                           "local_size", "devices_per_node"},
    [CSV_BYTES] = {"size_bytes", "size", "nbytes", "message_size", "message_bytes", "msg_size",
                   "size_b", "buffer_size", "n_bytes"},
    [CSV_TIME_US] = {"oop_time_us", "out_of_place_time_us", "latency_us", "duration_us", "us",
                     "time(us)", "time (us)", "ip_time_us", "in_place_time_us", "t_us"},
};

static size_t field_of(const struct csv_reader *csv, const char *name)
{
    for (size_t i = 0; i < csv->fields; i++) {
        if (strcmp(csv->field[i].text, name) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* ---- errors ---- */

/* A text of a message, truncated if it is full. */
struct message_text {
    char text[ORR_DIAG_MESSAGE_BYTES / 2];
    size_t used;
};

static void add(struct message_text *message_text, const char *before, const char *text)
{
    const size_t free_bytes = sizeof message_text->text - message_text->used;
    const int length =
        snprintf(message_text->text + message_text->used, free_bytes, "%s%s", before, text);
    message_text->used += length < 0                    ? 0
                          : (size_t)length < free_bytes ? (size_t)length
                                                        : free_bytes - 1;
}

/* "a, b and c" */
static void add_listed(struct message_text *message_text, const char *text, size_t index,
                       size_t count)
{
    add(message_text, index == 0 ? "" : index + 1 == count ? " and " : ", ", text);
}

/* True if it is not the name of a known column, so that it may be a misspelled one. */
static bool is_free(const char *text)
{
    for (size_t u = 0; u < CSV_KNOWN; u++) {
        if (strcmp(text, orr_csv_known[u]) == 0) {
            return false;
        }
    }
    for (size_t u = 0; u < CSV_SCHEDULER; u++) {
        if (strcmp(text, orr_csv_other[u]) == 0) {
            return false;
        }
    }
    return true;
}

static bool has_other_unit(const char *text)
{
    static const char *const endings[] = {"ms", "ns", "_s", "sec", "kb", "mb", "gb", "kib", "mib"};
    const size_t length = strlen(text);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t ending = strlen(endings[i]);
        if (length >= ending && orr_edit_distance(text + length - ending, endings[i], 1) == 0) {
            return true;
        }
    }
    return false;
}

/* The column that is probably a missing one; SIZE_MAX: none. */
static size_t suggest_column(const struct csv_reader *csv, size_t known_field)
{
    for (size_t o = 0; o < OTHER_NAMES && others[known_field][o] != NULL; o++) {
        for (size_t i = 0; i < csv->fields; i++) {
            if (is_free(csv->field[i].text) &&
                orr_edit_distance(csv->field[i].text, others[known_field][o], 1) == 0) {
                return i;
            }
        }
    }
    for (size_t i = 0; i < csv->fields; i++) {
        const char *text = csv->field[i].text;
        if (is_free(text) && !has_other_unit(text) &&
            orr_nearest_name(text, orr_csv_known, CSV_KNOWN) == orr_csv_known[known_field]) {
            return i;
        }
    }
    return SIZE_MAX;
}

static size_t missing(const struct csv_header *header, const struct orr_measured_inputs *inputs,
                      bool *is_missing)
{
    const bool given[CSV_KNOWN] = {[CSV_COLLECTIVE] = inputs->collective != NULL,
                                   [CSV_NPUS] = inputs->npus > 0,
                                   [CSV_NPUS_PER_NODE] = inputs->npus_per_node > 0,
                                   [CSV_BYTES] =
                                       header->other_field[CSV_BYTES_PER_RANK] != SIZE_MAX ||
                                       header->other_field[CSV_BYTES_TOTAL] != SIZE_MAX,
                                   [CSV_TIME_US] = header->other_field[CSV_TIME_PS] != SIZE_MAX};
    size_t count = 0;
    for (size_t u = 0; u < CSV_KNOWN; u++) {
        is_missing[u] = header->known_field[u] == SIZE_MAX && !given[u];
        count += is_missing[u] ? 1 : 0;
    }
    return count;
}

static enum orr_status fail_missing(const struct orr_measured_build *build,
                                    const struct csv_reader *csv, const bool *is_missing,
                                    size_t count)
{
    enum { SHOWN = 24 };
    struct message_text names = {0}, found = {0}, renames = {0};
    size_t index = 0;
    for (size_t u = 0; u < CSV_KNOWN; u++) {
        const size_t suggestion = is_missing[u] ? suggest_column(csv, u) : SIZE_MAX;
        if (is_missing[u]) {
            add_listed(&names, orr_csv_known[u], index++, count);
        }
        if (suggestion != SIZE_MAX) {
            add(&renames, renames.used == 0 ? "; rename " : ", ", csv->field[suggestion].text);
            add(&renames, " to ", orr_csv_known[u]);
        }
    }
    for (size_t i = 0; i < csv->fields && i < SHOWN; i++) {
        add(&found, i == 0 ? "" : ", ", csv->field[i].text);
    }
    return orr_measured_fail(build, csv->field[0].line, csv->field[0].column,
                             "the header misses the column%s %s: it has %s%s%s", orr_plural(count),
                             names.text, found.text, csv->fields > SHOWN ? ", ..." : "",
                             renames.text);
}

/* Fails for a record that is no header: a row, or a file of another kind. */
static enum orr_status check_is_header(const struct orr_measured_build *build,
                                       const struct csv_reader *csv)
{
    const uint32_t line = csv->field[0].line, column = csv->field[0].column;
    const char *first = csv->field[0].text;
    if (csv->fields == 1 && is_free(first)) {
        const bool semicolon = strchr(first, ';') != NULL, tab = strchr(first, '\t') != NULL;
        return semicolon || tab
                   ? orr_measured_fail(build, line, column,
                                       "expected commas between the columns, got %s",
                                       semicolon ? "semicolons" : "tabs")
                   : orr_measured_fail(build, line, column,
                                       "expected a table as CSV with the header "
                                       "\"collective,npus,npus_per_node,bytes,time_us\", or what "
                                       "nccl-tests print or write as JSON");
    }
    for (size_t i = 0; i < csv->fields; i++) {
        struct measured_number number;
        if (orr_measured_number(csv->field[i].text, &number)) {
            return orr_measured_fail(build, line, column,
                                     "expected a header with the columns collective, npus, "
                                     "npus_per_node, bytes and time_us, got a row: \"%s\" is a "
                                     "number",
                                     csv->field[i].text);
        }
    }
    return ORR_OK;
}

static enum orr_status check_names(const struct orr_measured_build *build,
                                   const struct csv_reader *csv)
{
    for (size_t i = 0; i < csv->fields; i++) {
        const struct csv_field *field = &csv->field[i];
        if (field->text[0] == '\0') {
            return orr_measured_fail(build, field->line, field->column,
                                     "column %zu of the header has no name", i + 1);
        }
        if (field_of(csv, field->text) != i) {
            return orr_measured_fail(build, field->line, field->column,
                                     "the column %s is there twice", field->text);
        }
    }
    return ORR_OK;
}

/* ---- further columns ---- */

static enum orr_status add_further(struct orr_measured_build *build, const struct csv_field *field,
                                   size_t index, struct csv_header *out)
{
    size_t column = 0;
    while (column < build->columns && strcmp(build->column[column], field->text) != 0) {
        column++;
    }
    if (column == ORR_MEASURED_MAX_COLUMNS) {
        return orr_measured_fail(
            build, field->line, field->column,
            "there are more than %d columns in addition to the five known ones",
            ORR_MEASURED_MAX_COLUMNS);
    }
    if (column == build->columns) {
        build->column[column] = orr_arena_strdup(build->arena, field->text);
        if (build->column[column] == NULL) {
            return orr_measured_no_memory(build);
        }
        build->columns++;
    }
    out->further[out->furthers] = index;
    out->column[out->furthers++] = column;
    return ORR_OK;
}

enum orr_status orr_csv_header(struct orr_measured_build *build, const struct csv_reader *csv,
                               struct csv_header *out)
{
    bool is_missing[CSV_KNOWN];
    *out = (struct csv_header){.fields = csv->fields};
    if (csv->fields > CSV_MAX_FIELDS) {
        return orr_measured_fail(build, csv->field[0].line, csv->field[0].column,
                                 "the header has %zu columns, more than %d", csv->fields,
                                 CSV_MAX_FIELDS);
    }
    enum orr_status status = check_is_header(build, csv);
    for (size_t u = 0; u < CSV_KNOWN; u++) {
        out->known_field[u] = field_of(csv, orr_csv_known[u]);
    }
    for (size_t u = 0; u < CSV_OTHER; u++) {
        out->other_field[u] = field_of(csv, orr_csv_other[u]);
    }
    const size_t count = missing(out, build->inputs, is_missing);
    if (status == ORR_OK && count > 0) {
        status = fail_missing(build, csv, is_missing, count);
    }
    if (status == ORR_OK) {
        status = check_names(build, csv);
    }
    for (size_t i = 0; i < csv->fields && status == ORR_OK; i++) {
        if (is_free(csv->field[i].text)) {
            status = add_further(build, &csv->field[i], i, out);
        }
    }
    return status;
}
