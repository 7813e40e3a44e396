/* Models under a parallelization strategy as workloads; see strategy_job.h. */
#include "sim/load/strategy_job.h"

#include <unistd.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "sim/load/model_file.h"
#include "workload/engine/engine.h"
#include "workload/gen/own_model.h"
#include "workload/model/profile.h"
#include "workload/strategy/lower.h"
#include "workload/strategy/strategy_check.h"
#include "workload/strategy/strategy_file.h"

/* Reads a model: a file relative to the section's, a shipped one by name, or the section itself. */
static enum orr_status read_model(struct orr_arena *arena, const struct orr_conf *node,
                                  struct model_graph *out, struct orr_diag *diag)
{
    if (node->kind != ORR_CONF_SCALAR) {
        return orr_model_section_read(arena, node, out, diag);
    }
    const char *path = orr_conf_resolve_path(arena, node);
    if (path == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    return orr_model_file_load(arena, access(path, R_OK) == 0 ? path : node->text, out, diag);
}

static enum orr_status open_strategy(struct orr_arena *arena, const struct orr_conf *node,
                                     const struct orr_conf **out, struct orr_diag *diag)
{
    *out = node;
    if (node == NULL || node->kind != ORR_CONF_SCALAR) {
        return ORR_OK;
    }
    const char *path = orr_conf_resolve_path(arena, node);
    return path != NULL ? orr_strategy_open(arena, path, out, diag)
                        : orr_diag_no_memory(diag, "a strategy");
}

/* ---- times of parts ---- */

struct part_times {
    sim_time fixed_ps, minimum_ps, launch_ps;
    bool linear;
};

#define TIME(key, member, text)                                                                    \
    .name = key, .type = ORR_KEY_TIME, .offset = offsetof(struct part_times, member),              \
    .high = (double)ORR_PS_PER_S, .default_text = "0 us", .doc = text

static const struct orr_key time_keys[] = {
    {TIME("fixed", fixed_ps, "overhead of an operator in addition to its work, in each pass"),
     .example = "fixed: 10 us"},
    {TIME("minimum", minimum_ps, "minimum time of a part"), .example = "minimum: 1 us"},
    {TIME("launch", launch_ps, "overhead added to each part"), .example = "launch: 1 us"},
    {.name = "linear",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct part_times, linear),
     .default_text = "false",
     .doc = "a part of p takes a p-th of the whole operator's time, its fixed time too; else the "
            "roofline of its own work"},
};

const struct orr_key_table orr_part_times_table = {"the times of parts", time_keys,
                                                   sizeof time_keys / sizeof *time_keys, NULL};

enum orr_status orr_part_times_read(const struct orr_conf *map, struct model_speed *out,
                                    struct orr_diag *diag)
{
    const struct orr_key_table *table = &orr_part_times_table;
    struct part_times times = {0};
    const enum orr_status status =
        orr_conf_read(map, table->owner, table->keys, table->count, &times, diag);
    out->fixed_ps = times.fixed_ps;
    out->minimum_ps = times.minimum_ps;
    out->launch_ps = times.launch_ps;
    out->linear = times.linear;
    return status;
}

static enum orr_status read_speed(struct orr_arena *arena, const struct orr_conf *workload,
                                  struct model_speed *out, struct orr_diag *diag)
{
    const struct orr_conf *file = orr_conf_get(workload, "profile");
    struct model_profile *profile = orr_arena_alloc(arena, sizeof *profile);
    const char *path = file != NULL ? orr_conf_resolve_path(arena, file) : "";
    *out = (struct model_speed){.profile = file != NULL ? profile : NULL};
    const struct orr_conf *compute_node = orr_conf_get(workload, "iteration_compute");
    enum orr_status status = orr_part_times_read(orr_conf_get(workload, "part_times"), out, diag);
    if (status == ORR_OK && compute_node != NULL) {
        status = orr_conf_time(compute_node, &out->iteration_ps, diag);
    }
    if (status == ORR_OK && (path == NULL || profile == NULL)) {
        status = orr_diag_no_memory(diag, "measured times");
    }
    return status == ORR_OK && file != NULL ? orr_model_profile_load(arena, path, profile, diag)
                                            : status;
}

/* ---- the model and its strategy ---- */

