/* Words of a shell script; see shell_words.h. */
#include "et_converter/launch/shell_words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"

enum { MAX_DEPTH = 8 };

static void push(struct shell_words *words, char letter)
{
    char *grown = orr_arena_grow(words->arena, words->word, &words->capacity, words->length + 2, 1);
    if (grown == NULL) {
        words->no_memory = true;
        return;
    }
    words->word = grown;
    words->word[words->length++] = letter;
    words->word[words->length] = '\0';
}

static void push_text(struct shell_words *words, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        push(words, text[i]);
    }
}

/* ---- variables ---- */

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') {
        length++;
    }
    return length;
}

static const char *value_of(const struct shell_words *words, const char *name, size_t length)
{
    for (size_t i = words->variables; i-- > 0;) {
        const struct shell_variable *variable = &words->variable[i];
        if (strlen(variable->name) == length && strncmp(variable->name, name, length) == 0) {
            return variable->value;
        }
    }
    return NULL;
}

static const char *set(struct shell_words *words, const char *name, size_t length,
                       const char *value)
{
    struct shell_variable *grown =
        orr_arena_grow(words->arena, words->variable, &words->variable_capacity,
                       words->variables + 1, sizeof *grown);
    const char *own_name = orr_arena_strndup(words->arena, name, length);
    const char *own = orr_arena_strdup(words->arena, value);
    if (grown == NULL || own_name == NULL || own == NULL) {
        words->no_memory = true;
        return NULL;
    }
    words->variable = grown;
    words->variable[words->variables++] = (struct shell_variable){own_name, own};
    return own;
}

const char *orr_shell_set_variable(struct shell_words *words, const char *word)
{
    const size_t length = name_length(word);
    return length > 0 && !isdigit((unsigned char)word[0]) && word[length] == '='
               ? set(words, word, length, word + length + 1)
               : NULL;
}

/* ---- sums ---- */

/* $(( )): + - * / % and parentheses over numbers and variables. */
struct sum {
    const struct shell_words *words;
    const char *at, *end;
    unsigned depth;
    bool bad;
};

static int64_t sum_of(struct sum *sum);

static void skip_spaces(struct sum *sum)
{
    while (sum->at < sum->end && isspace((unsigned char)*sum->at)) {
        sum->at++;
    }
}

static int64_t number_of(struct sum *sum)
{
    skip_spaces(sum);
    if (sum->at < sum->end && *sum->at == '(' && sum->depth < MAX_DEPTH) {
        sum->at++;
        sum->depth++;
        const int64_t value = sum_of(sum);
        sum->depth--;
        sum->bad = sum->bad || sum->at >= sum->end || *sum->at != ')';
        sum->at += sum->bad ? 0 : 1;
        return value;
    }
    while (sum->at < sum->end && strchr("${}", *sum->at) != NULL) {
        sum->at++;
    }
    const size_t length = name_length(sum->at);
    const char *text = sum->at;
    if (length == 0 || sum->at + length > sum->end) {
        sum->bad = true;
        return 0;
    }
    if (!isdigit((unsigned char)*text)) {
        text = value_of(sum->words, text, length);
    }
    sum->at += length;
    while (sum->at < sum->end && *sum->at == '}') {
        sum->at++;
    }
    const long long value = text != NULL ? strtoll(text, NULL, 10) : 0;
    sum->bad = sum->bad || text == NULL || value < 0 || value > 1 << 30;
    return value;
}

static int64_t product_of(struct sum *sum)
{
    int64_t value = number_of(sum);
    for (;;) {
        skip_spaces(sum);
        if (sum->at >= sum->end || strchr("*/%", *sum->at) == NULL || sum->bad) {
            return value;
        }
        const char sign = *sum->at++;
        const int64_t other = number_of(sum);
        if ((sign != '*' && other == 0) || value > 1 << 30 || value < -(1 << 30)) {
            sum->bad = true;
            return 0;
        }
        value = sign == '*' ? value * other : sign == '/' ? value / other : value % other;
    }
}

