/* Source text of a configuration before parsing: read from a file; tabs of JSON are replaced. JSON
 * in the wild is indented with tabs, which YAML forbids; outside of strings they become spaces, so
 * lines and columns stay. */
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"
#include "core/file.h"

/* ---- lines and columns ---- */

/* Bytes of the line break at `at`, 0 if there is none. */
static size_t line_break(const char *at, size_t bytes)
{
    return bytes == 0      ? 0
           : at[0] == '\n' ? 1
           : at[0] != '\r' ? 0
                           : (bytes > 1 && at[1] == '\n' ? 2 : 1);
}

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

struct orr_location orr_conf_location_at(const struct orr_conf_source *source, size_t offset)
{
    unsigned line = 1, column = 1;
    for (size_t i = 0; i < offset && i < source->bytes;) {
        const size_t skip = line_break(source->data + i, source->bytes - i);
        if (skip > 0) {
            line++;
            column = 1;
            i += skip;
        } else {
            column += starts_character(source->data[i]) ? 1 : 0;
            i++;
        }
    }
    return orr_location_text(source->name, line, column);
}

char orr_conf_byte_at(const struct orr_conf_source *source, size_t line, size_t column)
{
    size_t at = 0;
    for (size_t i = 1; i < line && at < source->bytes; i++) {
        size_t skip = 0;
        while (at < source->bytes && skip == 0) {
            skip = line_break(source->data + at, source->bytes - at);
            at += skip > 0 ? skip : 1;
        }
    }
    for (size_t i = 1; i < column && at < source->bytes; i++) {
        do {
            at++;
        } while (at < source->bytes && !starts_character(source->data[at]));
    }
    return at < source->bytes ? source->data[at] : '\0';
}

/* ---- tabs of JSON ---- */

/* End of the string that begins at `at`, in either kind of quotes. */
static size_t end_of_string(const char *data, size_t bytes, size_t at)
{
    const char quote = data[at];
    for (at++; at < bytes && data[at] != quote; at++) {
        at += data[at] == '\\' && quote == '"' ? 1 : 0;
    }
    return at;
}

static void untab(char *data, size_t bytes)
{
    char before = ' '; /* a quote inside a word (don't) begins no string */
    for (size_t i = 0; i < bytes; i++) {
        data[i] = data[i] == '\t' ? ' ' : data[i];
        const char c = data[i];
        if ((c == '"' || c == '\'') && strchr(" \r\n,:[]{}", before) != NULL) {
            i = end_of_string(data, bytes, i);
        } else if (c == '#' && (before == ' ' || before == '\n')) {
            while (i + 1 < bytes && data[i + 1] != '\n') {
                i++;
            }
        }
        before = i < bytes ? data[i] : ' ';
    }
}

void orr_conf_untab(const struct orr_conf_source *source)
{
    size_t at = 0;
    while (at < source->bytes && strchr(" \t\r\n", source->data[at]) != NULL) {
        at++;
    }
    if (at < source->bytes && (source->data[at] == '{' || source->data[at] == '[')) {
        untab(source->data, source->bytes);
    }
}

/* ---- files ---- */

static enum orr_status too_large(const char *path, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "the file is larger than a configuration may be (64 MiB)");
}

/* Parses a file. If the result is no mapping, the file type is detected first, because the first
 * error is kept and that one is more helpful than a syntax error. */
static enum orr_status parse_file(const struct orr_conf_source *source,
                                  const struct orr_conf **root, struct orr_diag *diag)
{
    struct orr_diag parse_diag;
    orr_diag_init(&parse_diag);
    if (diag != NULL) {
        parse_diag.warn = diag->warn;
        parse_diag.warn_user = diag->warn_user;
    }
    const struct orr_conf *parsed = NULL;
    enum orr_status status = orr_conf_parse_source(source, &parsed, &parse_diag);
    const bool other =
        status == ORR_ERR_INPUT || (status == ORR_OK && parsed->kind == ORR_CONF_SCALAR);
    if (other && orr_conf_identify_text(source, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    if (status != ORR_OK) {
        return orr_diag_forward(diag, &parse_diag);
    }
    *root = parsed;
    return ORR_OK;
}

enum orr_status orr_conf_load(struct orr_arena *arena, const char *path,
                              const struct orr_conf **root, struct orr_diag *diag)
{
    return orr_conf_load_at(arena, path, 0, root, diag);
}

enum orr_status orr_conf_load_at(struct orr_arena *arena, const char *path, unsigned level,
                                 const struct orr_conf **root, struct orr_diag *diag)
{
    static const struct orr_file_kind kind = {.what = "a configuration",
                                              .memory = "a configuration file",
                                              .max_mib = ORR_CONF_LARGEST_BYTES >> 20};
    struct orr_conf_source source = {.name = path, .arena = arena, .level = level};
    enum orr_status status = orr_file_read(path, &kind, &source.data, &source.bytes, diag);
    if (status == ORR_OK) {
        status = parse_file(&source, root, diag);
    } else {
        orr_conf_name_wrong(path, "a configuration in YAML", diag); /* too large to be one */
    }
    orr_heap_free(source.data);
    return status;
}

/* Parses a copy of `data`. */
static enum orr_status parse_copy(struct orr_conf_source source, const char *data,
                                  const struct orr_conf **root, struct orr_diag *diag)
{
    if (source.bytes > ORR_CONF_LARGEST_BYTES) {
        return too_large(source.name, diag);
    }
    source.data = orr_heap_alloc(source.bytes);
    if (source.data == NULL) {
        return orr_diag_no_memory(diag, "a configuration file");
    }
    if (source.bytes > 0) {
        memcpy(source.data, data, source.bytes);
    }
    const enum orr_status status = orr_conf_parse_source(&source, root, diag);
    orr_heap_free(source.data);
    return status;
}

enum orr_status orr_conf_parse(struct orr_arena *arena, const char *data, size_t bytes,
                               const char *name, const struct orr_conf **root,
                               struct orr_diag *diag)
{
    const struct orr_conf_source source = {.bytes = bytes, .name = name, .arena = arena};
    return parse_copy(source, data, root, diag);
}

enum orr_status orr_conf_parse_at(struct orr_arena *arena, const char *text, const char *name,
                                  const char *path, const struct orr_conf **root,
                                  struct orr_diag *diag)
{
    const struct orr_conf_source source = {
        .bytes = strlen(text), .name = name, .path = path, .arena = arena};
    return parse_copy(source, text, root, diag);
}
