/* Graphs of operators as jobs: totals, memory and nodes; see graph_job.h. */
#include "workload/gen/graph_job.h"

#include "core/arena.h"
#include "workload/parallel/graph/graph_program.h"
#include "workload/parallel/rank_sums.h"

enum orr_status orr_graph_job_begin(struct orr_arena *arena, const struct gen_sections *sections,
                                    uint32_t npus, struct graph_job **out, struct orr_diag *diag)
{
    struct graph_job *job = orr_arena_alloc(arena, sizeof *job);
    *out = job;
    if (job != NULL) {
        job->plan.arena = arena;
    }
    return job != NULL
               ? orr_gen_plan_read(sections->parallel, sections->training, npus, &job->plan, diag)
               : orr_diag_no_memory(diag, "a generated model");
}

const struct gen_plan *orr_graph_job_plan(const void *job)
{
    return &((const struct graph_job *)job)->plan;
}

const struct model_graph *orr_graph_job_operators(const void *job)
{
    return &((const struct graph_job *)job)->graph;
}

void orr_graph_job_totals(const void *of, struct gen_totals *totals)
{
    const struct graph_job *job = of;
    struct gen_plan unsplit = job->plan; /* one rank, a sample at a time */
    unsplit.pipeline = orr_gen_pipeline_unsplit(unsplit.pipeline.micros);
    unsplit.micro_batch = 1;
    struct orr_arena *arena = orr_arena_create();
    const struct rank_program *program =
        arena != NULL ? orr_graph_program(arena, &job->graph, &unsplit, NULL) : NULL;
    *totals = (struct gen_totals){.samples = 0};
    if (program != NULL) {
        orr_rank_totals(program, (double)job->plan.batch, &(struct rank_experts){0, 1}, totals);
    }
    orr_arena_destroy(arena);
}

const struct rank_program *orr_graph_job_program(struct orr_arena *arena, const void *of,
                                                 uint32_t expert)
{
    const struct graph_job *job = of;
    (void)expert; /* all do the same */
    return orr_graph_program(arena, &job->graph, &job->plan, &job->split);
}
