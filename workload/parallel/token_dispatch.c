/* Dispatch of tokens; see token_dispatch.h. */
#include "workload/parallel/token_dispatch.h"

#include <math.h>

#include "workload/parallel/layout.h"

const char *const orr_gen_dispatchers[] = {"alltoall", "deepep", NULL};

enum orr_status orr_gen_dispatch_set(struct gen_plan *plan, unsigned dispatcher, uint32_t node,
                                     struct orr_diag *diag)
{
    struct gen_layout *layout = &plan->layout;
    layout->node = 0;
    if (dispatcher == 0) {
        return ORR_OK;
    }
    layout->node = node;
    const uint32_t ranks = gen_expert_ranks(layout), inside = orr_gen_expert_ranks_of_node(layout);
    if (ranks > 1 && (inside == 0 || ranks % inside != 0)) {
        layout->node = 0;
        return orr_gen_fail(plan->parallel, "dispatcher", diag,
                            "deepep needs as many ranks of experts in each node of %u NPUs (node); "
                            "%u are %u NPUs apart",
                            node, ranks, orr_gen_expert_stride(layout));
    }
    return ORR_OK;
}

/* ---- reach ---- */

/* C(n - missing, k) / C(n, k): of k different ones of n none is among `missing`. */
static double none_of(double n, double missing, uint64_t k)
{
    double share = 1;
    for (uint64_t i = 0; i < k && share > 0; i++) {
        share *= fmax(n - missing - (double)i, 0) / (n - (double)i);
    }
    return share;
}

static double choose(double n, double k)
{
    return k < 0 || k > n ? 0 : exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
}

/* That a token reaches a part which has several groups: over the number of them that are among the
 * token's. */
static double reach_of_groups(const struct gen_routing *routing, double groups_of_part)
{
    const double all = (double)routing->groups, drawn = (double)routing->groups_per_token;
    const double each = (double)routing->experts / all;
    double reached = 0;
    for (double j = 1; j <= fmin(groups_of_part, drawn); j++) {
        const double likely = choose(groups_of_part, j) * choose(all - groups_of_part, drawn - j) /
                              choose(all, drawn);
        reached += likely * (1 - none_of(drawn * each, j * each, routing->per_token));
    }
    return reached;
}

double orr_gen_token_reach(const struct gen_routing *routing, uint64_t parts)
{
    const double experts = (double)routing->experts, each = experts / (double)parts;
    if (routing->groups == 0 || routing->groups_per_token >= routing->groups) {
        return (double)parts * (1 - none_of(experts, each, routing->per_token));
    }
    const double of_part = (double)routing->groups / (double)parts;
    if (of_part >= 1) {
        return (double)parts * reach_of_groups(routing, of_part);
    }
    const double drawn = (double)routing->groups_per_token / (double)routing->groups;
    return (double)parts * drawn * (1 - none_of(drawn * experts, each, routing->per_token));
}
