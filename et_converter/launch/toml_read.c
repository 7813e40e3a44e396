/* Reads TOML 1.0 (toml.io/en/v1.0.0); see toml_read.h. Values become texts, which their readers
 * check. */
#include "et_converter/launch/toml_read.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/launch/launch_words.h"
#include "et_converter/launch/toml_text.h"

enum { MAX_VALUES = 4096, MAX_DEPTH = 16 };

/* ---- keys ---- */

static bool is_bare(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_' || letter == '-';
}

/* Reads a dotted key behind what the buffer holds; false after an error. */
static bool read_key(struct toml *toml, struct toml_text *path)
{
    for (;;) {
        if (path->length > 0) {
            orr_toml_push(toml, path, '.');
        }
        const char *before = toml->at;
        if (*toml->at == '"' || *toml->at == '\'') {
            if (!orr_toml_quoted(toml, path)) {
                return false;
            }
        }
        while (toml->at == before && is_bare(*toml->at)) {
            while (is_bare(*toml->at)) {
                orr_toml_push(toml, path, *toml->at++);
            }
        }
        if (toml->at == before) {
            return orr_toml_expected(toml, "a key");
        }
        orr_toml_skip_blanks(toml);
        if (*toml->at != '.') {
            return !toml->no_memory;
        }
        toml->at++;
        orr_toml_skip_blanks(toml);
    }
}

/* ---- values ---- */

