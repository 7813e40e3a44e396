/* The list of pipeline schedules, and requests to it; see schedule_kinds.h. */
#include "workload/schedule/schedule_kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/diag.h"
#include "core/strings.h"

/* ---- the list ---- */

#define ORR_SCHEDULE(kind) extern const struct orr_schedule_kind kind;
#include "workload/schedule/schedule_list.h"
#undef ORR_SCHEDULE

static const struct orr_schedule_kind *const kinds[] = {
#define ORR_SCHEDULE(kind) &kind,
#include "workload/schedule/schedule_list.h"
#undef ORR_SCHEDULE
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct orr_schedule_kind *orr_schedule_kind_at(size_t index)
{
    return index < KINDS ? kinds[index] : NULL;
}

enum orr_status orr_schedule_kind_find(const char *name, const struct orr_schedule_kind **kind,
                                       struct orr_diag *diag)
{
    const char *names[KINDS];
    char list[512] = "", suggestion[ORR_SUGGESTION_BYTES];
    for (size_t i = 0; i < KINDS; i++) {
        if (orr_same_name(name, kinds[i]->name)) {
            *kind = kinds[i];
            return ORR_OK;
        }
        names[i] = kinds[i]->name;
        const size_t length = strlen(list);
        (void)snprintf(list + length, sizeof list - length, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected a schedule, one of %s, got \"%s\"%s",
                         list, name,
                         orr_suggest_name(name, names, KINDS, suggestion, sizeof suggestion));
}

/* ---- requests ---- */

static enum orr_status check_chunks(const struct orr_schedule_kind *kind,
                                    const struct orr_schedule_request *request,
                                    struct orr_diag *diag)
{
    if (request->chunks >= kind->min_chunks && request->chunks <= kind->max_chunks) {
        return ORR_OK;
    }
    return kind->min_chunks == kind->max_chunks
               ? orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "%s: a device has %" PRIu32 " chunk%s, got %" PRIu32, kind->name,
                               kind->min_chunks, orr_plural(kind->min_chunks), request->chunks)
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "%s: expected %" PRIu32 " to %" PRIu32 " chunks, got %" PRIu32,
                               kind->name, kind->min_chunks, kind->max_chunks, request->chunks);
}

enum orr_status orr_schedule_complete(const struct orr_schedule_kind *kind,
                                      struct orr_schedule_request *request, struct orr_diag *diag)
{
    if (request->stages == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "stages: missing, expected 1 to %d",
                             ORR_SCHEDULE_MAX_STAGES);
    }
    if (request->stages > ORR_SCHEDULE_MAX_STAGES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "stages: expected 1 to %d, got %" PRIu32,
                             ORR_SCHEDULE_MAX_STAGES, request->stages);
    }
    if (request->micros == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "micro-batches: missing, expected at least 1");
    }
    if ((request->group > 0 && !kind->takes_group) ||
        (request->memory > 0 && !kind->takes_memory)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: it has no %s", kind->name,
                             request->group > 0 && !kind->takes_group ? "group"
                                                                      : "limit on memory");
    }
    if (request->chunks == 0) {
        request->chunks = kind->default_chunks;
    }
    if (check_chunks(kind, request, diag) != ORR_OK) {
        return diag->status;
    }
    const uint64_t passes = (uint64_t)request->micros * request->stages * request->chunks * 3;
    if (passes > ORR_SCHEDULE_MAX_SLOTS) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "expected at most %d passes, got %" PRIu64
                             " (stages x chunks x micro-batches x 3)",
                             ORR_SCHEDULE_MAX_SLOTS, passes);
    }
    return kind->check != NULL ? kind->check(request, diag) : ORR_OK;
}
