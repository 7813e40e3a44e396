/* Arguments in scripts, logs and recipes; see launch_words.h. */
#include "et_converter/launch/launch_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/launch/shell_words.h"

struct collecting {
    struct orr_arena *arena;
    struct launch_arguments *arguments;
    struct shell_words shell;
    bool inside; /* of a word that holds several */
};

static const char *keep(struct collecting *of, const char *text)
{
    const char *copy = orr_arena_strdup(of->arena, text);
    of->arguments->no_memory = of->arguments->no_memory || copy == NULL;
    return copy;
}

void orr_launch_add_argument(struct launch_arguments *arguments, struct orr_arena *arena,
                             const char *path, const char *value)
{
    struct launch_argument *grown = orr_arena_grow(arena, arguments->argument, &arguments->capacity,
                                                   arguments->count + 1, sizeof *grown);
    const char *dot = strrchr(path, '.');
    const char *last = dot != NULL ? dot + 1 : path;
    char *own = orr_arena_strdup(arena, path);
    char *name = orr_arena_strdup(arena, last + strspn(last, "-"));
    const char *text = value != NULL ? orr_arena_strdup(arena, value) : NULL;
    if (grown == NULL || own == NULL || name == NULL || (value != NULL && text == NULL)) {
        arguments->no_memory = true;
        return;
    }
    for (char *at = name; *at != '\0'; at++) {
        *at = *at == '-' ? '_' : *at;
    }
    arguments->argument = grown;
    arguments->argument[arguments->count++] =
        (struct launch_argument){dot != NULL ? own : name, name, text};
}

const struct launch_argument *orr_launch_find_argument(const struct launch_arguments *arguments,
                                                       const char *path)
{
    for (size_t i = 0; i < arguments->count; i++) {
        if (strcmp(arguments->argument[i].path, path) == 0) {
            return &arguments->argument[i];
        }
    }
    return NULL;
}

