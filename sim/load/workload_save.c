/* Writes the traces of a workload to files; see include/orrery/inputs.h. */
#include <inttypes.h>

#include "core/conf/conf.h"
#include "orrery/inputs.h"
#include "sim/load/shared_parts.h"
#include "sim/load/workload_config.h"
#include "workload/trace/et/et.h"

const char *orrery_pattern(size_t index, const char **summary)
{
    size_t count;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    if (index >= count) {
        return NULL;
    }
    if (summary != NULL) {
        *summary = kinds[index].summary;
    }
    return kinds[index].name;
}

static enum orr_status check_npus(uint32_t npus, struct orr_diag *diag)
{
    return npus != 0 && npus <= INT32_MAX
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "npus: expected a number from 1 to 2147483647, got %" PRIu32, npus);
}

enum orr_status orr_wl_workload_of(struct orr_arena *arena, const struct orrery_workload *workload,
                                   uint32_t npus, struct wl_workload *out, struct orr_diag *diag)
{
    const struct orr_conf *root = workload->part.root;
    const enum orr_status status = check_npus(npus, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (root == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "the workload is empty");
    }
    root = orr_conf_copy(arena, root);
    return root != NULL ? orr_wl_workload_from(arena, root, npus, out, diag)
                        : orr_diag_no_memory(diag, "a workload");
}

/* ---- traces made in memory ---- */

struct save_request {
    struct orr_arena *arena;
    const char *prefix;
    uint32_t npus;
    bool gzip;
};

static enum orr_status write_trace(const struct orr_trace *trace, const char *path, bool gzip,
                                   struct orr_diag *diag)
{
    const struct orr_et_writer_options options = {.gzip = gzip};
    struct orr_et_writer *writer = NULL;
    enum orr_status status = orr_et_writer_create(&writer, path, &options, diag);
    if (status == ORR_OK) {
        status = orr_et_writer_add_trace(writer, trace, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_writer_finish(writer, diag);
    }
    orr_et_writer_destroy(writer);
    return status;
}

static enum orr_status write_traces(const struct save_request *save_request,
                                    const struct orr_shared_traces *traces, struct orr_diag *diag)
{
    enum orr_status status = check_npus(save_request->npus, diag);
    if (status == ORR_OK && traces->count != 1 && traces->count != save_request->npus) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "there are %" PRIu32
                               " traces: expected one, or one for each of %" PRIu32 " NPUs",
                               traces->count, save_request->npus);
    }
    for (uint32_t rank = 0; rank < save_request->npus && status == ORR_OK; rank++) {
        const char *path =
            orr_arena_printf(save_request->arena, "%s.%" PRIu32 ".et%s", save_request->prefix, rank,
                             save_request->gzip ? ".gz" : "");
        status = path != NULL ? write_trace(traces->trace[traces->count == 1 ? 0 : rank], path,
                                            save_request->gzip, diag)
                              : orr_diag_no_memory(diag, "traces");
    }
    return status;
}

static enum orr_status save_made(struct orr_shared *part, const struct save_request *save_request)
{
    enum orr_status status = orr_shared_acquire(part, &part->diag);
    if (status == ORR_OK) {
        status = write_traces(save_request, &part->traces, &part->diag);
    }
    orr_shared_release(part);
    return status;
}

/* ---- generated ones ---- */

static enum orr_status save_generated(struct orrery_workload *workload,
                                      const struct save_request *save_request)
{
    struct orr_diag *diag = &workload->part.diag;
    struct wl_workload described;
    const enum orr_status status =
        orr_wl_workload_of(save_request->arena, workload, save_request->npus, &described, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (described.traces != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "the workload's traces are files already");
    }
    return described.model.ops != NULL
               ? orr_gen_model_write(&described.model, save_request->prefix, save_request->gzip,
                                     diag)
               : orr_gen_write(&described.generate, save_request->prefix, save_request->gzip, diag);
}

enum orrery_status orrery_workload_save(struct orrery_workload *workload, uint32_t npus,
                                        const char *prefix, bool gzip)
{
    if (workload == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_shared *part = &workload->part;
    const struct save_request save_request = {
        .arena = orr_arena_create(), .prefix = prefix, .npus = npus, .gzip = gzip};
    enum orr_status status = ORR_OK;
    if (prefix == NULL) {
        status = orr_diag_fail(&part->diag, ORR_ERR_INPUT, NULL, "expected a prefix, got NULL");
    } else if (save_request.arena == NULL) {
        status = orr_diag_no_memory(&part->diag, "traces");
    } else {
        status = part->traces.count != 0 ? save_made(part, &save_request)
                                         : save_generated(workload, &save_request);
    }
    orr_arena_destroy(save_request.arena);
    return orr_shared_finish_call(part, status);
}
