/* Numbers as tables have them. */
#ifndef ORR_STUDY_MEASURED_MEASURED_FIELDS_H
#define ORR_STUDY_MEASURED_MEASURED_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number that was printed, and how far what it stands for can be from it: half a unit of its last
 * digit. */
struct measured_number {
    double value, half;
};

/* "60.00", "1.2e+05". False when the text is no finite number. O(length). */
bool orr_measured_number(const char *text, struct measured_number *out);

/* A whole number, also as "1048576.0" or "1e6"; exact to 2^64 - 1 when written with digits alone.
 * False when the text is no whole number, or negative. */
bool orr_measured_integer(const char *text, uint64_t *out);

#endif
