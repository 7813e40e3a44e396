/* Text of inputs where people read it: names can hold what moves a terminal's cursor, changes its
 * colours, or ends a line of a table. Such bytes become visible escapes. */
#ifndef ORR_CORE_TEXT_ESCAPE_H
#define ORR_CORE_TEXT_ESCAPE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at the beginning of the text, 0 when there is none. */
size_t orr_utf8_bytes(const char *text);

/* Writes the text into `clean`, always terminated, with its control characters (C0, DEL, C1), what
 * turns the direction of text or ends a line in Unicode, and all that is no UTF-8 as \n, \r, \t or
 * \x1b; nothing else changes. With `lines`, line feeds stay. Text that does not fit ends after the
 * last whole character. Returns `clean`. */
const char *orr_text_escape(const char *text, bool lines, char *out, size_t bytes);

/* As orr_text_escape, on the heap (orr_heap_free); NULL when memory is out. */
char *orr_text_escape_copy(const char *text, bool lines);

/* What printf would print, cleaned, on the heap (orr_heap_free): lines end only where the format
 * says so, not where an argument does. NULL when memory is out. */
char *orr_escape_format(const char *format, va_list values);

#endif