enum orr_status orr_strategy_job_open(struct orr_arena *arena, const struct orr_conf *workload,
                                      struct orr_strategy_job *out, struct orr_diag *diag)
{
    enum orr_status status = read_model(arena, orr_conf_get(workload, "model"), &out->model, diag);
    if (status == ORR_OK) {
        status = read_speed(arena, workload, &out->speed, diag);
    }
    return status == ORR_OK
               ? open_strategy(arena, orr_conf_get(workload, "strategy"), &out->section, diag)
               : status;
}

enum orr_status orr_strategy_job_devices(const struct orr_strategy_job *from, uint32_t *devices,
                                         struct orr_diag *diag)
{
    *devices = 0;
    return from->section != NULL ? orr_strategy_read_device_count(from->section, devices, diag)
                                 : ORR_OK;
}

enum orr_status orr_strategy_job_read(struct orr_arena *arena, struct orr_strategy_job *from,
                                      uint32_t npus, struct orr_diag *diag)
{
    const enum orr_status status =
        orr_strategy_read(arena, from->section, &from->model, npus, &from->strategy, diag);
    if (status == ORR_OK) {
        orr_strategy_warn_regathered(&from->model, &from->strategy, diag);
    }
    return status;
}

/* ---- the task graph ---- */

/* The machine's roofline, with the workload's times. */
static struct model_speed speed_of(const struct orr_strategy_job *from,
                                   const struct wl_compute *compute)
{
    struct model_speed speed = from->speed;
    if (compute->roofline) {
        speed.roofline = orr_wl_roofline_of(compute);
    }
    return speed;
}

enum orr_status orr_strategy_job_lower(struct orr_arena *arena, const struct orr_strategy_job *from,
                                       const struct wl_compute *compute, struct tg_graph *out,
                                       struct orr_diag *diag)
{
    const struct model_speed speed = speed_of(from, compute);
    struct strategy_times times;
    const enum orr_status status =
        orr_strategy_times(arena, &from->model, &from->strategy, &speed, &times, diag);
    return status == ORR_OK
               ? orr_strategy_lower(arena, &from->model, &from->strategy, &times, out, diag)
               : status;
}

/* ---- by parallel and training ---- */

static enum orr_status read_operators(struct orr_arena *arena, const struct orr_conf *node,
                                      struct model_graph *out, struct orr_diag *diag)
{
    const enum orr_status status = read_model(arena, node, out, diag);
    bool own = false;
    for (uint32_t i = 0; status == ORR_OK && i < out->ops; i++) {
        own = own || out->op[i].section != NULL;
    }
    const struct orr_location place = orr_conf_location(node);
    return status != ORR_OK || own
               ? status
               : orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                               "%s: expected operators beside parallel and training; a generated "
                               "model stands in the workload itself (workload: {transformer: ...})",
                               node->path);
}

static enum orr_status check_alone(const struct orr_conf *workload, struct orr_diag *diag)
{
    static const char *const of_strategies[] = {"strategy", "profile", "iteration_compute",
                                                "part_times", "iterations"};
    for (size_t i = 0; i < sizeof of_strategies / sizeof *of_strategies; i++) {
        const struct orr_conf *other = orr_conf_get(workload, of_strategies[i]);
        if (other != NULL) {
            const struct orr_location place = orr_conf_key_location(other);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s: a model runs by a strategy or by parallel and training, not "
                                 "by both",
                                 other->path);
        }
    }
    return ORR_OK;
}

enum orr_status orr_operators_job_read(struct orr_arena *arena, const struct orr_conf *workload,
                                       uint32_t npus, struct gen_model *out, struct orr_diag *diag)
{
    const struct gen_sections sections = {.model = orr_conf_get(workload, "model"),
                                          .parallel = orr_conf_get(workload, "parallel"),
                                          .training = orr_conf_get(workload, "training")};
    struct model_graph graph;
    enum orr_status status = check_alone(workload, diag);
    *out = (struct gen_model){.ops = &orr_own_model, .section = sections.model};
    if (status == ORR_OK) {
        status = read_operators(arena, sections.model, &graph, diag);
    }
    return status == ORR_OK ? orr_own_model_create(arena, &sections, npus, &graph, &out->job, diag)
                            : status;
}
