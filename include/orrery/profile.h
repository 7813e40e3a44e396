/* What profiles of torch.profiler recorded, from the GPU's view: the time of each rank's GPU by
 * compute, communication, copies, and idle time by its cause, as Holistic Trace Analysis tells it.
 *
 *     const char *const given[] = {"traces/"};
 *     struct orrery_study *study = orrery_study_new();
 *     const struct orrery_profile profile = {ORRERY_SIZED(orrery_profile), .given = given,
 *                                            .givens = 1};
 *     struct orrery_value exposed;
 *     if (orrery_profile(study, &profile) == ORRERY_OK &&
 *         orrery_study_result(study, "ranks.exposed_communication_ps", 0, &exposed) == ORRERY_OK) {
 *         printf("%lld ps\n", (long long)exposed.integer);
 *     }
 *     orrery_study_free(study); */
#ifndef ORRERY_PROFILE_H
#define ORRERY_PROFILE_H

#include "orrery/study.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_profile {
    size_t size;              /* ORRERY_SIZED(orrery_profile) */
    const char *const *given; /* [givens] profiles (JSON, also gzip), folders, patterns */
    size_t givens;            /* at least 1 */
    const char *step; /* a number N of "ProfilerStep#N", or "all"; NULL: the last whole one */
    /* Callback for warnings, in the caller's thread; or NULL. */
    void (*warn)(void *user, const char *text);
    void *user;
};

/* Reads profiles, one after the other. Results: rows of "ranks" in the order of ranks: `rank`,
 * `file`, `span_ps`, `compute_ps`, `communication_ps`, `exposed_communication_ps`,
 * `memory_copy_ps`, `idle_ps` and its causes. Forms: all. Errors: a file that is no profile, is cut
 * short or has no work of a GPU; two files of one rank; files of two runs; no such step. O(bytes);
 * memory: that of one profile. */
ORRERY_API enum orrery_status orrery_profile(struct orrery_study *study,
                                             const struct orrery_profile *profile);

/* Whether the path is a folder, a pattern, or a file that begins as a profile does. */
ORRERY_API int orrery_is_profile(const char *path);

#ifdef __cplusplus
}
#endif

#endif
