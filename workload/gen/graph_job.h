/* Generated models that are a graph of operators: their totals, memory and nodes come from the
 * operators (op_graph.h) and the plan, not from the family. */
#ifndef ORR_WORKLOAD_GEN_GRAPH_JOB_H
#define ORR_WORKLOAD_GEN_GRAPH_JOB_H

#include "workload/gen/data_parallel.h"
#include "workload/gen/models.h"
#include "workload/parallel/graph/graph_program.h"

struct graph_job {
    struct gen_plan plan;
    struct model_graph graph; /* of one sample */
    struct graph_split split; /* tables that are spread, operators that are cut */
};

/* Allocates a job in the arena and reads its plan; the graph is the caller's to build. */
enum orr_status orr_graph_job_begin(struct orr_arena *arena, const struct gen_sections *sections,
                                    uint32_t npus, struct graph_job **out, struct orr_diag *diag);

/* ---- functions of gen_model_ops; `job` is a graph_job ---- */

const struct gen_plan *orr_graph_job_plan(const void *job);
const struct model_graph *orr_graph_job_operators(const void *job);

/* All 0 when memory is out. O(operators). */
void orr_graph_job_totals(const void *job, struct gen_totals *totals);

/* O(operators). */
const struct rank_program *orr_graph_job_program(struct orr_arena *arena, const void *job,
                                                 uint32_t expert);

#endif
