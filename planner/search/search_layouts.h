/* Start strategies like the layouts of Megatron-LM (Shoeybi et al. 2019, section 3): t devices side
 * by side share each sample, and the groups of t share the samples. Which dimension of an operator
 * the t cut: workload/strategy/axis_cut.h. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_LAYOUTS_H
#define ORR_PLANNER_SEARCH_SEARCH_LAYOUTS_H

#include "planner/search/search.h"

struct search_layout {
    uint32_t tensor;  /* t; divides the devices of a group */
    uint32_t experts; /* devices that share the experts; 1: experts are cut as other weights */
};

/* Number of layouts of a model in a group of `group` devices: degrees that divide it, without data
 * parallelism; and the n-th one. O(operators x dimensions + divisors); O(divisors). */
uint32_t orr_search_count_layouts(const struct model_graph *model, uint32_t group);
struct search_layout orr_search_layout_at(const struct model_graph *model, uint32_t group,
                                          uint32_t n);

/* Sets all operators of a draft, of which tables stay as they are. Operators without a dimension
 * that can be cut evenly are split by samples alone. The strategy may be invalid (too few samples).
 * false: memory is out. O((operators + edges) x dimensions). */
bool orr_search_set_layout(struct strategy_draft *draft, const struct search_dimensions *dimensions,
                           const struct search_layout *layout);

#endif
