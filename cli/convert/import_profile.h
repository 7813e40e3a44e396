/* orrery import of profiles of torch.profiler. */
#ifndef ORR_CLI_CONVERT_IMPORT_PROFILE_H
#define ORR_CLI_CONVERT_IMPORT_PROFILE_H

#include <stdbool.h>

struct orr_texts;

struct orr_import_profile {
    const struct orr_texts *files;
    const char *output;     /* JOB.yml; NULL: only the GPU's view is told */
    const char *json, *csv; /* of the GPU's view; or NULL */
};

/* Whether a file is a profile, a folder or a pattern. */
bool orr_import_is_profile(const struct orr_texts *files);

/* Writes the traces JOB.RANK.et and the workload JOB.yml, or tells the GPU's view. Returns the exit
 * status. */
int orr_import_profile(const struct orr_import_profile *import);

#endif
