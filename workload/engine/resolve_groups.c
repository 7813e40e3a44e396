/* The communicator groups of a run: those that PyTorch's process-group metadata defines, and those
 * that nodes name. A name may stand for several disjoint groups (each tensor-parallel group may be
 * "1" to its own ranks); for an NPU it means the group that the NPU belongs to. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "system/sys_groups.h"
#include "workload/engine/engine_private.h"
#include "workload/trace/process_groups.h"

enum { NAME_BYTES = 512 };

/* The system's name of a group of the rank's job. */
static const char *name_in_system(const struct wl_engine *engine, struct orr_rank rank,
                                  const char *name, char text[NAME_BYTES])
{
    const struct wl_run *run = orr_wl_run_of(engine, rank);
    if (run == NULL || run->job.rank == NULL) {
        return name;
    }
    (void)snprintf(text, NAME_BYTES, "%s/%s", run->job.name, name);
    return text;
}

struct metadata_source {
    const struct orr_trace *trace;
    const struct orr_node *node;
    const struct wl_run *run;
    struct orr_rank rank; /* of the trace */
};

static enum orr_status fail_at(struct orr_diag *diag, const struct metadata_source *at,
                               const char *what)
{
    const struct orr_location file = orr_location_file(at->trace->path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &file,
                         "process groups in metadata node %llu (%s): %s",
                         (unsigned long long)at->node->id, at->node->name, what);
}

/* The platform's rank of a rank in metadata. */
static uint32_t rank_of(const struct metadata_source *at, uint32_t rank)
{
    return orr_wl_rank_of_job(at->run, orr_rank(rank)).rank;
}

static enum orr_status read_ranks(struct wl_engine *engine, const json_t *list, uint32_t **ranks,
                                  uint32_t *count, struct orr_diag *diag,
                                  const struct metadata_source *at)
{
    const size_t listed = json_array_size(list);
    const uint32_t all = at->run->job.rank != NULL ? at->run->job.npus : wl_ranks(engine);
    *count = listed != 0 ? (uint32_t)listed : all;
    *ranks = orr_arena_array(engine->parts.arena, *count, sizeof **ranks);
    if (*ranks == NULL) {
        return orr_diag_no_memory(diag, "process groups");
    }
    for (uint32_t i = 0; i < *count; i++) {
        const json_t *rank = json_array_get(list, i);
        if (listed != 0 && (!json_is_integer(rank) || json_integer_value(rank) < 0 ||
                            json_integer_value(rank) > UINT32_MAX)) {
            return fail_at(diag, at, "a rank is not a whole number >= 0");
        }
        (*ranks)[i] = rank_of(at, listed != 0 ? (uint32_t)json_integer_value(rank) : i);
    }
    return ORR_OK;
}

/* "0" is all NPUs, unless it lists a part of them. */
static bool is_world(const struct wl_engine *engine, const struct metadata_source *at,
                     const char *name, uint32_t ranks)
{
    const uint32_t all = at->run->job.rank != NULL ? at->run->job.npus : wl_ranks(engine);
    return strcmp(name, "0") == 0 && ranks >= all;
}

static enum orr_status add_group(struct wl_engine *engine, const json_t *item,
                                 struct orr_diag *diag, const struct metadata_source *at)
{
    const json_t *name = json_object_get(item, "pg_name");
    const json_t *list = json_object_get(item, "ranks");
    if (!json_is_string(name) || !json_is_array(list)) {
        return fail_at(diag, at, "an entry has no \"pg_name\" (text) or \"ranks\" (list)");
    }
    uint32_t *ranks, count, group;
    const enum orr_status status = read_ranks(engine, list, &ranks, &count, diag, at);
    if (status != ORR_OK || is_world(engine, at, json_string_value(name), count)) {
        return status;
    }
    char text[NAME_BYTES];
    struct orr_diag reason;
    orr_diag_init(&reason);
    const enum orr_status added = orr_sys_group_add(
        engine->parts.sys, name_in_system(engine, at->rank, json_string_value(name), text), ranks,
        count, &group, &reason);
    return added == ORR_OK ? ORR_OK : fail_at(diag, at, reason.message);
}

