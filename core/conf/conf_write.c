/* Writes a tree as a file; see conf.h. Invariant: the file reads as the same values.
 *
 * Mappings described by a table are blocks, one key per line with its origin as a comment;
 * non-trivial defaults appear between them as comments. Other mappings, and entries of lists, are
 * written in braces if short. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/text_escape.h"

enum { ORIGIN_COLUMN = 48, WIDEST_FLOW = 100, INDENT = 2, ORIGIN_BYTES = 640 };

struct writer {
    orr_conf_emit_fn emit;
    void *context;
    size_t column;
};

static void emit(struct writer *writer, const char *text)
{
    writer->emit(writer->context, text);
    writer->column += strlen(text);
}

static void emit_spaces(struct writer *writer, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        emit(writer, " ");
    }
}

/* Ends a line, with a comment (NULL: none). */
static void emit_line_end(struct writer *writer, const char *remark)
{
    if (remark != NULL) {
        emit_spaces(writer, writer->column < ORIGIN_COLUMN ? ORIGIN_COLUMN - writer->column : 1);
        emit(writer, "# ");
        emit(writer, remark);
    }
    emit(writer, "\n");
    writer->column = 0;
}

/* ---- scalars ---- */

static bool is_word(const char *text)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
    const bool negative = text[0] == '-' && text[1] >= '0' && text[1] <= '9';
    static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./"
                               "-+()%*=~@";
    return text[0] != '\0' && (strchr(first, text[0]) != NULL || negative) &&
           strspn(text, rest) == strlen(text);
}

/* Whether the text needs no quotes, also in braces: words with single spaces. */
static bool is_plain(const char *text)
{
    char word[ORR_CONF_TEXT_BYTES];
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        if (length >= sizeof word) {
            return false;
        }
        memcpy(word, text, length);
        word[length] = '\0';
        if (!is_word(word) || (text[length] == ' ' && text[length + 1] == '\0')) {
            return false;
        }
        text += length + (text[length] == ' ' ? 1 : 0);
    }
    return true;
}

