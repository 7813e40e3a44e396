/* Loading what a study runs; see job_source.h. */
#include "study/job_source.h"

#include "core/arena.h"
#include "orrery/orrery.h"

/* Concatenates two lists of assignments; on the heap, NULL: no memory. */
static const char **join(const char *const *set, size_t count, const char *const *more,
                         size_t further)
{
    const char **all = orr_heap_calloc(count + further + 1, sizeof *all);
    for (size_t i = 0; all != NULL && i < count; i++) {
        all[i] = set[i];
    }
    for (size_t i = 0; all != NULL && i < further; i++) {
        all[count + i] = more[i];
    }
    return all;
}

static enum orrery_status load_own(const struct orrery_inputs *own, const char *const *more,
                                   size_t count, struct orrery *job)
{
    const char **set = join(own->set, own->set_count, more, count);
    struct orrery_inputs inputs = *own;
    inputs.set = set;
    inputs.set_count += count;
    const enum orrery_status status = set != NULL ? orrery_load(job, &inputs) : ORRERY_ERROR_MEMORY;
    orr_heap_free((void *)set);
    return status;
}

static enum orrery_status load_parts(const struct orrery_parts *given, const char *const *more,
                                     size_t count, struct orrery *job)
{
    if (given->size != sizeof *given) {
        return orrery_load_parts(job, given); /* which fails with a message */
    }
    const char **set = join(given->set, given->set_count, more, count);
    struct orrery_parts parts = *given;
    parts.set = set;
    parts.set_count += count;
    const enum orrery_status status =
        set != NULL ? orrery_load_parts(job, &parts) : ORRERY_ERROR_MEMORY;
    orr_heap_free((void *)set);
    return status;
}

enum orrery_status orr_job_source_load(const struct orr_job_source *source, const char *const *more,
                                       size_t count, struct orrery *job)
{
    return source->astra_sim != NULL ? orrery_load_astra_sim(job, source->astra_sim)
           : source->parts != NULL   ? load_parts(source->parts, more, count, job)
                                     : load_own(source->own, more, count, job);
}

const char *orr_job_error(const struct orrery *job)
{
    const char *error = job != NULL ? orrery_error(job) : "";
    return error[0] != '\0' ? error : "out of memory";
}
