/* What jobs of a run were like. */
#include "workload/engine/engine_private.h"

struct wl_job_times orr_engine_job(const struct wl_engine *engine, uint32_t number)
{
    const struct wl_run *run = &engine->run[number];
    return (struct wl_job_times){
        .iteration_ps = run->iteration_ps, .iterations = run->iteration, .end_ps = run->end_ps};
}

/* Delays are no computations. */
static void add_computations(const struct wl_engine *engine, struct orr_slot slot, sim_time sum[2])
{
    const struct orr_trace *trace = engine->npu[slot.slot].trace;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        if (node->kind == ORR_NODE_COMP && node->comm == 0) {
            bool skipped;
            sim_time *of = &sum[(node->flags & ORR_NODE_IS_CPU) != 0];
            *of = orr_time_add(*of, orr_wl_computation(engine, slot, i, &skipped));
        }
    }
}

sim_time orr_engine_job_compute(const struct wl_engine *engine, uint32_t number)
{
    const struct wl_run *run = &engine->run[number];
    sim_time most = 0;
    for (uint32_t i = 0; i < run->job.npus; i++) {
        sim_time sum[2] = {0, 0};
        add_computations(engine, orr_slot((uint32_t)(wl_job_npu(engine, run, i) - engine->npu)),
                         sum);
        most = sum[0] > most ? sum[0] : most;
        most = sum[1] > most ? sum[1] : most;
    }
    return most;
}
