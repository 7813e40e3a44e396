/* JSON from text that may not be UTF-8, and output of JSON. */
#ifndef ORR_REPORT_JSON_TEXT_H
#define ORR_REPORT_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "core/sum.h"

/* A JSON string of any text; bytes that are not UTF-8 become question marks. Owned by the
 * caller. */
json_t *orr_json_text(const char *text);

/* Like json_dumpf, but writes no control character other than the line feeds between values: DEL
 * and C1 are escaped too. */
int orr_json_write(const json_t *json, FILE *out, size_t flags);

/* Writes a value with a line feed at its end, and releases it. Returns 0, or 1 if the value is NULL
 * or cannot be written. */
int orr_json_write_and_free(json_t *json, FILE *out);

/* A sum as an integer; as the nearest real number if it exceeds 63 bits. */
json_t *orr_json_sum(orr_sum value);

#endif
