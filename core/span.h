/* Spans of real time in seconds, beyond the range of simulated times: "5 min", "50677 h", "3 y". */
#ifndef ORR_CORE_SPAN_H
#define ORR_CORE_SPAN_H

#include <stdbool.h>
#include <stddef.h>

/* Parses a number and a unit (ps to ms, s, min, h, d, y of 365 days): 0, or 1 ps to 1,000,000 y.
 * `bare`: the unit of a number without one, in seconds; 0: such a number is refused. Returns false
 * for anything else; *seconds is then unchanged. O(length). */
bool orr_parse_span(const char *text, double bare, double *seconds);

/* Human-readable: "13.62 min", "54 d"; ORR_SPAN_BYTES are enough. Returns `text`. */
enum { ORR_SPAN_BYTES = 32 };
char *orr_format_span(double seconds, char *text, size_t bytes);

#endif
