/* Begin and end of calls of the public API. */
#include <stdarg.h>
#include <stdio.h>

#include "sim/api_call.h"

#include "core/conf/conf.h"
#include "sim/orrery_private.h"

enum orrery_status orr_finish_call(struct orrery *job, enum orr_status status)
{
    if (status != ORR_OK) {
        (void)orr_conf_render_error(&job->diag, job->notes.error, ORR_ERROR_BYTES);
        job->diag.status = ORR_OK;
    }
    return (enum orrery_status)status;
}

enum orr_status orr_check_empty(struct orrery *job)
{
    if (job->layers.queue == NULL && job->npus == 0 && job->files.held[0] == NULL) {
        return ORR_OK;
    }
    return orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                         "a job is loaded already; use a new handle");
}

enum orrery_status orr_reject_call(const struct orrery *job, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(job->notes.error, ORR_ERROR_BYTES, format, arguments);
    va_end(arguments);
    return ORRERY_ERROR_INPUT;
}

enum orrery_status orr_reject_index(const struct orrery *job, const char *what, size_t index,
                                    size_t count)
{
    if (!job->ran) {
        return orr_reject_call(job, "%s: the job has not run yet", what);
    }
    return count == 0 ? orr_reject_call(job, "%s: there are none", what)
                      : orr_reject_call(job, "%s: expected an index below %zu, got %zu", what,
                                        count, index);
}

enum orrery_status orr_fail_call(struct orrery *job, const struct orr_diag *diag)
{
    (void)orr_conf_render_error(diag, job->notes.error, ORR_ERROR_BYTES);
    return (enum orrery_status)diag->status;
}

enum orr_status orr_check_ran(const struct orrery *job, struct orr_diag *diag)
{
    return job->ran ? ORR_OK : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "the job has not run yet");
}

bool orr_has_nodes(const struct orrery *job)
{
    return (job->requests.record & ORRERY_RECORD_NODES) != 0;
}

bool orr_records_sensitivities(const struct orrery *job)
{
    const unsigned either = ORRERY_RECORD_SLOPES | ORRERY_RECORD_UNCERTAINTY;
    return (job->requests.record & either) != 0 && !orr_has_path(job);
}

bool orr_has_path(const struct orrery *job)
{
    return (job->requests.record & ORRERY_RECORD_PATH) != 0;
}

bool orr_has_traffic(const struct orrery *job)
{
    return (job->requests.record & ORRERY_RECORD_TRAFFIC) != 0;
}

enum orr_status orr_forward_error(const struct orrery *job, enum orrery_status status,
                                  struct orr_diag *diag)
{
    struct orr_diag call_diag;
    orr_diag_init(&call_diag);
    call_diag.status = (enum orr_status)status;
    (void)snprintf(call_diag.message, sizeof call_diag.message, "%s", job->notes.error);
    return orr_diag_forward(diag, &call_diag);
}

const char *orr_keep_text(struct orrery *job, const char *text)
{
    char *kept = orr_heap_strdup(text); /* copied first, because `text` can be in the kept text */
    orr_heap_free(job->notes.kept);
    job->notes.kept = kept;
    return kept;
}

enum orr_status orr_check_struct(const char *name, size_t size, size_t expected,
                                 struct orr_diag *diag)
{
    return size == expected
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "struct %s has %zu bytes, expected %zu: use ORRERY_SIZED, and the "
                               "header of this library",
                               name, size, expected);
}
