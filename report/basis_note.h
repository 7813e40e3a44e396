/* Comparison of how two results' compute times were found. */
#ifndef ORR_REPORT_BASIS_NOTE_H
#define ORR_REPORT_BASIS_NOTE_H

#include "core/diag.h"

struct json_t;

/* One of two results of a run, as JSON, and what it is called. */
struct orr_named_result {
    const struct json_t *result;
    const char *name;
};

/* Whether their compute times were found in different ways: one fitted, one from the data sheet's
 * peak, or fitted with other software; `text` then says so. Results that compute nothing, and those
 * of earlier versions, differ from none. */
bool orr_bases_differ(const struct orr_named_result pair[2], char text[ORR_DIAG_MESSAGE_BYTES]);

/* Warns if they differ; `diag` NULL: silent. */
void orr_warn_of_bases(const struct orr_named_result pair[2], struct orr_diag *diag);

#endif
