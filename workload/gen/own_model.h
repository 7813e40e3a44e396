/* Operator graphs of the user's own as jobs: `workload: {model: ..., parallel: ..., training:
 * ...}`. Ranks run the operators unsplit, in pipeline stages, on their parts of the batch, with
 * ZeRO, recomputation of blocks, offloading and buckets. */
#ifndef ORR_WORKLOAD_GEN_OWN_MODEL_H
#define ORR_WORKLOAD_GEN_OWN_MODEL_H

#include "workload/gen/models.h"

extern const struct gen_model_ops orr_own_model;

/* A job of a graph, in the arena. sections->model: the key, for messages. The batch and the bytes
 * of an element are the graph's unless sections->training sets them. Errors: those of
 * orr_gen_plan_read; degrees other than data and pipeline; recomputation of a model without blocks;
 * stages that share weights, or tables; measured operators and listed gradients. O(operators). */
enum orr_status orr_own_model_create(struct orr_arena *arena, const struct gen_sections *sections,
                                     uint32_t npus, const struct model_graph *graph, void **job,
                                     struct orr_diag *diag);

#endif
