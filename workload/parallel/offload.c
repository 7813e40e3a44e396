/* Offloading to a remote memory; see offload.h. */
#include "workload/parallel/offload.h"

#include "core/conf/conf.h"
#include "core/saturate.h"
#include "workload/parallel/layout.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

/* Layers with fewer dense parameters keep them on the NPUs, as DeepSpeed's
 * stage3_param_persistence_threshold does by default. */
enum { PERSISTENT_PARAMETERS = 100000 };

/* ---- checks ---- */

/* The minimum ZeRO stage that a setting implies. */
static enum orr_status imply_zero(struct gen_plan *plan, const char *key, unsigned stage,
                                  struct orr_diag *diag)
{
    if (plan->zero >= stage) {
        return ORR_OK;
    }
    if (plan->parallel != NULL && orr_conf_get(plan->parallel, "zero") != NULL) {
        return orr_gen_fail(
            plan->training, key, diag,
            "ranks shard the data in the pool, as with ZeRO-%u; parallel.zero is %u", stage,
            plan->zero);
    }
    plan->zero = stage;
    return ORR_OK;
}

static enum orr_status check_gathered(const struct gen_plan *plan, const char *key,
                                      enum gen_offload how, uint32_t npus, struct orr_diag *diag)
{
    const uint32_t ranks = orr_gen_family_size(&plan->layout, GEN_DP);
    if (how != GEN_OFFLOAD_GATHERED || ranks == npus) {
        return ORR_OK;
    }
    return orr_gen_fail(plan->training, key, diag,
                        "the pool gathers for all %u NPUs, but %u share the weights", npus, ranks);
}

/* A memory that updates the weights must hold the weights and the gradients. */
static enum orr_status imply_offload(struct gen_plan *plan, const char *key, enum gen_offload *how,
                                     struct orr_diag *diag)
{
    if (plan->offload_optimizer != GEN_OPTIMIZER_MEMORY || *how != GEN_OFFLOAD_NONE) {
        return ORR_OK;
    }
    if (orr_conf_get(plan->training, key) != NULL) {
        return orr_gen_fail(
            plan->training, key, diag,
            "with offload_optimizer: memory expected sharded or gathered, got none");
    }
    *how = GEN_OFFLOAD_SHARDED;
    return ORR_OK;
}

/* The pool has one copy of what it holds. */
static enum orr_status check_copies(const struct gen_plan *plan, struct orr_diag *diag)
{
    const bool any = plan->offload_parameters != GEN_OFFLOAD_NONE ||
                     plan->offload_gradients != GEN_OFFLOAD_NONE ||
                     plan->offload_optimizer != GEN_OPTIMIZER_LOCAL;
    return !any || plan->layout.replicas <= 1
               ? ORR_OK
               : orr_gen_fail(plan->parallel, "replicas", diag,
                              "what is offloaded is sharded over all data-parallel ranks; expected "
                              "1 with training.offload_*");
}

enum orr_status orr_gen_offload_check(struct gen_plan *plan, uint32_t npus, struct orr_diag *diag)
{
    enum orr_status status =
        imply_offload(plan, "offload_parameters", &plan->offload_parameters, diag);
    if (status == ORR_OK) {
        status = imply_offload(plan, "offload_gradients", &plan->offload_gradients, diag);
    }
    if (status == ORR_OK && plan->offload_parameters != GEN_OFFLOAD_NONE) {
        status = imply_zero(plan, "offload_parameters", 3, diag);
    }
    if (status == ORR_OK && plan->offload_gradients != GEN_OFFLOAD_NONE) {
        status = imply_zero(plan, "offload_gradients", 2, diag);
    }
    if (status == ORR_OK && plan->offload_optimizer != GEN_OPTIMIZER_LOCAL) {
        status = imply_zero(plan, "offload_optimizer", 1, diag);
    }
    if (status == ORR_OK) {
        status = check_gathered(plan, "offload_parameters", plan->offload_parameters, npus, diag);
    }
    if (status == ORR_OK) {
        status = check_gathered(plan, "offload_gradients", plan->offload_gradients, npus, diag);
    }
    return status == ORR_OK ? check_copies(plan, diag) : status;
}

/* ---- nodes ---- */

static struct gen_deps emit_access(struct gen_emitter *emitter, struct orr_node_spec access,
                                   const struct gen_deps *after)
{
    if (access.tensor_bytes == 0) {
        return *after;
    }
    access.flags = ORR_NODE_HAS_TENSOR_SIZE;
    return orr_gen_dep(orr_gen_emit(emitter, &access, (struct orr_deps){after->id, after->count}));
}

bool orr_gen_offload_gathers_dense(const struct gen_plan *plan)
{
    return plan->offload_parameters != GEN_OFFLOAD_GATHERED;
}

