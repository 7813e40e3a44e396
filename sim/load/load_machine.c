/* What a platform is beside its network: the sections system, memory and compute. */
#include "sim/orrery_private.h"

/* One path to memory and network is a rule of what runs beside what. */
static enum orr_status share_path(struct orrery *job)
{
    struct sys_policy *policy = orr_arena_alloc(job->arena, sizeof *policy);
    if (policy == NULL) {
        return orr_diag_no_memory(&job->diag, "the rules of a shared path");
    }
    *policy = *job->system.config.policy;
    policy->memory_path = true;
    job->system.config.policy = policy;
    return ORR_OK;
}

/* Shares that were fitted to another GPU than the platform's. */
static void check_gpu(struct orrery *job, const struct orr_conf *section)
{
    const struct wl_compute *compute = &job->compute;
    const struct sys_library *library = job->system.config.library;
    const char *own = compute->gpu != NULL ? compute->gpu
                      : library != NULL    ? library->gpu->name
                                           : NULL;
    const char *fitted = compute->fitted != NULL ? compute->fitted->gpu : NULL;
    if (own == NULL || fitted == NULL || orr_edit_distance(own, fitted, 1) == 0) {
        return;
    }
    const struct orr_place place = orr_conf_place(orr_conf_get(section, "fitted"));
    orr_diag_warn(&job->diag, &place,
                  "compute.fitted.gpu: the efficiency was fitted to the GPU %s, and the platform "
                  "has %s (%s)",
                  fitted, own, compute->gpu != NULL ? "compute.gpu" : "system.library.gpu");
}

enum orr_status orr_read_machine(struct orrery *job, const struct orr_machine_sections *sections)
{
    enum orr_status status = orr_sys_config_read(job->arena, sections->system, job->network.dims,
                                                 &job->system.config, &job->diag);
    if (status == ORR_OK) {
        job->network.message_overhead_ps = orr_time_add(job->network.message_overhead_ps,
                                                        job->system.config.host_synchronization_ps);
        status =
            orr_sys_config_whole(job->arena, sections->system, &job->system.config, &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_sys_config_library(job->arena, sections->system, &job->network,
                                        &job->system.config, &job->diag);
    }
    if (status == ORR_OK) {
        job->system.config.picks = orr_sys_picks_create(job->arena);
        status = orr_sys_find_trees(job->arena, sections->system, &job->system.config,
                                    &job->network, &job->diag);
    }
    if (status == ORR_OK) {
        status =
            orr_sys_config_check(sections->system, &job->system.config, &job->network, &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_sys_lay_trees(job->arena, sections->system, &job->system.config, &job->network,
                                   &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_mem_config_read(job->arena, sections->memory, job->npus, &job->local,
                                     &job->remote, &job->diag);
    }
    if (status == ORR_OK && job->remote.fabric != NULL && job->remote.fabric->shares_path) {
        status = share_path(job);
    }
    if (status == ORR_OK) {
        job->compute = (struct wl_compute){.memory_bytes_per_s = job->local.bandwidth_bytes_per_s};
        status = orr_wl_compute_read(job->arena, sections->compute, job->npus, &job->compute,
                                     &job->diag);
    }
    if (status == ORR_OK) {
        check_gpu(job, sections->compute);
        status = orr_uncertainty_check(job, sections->compute);
    }
    return status;
}
