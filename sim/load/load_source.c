/* Loads the groups and traces of a job, from files or generated, after its description is read. */
#include <stdint.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "sim/fold/fold_job.h"
#include "sim/load/compute_basis.h"
#include "sim/load/gemm_check.h"
#include "sim/load/shared_parts.h"
#include "sim/load/task_graph.h"
#include "sim/orrery_private.h"
#include "sim/trace_dedup.h"
#include "system/sys_fold.h"
#include "system/sys_groups.h"
#include "workload/gen/generate.h"
#include "workload/gen/models.h"
#include "workload/trace/et/et.h"

/* Adds to an error without location the key that caused it. */
enum orr_status orr_locate_error(struct orrery *job, enum orr_status status, const char *section,
                                 const char *key)
{
    const struct orr_conf *map = orr_conf_get(job->files.platform, section);
    const struct orr_conf *node = map != NULL ? orr_conf_get(map, key) : NULL;
    if (status == ORR_ERR_INPUT && job->diag.place.kind == ORR_LOCATION_NONE && node != NULL) {
        job->diag.place = orr_conf_location(node);
    }
    return status;
}

/* Checks that a generated workload that computes has a compute section. */
static enum orr_status check_compute(struct orrery *job, bool has_compute)
{
    const struct orr_gen *gen = &job->files.job_description.generate;
    const struct gen_model *model = &job->files.job_description.model;
    const bool computes =
        model->ops != NULL ||
        (gen->kind != NULL && (strcmp(gen->kind, "mlp") == 0 || gen->forward_flops > 0));
    if (has_compute || !computes) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(
        model->ops != NULL
            ? model->section
            : orr_conf_get(orr_conf_get(job->files.platform, "workload"), "generate"));
    return orr_diag_fail(&job->diag, ORR_ERR_INPUT, &place,
                         "%s computes, but the platform has no compute section, such as compute: "
                         "{peak: 312 TFLOP/s} (or, for computations that take no time, compute: "
                         "{mode: replay})",
                         model->ops != NULL
                             ? model->section->path
                             : orr_arena_printf(job->arena, "workload.generate: %s", gen->kind));
}

/* Reads the groups that the workload lists into a system used only to store them. */
static enum orr_status read_listed_groups(struct orrery *job)
{
    const struct orr_conf *groups = job->files.job_description.groups;
    const char *file = job->files.job_description.groups_file;
    struct sys *listed = NULL;
    enum orr_status status =
        orr_sys_planner_create(&listed, &job->system.config, &job->network, job->arena, &job->diag);
    if (status == ORR_OK && groups != NULL) {
        status = orr_sys_groups_read(listed, job->arena, groups, &job->diag);
    }
    if (status == ORR_OK && file != NULL) {
        status = orr_sys_groups_read_astra(listed, job->arena, file, &job->diag);
    }
    job->groups.listed = listed;
    return status;
}

/* Adds the listed groups, under their names in the traces, and those of a task graph. */
enum orr_status orr_add_listed_groups(void *context, struct sys *sys, struct orr_diag *diag)
{
    struct orrery *job = context;
    enum orr_status status = ORR_OK;
    for (uint32_t g = 1; g < orr_sys_groups(job->groups.listed) && status == ORR_OK; g++) {
        const char *name = job->groups.names.name != NULL
                               ? job->groups.names.name[g]
                               : orr_sys_group_name(job->groups.listed, g);
        uint32_t count, group;
        const uint32_t *ranks = orr_sys_group_ranks(job->groups.listed, g, &count);
        status = orr_sys_group_add(sys, name, ranks, count, &group, diag);
    }
    return status == ORR_OK && job->tasks.graph != NULL ? orr_task_graph_groups(job, sys, diag)
                                                        : status;
}

enum orr_status orr_add_groups(struct orrery *job)
{
    const struct gen_model *model = &job->files.job_description.model;
    const enum orr_status status = orr_add_listed_groups(job, job->layers.sys, &job->diag);
    return status == ORR_OK && model->ops != NULL
               ? orr_wl_add_model_groups(job->layers.sys, model, &job->fold, &job->diag)
               : status;
}

/* ---- traces ---- */

static const struct orr_trace **new_traces(struct orrery *job, uint32_t count)
{
    const struct orr_trace **traces = orr_arena_array(job->arena, count, sizeof *traces);
    job->source.trace = traces;
    job->source.count = count;
    return traces;
}

static enum orr_status check_model_fits(struct orrery *job, const struct gen_model *model)
{
    if (job->requests.capacity_unchecked) {
        return ORR_OK;
    }
    enum orr_status status =
        orr_gen_model_check_memory(model, job->local.capacity_bytes, &job->diag);
    status = status == ORR_ERR_INPUT ? orr_too_large(job) : status;
    if (status == ORR_OK) {
        status = orr_gen_model_check_pool(model, orr_pool_capacity(job), &job->diag);
        status = status == ORR_ERR_INPUT ? orr_too_large(job) : status;
    }
    return status;
}

