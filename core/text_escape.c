/* Escapes control characters in text; see text_escape.h. */
#include "core/text_escape.h"

#include <stdio.h>
#include <string.h>

#include "core/arena.h"

/* An escape is at most four bytes. */
enum { FIRST_MARK = 1, LAST_MARK = 8, ESCAPE_BYTES = 4 };

static bool follows(char byte, unsigned char low, unsigned char high)
{
    return (unsigned char)byte >= low && (unsigned char)byte <= high;
}

/* The Unicode Standard, table 3-7. */
size_t orr_utf8_bytes(const char *at)
{
    const unsigned char first = (unsigned char)at[0];
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first <= 0xDF) {
        return follows(at[1], 0x80, 0xBF) ? 2 : 0;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        const unsigned char low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
        return follows(at[1], low, high) && follows(at[2], 0x80, 0xBF) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const unsigned char low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
        return follows(at[1], low, high) && follows(at[2], 0x80, 0xBF) && follows(at[3], 0x80, 0xBF)
                   ? 4
                   : 0;
    }
    return 0;
}

/* Line separators and bidirectional controls: U+2028 to 202E and U+2066 to 2069. */
static bool is_bidi_or_line_end(const char *at)
{
    return at[0] == '\xE2' && ((at[1] == '\x80' && follows(at[2], 0xA8, 0xAE)) ||
                               (at[1] == '\x81' && follows(at[2], 0xA6, 0xA9)));
}

/* Bytes of the first character if it needs no escape, else 0; `keep` (or '\0') needs none. */
static size_t plain_bytes(const char *at, char keep)
{
    const unsigned char first = (unsigned char)at[0];
    if (first < 0x80) {
        return (first >= 0x20 && first < 0x7F) || at[0] == keep ? 1 : 0;
    }
    const size_t bytes = orr_utf8_bytes(at);
    const bool control = bytes == 2 && first == 0xC2 && follows(at[1], 0x80, 0x9F);
    return control || (bytes == 3 && is_bidi_or_line_end(at)) ? 0 : bytes;
}

static size_t escape(char byte, char text[ESCAPE_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    const char letter = byte == '\n' ? 'n' : byte == '\r' ? 'r' : byte == '\t' ? 't' : 'x';
    text[0] = '\\';
    text[1] = letter;
    text[2] = digits[(unsigned char)byte >> 4];
    text[3] = digits[(unsigned char)byte & 15];
    return letter == 'x' ? 4 : 2;
}

static bool needs_no_escape(const char *text, char keep)
{
    while (*text != '\0') {
        const size_t bytes = plain_bytes(text, keep);
        if (bytes == 0) {
            return false;
        }
        text += bytes;
    }
    return true;
}

static void escape_into(const char *text, char keep, char *out, size_t bytes)
{
    size_t used = 0;
    while (*text != '\0') {
        char escaped[ESCAPE_BYTES];
        const size_t plain = plain_bytes(text, keep);
        const size_t more = plain != 0 ? plain : escape(*text, escaped);
        if (used + more >= bytes) {
            break;
        }
        memcpy(out + used, plain != 0 ? text : escaped, more);
        used += more;
        text += plain != 0 ? plain : 1;
    }
    out[used] = '\0';
}

static char *escape_copy(const char *text, char keep)
{
    const size_t bytes = ESCAPE_BYTES * strlen(text) + 1;
    char *out = orr_heap_alloc(bytes);
    if (out != NULL) {
        escape_into(text, keep, out, bytes);
    }
    return out;
}

const char *orr_text_escape(const char *text, bool lines, char *out, size_t bytes)
{
    escape_into(text, lines ? '\n' : '\0', out, bytes);
    return out;
}

char *orr_text_escape_copy(const char *text, bool lines)
{
    return escape_copy(text, lines ? '\n' : '\0');
}

/* ---- formats ---- */

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif

static char *print(const char *format, va_list values)
{
    va_list values_copy;
    va_copy(values_copy, values);
    const int bytes = vsnprintf(NULL, 0, format, values_copy);
    va_end(values_copy);
    char *text = bytes >= 0 ? orr_heap_alloc((size_t)bytes + 1) : NULL;
    if (text != NULL) {
        va_copy(values_copy, values);
        (void)vsnprintf(text, (size_t)bytes + 1, format, values_copy);
        va_end(values_copy);
    }
    return text;
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (text = strchr(text, '\n'); text != NULL; text = strchr(text + 1, '\n')) {
        count++;
    }
    return count;
}

static void replace(char *text, char from, char to)
{
    for (text = strchr(text, from); text != NULL; text = strchr(text + 1, from)) {
        *text = to;
    }
}

/* A control character that is not in the text; a line feed if all candidates are. */
static char unused_mark(const char *text)
{
    for (char mark = FIRST_MARK; mark <= LAST_MARK; mark++) {
        if (strchr(text, mark) == NULL) {
            return mark;
        }
    }
    return '\n';
}

/* Replaces the format's line feeds by a character that no argument contains, so that line feeds of
 * arguments can be distinguished and escaped. */
static char *escape_marked(const char *text, const char *format, va_list values)
{
    const char mark = unused_mark(text);
    char *marked = orr_heap_alloc(strlen(format) + 1), *raw = NULL, *out = NULL;
    if (marked != NULL) {
        memcpy(marked, format, strlen(format) + 1);
        replace(marked, '\n', mark);
        raw = print(marked, values);
    }
    if (raw != NULL) {
        out = escape_copy(raw, mark);
    }
    if (out != NULL && mark != '\n') {
        replace(out, mark, '\n');
    }
    orr_heap_free(marked);
    orr_heap_free(raw);
    return out;
}

char *orr_escape_format(const char *format, va_list values)
{
    char *text = print(format, values);
    if (text == NULL || (needs_no_escape(text, '\n') && count_lines(text) == count_lines(format))) {
        return text;
    }
    char *out = escape_marked(text, format, values);
    orr_heap_free(text);
    return out;
}
