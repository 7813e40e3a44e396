/* The `parallel` section: its keys, and the layout that they ask for. Shared by parallel_plan.c and
 * parallel_section.c. */
#ifndef ORR_WORKLOAD_PARALLEL_PARALLEL_SECTION_H
#define ORR_WORKLOAD_PARALLEL_PARALLEL_SECTION_H

#include "core/conf/keys.h"
#include "workload/parallel/parallel_plan.h"

/* Degrees; 0 where a key is absent that has no default. */
struct parallel_section {
    int64_t tensor, context, expert, expert_tensor, pipeline, data, replicas, chunks, zero;
    int64_t context_ulysses;
    unsigned context_exchange;
    bool sequence, pipeline_scatter, embedding_as_layer, head_as_layer;
    struct orr_conf_list layers_per_stage;
    const struct orr_conf *operators;
    const char *schedule, *order;
    unsigned dispatcher;
    int64_t node;
};

/* Reads plan->parallel (NULL: absent) for `npus` NPUs into the plan. Errors: degrees whose product
 * is not the NPUs; experts that cannot be spread; an order without an axis that has ranks. */
enum orr_status orr_gen_parallel_read(uint32_t npus, struct gen_plan *plan, struct orr_diag *diag);

/* Sets the sizes of the plan's layout from the degrees. Errors as above, at their keys. */
enum orr_status orr_gen_parallel_fit(const struct parallel_section *section, uint32_t npus,
                                     struct gen_plan *plan, struct orr_diag *diag);

#endif