static int64_t sum_of(struct sum *sum)
{
    int64_t value = product_of(sum);
    for (;;) {
        skip_spaces(sum);
        if (sum->at >= sum->end || (*sum->at != '+' && *sum->at != '-') || sum->bad) {
            return value;
        }
        const bool minus = *sum->at++ == '-';
        const int64_t other = product_of(sum);
        value += minus ? -other : other;
    }
}

/* ---- $ ---- */

static void expand(struct shell_words *words, const char **at, const char *end, unsigned depth);

/* Expands a text that may hold $ itself. */
static void expand_text(struct shell_words *words, const char *text, const char *end,
                        unsigned depth)
{
    while (text < end) {
        if (*text == '$' && depth < MAX_DEPTH) {
            text++;
            expand(words, &text, end, depth + 1);
        } else {
            push(words, *text++);
        }
    }
}

/* The brace that closes one, from behind it; NULL: none. */
static const char *closing(const char *at, const char *end, char open, char close)
{
    unsigned depth = 1;
    for (; at < end; at++) {
        depth += *at == open ? 1 : 0;
        depth -= *at == close ? 1 : 0;
        if (depth == 0) {
            return at;
        }
    }
    return NULL;
}

/* ${NAME}, ${NAME:-DEFAULT}, ${NAME:=DEFAULT}; `at` is behind the brace, `close` at its end. */
static void expand_braced(struct shell_words *words, const char *at, const char *close,
                          unsigned depth)
{
    const size_t length = name_length(at);
    const char *value = value_of(words, at, length), *rest = at + length;
    const bool colon = rest < close && *rest == ':';
    const char *sign = rest + (colon ? 1 : 0);
    if (rest < close && *rest == '[') { /* an element of an array is not known */
        push(words, '$');
        push_text(words, at, (size_t)(close - at));
    } else if (value != NULL) {
        push_text(words, value, strlen(value));
    } else if (length > 0 && sign < close && (*sign == '-' || *sign == '=')) {
        const size_t before = words->length;
        expand_text(words, sign + 1, close, depth);
        if (*sign == '=' && !words->no_memory && words->word != NULL) {
            (void)set(words, at, length, words->word + before);
        }
    } else if (length > 0) {
        push(words, '$');
        push_text(words, at, length);
    }
}

/* $((SUM)); `at` is behind the second parenthesis. */
static void expand_sum(struct shell_words *words, const char *at, const char *close)
{
    struct sum sum = {.words = words, .at = at, .end = close};
    const int64_t value = sum_of(&sum);
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    skip_spaces(&sum);
    if (sum.bad || sum.at != close) {
        push_text(words, "$((", 3);
        push_text(words, at, (size_t)(close - at));
        push_text(words, "))", 2);
    } else {
        push_text(words, text, strlen(text));
    }
}

/* Expands what is behind a $; *at is there. A variable that was not set stays as it is. */
static void expand(struct shell_words *words, const char **at, const char *end, unsigned depth)
{
    const char *text = *at;
    if (text < end && *text == '{') {
        const char *close = closing(text + 1, end, '{', '}');
        if (close != NULL) {
            expand_braced(words, text + 1, close, depth);
            *at = close + 1;
            return;
        }
    } else if (text < end && *text == '(') {
        const char *close = closing(text + 1, end, '(', ')');
        if (close != NULL) {
            if (text[1] == '(' && close > text + 2 && close[-1] == ')') {
                expand_sum(words, text + 2, close - 1);
            } else { /* what a command prints is not known */
                push_text(words, "$()", 3);
            }
            *at = close + 1;
            return;
        }
    }
    const size_t length = name_length(text);
    const char *value = length > 0 ? value_of(words, text, length) : NULL;
    if (value != NULL) {
        push_text(words, value, strlen(value));
    } else {
        push(words, '$');
        push_text(words, text, length);
    }
    *at = text + length;
}