/* Line separators and bidirectional controls in U+2000 to U+207F. */
static bool is_invisible(unsigned code)
{
    return (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* Escapes the next character of a quoted text: invisible characters and line ends become \x or \u
 * escapes. Returns the bytes consumed. */
static size_t quote_one(const char *text, char one[8])
{
    const unsigned char byte = (unsigned char)*text, next = (unsigned char)text[1];
    if (byte == '"' || byte == '\\') {
        (void)snprintf(one, 8, "\\%c", byte);
    } else if (byte < 0x20 || byte == 0x7f) {
        (void)snprintf(one, 8, "\\x%02x", byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
        (void)snprintf(one, 8, "\\x%02x", next);
        return 2;
    } else if (byte == 0xe2 && (next == 0x80 || next == 0x81) &&
               is_invisible(0x2000 | (next & 0x3fu) << 6 | ((unsigned char)text[2] & 0x3fu))) {
        (void)snprintf(one, 8, "\\u%04x",
                       0x2000 | (next & 0x3fu) << 6 | ((unsigned char)text[2] & 0x3fu));
        return 3;
    } else {
        (void)snprintf(one, 8, "%c", byte);
    }
    return 1;
}

static void emit_quoted(struct writer *writer, const char *text)
{
    char one[8];
    emit(writer, "\"");
    while (*text != '\0') {
        text += quote_one(text, one);
        emit(writer, one);
    }
    emit(writer, "\"");
}

/* An empty unquoted text is an absent value. */
static void emit_text(struct writer *writer, const char *text, bool quoted)
{
    if (text[0] == '\0' ? !quoted : is_plain(text)) {
        emit(writer, text);
    } else {
        emit_quoted(writer, text);
    }
}

/* ---- in braces ---- */

/* Width in braces, exact up to WIDEST_FLOW. */
static size_t flow_width(const struct orr_conf *node)
{
    if (node->kind == ORR_CONF_SCALAR) {
        return strlen(node->text) + 2;
    }
    size_t width = 2;
    for (size_t i = 0; i < node->count && width <= WIDEST_FLOW; i++) {
        width += flow_width(node->item[i]) + 2 +
                 (node->kind == ORR_CONF_MAP ? strlen(node->key[i]) + 2 : 0);
    }
    return width;
}

static void emit_flow(struct writer *writer, const struct orr_conf *node)
{
    if (node->kind == ORR_CONF_SCALAR) {
        emit_text(writer, node->text, node->quoted);
        return;
    }
    const bool map = node->kind == ORR_CONF_MAP;
    emit(writer, map ? "{" : "[");
    for (size_t i = 0; i < node->count; i++) {
        emit(writer, i > 0 ? ", " : "");
        if (map) {
            emit_text(writer, node->key[i], true);
            emit(writer, ": ");
        }
        emit_flow(writer, node->item[i]);
    }
    emit(writer, map ? "}" : "]");
}

/* Whether the node contains absent values: these would vanish in braces, so such nodes are written
 * as blocks. */
static bool has_absent(const struct orr_conf *node)
{
    bool absent = node->kind == ORR_CONF_SCALAR && !node->quoted && node->text[0] == '\0';
    for (size_t i = 0; i < node->count && !absent; i++) {
        absent = has_absent(node->item[i]);
    }
    return absent;
}

/* Whether all values of a mapping are from one file: else each value needs its origin. */
static bool is_of_one_file(const struct orr_conf *node)
{
    bool one = true;
    for (size_t i = 1; node->kind == ORR_CONF_MAP && i < node->count && one; i++) {
        one = strcmp(node->item[i]->file, node->item[0]->file) == 0;
    }
    return one;
}

static bool fits_flow(const struct orr_conf *node)
{
    bool fits = node->kind == ORR_CONF_SCALAR || node->count == 0 ||
                (flow_width(node) <= WIDEST_FLOW && !has_absent(node) && is_of_one_file(node));
    /* A list of mappings has a line per mapping. */
    for (size_t i = 0; node->kind == ORR_CONF_LIST && i < node->count && fits; i++) {
        fits = node->item[i]->kind != ORR_CONF_MAP && fits_flow(node->item[i]);
    }
    return fits;
}

/* ---- blocks ---- */

static void origin_of(const struct orr_conf *node, char origin[ORIGIN_BYTES])
{
    char file[ORIGIN_BYTES - 16];
    (void)orr_text_escape(node->file, false, file, sizeof file);
    if (strcmp(node->file, orr_conf_command_line) == 0) {
        (void)snprintf(origin, ORIGIN_BYTES, "%s", file);
    } else {
        (void)snprintf(origin, ORIGIN_BYTES, "%s:%u", file, node->line);
    }
}

static void emit_value(struct writer *writer, const struct orr_conf *node, size_t indent);

/* Writes the values of a mapping or list, one per line; the first continues the current line (after
 * "- ") if `begun`. */
static void emit_block(struct writer *writer, const struct orr_conf *node, size_t indent,
                       bool begun)
{
    for (size_t i = 0; i < node->count; i++) {
        emit_spaces(writer, begun && i == 0 ? 0 : indent);
        if (node->kind == ORR_CONF_MAP) {
            emit_text(writer, node->key[i], true);
            emit(writer, ":");
        } else {
            emit(writer, "-");
        }
        const struct orr_conf *item = node->item[i];
        if (node->kind == ORR_CONF_LIST && item->kind == ORR_CONF_MAP && !fits_flow(item)) {
            emit(writer, " ");
            emit_block(writer, item, indent + INDENT, true);
        } else {
            emit_value(writer, item, indent + INDENT);
        }
    }
}

/* Writes the value after "key:" or "-" on the current line, and the lines below it. */
static void emit_value(struct writer *writer, const struct orr_conf *node, size_t indent)
{
    char origin[ORIGIN_BYTES];
    origin_of(node->kind == ORR_CONF_MAP && node->count != 0 ? node->item[0] : node, origin);
    if (fits_flow(node)) {
        const bool absent = node->kind == ORR_CONF_SCALAR && !node->quoted && node->text[0] == '\0';
        emit(writer, absent ? "" : " ");
        emit_flow(writer, node);
        emit_line_end(writer, origin);
        return;
    }
    emit_line_end(writer, NULL);
    emit_block(writer, node, indent, false);
}

/* ---- by tables ---- */

/* Whether a default is worth a comment. */
static bool is_informative(const char *default_text)
{
    static const char *const nothing[] = {"0",    "0 ns",  "0 us", "0 ms",  "0 B",  "1",
                                          "none", "false", "0 %",  "0 B/s", "0 ps", ""};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        if (strcmp(default_text, nothing[i]) == 0) {
            return false;
        }
    }
    return true;
}

static void emit_default(struct writer *writer, const struct orr_conf *map,
                         const struct orr_conf *above, const struct orr_key *key, size_t indent)
{
    const bool replaced =
        key->replaced_by != NULL && above != NULL && orr_conf_get(above, key->replaced_by) != NULL;
    const bool idle = key->only_with != NULL && orr_conf_get(map, key->only_with) == NULL;
    if (key->default_text == NULL || key->output_if_given || replaced || idle ||
        key->table != NULL || !is_informative(key->default_text)) {
        return;
    }
    emit_spaces(writer, indent);
    emit(writer, "# ");
    emit(writer, key->name);
    emit(writer, ": ");
    emit_text(writer, key->default_text, true);
    emit_line_end(writer, "default");
}

static void emit_map(struct writer *writer, const struct orr_conf *map,
                     const struct orr_conf *above, const struct orr_key_table *table,
                     size_t indent);

static void emit_key(struct writer *writer, const struct orr_conf *map, const struct orr_key *key,
                     const struct orr_conf *node, size_t indent)
{
    emit_spaces(writer, indent);
    emit(writer, key->name);
    emit(writer, ":");
    if (key->table != NULL && !key->list && node->kind == ORR_CONF_MAP && node->count != 0) {
        emit_line_end(writer, NULL);
        emit_map(writer, node, map, key->table, indent + INDENT);
        return;
    }
    const char *path = orr_conf_value_path(key, node);
    if (path == NULL) {
        emit_value(writer, node, indent + INDENT);
        return;
    }
    char origin[ORIGIN_BYTES];
    origin_of(node, origin);
    emit(writer, " ");
    emit_text(writer, path, true);
    emit_line_end(writer, origin);
}

static void emit_map(struct writer *writer, const struct orr_conf *map,
                     const struct orr_conf *above, const struct orr_key_table *table, size_t indent)
{
    const struct orr_key *key;
    for (size_t i = 0; (key = orr_key_at(table, i)) != NULL; i++) {
        const struct orr_conf *node = orr_conf_get(map, key->name);
        if (node != NULL) {
            emit_key(writer, map, key, node, indent);
        } else {
            emit_default(writer, map, above, key, indent);
        }
    }
}

void orr_conf_write(const struct orr_conf *map, const struct orr_key_table *table,
                    orr_conf_emit_fn emit_fn, void *context)
{
    struct writer writer = {.emit = emit_fn, .context = context};
    emit_map(&writer, map, NULL, table, 0);
}