static void add_argument(struct collecting *of, const char *path, const char *value)
{
    orr_launch_add_argument(of->arguments, of->arena, path, value);
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

/* PATH=VALUE, +PATH=VALUE, ++PATH=VALUE with a dot in the path (Hydra). */
static bool read_override(struct collecting *of, const char *word)
{
    const char *path = word + strspn(word, "+");
    size_t length = 0, dots = 0;
    while (isalnum((unsigned char)path[length]) || path[length] == '_' || path[length] == '.') {
        dots += path[length++] == '.' ? 1 : 0;
    }
    if (dots == 0 || !isalpha((unsigned char)*path) || path[length] != '=') {
        return false;
    }
    const char *own = orr_arena_strndup(of->arena, path, length);
    if (own == NULL) {
        of->arguments->no_memory = true;
    } else {
        add_argument(of, own, path + length + 1);
        of->arguments->overrides = true;
    }
    return true;
}

/* A word that is neither a flag nor the value of one. `code`: behind -c or eval. */
static void read_other(struct collecting *of, const char *word, bool code)
{
    if (read_override(of, word)) {
        return;
    }
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

/* Flags that several words follow. */
static bool takes_list(const char *flag)
{
    static const char *const flags[] = {"recompute-modules", "cp-comm-type",
                                        "hierarchical-context-parallel-sizes"};
    for (size_t i = 0; flag != NULL && i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(flag, flags[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* One more word of the last argument's list. */
static void add_to_list(struct collecting *of, const char *word)
{
    struct launch_argument *last = &of->arguments->argument[of->arguments->count - 1];
    const char *both = orr_arena_printf(of->arena, "%s %s", last->value, word);
    of->arguments->no_memory = of->arguments->no_memory || both == NULL;
    last->value = both != NULL ? both : last->value;
}

static void read_words(struct collecting *of)
{
    const char *pending = NULL;
    bool listed = false;
    bool code = false, broken = false;
    while (orr_shell_next(&of->shell) && !of->shell.no_memory) {
        const char *word = of->shell.word;
        broken = broken || of->shell.broken;
        if (strcmp(word, "-") == 0) { /* an entry of a list in YAML */
            continue;
        }
        if (is_flag(word) && strpbrk(word, " \t\n") != NULL) { /* a variable with several words */
            read_inside(of, word);
        } else if (is_flag(word)) {
            if (pending != NULL) {
                add_argument(of, pending, NULL);
            }
            char *own = orr_arena_strdup(of->arena, word + 2);
            char *equals = own != NULL ? strchr(own, '=') : NULL;
            of->arguments->no_memory = of->arguments->no_memory || own == NULL;
            pending = own;
            broken = false;
            if (equals != NULL) {
                *equals = '\0';
                add_argument(of, own, equals + 1);
                pending = NULL;
            }
        } else if (pending != NULL && is_value(word, broken)) {
            add_argument(of, pending, word);
            listed = takes_list(pending);
            pending = NULL;
            continue;
        } else if (pending == NULL && listed && is_value(word, broken) &&
                   strchr(word, '=') == NULL && !of->arguments->no_memory) {
            add_to_list(of, word);
            continue;
        } else {
            if (pending != NULL) {
                add_argument(of, pending, NULL);
                pending = NULL;
            }
            const bool is_code = strcmp(word, "-c") == 0 || strcmp(word, "eval") == 0;
            read_other(of, word, code);
            code = is_code;
        }
        listed = false;
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

/* "  name ........ value" of a log; false: no such line. */
static bool read_log_line(struct collecting *of, const char *line, size_t length)
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
            return true;
        }
    }
    return false;
}

/* "name: value" of a recipe. */
static void read_recipe_line(struct collecting *of, const char *line, size_t length)
{
    const char *end = line + length;
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

/* Whether the text has the arguments block of a log. */
static bool is_log(const char *text)
{
    unsigned lines = 0;
    for (const char *at = strstr(text, " ...."); at != NULL && lines < 3;
         at = strstr(at + 1, " ....")) {
        lines++;
        at += strcspn(at, "\n");
        if (*at == '\0') {
            break;
        }
    }
    return lines >= 3;
}

static void read_lines(struct collecting *of, const char *text, bool log)
{
    while (*text != '\0' && !of->arguments->no_memory) {
        const size_t length = strcspn(text, "\n");
        if (!log) {
            read_recipe_line(of, text, length);
        } else {
            (void)read_log_line(of, text, length);
        }
        text += length + (text[length] == '\n' ? 1 : 0);
    }
}

/* Whether the first line that says something is the key of a mapping in YAML. */
static bool begins_like_yaml(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#' && strncmp(text, "---", 3) != 0) {
            break;
        }
        text += strcspn(text, "\n");
    }
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.\"'-");
    return length > 0 && text[length] == ':' && strchr(" \r\n", text[length + 1]) != NULL;
}

/* Whether keys are flags, "--num-layers: 61": they say what those of a command line do. */
static bool has_flags_as_keys(const struct launch_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const char *dot = strrchr(arguments->argument[i].path, '.');
        if (strncmp(dot != NULL ? dot + 1 : arguments->argument[i].path, "--", 2) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether values hold a command with flags (a manifest of a cluster). */
static bool holds_a_command(const struct launch_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const char *at = arguments->argument[i].value;
        while (at != NULL && (at = strstr(at, "--")) != NULL) {
            if (isalpha((unsigned char)at[2])) {
                return true;
            }
            at += 2;
        }
    }
    return false;
}

/* Reads a recipe; false: it is one that holds a command. */
static bool read_recipe(struct collecting *of, const char *name, const char *text,
                        struct orr_diag *diag)
{
    of->arguments->form = LAUNCH_RECIPE;
    if (!orr_launch_collect_recipe(name, text, of->arena, of->arguments, diag)) {
        read_lines(of, text, false);
        return true;
    }
    if (has_flags_as_keys(of->arguments)) {
        of->arguments->form = LAUNCH_FLAGS;
        return true;
    }
    return !holds_a_command(of->arguments);
}

void orr_launch_collect(const char *name, const char *text, struct orr_arena *arena,
                        struct launch_arguments *arguments, struct orr_diag *diag)
{
    struct collecting of = {.arena = arena, .arguments = arguments};
    *arguments = (struct launch_arguments){.form = LAUNCH_LOG};
    if (is_log(text)) {
        read_lines(&of, text, true);
        return;
    }
    if (begins_like_yaml(text) && read_recipe(&of, name, text, diag)) {
        return;
    }
    *arguments = (struct launch_arguments){.form = LAUNCH_FLAGS};
    orr_shell_open(&of.shell, text, arena);
    read_words(&of);
    if (arguments->count == 0) {
        arguments->form = LAUNCH_RECIPE;
        read_lines(&of, text, false);
    }
}