/* ---- words ---- */

static void quoted(struct shell_words *words, char quote)
{
    while (*words->at != '\0' && *words->at != quote) {
        if (quote == '"' && *words->at == '$') {
            words->at++;
            expand(words, &words->at, words->at + strlen(words->at), 0);
        } else if (quote == '"' && *words->at == '\\' && words->at[1] != '\0') {
            words->at += words->at[1] == '\r' ? 2 : 1;
            if (*words->at != '\n') {
                push(words, *words->at);
            }
            words->at += *words->at != '\0' ? 1 : 0;
        } else {
            push(words, *words->at++);
        }
    }
    words->at += *words->at == quote ? 1 : 0;
}

static bool is_separator(char letter)
{
    return letter == '\0' || isspace((unsigned char)letter) || strchr("();|&<>", letter) != NULL;
}

/* Skips to the next word; notes whether a line or a command ended. */
static void skip(struct shell_words *words)
{
    words->broken = false;
    for (;;) {
        if (*words->at == '#') {
            words->at += strcspn(words->at, "\n");
        } else if (words->at[0] == '\\' && words->at[1] == '\r' && words->at[2] == '\n') {
            words->at += 3;
        } else if (words->at[0] == '\\' && words->at[1] == '\n') {
            words->at += 2;
        } else if (*words->at != '\0' && is_separator(*words->at)) {
            words->broken =
                words->broken || *words->at == '\n' || !isspace((unsigned char)*words->at);
            words->at++;
        } else {
            return;
        }
    }
}

bool orr_shell_next(struct shell_words *words)
{
    words->length = 0;
    skip(words);
    if (*words->at == '\0') {
        return false;
    }
    push(words, '\0');
    words->length = 0;
    while (!is_separator(*words->at) && !words->no_memory) {
        const char letter = *words->at++;
        if (letter == '\'' || letter == '"') {
            quoted(words, letter);
        } else if (letter == '$') {
            expand(words, &words->at, words->at + strlen(words->at), 0);
        } else if (letter == '\\' &&
                   (words->at[0] == '\n' || (words->at[0] == '\r' && words->at[1] == '\n'))) {
            words->at--;
            break;
        } else if (letter == '\\' && *words->at != '\0') {
            push(words, *words->at++);
        } else {
            push(words, letter);
        }
    }
    return !words->no_memory;
}

/* ---- Slurm ---- */

/* Sets the variables of an option of #SBATCH: --nodes=4, --nodes 4 or -N 4. */
static void read_slurm(struct shell_words *words, const char *option)
{
    static const struct {
        const char *option, *variable[2];
    } known[] = {{"--nodes", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}},
                 {"-N", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}},
                 {"--ntasks-per-node", {"SLURM_NTASKS_PER_NODE", NULL}},
                 {"--gpus-per-node", {"SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i].option);
        if (strncmp(option, known[i].option, length) != 0 ||
            (option[length] != '=' && option[length] != ' ')) {
            continue;
        }
        const char *value = option + length + 1;
        while (*value != '\0' && !isdigit((unsigned char)*value) && *value != '\n') {
            value++;
        }
        const char *own = orr_arena_strndup(words->arena, value, strspn(value, "0123456789"));
        for (size_t k = 0; k < 2 && own != NULL && *own != '\0' && known[i].variable[k] != NULL;
             k++) {
            (void)set(words, known[i].variable[k], strlen(known[i].variable[k]), own);
        }
    }
}

void orr_shell_open(struct shell_words *words, const char *text, struct orr_arena *arena)
{
    static const char mark[] = "#SBATCH ";
    *words = (struct shell_words){.at = text, .arena = arena};
    for (const char *line = strstr(text, mark); line != NULL; line = strstr(line + 1, mark)) {
        read_slurm(words, line + sizeof mark - 1 + strspn(line + sizeof mark - 1, " \t"));
    }
}