static enum orr_status add_node_groups(struct wl_engine *engine, const struct metadata_source *at,
                                       const char *text, struct orr_diag *diag)
{
    json_t *groups = orr_wl_parse_groups(text);
    if (groups == NULL) {
        return fail_at(diag, at, "not a list of groups in JSON");
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < json_array_size(groups) && status == ORR_OK; i++) {
        status = add_group(engine, json_array_get(groups, i), diag, at);
    }
    json_decref(groups);
    return status;
}

static enum orr_status add_trace_groups(struct wl_engine *engine, struct orr_slot npu,
                                        struct orr_diag *diag)
{
    const struct orr_trace *trace = engine->npu[npu.slot].trace;
    const struct orr_rank rank = wl_rank(engine, npu);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        if (orr_wl_has_groups(trace, &trace->node[i])) {
            const struct metadata_source at = {.trace = trace,
                                               .node = &trace->node[i],
                                               .run = orr_wl_run_of(engine, rank),
                                               .rank = rank};
            const char *text = orr_trace_extra(trace, at.node)->inputs_values;
            const enum orr_status status = add_node_groups(engine, &at, text, diag);
            if (status != ORR_OK) {
                return status;
            }
        }
    }
    return ORR_OK;
}

/* The first node that names the group, for the message. */
static const struct orr_node *user_of(const struct orr_trace *trace, uint32_t group)
{
    uint32_t i = 0;
    while (trace->node[i].group != group + 1) {
        i++;
    }
    return &trace->node[i];
}

/* All NPUs of a job are a group of its name. */
static void resolve_all(struct wl_engine *engine, struct orr_slot npu)
{
    const struct orr_rank rank = wl_rank(engine, npu);
    const struct wl_run *run = orr_wl_run_of(engine, rank);
    engine->npu[npu.slot].all = run == NULL || run->job.rank == NULL
                                    ? 0
                                    : orr_sys_group_find(engine->parts.sys, run->job.name, rank);
}

static enum orr_status resolve(struct wl_engine *engine, struct orr_slot npu, uint32_t group,
                               struct orr_diag *diag)
{
    struct wl_npu *self = &engine->npu[npu.slot];
    const char *name = self->trace->groups[group];
    char text[NAME_BYTES];
    const char *full = name_in_system(engine, wl_rank(engine, npu), name, text);
    const bool all = name[0] == '\0' ||
                     (strcmp(name, "0") == 0 && !orr_sys_group_known(engine->parts.sys, full));
    self->groups[group] =
        all ? self->all : orr_sys_group_find(engine->parts.sys, full, wl_rank(engine, npu));
    if (self->groups[group] != WL_NONE) {
        return ORR_OK;
    }
    const struct orr_location file = orr_location_file(self->trace->path);
    const struct orr_node *node = user_of(self->trace, group);
    char known[512];
    orr_sys_group_list(engine->parts.sys, full, known, sizeof known);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &file,
                         "node %llu (%s) of NPU %u uses the communicator group \"%s\", but %s",
                         (unsigned long long)node->id, node->name, wl_rank(engine, npu).rank, name,
                         known);
}

enum orr_status orr_wl_resolve_groups(struct wl_engine *engine, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < engine->npus; i++) {
        const bool same_job =
            engine->part == NULL || (i > 0 && engine->part[i].job == engine->part[i - 1].job);
        if (i == 0 || !same_job || engine->npu[i].trace != engine->npu[i - 1].trace) {
            const enum orr_status status = add_trace_groups(engine, orr_slot(i), diag);
            if (status != ORR_OK) {
                return status;
            }
        }
    }
    for (uint32_t i = 0; i < engine->npus; i++) {
        resolve_all(engine, orr_slot(i));
        for (uint32_t group = 0; group < engine->npu[i].trace->group_count; group++) {
            const enum orr_status status = resolve(engine, orr_slot(i), group, diag);
            if (status != ORR_OK) {
                return status;
            }
        }
    }
    return ORR_OK;
}
