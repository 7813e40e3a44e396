/* Arguments of Megatron in scripts, logs and recipes; see megatron_words.h. */
#include "et_converter/launch/megatron_words.h"

#include <ctype.h>
#include <string.h>

#include "core/arena.h"

enum { MAX_WORD = 4096, MAX_VARIABLES = 256 };

struct variable {
    const char *name, *value;
};

struct lexer {
    const char *at;
    struct orr_arena *arena;
    struct megatron_arguments *arguments;
    struct variable variable[MAX_VARIABLES];
    size_t variables;
    char word[MAX_WORD];
    size_t length;
    bool inside; /* of a word that holds several */
};

static const char *keep(struct lexer *lexer, const char *text)
{
    const char *copy = orr_arena_strdup(lexer->arena, text);
    lexer->arguments->no_memory = lexer->arguments->no_memory || copy == NULL;
    return copy;
}

static void add_argument(struct lexer *lexer, const char *name, const char *value)
{
    struct megatron_arguments *arguments = lexer->arguments;
    struct megatron_argument *grown =
        orr_arena_grow(lexer->arena, arguments->argument, &arguments->capacity,
                       arguments->count + 1, sizeof *grown);
    char *own = orr_arena_strdup(lexer->arena, name);
    if (grown == NULL || own == NULL) {
        arguments->no_memory = true;
        return;
    }
    for (char *at = own; *at != '\0'; at++) {
        *at = *at == '-' ? '_' : *at;
    }
    arguments->argument = grown;
    arguments->argument[arguments->count++] =
        (struct megatron_argument){own, value != NULL ? keep(lexer, value) : NULL};
}

/* ---- shell ---- */

static void push(struct lexer *lexer, char letter)
{
    if (lexer->length + 1 < MAX_WORD) {
        lexer->word[lexer->length++] = letter;
    }
}

static const char *value_of(const struct lexer *lexer, const char *name, size_t length)
{
    for (size_t i = lexer->variables; i-- > 0;) {
        const struct variable *variable = &lexer->variable[i];
        if (strlen(variable->name) == length && strncmp(variable->name, name, length) == 0) {
            return variable->value;
        }
    }
    return NULL;
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') {
        length++;
    }
    return length;
}

/* $NAME, ${NAME}, ${NAME:-DEFAULT}: its value; others stay as they are. `at` is behind the $. */
static void substitute(struct lexer *lexer)
{
    const bool braced = *lexer->at == '{';
    const char *name = lexer->at + (braced ? 1 : 0);
    const size_t length = name_length(name);
    const char *end = name + length, *value = value_of(lexer, name, length);
    const char *standard = NULL;
    size_t standard_length = 0;
    if (length == 0) {
        push(lexer, '$');
        return;
    }
    if (braced) {
        const char *close = strchr(end, '}');
        if (close == NULL) {
            push(lexer, '$');
            return;
        }
        if (end[0] == ':' && (end[1] == '-' || end[1] == '=')) {
            standard = end + 2;
            standard_length = (size_t)(close - standard);
        }
        end = close + 1;
    }
    if (value != NULL) {
        standard = value;
        standard_length = strlen(value);
    }
    for (size_t i = 0; i < standard_length; i++) {
        push(lexer, standard[i]);
    }
    lexer->at = end;
}

static void quoted(struct lexer *lexer, char quote)
{
    while (*lexer->at != '\0' && *lexer->at != quote) {
        if (quote == '"' && *lexer->at == '$') {
            lexer->at++;
            substitute(lexer);
        } else if (quote == '"' && *lexer->at == '\\' && lexer->at[1] != '\0') {
            push(lexer, lexer->at[1]);
            lexer->at += 2;
        } else {
            push(lexer, *lexer->at++);
        }
    }
    lexer->at += *lexer->at == quote ? 1 : 0;
}

static bool is_separator(char letter)
{
    return letter == '\0' || isspace((unsigned char)letter) || strchr("();|&", letter) != NULL;
}

/* Reads the next word; false at the end. */
static bool next_word(struct lexer *lexer)
{
    lexer->length = 0;
    for (;;) {
        if (*lexer->at == '#') {
            lexer->at += strcspn(lexer->at, "\n");
        } else if (*lexer->at == '\\' && (lexer->at[1] == '\n' || lexer->at[1] == '\r')) {
            lexer->at += 2;
        } else if (*lexer->at != '\0' && is_separator(*lexer->at)) {
            lexer->at++;
        } else {
            break;
        }
    }
    if (*lexer->at == '\0') {
        return false;
    }
    while (!is_separator(*lexer->at)) {
        const char letter = *lexer->at++;
        if (letter == '\'' || letter == '"') {
            quoted(lexer, letter);
        } else if (letter == '$') {
            substitute(lexer);
        } else if (letter == '\\' && *lexer->at != '\0') {
            lexer->at += *lexer->at == '\n' ? 0 : 1;
            if (lexer->at[-1] == '\\') {
                break;
            }
            push(lexer, lexer->at[-1]);
        } else {
            push(lexer, letter);
        }
    }
    lexer->word[lexer->length] = '\0';
    return true;
}

