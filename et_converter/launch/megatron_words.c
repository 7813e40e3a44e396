/* Arguments of Megatron in scripts, logs and recipes; see megatron_words.h. */
#include "et_converter/launch/megatron_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/launch/shell_words.h"

struct collecting {
    struct orr_arena *arena;
    struct megatron_arguments *arguments;
    struct shell_words shell;
    bool inside; /* of a word that holds several */
};

static const char *keep(struct collecting *of, const char *text)
{
    const char *copy = orr_arena_strdup(of->arena, text);
    of->arguments->no_memory = of->arguments->no_memory || copy == NULL;
    return copy;
}

static void add_argument(struct collecting *of, const char *name, const char *value)
{
    struct megatron_arguments *arguments = of->arguments;
    struct megatron_argument *grown = orr_arena_grow(
        of->arena, arguments->argument, &arguments->capacity, arguments->count + 1, sizeof *grown);
    char *own = orr_arena_strdup(of->arena, name);
    if (grown == NULL || own == NULL) {
        arguments->no_memory = true;
        return;
    }
    for (char *at = own; *at != '\0'; at++) {
        *at = *at == '-' ? '_' : *at;
    }
    arguments->argument = grown;
    arguments->argument[arguments->count++] =
        (struct megatron_argument){own, value != NULL ? keep(of, value) : NULL};
}

/* ---- scripts ---- */

static bool is_flag(const char *word)
{
    return strncmp(word, "--", 2) == 0 && isalpha((unsigned char)word[2]);
}

static void read_words(struct collecting *of);

/* A variable, or the text of sh -c, that holds several words: its flags count where it stands. */
static void read_inside(struct collecting *of, const char *text)
{
    const char *before = of->shell.at, *own = keep(of, text);
    if (own != NULL && !of->inside) {
        of->shell.at = own;
        of->inside = true;
        read_words(of);
        of->inside = false;
        of->shell.at = before;
    }
}

/* A word that is neither a flag nor the value of one. `code`: behind -c or eval. */
static void read_other(struct collecting *of, const char *word, bool code)
{
    const char *equals = orr_shell_set_variable(&of->shell, word);
    const char *text = equals != NULL ? equals : code ? word : NULL;
    if (text != NULL && strstr(text, "--") != NULL) {
        read_inside(of, text);
    }
}

/* The value of a pending flag: the next word of the same command; of the next line only a number.
 */
static bool is_value(const char *word, bool broken)
{
    return word[0] != '\0' && !is_flag(word) && (!broken || isdigit((unsigned char)word[0]));
}

static void read_words(struct collecting *of)
{
    const char *pending = NULL;
    bool code = false, broken = false;
    while (orr_shell_next(&of->shell) && !of->shell.no_memory) {
        const char *word = of->shell.word;
        broken = broken || of->shell.broken;
        if (is_flag(word) && strpbrk(word, " \t\n") != NULL) { /* a variable with several words */
            read_inside(of, word);
        } else if (is_flag(word)) {
            if (pending != NULL) {
                add_argument(of, pending, NULL);
            }
            char *own = orr_arena_strdup(of->arena, word + 2);
            char *equals = own != NULL ? strchr(own, '=') : NULL;
            pending = own;
            broken = false;
            if (equals != NULL) {
                *equals = '\0';
                add_argument(of, own, equals + 1);
                pending = NULL;
            }
        } else if (pending != NULL && is_value(word, broken)) {
            add_argument(of, pending, word);
            pending = NULL;
        } else {
            if (pending != NULL) {
                add_argument(of, pending, NULL);
                pending = NULL;
            }
            const bool is_code = strcmp(word, "-c") == 0 || strcmp(word, "eval") == 0;
            read_other(of, word, code);
            code = is_code;
        }
    }
    if (pending != NULL) {
        add_argument(of, pending, NULL);
    }
    of->arguments->no_memory = of->arguments->no_memory || of->shell.no_memory;
}

/* ---- logs and recipes ---- */

static void add_pair(struct collecting *of, const char *name, size_t name_bytes, const char *value,
                     size_t value_bytes)
{
    while (value_bytes > 0 && strchr(" \t\r\"'", value[value_bytes - 1]) != NULL) {
        value_bytes--;
    }
    while (value_bytes > 0 && strchr(" \t\"'", *value) != NULL) {
        value++;
        value_bytes--;
    }
    const char *own = orr_arena_strndup(of->arena, name, name_bytes);
    const char *text = orr_arena_strndup(of->arena, value, value_bytes);
    if (own == NULL || text == NULL) {
        of->arguments->no_memory = true;
    } else if (*text != '\0') {
        add_argument(of, own, text);
    }
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') {
        length++;
    }
    return length;
}

/* "  name ........ value" of a log, "name: value" of a recipe. */
static void read_line(struct collecting *of, const char *line, size_t length)
{
    const char *end = line + length;
    for (const char *at = line; at + 4 < end; at++) {
        if (strncmp(at, " ...", 4) == 0) {
            const char *name = at, *value = at + 1;
            while (name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) {
                name--;
            }
            while (value < end && *value == '.') {
                value++;
            }
            if (name < at) {
                add_pair(of, name, (size_t)(at - name), value, (size_t)(end - value));
            }
            return;
        }
    }
    const char *colon = memchr(line, ':', length), *name = line;
    while (name < end && (*name == ' ' || *name == '\t' || *name == '-')) {
        name++;
    }
    if (colon != NULL && name < colon && name_length(name) == (size_t)(colon - name)) {
        const char *comment = memchr(colon, '#', (size_t)(end - colon));
        const char *stop = comment != NULL ? comment : end;
        add_pair(of, name, (size_t)(colon - name), colon + 1, (size_t)(stop - colon - 1));
    }
}

void orr_megatron_collect(const char *text, struct orr_arena *arena,
                          struct megatron_arguments *arguments)
{
    struct collecting of = {.arena = arena, .arguments = arguments};
    *arguments = (struct megatron_arguments){0};
    orr_shell_open(&of.shell, text, arena);
    read_words(&of);
    arguments->named = arguments->count == 0;
    while (arguments->named && *text != '\0' && !arguments->no_memory) {
        const size_t length = strcspn(text, "\n");
        read_line(&of, text, length);
        text += length + (text[length] == '\n' ? 1 : 0);
    }
}
