/* Quantities with units (docs/models.md, section 1): "500 ns", "1 MiB", "50 GB/s", "312 TFLOP/s". A
 * bare number is an error. Decimal prefixes are powers of 1000, binary ones (KiB, MiB, ...) of
 * 1024; a small b is a bit, a large B a byte. Neither parsing nor formatting depends on the locale.
 */
#ifndef ORR_CORE_UNITS_H
#define ORR_CORE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sum.h"
#include "core/time.h"

/* Each returns false when the text is not such a quantity or out of range; *out is then unchanged.
 * Negative values are refused. Space is allowed around the number and the unit. O(length). */
bool orr_parse_time(const char *text, sim_time *out);       /* ps, rounded to the nearest */
bool orr_parse_bytes(const char *text, uint64_t *out);      /* whole bytes, exact to 2^64 - 1 */
bool orr_parse_bandwidth(const char *text, double *out);    /* bytes/s, > 0 */
bool orr_parse_compute_rate(const char *text, double *out); /* operations/s, > 0 */
bool orr_parse_number(const char *text, double *out);       /* a finite number, no unit */
bool orr_parse_integer(const char *text, int64_t *out);     /* digits with an optional sign */

enum orr_quantity {
    ORR_QUANTITY_TIME,
    ORR_QUANTITY_BYTES,
    ORR_QUANTITY_BANDWIDTH,
    ORR_QUANTITY_RATE
};

/* Description for messages: `a time such as "500 ns"`. */
const char *orr_quantity_expected(enum orr_quantity quantity);

/* An example: `500 ns`. */
const char *orr_quantity_example(enum orr_quantity quantity);

/* The index-th supported unit, for documentation; NULL after the last. */
const char *orr_quantity_unit(enum orr_quantity quantity, size_t index);

/* Explains why the text is no such quantity, as the end of a sentence: "a unit is missing: ps, ns,
 * ..."; "" if there is nothing to add to what was expected. Returns `why`, cut to `bytes`. */
enum { ORR_PROBLEM_BYTES = 512 };
char *orr_quantity_problem(enum orr_quantity quantity, const char *text, char *why, size_t bytes);

/* Human-readable forms into `text`, cut to `bytes` (ORR_FORMAT_BYTES are enough); return `text`. */
enum { ORR_FORMAT_BYTES = 40 };
char *orr_format_time(sim_time ps, char *text, size_t bytes);             /* "57.426 us" */
char *orr_format_bytes(uint64_t amount, char *text, size_t bytes);        /* "1.00 MiB" */
char *orr_format_sum_bytes(orr_sum amount, char *text, size_t bytes);     /* the same of a sum */
char *orr_format_bandwidth(double bytes_per_s, char *text, size_t bytes); /* "50.00 GB/s" */
char *orr_format_number(double value, char *text, size_t bytes);          /* "0.5", as %g */

#endif
