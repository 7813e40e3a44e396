/* Iteration times of the jobs of a run. */
#include "workload/engine/engine_private.h"

struct wl_job_times orr_engine_job(const struct wl_engine *engine, uint32_t number)
{
    const struct wl_run *run = &engine->run[number];
    return (struct wl_job_times){
        .iteration_ps = run->iteration_ps, .iterations = run->iteration, .end_ps = run->end_ps};
}

sim_time orr_engine_job_compute(const struct wl_engine *engine, uint32_t number)
{
    const struct wl_run *run = &engine->run[number];
    sim_time max = 0;
    for (uint32_t i = 0; i < run->job.npus; i++) {
        const sim_time busy =
            wl_job_npu(engine, run, i)->accelerator_compute_ps / run->job.iterations;
        max = busy > max ? busy : max;
    }
    return max;
}
