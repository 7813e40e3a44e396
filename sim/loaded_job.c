/* See loaded_job.h. */
#include "sim/loaded_job.h"

#include "core/conf/conf.h"
#include "sim/load/task_graph.h"
#include "sim/orrery_private.h"

const struct net_config *orr_loaded_network(const struct orrery *job)
{
    return &job->network;
}

const struct orr_conf *orr_loaded_network_section(const struct orrery *job)
{
    return orr_conf_get(job->files.platform, "network");
}

const struct sys_mono *orr_loaded_all_reduce(const struct orrery *job)
{
    return job->tasks.all_reduce != NULL ? job->tasks.all_reduce
                                         : &job->files.job_description.all_reduce;
}

const struct orr_strategy_job *orr_loaded_strategy(const struct orrery *job)
{
    return job->tasks.graph != NULL ? job->tasks.graph->strategy : NULL;
}

const struct tg_graph *orr_loaded_strategy_graph(const struct orrery *job)
{
    return orr_loaded_strategy(job) != NULL ? &job->tasks.graph->source.graph : NULL;
}

const struct gen_model *orr_loaded_model(const struct orrery *job)
{
    const struct gen_model *model = &job->files.job_description.model;
    return model->ops != NULL && model->job != NULL ? model : NULL;
}

const struct wl_compute *orr_loaded_compute(const struct orrery *job)
{
    return &job->compute;
}

const struct sys_ccl *orr_loaded_library(const struct orrery *job)
{
    return job->system.config.library;
}

uint64_t orr_loaded_capacity(const struct orrery *job)
{
    return job->local.capacity_bytes;
}