static void set_variable(struct lexer *lexer)
{
    const size_t length = name_length(lexer->word);
    if (length > 0 && lexer->word[length] == '=' && lexer->variables < MAX_VARIABLES &&
        !isdigit((unsigned char)lexer->word[0])) {
        const char *name = orr_arena_strndup(lexer->arena, lexer->word, length);
        const char *value = keep(lexer, lexer->word + length + 1);
        if (name != NULL && value != NULL) {
            lexer->variable[lexer->variables++] = (struct variable){name, value};
        }
    }
}

/* A variable that holds several words: its flags count where it is set. */
static void read_shell(struct lexer *lexer, const char *text);

static void read_words(struct lexer *lexer)
{
    const char *pending = NULL;
    while (next_word(lexer) && !lexer->arguments->no_memory) {
        char *word = lexer->word;
        if (strncmp(word, "--", 2) == 0 && isalpha((unsigned char)word[2])) {
            if (pending != NULL) {
                add_argument(lexer, pending, NULL);
            }
            char *equals = strchr(word, '=');
            pending = NULL;
            if (equals != NULL) {
                *equals = '\0';
                add_argument(lexer, word + 2, equals + 1);
            } else {
                pending = keep(lexer, word + 2);
            }
        } else if (pending != NULL && *word != '\0') {
            add_argument(lexer, pending, word);
            pending = NULL;
        } else if (!lexer->inside && (strstr(word, "=--") != NULL || strstr(word, " --") != NULL)) {
            const char *inside = keep(lexer, strstr(word, "--"));
            if (inside != NULL) {
                read_shell(lexer, inside);
            }
        } else {
            set_variable(lexer);
        }
    }
    if (pending != NULL) {
        add_argument(lexer, pending, NULL);
    }
}

static void read_shell(struct lexer *lexer, const char *text)
{
    const char *before = lexer->at;
    lexer->at = text;
    lexer->inside = true;
    read_words(lexer);
    lexer->inside = false;
    lexer->at = before;
}

/* ---- logs and recipes ---- */

static void add_pair(struct lexer *lexer, const char *name, size_t name_bytes, const char *value,
                     size_t value_bytes)
{
    while (value_bytes > 0 && strchr(" \t\r\"'", value[value_bytes - 1]) != NULL) {
        value_bytes--;
    }
    while (value_bytes > 0 && strchr(" \t\"'", *value) != NULL) {
        value++;
        value_bytes--;
    }
    const char *own = orr_arena_strndup(lexer->arena, name, name_bytes);
    const char *text = orr_arena_strndup(lexer->arena, value, value_bytes);
    if (own == NULL || text == NULL) {
        lexer->arguments->no_memory = true;
    } else if (*text != '\0') {
        add_argument(lexer, own, text);
    }
}

/* "  name ........ value" of a log, "name: value" of a recipe. */
static void read_line(struct lexer *lexer, const char *line, size_t length)
{
    const char *end = line + length;
    for (const char *at = line; at + 4 < end; at++) {
        if (strncmp(at, " ...", 4) == 0) {
            const char *name = at;
            const char *value = at + 1;
            while (name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) {
                name--;
            }
            while (value < end && *value == '.') {
                value++;
            }
            if (name < at) {
                add_pair(lexer, name, (size_t)(at - name), value, (size_t)(end - value));
            }
            return;
        }
    }
    const char *colon = memchr(line, ':', length);
    const char *name = line;
    while (name < end && (*name == ' ' || *name == '\t' || *name == '-')) {
        name++;
    }
    if (colon != NULL && name < colon && name_length(name) == (size_t)(colon - name)) {
        const char *comment = memchr(colon, '#', (size_t)(end - colon));
        const char *stop = comment != NULL ? comment : end;
        add_pair(lexer, name, (size_t)(colon - name), colon + 1, (size_t)(stop - colon - 1));
    }
}

static void read_lines(struct lexer *lexer)
{
    while (*lexer->at != '\0') {
        const size_t length = strcspn(lexer->at, "\n");
        read_line(lexer, lexer->at, length);
        lexer->at += length + (lexer->at[length] == '\n' ? 1 : 0);
    }
}

void orr_megatron_collect(const char *text, struct orr_arena *arena,
                          struct megatron_arguments *arguments)
{
    struct lexer lexer = {.at = text, .arena = arena, .arguments = arguments};
    *arguments = (struct megatron_arguments){0};
    read_words(&lexer);
    if (arguments->count == 0) {
        lexer.at = text;
        read_lines(&lexer);
    }
}
