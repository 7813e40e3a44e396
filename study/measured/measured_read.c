/* Reading measured tables: detects the form of each file, and joins the files. */
#include "study/measured/measured.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "et_converter/converter.h"
#include "et_converter/input_bytes.h"
#include "study/measured/measured_build.h"
#include "study/measured/measured_tables.h"

enum { MAX_BYTES = 256 << 20 };

/* ---- a file ---- */

static size_t spaces(const char *data, size_t bytes)
{
    size_t at = 0;
    while (at < bytes && strchr(" \t\r\n", data[at]) != NULL && data[at] != '\0') {
        at++;
    }
    return at;
}

static enum orr_status read_form(struct orr_measured_build *build)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* byte order mark of UTF-8 */
    struct orr_measured_file *file = &build->file[build->files - 1];
    if (build->bytes >= 3 && memcmp(build->data, mark, 3) == 0) {
        build->data += 3;
        build->bytes -= 3;
    }
    const size_t first = spaces(build->data, build->bytes);
    if (first == build->bytes) {
        return orr_measured_fail(build, 0, 0, "the file is empty");
    }
    if (memchr(build->data, '\0', build->bytes) != NULL) {
        return orr_measured_fail(build, 0, 0,
                                 "the file is binary: expected a table as CSV, or "
                                 "what nccl-tests print or write as JSON");
    }
    if (build->data[first] == '{') {
        file->form = ORR_MEASURED_JSON;
        return orr_measured_read_json(build);
    }
    if (orr_measured_is_text(build->data, build->bytes)) {
        file->form = ORR_MEASURED_TEXT;
        return orr_measured_read_text(build);
    }
    file->form = ORR_MEASURED_CSV;
    return orr_measured_read_csv(build);
}

static enum orr_status read_source(struct orr_measured_build *build,
                                   const struct orr_measured_source *source)
{
    const struct conv_progress progress = {0};
    struct conv_source read = {0};
    enum orr_status status = ORR_OK;
    build->path = source->path;
    build->data = source->data;
    build->bytes = source->bytes;
    build->file[build->files++] = (struct orr_measured_file){.path = source->path};
    if (source->data == NULL) {
        status = orr_convert_source_read(&read, source->path, MAX_BYTES, &progress, build->diag);
        build->data = (const char *)read.data;
        build->bytes = read.count;
    }
    if (status == ORR_OK) {
        status = read_form(build);
        orr_conf_name_wrong(source->path,
                            build->file[build->files - 1].form == ORR_MEASURED_TEXT
                                ? "what nccl-tests printed"
                                : "a table (CSV)",
                            build->diag);
    }
    orr_convert_source_free(&read);
    return status;
}

/* ---- all files ---- */

static enum orr_status check_inputs(const struct orr_measured_inputs *inputs, struct orr_diag *diag)
{
    enum coll_kind kind;
    if (inputs->collective != NULL &&
        orr_measured_name(inputs->collective, &kind) == ORR_MEASURED_UNKNOWN) {
        const char *near =
            orr_nearest_name(inputs->collective, orr_measured_names, ORR_MEASURED_NAMES);
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "there is no collective \"%s\"%s%s%s; they are %s, %s, %s, %s, %s, "
                             "%s, %s and %s",
                             inputs->collective, near != NULL ? ", did you mean \"" : "",
                             near != NULL ? near : "", near != NULL ? "\"?" : "",
                             orr_measured_names[0], orr_measured_names[1], orr_measured_names[2],
                             orr_measured_names[3], orr_measured_names[4], orr_measured_names[5],
                             orr_measured_names[6], orr_measured_names[7]);
    }
    if (inputs->npus == 1) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "npus: expected at least 2 for a collective, got 1");
    }
    if (inputs->npus > 0 && inputs->npus_per_node > 0 &&
        inputs->npus % inputs->npus_per_node != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%" PRIu32 " NPUs are no whole number of nodes of %" PRIu32 " NPUs",
                             inputs->npus, inputs->npus_per_node);
    }
    return ORR_OK;
}

/* Extends rows to all further columns of all files: "" for columns that their own file lacks. */
static bool widen_rows(const struct orr_measured_build *build)
{
    const char **none = orr_arena_array(build->arena, build->columns + 1, sizeof *none);
    for (size_t i = 0; none != NULL && i < build->columns; i++) {
        none[i] = "";
    }
    for (size_t i = 0; none != NULL && i < build->rows; i++) {
        struct orr_measured_row *row = &build->row[i];
        const size_t width = row->extra != NULL ? build->width[row->file] : 0;
        if (width > 0 && width < build->columns) {
            const char **wide = orr_arena_array(build->arena, build->columns, sizeof *wide);
            if (wide == NULL) {
                return false;
            }
            memcpy(wide, none, build->columns * sizeof *wide);
            memcpy(wide, row->extra, width * sizeof *wide);
            row->extra = wide;
        } else if (width == 0) {
            row->extra = none;
        }
    }
    return none != NULL;
}

static enum orr_status fail_no_row(const struct orr_measured_build *build)
{
    const struct orr_measured_note *note = build->note;
    const bool ends = build->files == 1 && build->file[0].form == ORR_MEASURED_TEXT;
    const struct orr_location location =
        build->files == 1 ? orr_location_file(build->path) : orr_location_none();
    return build->notes == 0
               ? orr_measured_fail_at(build, location, "there is no row%s",
                                      ends ? ": the log ends before the first" : "")
               : orr_measured_fail_at(build, location,
                                      "there is no row to use: %" PRIu64 " row%s %s", note->count,
                                      orr_plural(note->count), note->text);
}

static enum orr_status finish(struct orr_measured_build *build, struct orr_measured *out)
{
    if (build->rows == 0) {
        return fail_no_row(build);
    }
    if (!widen_rows(build)) {
        return orr_measured_no_memory(build);
    }
    return orr_measured_tables(build, out);
}

enum orr_status orr_measured_read(const struct orr_measured_inputs *inputs, struct orr_arena *arena,
                                  struct orr_measured *out, struct orr_diag *diag)
{
    struct orr_measured_build build = {.inputs = inputs, .arena = arena, .diag = diag};
    orr_strings_init(&build.texts, arena);
    build.file = orr_arena_array(arena, inputs->sources, sizeof *build.file);
    build.width = orr_arena_array(arena, inputs->sources, sizeof *build.width);
    if (build.file == NULL || build.width == NULL) {
        return orr_measured_no_memory(&build);
    }
    enum orr_status status = check_inputs(inputs, diag);
    for (size_t i = 0; i < inputs->sources && status == ORR_OK; i++) {
        status = read_source(&build, &inputs->source[i]);
    }
    return status == ORR_OK ? finish(&build, out) : status;
}