bool orr_gen_offload_reduces_dense(const struct gen_plan *plan)
{
    return plan->offload_gradients != GEN_OFFLOAD_GATHERED;
}

bool orr_gen_offload_gathers_experts(const struct gen_plan *plan)
{
    return plan->offload_parameters == GEN_OFFLOAD_NONE;
}

/* Each replica of an expert stores its gradients, and the memory adds them up. */
bool orr_gen_offload_reduces_experts(const struct gen_plan *plan)
{
    return plan->offload_optimizer != GEN_OPTIMIZER_MEMORY;
}

static uint64_t offloaded(uint64_t dense)
{
    return dense < PERSISTENT_PARAMETERS ? 0 : dense;
}

/* One node for sharded and one for gathered accesses. */
static struct gen_deps emit_both(struct gen_emitter *emitter, struct orr_node_spec access,
                                 uint64_t dense_bytes, uint64_t expert_bytes,
                                 const struct gen_deps *after)
{
    if (access.access == ORR_ACCESS_SHARDED) {
        access.tensor_bytes = sat_plus(dense_bytes, expert_bytes);
        return emit_access(emitter, access, after);
    }
    access.tensor_bytes = dense_bytes;
    struct gen_deps both = emit_access(emitter, access, after);
    if (expert_bytes > 0) {
        access.access = ORR_ACCESS_SHARDED;
        access.tensor_bytes = expert_bytes;
        const struct gen_deps experts = emit_access(emitter, access, after);
        orr_gen_deps_merge(&both, &experts);
    }
    return both;
}

struct gen_deps orr_gen_offload_load(struct gen_emitter *emitter, const struct gen_plan *plan,
                                     const char *name, struct gen_parameters parameters,
                                     const struct gen_deps *after)
{
    if (plan->offload_parameters == GEN_OFFLOAD_NONE) {
        return *after;
    }
    const bool gathered = plan->offload_parameters == GEN_OFFLOAD_GATHERED;
    const uint64_t dense = gathered ? offloaded(parameters.dense)
                                    : sat_divide_up(offloaded(parameters.dense),
                                                    orr_gen_family_size(&plan->layout, GEN_DP));
    const struct orr_node_spec spec = {.name = name,
                                       .kind = ORR_NODE_MEM_LOAD,
                                       .access =
                                           gathered ? ORR_ACCESS_GATHERED : ORR_ACCESS_SHARDED};
    return emit_both(emitter, spec, sat_times(dense, plan->element_bytes),
                     sat_times(parameters.experts, plan->element_bytes), after);
}

struct gen_deps orr_gen_offload_store(struct gen_emitter *emitter, const struct gen_plan *plan,
                                      const char *name, struct gen_parameters parameters,
                                      const struct gen_deps *after)
{
    if (plan->offload_gradients == GEN_OFFLOAD_NONE) {
        return *after;
    }
    const bool gathered = plan->offload_gradients == GEN_OFFLOAD_GATHERED;
    const uint64_t dense = gathered ? offloaded(parameters.dense)
                                    : sat_divide_up(offloaded(parameters.dense),
                                                    orr_gen_family_size(&plan->layout, GEN_DP));
    const uint64_t experts =
        orr_gen_offload_reduces_experts(plan)
            ? sat_divide_up(parameters.experts, orr_gen_family_size(&plan->layout, GEN_EDP))
            : parameters.experts;
    const struct orr_node_spec spec = {.name = name,
                                       .kind = ORR_NODE_MEM_STORE,
                                       .access =
                                           gathered ? ORR_ACCESS_GATHERED : ORR_ACCESS_SHARDED};
    return emit_both(emitter, spec, sat_times(dense, plan->gradient_bytes),
                     sat_times(experts, plan->gradient_bytes), after);
}

struct gen_deps orr_gen_offload_state(struct gen_emitter *emitter, const struct gen_plan *plan,
                                      struct orr_node_spec access, struct gen_parameters parameters,
                                      const struct gen_deps *after)
{
    const bool store = access.kind == ORR_NODE_MEM_STORE;
    const uint64_t share =
        sat_divide_up(offloaded(parameters.dense), orr_gen_family_size(&plan->layout, GEN_DP)) +
        sat_divide_up(parameters.experts, orr_gen_family_size(&plan->layout, GEN_EDP));
    uint64_t each = plan->offload_optimizer == GEN_OPTIMIZER_NPU ? plan->optimizer_bytes : 0;
    if (store) {
        each += plan->offload_parameters != GEN_OFFLOAD_NONE ? plan->element_bytes : 0;
    } else {
        each += plan->offload_gradients != GEN_OFFLOAD_NONE ? plan->gradient_bytes : 0;
    }
    access.tensor_bytes = sat_times(share, each);
    return emit_access(emitter, access, after);
}
