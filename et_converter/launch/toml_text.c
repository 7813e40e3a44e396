/* Texts, blanks and errors of TOML; see toml_text.h. */
#include "et_converter/launch/toml_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"

/* ---- growing texts ---- */

void orr_toml_push(struct toml *toml, struct toml_text *out, char letter)
{
    char *grown = orr_arena_grow(toml->arena, out->text, &out->capacity, out->length + 2, 1);
    if (grown == NULL) {
        toml->no_memory = true;
        return;
    }
    out->text = grown;
    out->text[out->length++] = letter;
    out->text[out->length] = '\0';
}

void orr_toml_push_text(struct toml *toml, struct toml_text *out, const char *text)
{
    if (*text == '\0' && out->length == 0) { /* an empty text, but not NULL */
        orr_toml_push(toml, out, '\0');
        out->length = 0;
    }
    while (*text != '\0') {
        orr_toml_push(toml, out, *text++);
    }
}

/* ---- blanks ---- */

void orr_toml_skip_blanks(struct toml *toml)
{
    toml->at += strspn(toml->at, " \t");
}

void orr_toml_skip_comment(struct toml *toml)
{
    if (*toml->at == '#') {
        toml->at += strcspn(toml->at, "\n");
    }
}

void orr_toml_skip_lines(struct toml *toml)
{
    for (;;) {
        toml->at += strspn(toml->at, " \t\r\n");
        if (*toml->at != '#') {
            return;
        }
        orr_toml_skip_comment(toml);
    }
}

/* ---- errors ---- */

static struct orr_location place_of(const struct toml *toml)
{
    unsigned line = 1, column = 1;
    for (const char *at = toml->text; at < toml->at; at++) {
        line += *at == '\n' ? 1 : 0;
        column = *at == '\n' ? 1 : column + 1;
    }
    return orr_location_text(toml->name, line, column);
}

bool orr_toml_fail(struct toml *toml, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const struct orr_location place = place_of(toml);
    (void)orr_diag_fail(toml->diag, ORR_ERR_INPUT, &place, "%s", message);
    return false;
}

bool orr_toml_expected(struct toml *toml, const char *what)
{
    const int length = (int)strcspn(toml->at, "\r\n");
    const char *found = *toml->at == '\0' ? "the end of the file" : "the end of the line";
    return length == 0 ? orr_toml_fail(toml, "expected %s, got %s", what, found)
                       : orr_toml_fail(toml, "expected %s, got \"%.*s\"", what,
                                       length < 60 ? length : 60, toml->at);
}

bool orr_toml_no_memory(struct toml *toml)
{
    (void)orr_diag_no_memory(toml->diag, "a launch file");
    return false;
}

/* ---- texts ---- */

/* A character by its number, as UTF-8. */
static void push_number(struct toml *toml, struct toml_text *out, unsigned long number)
{
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    const unsigned more = number < 0x80 ? 0 : number < 0x800 ? 1 : number < 0x10000 ? 2 : 3;
    orr_toml_push(toml, out, (char)(first[more] | (number >> (6 * more))));
    for (unsigned i = more; i-- > 0;) {
        orr_toml_push(toml, out, (char)(0x80 | ((number >> (6 * i)) & 0x3F)));
    }
}

/* \uXXXX, \UXXXXXXXX: `at` is behind the letter. */
static bool read_number(struct toml *toml, struct toml_text *out, unsigned digits)
{
    unsigned long number = 0;
    for (unsigned i = 0; i < digits; i++) {
        const char letter = *toml->at;
        if (!isxdigit((unsigned char)letter)) {
            return orr_toml_expected(toml, "hexadecimal digits");
        }
        number = number * 16 + (unsigned long)(isdigit((unsigned char)letter)
                                                   ? letter - '0'
                                                   : (letter | 32) - 'a' + 10);
        toml->at++;
    }
    if (number == 0 || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000)) {
        return orr_toml_fail(toml, "expected the number of a character, got %lX", number);
    }
    push_number(toml, out, number);
    return true;
}

/* What is behind a backslash. */
static bool read_escape(struct toml *toml, struct toml_text *out, bool lines)
{
    static const char letters[] = "btnfre\"\\", values[] = "\b\t\n\f\r\033\"\\";
    if (lines && toml->at[strspn(toml->at, " \t\r")] == '\n') {
        toml->at += strspn(toml->at, " \t\r\n");
        return true;
    }
    const char letter = *toml->at;
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
    if (found != NULL) {
        orr_toml_push(toml, out, values[found - letters]);
        toml->at++;
        return true;
    }
    if (letter == 'u' || letter == 'U') {
        toml->at++;
        return read_number(toml, out, letter == 'u' ? 4 : 8);
    }
    return orr_toml_expected(toml, "a letter such as n, t, u or a quote behind \\");
}

/* Behind its last quote, of a text of three: two more may be of the text. */
static bool ends(struct toml *toml, struct toml_text *out, char quote, bool three)
{
    if (*toml->at != quote) {
        return false;
    }
    if (!three) {
        toml->at++;
        return true;
    }
    size_t quotes = 0;
    while (quotes < 5 && toml->at[quotes] == quote) {
        quotes++;
    }
    if (quotes < 3) {
        return false;
    }
    for (size_t i = 3; i < quotes; i++) {
        orr_toml_push(toml, out, quote);
    }
    toml->at += quotes;
    return true;
}

bool orr_toml_quoted(struct toml *toml, struct toml_text *out)
{
    const char quote = *toml->at, *begin = toml->at;
    const bool three = toml->at[1] == quote && toml->at[2] == quote;
    toml->at += three ? 3 : 1;
    orr_toml_push_text(toml, out, "");
    if (three) {
        toml->at += toml->at[0] == '\r' && toml->at[1] == '\n' ? 2 : *toml->at == '\n' ? 1 : 0;
    }
    while (!ends(toml, out, quote, three)) {
        if (*toml->at == '\0' || (*toml->at == '\n' && !three)) {
            toml->at = begin;
            return orr_toml_expected(toml, "a text with an end");
        }
        if (*toml->at == '\\' && quote == '"') {
            toml->at++;
            if (!read_escape(toml, out, three)) {
                return false;
            }
        } else {
            orr_toml_push(toml, out, *toml->at++);
        }
        if (toml->no_memory) {
            return orr_toml_no_memory(toml);
        }
    }
    return true;
}
