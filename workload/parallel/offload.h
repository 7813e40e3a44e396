/* Offloading: weights, gradients and optimizer state in a remote memory (ZeRO-Infinity, Rajbhandari
 * et al. 2021; FSDP with offloading); the loads and stores of a rank for each layer.
 * docs/how-to/generated-models.md. */
#ifndef ORR_WORKLOAD_PARALLEL_OFFLOAD_H
#define ORR_WORKLOAD_PARALLEL_OFFLOAD_H

#include "workload/parallel/emitter.h"
#include "workload/parallel/parallel_plan.h"

/* Parameters of a layer on this rank: those shared by all data-parallel ranks, and those of its
 * experts. */
struct gen_parameters {
    uint64_t dense, experts;
};

/* Applies the rules between the keys of the plan's sections: weights in the pool imply ZeRO stage
 * 3, gradients at least 2, optimizer state at least 1. Errors: a smaller parallel.zero; gathering
 * for other groups than all NPUs; an optimizer at the memory, which implies weights and gradients
 * there, with `none` for these. */
enum orr_status orr_gen_offload_check(struct gen_plan *plan, uint32_t npus, struct orr_diag *diag);

/* Emits loads of the weights after `after`: shares of the dense ones (all of them if the pool
 * gathers), and the rank's experts entirely. Returns the dependencies of a gather over the network.
 */
struct gen_deps orr_gen_offload_load(struct gen_emitter *emitter, const struct gen_plan *plan,
                                     const char *name, struct gen_parameters parameters,
                                     const struct gen_deps *after);

/* Whether dense and expert parameters are still gathered (reduced) over the network. */
bool orr_gen_offload_gathers_dense(const struct gen_plan *plan);
bool orr_gen_offload_reduces_dense(const struct gen_plan *plan);
bool orr_gen_offload_gathers_experts(const struct gen_plan *plan);
bool orr_gen_offload_reduces_experts(const struct gen_plan *plan);

/* Emits stores of the gradients after their reduction. */
struct gen_deps orr_gen_offload_store(struct gen_emitter *emitter, const struct gen_plan *plan,
                                      const char *name, struct gen_parameters parameters,
                                      const struct gen_deps *after);

/* Emits the load of optimizer state before the update of an NPU's share of the parameters
 * (MEM_STORE: the store after it). `access` has the name and the kind. */
struct gen_deps orr_gen_offload_state(struct gen_emitter *emitter, const struct gen_plan *plan,
                                      struct orr_node_spec access, struct gen_parameters parameters,
                                      const struct gen_deps *after);

#endif
