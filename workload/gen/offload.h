/* Weights, gradients and optimizer state in a remote memory (ZeRO-Infinity, Rajbhandari et al.
 * 2021; FSDP with offloading): what a rank loads and stores of a layer, and when.
 * docs/generators.md. */
#ifndef ORR_WORKLOAD_GEN_OFFLOAD_H
#define ORR_WORKLOAD_GEN_OFFLOAD_H

#include "workload/gen/emitter.h"
#include "workload/gen/parallel_plan.h"

/* Parameters of a layer on this rank: those that all data-parallel ranks have, and those of its
 * experts. */
struct gen_parameters {
    uint64_t dense, experts;
};

/* Reads the rules between the keys of the plan's sections: with weights in the pool the stage of
 * ZeRO is 3, with gradients at least 2, with optimizer state at least 1. Errors: parallel.zero less
 * than that; gathering for other groups than all NPUs; an optimizer at the memory, which implies
 * weights and gradients there, with `none` of these. */
enum orr_status orr_gen_offload_check(struct gen_plan *plan, uint32_t npus, struct orr_diag *diag);

/* Loads of the weights after `after`: shares of the dense ones (all of them when the pool gathers),
 * and the rank's experts whole. Returns what to wait for before a gather over the network. */
struct gen_deps orr_gen_offload_load(struct gen_emitter *emitter, const struct gen_plan *plan,
                                     const char *name, struct gen_parameters parameters,
                                     const struct gen_deps *after);

/* Whether dense parameters, and those of experts, are still gathered (reduced) over the network. */
bool orr_gen_offload_gathers_dense(const struct gen_plan *plan);
bool orr_gen_offload_reduces_dense(const struct gen_plan *plan);
bool orr_gen_offload_gathers_experts(const struct gen_plan *plan);
bool orr_gen_offload_reduces_experts(const struct gen_plan *plan);

/* Stores of the gradients after they are reduced. */
struct gen_deps orr_gen_offload_store(struct gen_emitter *emitter, const struct gen_plan *plan,
                                      const char *name, struct gen_parameters parameters,
                                      const struct gen_deps *after);

/* What an NPU that updates its share of the parameters loads before (a MEM_STORE: stores after) it;
 * the name and the kind come in `access`. */
struct gen_deps orr_gen_offload_state(struct gen_emitter *emitter, const struct gen_plan *plan,
                                      struct orr_node_spec access, struct gen_parameters parameters,
                                      const struct gen_deps *after);

#endif