/* Generates a trace for each class of ranks, which its ranks share. */
static enum orr_status generate_model(struct orrery *job)
{
    const struct gen_model *model = &job->files.job_description.model;
    const struct gen_layout *layout = &model->ops->plan(model->job)->layout;
    const uint32_t classes = orr_gen_classes(layout);
    const struct orr_trace **traces = new_traces(job, classes);
    enum orr_status status = traces != NULL ? ORR_OK : orr_diag_no_memory(&job->diag, "the traces");
    if (status == ORR_OK) {
        status = check_model_fits(job, model);
    }
    for (uint32_t i = 0; i < classes && status == ORR_OK; i++) {
        status = orr_gen_model_trace(job->arena, model, i, &traces[i], &job->diag);
    }
    job->source.layout = layout;
    return status;
}

static bool is_symmetric(const char *kind)
{
    size_t count = 0;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(kinds[i].name, kind) == 0) {
            return kinds[i].same_traces;
        }
    }
    return false;
}

/* Generates a trace for the members of a group; all other NPUs get an empty one. */
static enum orr_status generate_of_group(struct orrery *job, const struct orr_gen *gen)
{
    const struct orr_trace **traces = new_traces(job, job->npus), *none = NULL, *own = NULL;
    enum orr_status status = traces != NULL ? ORR_OK : orr_diag_no_memory(&job->diag, "the traces");
    if (status == ORR_OK) {
        status = orr_gen_trace(job->arena, gen, job->npus, &none, &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_gen_trace(job->arena, gen, gen->member[0], &own, &job->diag);
    }
    for (uint32_t rank = 0; rank < job->npus && status == ORR_OK; rank++) {
        traces[rank] = none;
    }
    for (uint32_t i = 0; i < gen->members && status == ORR_OK; i++) {
        traces[gen->member[i]] = own;
    }
    return status;
}

static enum orr_status generate(struct orrery *job)
{
    const struct orr_gen *gen = &job->files.job_description.generate;
    if (job->files.job_description.model.ops != NULL) {
        return generate_model(job);
    }
    if (gen->group != NULL) {
        return generate_of_group(job, gen);
    }
    const uint32_t count = is_symmetric(gen->kind) ? 1 : job->npus;
    const struct orr_trace **traces = new_traces(job, count);
    enum orr_status status = traces != NULL ? ORR_OK : orr_diag_no_memory(&job->diag, "the traces");
    for (uint32_t rank = 0; rank < count && status == ORR_OK; rank++) {
        status = orr_gen_trace(job->arena, gen, rank, &traces[rank], &job->diag);
    }
    return status;
}

/* Uses traces made in memory: one for all NPUs, or one for each. */
static enum orr_status use_memory_traces(struct orrery *job, const struct orr_trace **traces)
{
    const struct orr_shared_traces *made = &job->files.held[1]->traces;
    if (made->count != 1 && made->count != job->npus) {
        return orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                             "the workload has %u traces, and the platform %u NPU%s: expected one "
                             "trace, or one for each NPU",
                             made->count, job->npus, orr_plural(job->npus));
    }
    for (uint32_t rank = 0; rank < job->npus; rank++) {
        traces[rank] = made->trace[made->count == 1 ? 0 : rank];
    }
    return ORR_OK;
}

/* Loads traces of files, which simulations of one workload object share. */
static enum orr_status load_set(struct orrery *job, const struct orr_trace **traces)
{
    const char *prefix = job->files.job_description.traces;
    const enum orr_status status =
        job->files.held[1] != NULL
            ? orr_shared_load_set(job->files.held[1], prefix, job->npus, traces, &job->diag)
            : orr_et_load_set(job->arena, prefix, job->npus, traces, &job->diag);
    return orr_locate_error(job, status, "workload", "traces");
}

static enum orr_status load_traces(struct orrery *job)
{
    if (job->tasks.graph != NULL) {
        const struct orr_trace **traces = new_traces(job, job->npus);
        return traces != NULL ? orr_task_graph_traces(job, traces)
                              : orr_diag_no_memory(&job->diag, "the traces");
    }
    if (job->files.job_description.traces == NULL) {
        return generate(job);
    }
    const struct orr_trace **traces = new_traces(job, job->npus);
    if (traces == NULL) {
        return orr_diag_no_memory(&job->diag, "the traces");
    }
    const bool in_memory = job->files.held[1] != NULL && job->files.held[1]->traces.count != 0;
    const enum orr_status status =
        in_memory ? use_memory_traces(job, traces) : load_set(job, traces);
    return status == ORR_OK ? orr_wl_dedup_traces(job->arena, job->groups.listed, traces, job->npus,
                                                  &job->groups.names, &job->diag)
                            : status;
}

enum orr_status orr_load_source(struct orrery *job, bool has_compute)
{
    enum orr_status status = check_compute(job, has_compute);
    if (status == ORR_OK) {
        status = read_listed_groups(job);
    }
    if (status == ORR_OK) {
        status = load_traces(job);
    }
    if (status == ORR_OK) {
        status = orr_check_gemms(job);
    }
    if (status == ORR_OK) {
        orr_find_compute_basis(job);
    }
    return status;
}
