/* The algorithms of a job's collectives, for the public API: the algorithm of each dimension and
 * the order in which chunks visit the dimensions, by kind, number of NPUs and size. */
#include <stdio.h>
#include <string.h>

#include "core/fold.h"
#include "network/net_dims.h"
#include "orrery/orrery.h"
#include "sim/orrery_private.h"
#include "system/collectives/program.h"
#include "system/sys_collective.h"
#include "system/sys_groups.h"
#include "system/sys_mono.h"
#include "workload/engine/node_requests.h"
#include "workload/trace/trace.h"

/* Limits of rows, and of the cache of known collectives. */
enum { MAX_ROWS = 64, KNOWN_SLOTS = 256, TEXT = 512 };

struct known_collective {
    uint32_t group, mask;
    enum coll_kind kind;
    uint64_t bytes;
    bool uneven, used, watched;
};

struct orr_choices {
    struct orrery_choice row[MAX_ROWS];
    size_t rows;
    struct known_collective known_collective[KNOWN_SLOTS]; /* by hash; the latest one of each */
};

static bool is_new(struct orr_choices *choices, const struct sys_collective *request)
{
    const uint64_t mixed = (request->bytes * 64 + (uint64_t)request->kind * 8 + request->group +
                            ((uint64_t)request->dim_mask << 32)) *
                           UINT64_C(0x9E3779B97F4A7C15);
    struct known_collective *known_collective = &choices->known_collective[mixed >> 56];
    if (known_collective->used && known_collective->group == request->group &&
        known_collective->mask == request->dim_mask && known_collective->kind == request->kind &&
        known_collective->bytes == request->bytes &&
        known_collective->watched == request->watched &&
        known_collective->uneven == (request->sizes != NULL)) {
        return false;
    }
    *known_collective = (struct known_collective){.group = request->group,
                                                  .mask = request->dim_mask,
                                                  .kind = request->kind,
                                                  .bytes = request->bytes,
                                                  .uneven = request->sizes != NULL,
                                                  .used = true,
                                                  .watched = request->watched};
    return true;
}

static unsigned dims_of(const struct sys_description *runs)
{
    unsigned dims = 0;
    for (unsigned d = 0; d < NET_MAX_DIMS; d++) {
        dims += runs->of[d] != NULL ? 1 : 0;
    }
    return dims;
}

/* Formats "ring+direct"; one name if all are equal, "none" if there are none. */
static void name_algorithms(const struct sys_description *runs, uint32_t npus, char *text,
                            size_t bytes)
{
    static const struct sys_mono ring = {.kind = NULL};
    if (runs->library != NULL) {
        (void)snprintf(text, bytes, "%s %s%s%s", runs->library, runs->library_algorithm,
                       runs->protocol[0] != '\0' ? " " : "", runs->protocol);
        return;
    }
    if (runs->whole != NULL) {
        (void)orr_sys_mono_format(orr_sys_mono_fits(runs->whole, npus) ? runs->whole : &ring, text,
                                  bytes);
        return;
    }
    const char *first = NULL;
    bool same = true;
    size_t used = 0;
    text[0] = '\0';
    for (unsigned d = 0; d < NET_MAX_DIMS; d++) {
        if (runs->of[d] != NULL) {
            first = first != NULL ? first : runs->of[d];
            same = same && strcmp(first, runs->of[d]) == 0;
        }
    }
    for (unsigned d = 0; d < NET_MAX_DIMS && !same && used < bytes; d++) {
        if (runs->of[d] != NULL) {
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used > 0 ? "+" : "",
                                     runs->of[d]);
        }
    }
    if (same) {
        (void)snprintf(text, bytes, "%s",
                       runs->custom != NULL ? runs->custom
                       : first != NULL      ? first
                                            : "none");
    }
}

static bool add_row(struct orrery *job, const struct sys_collective *request,
                    const struct sys_description *runs)
{
    struct orr_choices *choices = job->choices;
    char text[TEXT];
    name_algorithms(runs, orr_sys_group_size(job->layers.sys, request->group), text, sizeof text);
    const char *scheduler = runs->scheduler != NULL && dims_of(runs) > 1 ? runs->scheduler : "";
    const uint64_t parts =
        request->watched ? orr_sys_collective_prefixes(job->layers.sys, request) : 0;
    const struct orrery_choice row = {.collective = orr_coll_kind_name(request->kind),
                                      .npus = orr_sys_group_size(job->layers.sys, request->group),
                                      .bytes = request->bytes,
                                      .scheduler = scheduler,
                                      .parts = parts,
                                      .whole = runs->whole != NULL && runs->library == NULL,
                                      .library = runs->library,
                                      .uneven = request->sizes != NULL,
                                      .launch_ps = runs->launch_ps};
    for (size_t i = 0; i < choices->rows; i++) {
        struct orrery_choice *other = &choices->row[i];
        if (strcmp(other->collective, row.collective) == 0 && other->npus == row.npus &&
            other->bytes == row.bytes && other->uneven == row.uneven &&
            strcmp(other->algorithms, text) == 0 && strcmp(other->scheduler, scheduler) == 0) {
            other->parts = other->parts != 0 ? other->parts : parts;
            return true;
        }
    }
    choices->row[choices->rows] = row;
    choices->row[choices->rows].algorithms = orr_arena_strdup(job->arena, text);
    return choices->row[choices->rows++].algorithms != NULL;
}

static enum orr_status add_npu(struct orrery *job, struct orr_slot npu)
{
    const struct orr_trace *trace = job->traces[npu.slot];
    for (uint32_t i = 0; i < trace->nodes && job->choices->rows < MAX_ROWS; i++) {
        if (trace->node[i].kind != ORR_NODE_COLL) {
            continue;
        }
        const struct sys_collective request = orr_wl_collective_of(job->layers.engine, npu, i);
        struct sys_description runs;
        if (request.group == UINT32_MAX || !is_new(job->choices, &request)) {
            continue;
        }
        const enum orr_status status =
            orr_sys_describe_collective(job->layers.sys, &request, &runs, &job->diag);
        if (status != ORR_OK) {
            return status;
        }
        if (!add_row(job, &request, &runs)) {
            return orr_diag_no_memory(&job->diag, "the choices of algorithms");
        }
    }
    return ORR_OK;
}

enum orrery_status orrery_choices(struct orrery *job, size_t *rows)
{
    *rows = 0;
    if (job->layers.engine == NULL) {
        return orr_reject_call(job, "choices: no job is loaded");
    }
    enum orr_status status = ORR_OK;
    if (job->choices == NULL) {
        job->choices = orr_arena_alloc(job->arena, sizeof *job->choices);
        if (job->choices == NULL) {
            return orr_finish_call(job, orr_diag_no_memory(&job->diag, "the choices"));
        }
        for (uint32_t slot = 0; slot < job->fold.slots && status == ORR_OK; slot++) {
            status = add_npu(job, orr_slot(slot));
        }
    }
    *rows = job->choices->rows;
    return status == ORR_OK ? ORRERY_OK : orr_finish_call(job, status);
}

enum orrery_status orrery_choice(const struct orrery *job, size_t index, struct orrery_choice *row)
{
    if (job->choices == NULL || index >= job->choices->rows) {
        return orr_reject_call(job, "choice %zu: orrery_choices has made %zu", index,
                               job->choices != NULL ? (size_t)job->choices->rows : 0);
    }
    *row = job->choices->row[index];
    return ORRERY_OK;
}
