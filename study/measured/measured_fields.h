/* Numbers in measured tables, with their precision. */
#ifndef ORR_STUDY_MEASURED_MEASURED_FIELDS_H
#define ORR_STUDY_MEASURED_MEASURED_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A printed number, and the maximum deviation of the real value from it: half a unit of its last
 * digit. */
struct measured_number {
    double value, half;
};

/* Parses "60.00", "1.2e+05". False: not a finite number. O(length). */
bool orr_measured_number(const char *text, struct measured_number *out);

/* Parses an integer >= 0, also as "1048576.0" or "1e6"; exact up to 2^64 - 1 if written with digits
 * alone. False: not an integer, or negative. */
bool orr_measured_integer(const char *text, uint64_t *out);

#endif
