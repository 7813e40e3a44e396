/* What jobs run: see jobs.h. */
#include <string.h>

#include "sim/cluster/jobs.h"

enum orr_status orr_jobs_source_find(struct orr_jobs *jobs, const char *path,
                                     const struct orr_jobs_source **out, struct orr_diag *diag)
{
    const char *beside = orr_path_beside(jobs->arena, jobs->file, path);
    for (struct orr_jobs_source *source = jobs->sources; beside != NULL && source != NULL;
         source = source->next) {
        if (strcmp(source->path, beside) == 0) {
            *out = source;
            return ORR_OK;
        }
    }
    struct orr_jobs_source *source = orr_arena_alloc(jobs->arena, sizeof *source);
    if (beside == NULL || source == NULL) {
        return orr_diag_no_memory(diag, "what a job runs");
    }
    source->path = beside;
    source->next = jobs->sources;
    *out = jobs->sources = source;
    return orr_flexflow_source_read(jobs->arena, beside, &source->of, diag);
}
