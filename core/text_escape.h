/* Escaping of input text for output: names may contain control characters that move a terminal's
 * cursor, change its colors, or break a line of a table. */
#ifndef ORR_CORE_TEXT_ESCAPE_H
#define ORR_CORE_TEXT_ESCAPE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at the beginning of the text, 0 when there is none. */
size_t orr_utf8_bytes(const char *text);

/* Writes the escaped text into `out`, always terminated: control characters (C0, DEL, C1), Unicode
 * line separators and bidirectional controls, and invalid UTF-8 become \n, \r, \t or \x1b; all else
 * is unchanged. With `lines`, line feeds are kept. Text that does not fit is cut after the last
 * whole character. Returns `out`. */
const char *orr_text_escape(const char *text, bool lines, char *out, size_t bytes);

/* As orr_text_escape, on the heap (orr_heap_free); NULL when memory is out. */
char *orr_text_escape_copy(const char *text, bool lines);

/* printf into escaped text on the heap (orr_heap_free): line feeds of the format are kept, those of
 * arguments escaped. NULL when memory is out. */
char *orr_escape_format(const char *format, va_list values);

#endif
