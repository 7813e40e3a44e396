/* A sweep that has run as one JSON document: what was varied, what is best, and every point
 * (docs/file-formats.md, "Results of a sweep"). */
#ifndef ORR_STUDY_RANKING_SWEEP_JSON_H
#define ORR_STUDY_RANKING_SWEEP_JSON_H

#include <stdio.h>

#include "study/ranking/sweep_rank.h"

/* A writer for struct orr_output; the context is the struct orr_sweep_store, finished and marked.
 * O(bytes of the results). */
int orr_sweep_write_document(FILE *out, const void *store);

#endif
