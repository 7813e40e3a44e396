/* Text that may not be UTF-8, as JSON. */
#ifndef ORR_REPORT_JSON_TEXT_H
#define ORR_REPORT_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "core/core.h"

/* A JSON string of any text; bytes of texts that are no UTF-8 become question marks. Owned by the
 * caller. */
json_t *orr_json_text(const char *text);

/* json_dumpf without a control character in what it writes, other than the line feeds between
 * values: DEL and C1 are escaped too. */
int orr_json_write(const json_t *json, FILE *out, size_t flags);

/* Writes a value that is released then, on lines of its own with an end of line. 0, or 1: it could
 * not be written, or is NULL. */
int orr_json_write_and_free(json_t *json, FILE *out);

/* A sum as an integer, or, beyond what jansson's integers hold, the nearest real number. */
json_t *orr_json_sum(orr_sum value);

#endif
