/* Files that describe a model or how it is trained: what they are, what was understood, and the
 * model in numbers.
 *
 *     const char *const files[] = {"config.json"};
 *     struct orrery_study *study = orrery_study_new();
 *     const struct orrery_import import = {ORRERY_SIZED(orrery_import), .file = files, .files = 1};
 *     struct orrery_value parameters;
 *     if (orrery_import(study, &import) == ORRERY_OK &&
 *         orrery_study_result(study, "model.parameters", 0, &parameters) == ORRERY_OK) {
 *         printf("%lld\n", (long long)parameters.integer);
 *     }
 *     orrery_study_free(study); */
#ifndef ORRERY_IMPORT_H
#define ORRERY_IMPORT_H

#include "orrery/study.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_import {
    size_t size;             /* ORRERY_SIZED(orrery_import) */
    const char *const *file; /* [files] */
    size_t files;            /* at least 1 */
    uint64_t sequence;       /* tokens at which operations are counted; 0: the files', else 4096 */
    /* Callback for warnings, in the caller's thread; or NULL. */
    void (*warn)(void *user, const char *text);
    void *user;
    /* NPUs that the job runs on; 0: the processes that the files say. On another number than theirs
     * there are more or less data-parallel ranks. */
    uint64_t npus;
    bool warn_not_understood; /* a warning for the keys of each file that were not understood */
};

/* Reads launch files: a model's config.json (Hugging Face), Megatron's arguments (a command line, a
 * script, the arguments of a log, a recipe in YAML), those of NeMo, torchtitan (TOML), Hugging
 * Face's Trainer, configurations of DeepSpeed and accelerate; alone or together.
 * Results: a row of "model" (`parameters`, `active_parameters`, `flops_per_token`, ...) if a file
 * describes one; rows of "values": what a workload file would say, with the key of each. Files that
 * contradict each other are warned of. Forms: all (CSV: the values). Errors: a file that is of
 * another kind or cannot be read, keys that are missing or out of range. O(bytes). */
ORRERY_API enum orrery_status orrery_import(struct orrery_study *study,
                                            const struct orrery_import *import);

/* Writes the model of a study as a workload file, each value with the key that it comes from.
 * ORRERY_ERROR_INPUT if generated workloads cannot have such a model (says why), or the study's
 * results are not those of an import. */
ORRERY_API enum orrery_status orrery_import_workload(struct orrery_study *study, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
