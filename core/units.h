/* Quantities with units (MODELS.md, section 1): "500 ns", "1 MiB", "50 GB/s", "312 TFLOP/s". A bare
 * number is an error. Decimal prefixes are powers of 1000, binary ones (KiB, MiB, ...) of 1024; a
 * small b is a bit, a large B a byte. Parsing does not depend on the locale. */
#ifndef ORR_CORE_UNITS_H
#define ORR_CORE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

/* Each returns false when the text is not such a quantity or out of range; *out is then unchanged.
 * Negative values are refused. */
bool orr_parse_time(const char *text, sim_time *out);       /* ps, rounded to the nearest */
bool orr_parse_bytes(const char *text, uint64_t *out);      /* whole bytes */
bool orr_parse_bandwidth(const char *text, double *out);    /* bytes/s, > 0 */
bool orr_parse_compute_rate(const char *text, double *out); /* operations/s, > 0 */
bool orr_parse_number(const char *text, double *out);       /* a finite number, no unit */
bool orr_parse_integer(const char *text, int64_t *out);     /* digits with an optional sign */

/* Human-readable forms into `text`; return `text`. */
char *orr_format_time(sim_time ps, char *text, size_t bytes);             /* "57.426 us" */
char *orr_format_bytes(uint64_t amount, char *text, size_t bytes);        /* "1.00 MiB" */
char *orr_format_bandwidth(double bytes_per_s, char *text, size_t bytes); /* "50.00 GB/s" */

#endif