static bool is_there(const struct toml *toml, const char *path)
{
    for (size_t i = 0; i < toml->arguments->count; i++) {
        if (strcmp(toml->arguments->argument[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

static bool add(struct toml *toml, const char *path, const char *value)
{
    if (toml->arguments->count == MAX_VALUES) {
        return orr_toml_fail(toml, "the file has more than %d values", MAX_VALUES);
    }
    if (is_there(toml, path)) {
        return orr_toml_fail(toml, "the key %.200s is there twice", path);
    }
    orr_launch_add_argument(toml->arguments, toml->arena, path, value);
    return !toml->arguments->no_memory || orr_toml_no_memory(toml);
}

/* A number, truth value or date, up to a comma, bracket, comment or line end. */
static bool read_word(struct toml *toml, struct toml_text *out)
{
    const size_t before = out->length;
    while (*toml->at != '\0' && strchr(",]}# \t\r\n", *toml->at) == NULL) {
        if (*toml->at != '_') {
            orr_toml_push(toml, out, *toml->at);
        }
        toml->at++;
    }
    const char *word = out->text + before;
    static const char *const words[] = {"true", "false", "inf",  "+inf",
                                        "-inf", "nan",   "+nan", "-nan"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    const char *digits = word + (*word == '+' || *word == '-' ? 1 : 0);
    if (!isdigit((unsigned char)*digits) ||
        strspn(digits, "0123456789abcdefABCDEFxoTZ:+-.") < strlen(digits)) {
        return orr_toml_fail(toml,
                             "expected a value (a text in quotes, a number, true, false, a "
                             "list), got \"%.60s\"",
                             word);
    }
    return !toml->no_memory;
}

static bool read_element(struct toml *toml, struct toml_text *out, unsigned depth);

/* A list as one text, "[a, b]"; `at` is at its bracket. */
static bool read_list(struct toml *toml, struct toml_text *out, unsigned depth)
{
    toml->at++;
    orr_toml_push(toml, out, '[');
    for (bool first = true;; first = false) {
        orr_toml_skip_lines(toml);
        if (*toml->at == ']') {
            toml->at++;
            orr_toml_push(toml, out, ']');
            return !toml->no_memory;
        }
        if (!first) {
            orr_toml_push(toml, out, ',');
            orr_toml_push(toml, out, ' ');
        }
        if (!read_element(toml, out, depth)) {
            return false;
        }
        orr_toml_skip_lines(toml);
        if (*toml->at == ',') {
            toml->at++;
        } else if (*toml->at != ']') {
            return orr_toml_expected(toml, "a comma or ] in a list");
        }
    }
}

/* A table inside a list stays text, as it is written. */
static bool copy_table(struct toml *toml, struct toml_text *out)
{
    const size_t length = strcspn(toml->at, "}\n");
    if (toml->at[length] != '}') {
        return orr_toml_expected(toml, "a } on the same line");
    }
    for (size_t i = 0; i <= length; i++) {
        orr_toml_push(toml, out, *toml->at++);
    }
    return !toml->no_memory;
}

static bool read_element(struct toml *toml, struct toml_text *out, unsigned depth)
{
    if (*toml->at == '"' || *toml->at == '\'') {
        return orr_toml_quoted(toml, out);
    }
    if (*toml->at == '{') {
        return copy_table(toml, out);
    }
    if (*toml->at == '[') {
        return depth < MAX_DEPTH ? read_list(toml, out, depth + 1)
                                 : orr_toml_fail(toml, "lists nested deeper than %d", MAX_DEPTH);
    }
    return read_word(toml, out);
}

static bool read_pair(struct toml *toml, const char *table, unsigned depth);

/* An inline table: its values are those of a table of its name. */
static bool read_inline(struct toml *toml, const char *path, unsigned depth)
{
    toml->at++;
    orr_toml_skip_blanks(toml);
    if (*toml->at == '}') {
        toml->at++;
        return add(toml, path, "{}");
    }
    for (;;) {
        orr_toml_skip_blanks(toml);
        if (!read_pair(toml, path, depth + 1)) {
            return false;
        }
        orr_toml_skip_blanks(toml);
        if (*toml->at == '}') {
            toml->at++;
            return true;
        }
        if (*toml->at++ != ',') {
            toml->at--;
            return orr_toml_expected(toml, "a comma or } in a table");
        }
    }
}

/* KEY = VALUE, of a table ("": the top). */
static bool read_pair(struct toml *toml, const char *table, unsigned depth)
{
    struct toml_text path = {0}, value = {0};
    orr_toml_push_text(toml, &path, table);
    if (!read_key(toml, &path)) {
        return false;
    }
    if (*toml->at != '=') {
        return orr_toml_expected(toml, "= behind a key");
    }
    toml->at++;
    orr_toml_skip_blanks(toml);
    if (*toml->at == '{') {
        return depth < MAX_DEPTH ? read_inline(toml, path.text, depth)
                                 : orr_toml_fail(toml, "tables nested deeper than %d", MAX_DEPTH);
    }
    orr_toml_push_text(toml, &value, "");
    return read_element(toml, &value, 0) && add(toml, path.text, value.text);
}

/* ---- tables ---- */

static size_t tables_before(const struct toml *toml, const char *path)
{
    size_t count = 0;
    for (size_t i = 0; i < toml->tables; i++) {
        count += strcmp(toml->table[i], path) == 0 ? 1 : 0;
    }
    return count;
}

static bool add_table(struct toml *toml, const char *path)
{
    const char **grown = orr_arena_grow(toml->arena, toml->table, &toml->table_capacity,
                                        toml->tables + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_toml_no_memory(toml);
    }
    if (toml->tables == MAX_VALUES) {
        return orr_toml_fail(toml, "the file has more than %d tables", MAX_VALUES);
    }
    toml->table = grown;
    toml->table[toml->tables++] = path;
    return true;
}

/* [TABLE] or [[TABLE]]; sets *table to its path, of a list "TABLE[0]". */
static bool read_table(struct toml *toml, const char **table)
{
    struct toml_text path = {0};
    const bool list = toml->at[1] == '[';
    toml->at += list ? 2 : 1;
    orr_toml_skip_blanks(toml);
    orr_toml_push_text(toml, &path, "");
    if (!read_key(toml, &path)) {
        return false;
    }
    if (toml->at[0] != ']' || (list && toml->at[1] != ']')) {
        return orr_toml_expected(toml, list ? "]] behind the name of a table"
                                            : "] behind the name of a table");
    }
    const size_t before = tables_before(toml, path.text);
    if (before > 0 && !list) {
        return orr_toml_fail(toml, "the table [%.200s] is there twice", path.text);
    }
    toml->at += list ? 2 : 1;
    if (!add_table(toml, path.text)) {
        return false;
    }
    *table = list ? orr_arena_printf(toml->arena, "%s[%zu]", path.text, before) : path.text;
    return *table != NULL || orr_toml_no_memory(toml);
}

/* Whether a line is [TABLE] or [[TABLE]]. */
static bool is_table_line(const char *line)
{
    const size_t brackets = strspn(line, "[");
    const char *begin = line + brackets, *end = begin;
    while (is_bare(*end) || *end == '.' || *end == '"') {
        end++;
    }
    if (brackets == 0 || brackets > 2 || end == begin || strncmp(end, "]]", brackets) != 0) {
        return false;
    }
    end += brackets;
    end += strspn(end, " \t\r");
    return *end == '\0' || *end == '\n' || *end == '#';
}

/* Whether a line is KEY = ..., with a blank before the sign. */
static bool is_pair_line(const char *line)
{
    const char *end = line;
    while (is_bare(*end) || *end == '.') {
        end++;
    }
    return end > line && *end == ' ' && end[strspn(end, " ")] == '=';
}

bool orr_toml_is_one(const char *text)
{
    bool first = true;
    while (*text != '\0') {
        text += strspn(text, " \t\r\n");
        if (is_table_line(text)) {
            return true;
        }
        if (*text != '#' && *text != '\0' && first) {
            if (!is_pair_line(text)) {
                return false;
            }
            first = false;
        }
        text += strcspn(text, "\n");
    }
    return false;
}

enum orr_status orr_toml_read(const char *name, const char *text, struct orr_arena *arena,
                              struct launch_arguments *arguments, struct orr_diag *diag)
{
    struct toml toml = {.name = name,
                        .text = text,
                        .at = text,
                        .arena = arena,
                        .arguments = arguments,
                        .diag = diag};
    const char *table = "";
    *arguments = (struct launch_arguments){.form = LAUNCH_RECIPE};
    for (bool good = true; good;) {
        orr_toml_skip_lines(&toml);
        if (*toml.at == '\0') {
            break;
        }
        good = *toml.at == '[' ? read_table(&toml, &table) : read_pair(&toml, table, 0);
        if (good) {
            orr_toml_skip_blanks(&toml);
            orr_toml_skip_comment(&toml);
            good = *toml.at == '\0' || *toml.at == '\n' || (*toml.at == '\r' && toml.at[1] == '\n')
                       ? true
                       : orr_toml_expected(&toml, "the end of the line");
        }
    }
    if (toml.no_memory && diag->status == ORR_OK) {
        (void)orr_toml_no_memory(&toml);
    }
    return diag->status;
}
