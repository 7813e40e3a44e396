/* A layout as text. */
#ifndef ORR_STUDY_LAYOUTS_LAYOUT_TEXT_H
#define ORR_STUDY_LAYOUTS_LAYOUT_TEXT_H

#include "study/layouts/layout_estimates.h"

enum { ORR_LAYOUT_BYTES = 128, ORR_LAYOUT_KEYS = 14, ORR_LAYOUT_KEY_BYTES = 64 };

/* "t8 p4 v2 d32 mb1 zero1": tensor, context, expert, expert tensor, pipeline, chunks, data,
 * micro-batch; degrees of one are left out. Returns `text`. */
const char *orr_layout_text(const struct orr_estimated_layout *layout, char text[ORR_LAYOUT_BYTES]);

/* The keys that make a job run so, "workload.parallel.tensor=8". Returns their number. */
unsigned orr_layout_keys(const struct orr_estimated_layout *layout,
                         char key[ORR_LAYOUT_KEYS][ORR_LAYOUT_KEY_BYTES]);

/* Shares of the step in a few words: "bubble 12 %, exchange 5 %, ...". Returns `text`. */
const char *orr_layout_why(const struct orr_estimated_layout *layout, uint64_t capacity_bytes,
                           char text[ORR_LAYOUT_BYTES]);

#endif
