/* Reads a platform's sections system, memory and compute. */
#include "core/conf/conf.h"
#include "memory/mem_config_read.h"
#include "sim/load/fitted_gpu.h"
#include "sim/load/workload_config.h"
#include "sim/orrery_private.h"
#include "system/sys_config.h"
#include "system/sys_config_read.h"
#include "workload/engine/engine.h"

/* Makes a shared path to memory and network a rule of concurrent nodes. */
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

static void check_gpu(struct orrery *job, const struct orr_conf *section)
{
    char text[ORR_DIAG_MESSAGE_BYTES];
    if (orr_other_gpu(job, text)) {
        const struct orr_location place = orr_conf_location(orr_conf_get(section, "fitted"));
        orr_diag_warn(&job->diag, &place, "%s", text);
    }
}

enum orr_status orr_read_machine(struct orrery *job, const struct orr_machine_sections *sections)
{
    enum orr_status status = orr_sys_config_read(job->arena, sections->system, job->network.dims,
                                                 &job->system.config, &job->diag);
    if (status == ORR_OK) {
        job->network.message_overhead_ps = orr_time_add(job->network.message_overhead_ps,
                                                        job->system.config.host_synchronization_ps);
        status = orr_sys_config_mono(job->arena, sections->system, &job->system.config, &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_sys_config_ccl(job->arena, sections->system, &job->network,
                                    &job->system.config, &job->diag);
    }
    if (status == ORR_OK) {
        job->system.config.tuning_cache = orr_sys_tuning_cache_create(job->arena);
        status = orr_sys_find_trees(job->arena, sections->system, &job->system.config,
                                    &job->network, &job->diag);
    }
    if (status == ORR_OK) {
        status =
            orr_sys_config_check(sections->system, &job->system.config, &job->network, &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_sys_embed_trees(job->arena, sections->system, &job->system.config,
                                     &job->network, &job->diag);
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
