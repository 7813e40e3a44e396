/* What profiles recorded: its results and their forms. */
#ifndef ORR_STUDY_PROFILE_PROFILE_STUDY_H
#define ORR_STUDY_PROFILE_PROFILE_STUDY_H

#include <stdio.h>

#include "et_converter/profile/profile_job.h"

struct orr_result_table;

struct orr_profile_study {
    struct orr_arena *arena;
    struct orr_profile_job job;
};

extern const struct orr_result_table orr_profile_rank_results; /* struct orr_profile_rank */

/* Forms; the context is the study. */
int orr_profile_text(FILE *out, const void *context);
int orr_profile_json(FILE *out, const void *context);
int orr_profile_csv(FILE *out, const void *context);

#endif
