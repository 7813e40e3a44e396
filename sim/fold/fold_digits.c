/* Symmetry reduction: the mixed-radix digits of ranks, before any is folded; see fold_job.h. */
#include <stdlib.h>

#include "network/coordinates.h"
#include "network/graph.h"
#include "sim/fold/fold_job.h"
#include "system/sys_groups.h"
#include "system/sys_position.h"
#include "workload/parallel/layout_parts.h"

enum { MAX_CUTS = 2 * ORR_FOLD_MAX_DIGITS };

struct cuts {
    uint64_t at[MAX_CUTS];
    unsigned count;
};

static void cut(struct cuts *cuts, uint64_t at)
{
    unsigned i = 0;
    while (i < cuts->count && cuts->at[i] != at) {
        i++;
    }
    if (i == cuts->count && at > 1 && i < MAX_CUTS) {
        cuts->at[cuts->count++] = at;
    }
}

static int compare_cuts(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Makes the digits between the cuts; false: one does not divide the next. */
static bool digits_between(const struct cuts *cuts, struct orr_fold *fold)
{
    uint64_t before = 1;
    fold->digits = 0;
    for (unsigned i = 0; i < cuts->count; i++) {
        if (cuts->at[i] % before != 0 ||
            !orr_fold_add_digit(fold, (uint32_t)(cuts->at[i] / before))) {
            return false;
        }
        before = cuts->at[i];
    }
    return true;
}

static void cut_dims(const struct net_config *network, struct cuts *cuts)
{
    uint64_t at = 1;
    for (unsigned d = 0; d < network->dims; d++) {
        at *= network->dim[d].npus;
        cut(cuts, at);
    }
}

static void cut_digit(struct cuts *cuts, struct gen_digit digit)
{
    if (digit.size > 1) {
        cut(cuts, digit.stride);
        cut(cuts, (uint64_t)digit.stride * digit.size);
    }
}

static void cut_axes(const struct gen_layout *layout, struct cuts *cuts)
{
    for (unsigned a = 0; a < GEN_AXES; a++) {
        cut_digit(cuts, (struct gen_digit){layout->size[a], layout->stride[a]});
    }
    if (gen_ulysses_ranks(layout) > 1) {
        cut(cuts, (uint64_t)layout->stride[GEN_CONTEXT] * layout->ulysses);
    }
    if (layout->replicas > 1) {
        cut(cuts, (uint64_t)layout->stride[GEN_DATA] * (layout->size[GEN_DATA] / layout->replicas));
    }
    if (layout->experts.are_apart) {
        cut_digit(cuts, layout->experts.tensor);
        cut_digit(cuts, layout->experts.ranks);
        cut_digit(cuts, layout->experts.data);
    }
}

/* Adds a cut if it divides, or is divided by, all present ones. */
static void cut_if_it_fits(struct cuts *cuts, uint64_t at, uint32_t npus)
{
    for (unsigned i = 0; i < cuts->count; i++) {
        if (cuts->at[i] % at != 0 && at % cuts->at[i] != 0) {
            return;
        }
    }
    if (npus % at == 0) {
        cut(cuts, at);
    }
}

/* Cuts at listed groups of evenly spaced ranks, as along an axis of a model. */
static void cut_groups(const struct sys *planner, struct cuts *cuts)
{
    for (uint32_t group = 1; group < orr_sys_groups(planner) && cuts->count < MAX_CUTS; group++) {
        const uint32_t size = orr_sys_group_size(planner, group);
        const uint32_t first = orr_sys_group_rank(planner, group, sys_position(0)).rank;
        const uint32_t stride =
            size > 1 ? orr_sys_group_rank(planner, group, sys_position(1)).rank - first : 0;
        uint32_t i = 2;
        while (i < size &&
               orr_sys_group_rank(planner, group, sys_position(i)).rank - first == i * stride) {
            i++;
        }
        if (size > 1 && i >= size && stride < orr_sys_group_size(planner, 0)) {
            cut_if_it_fits(cuts, stride, orr_sys_group_size(planner, 0));
            cut_if_it_fits(cuts, (uint64_t)stride * size, orr_sys_group_size(planner, 0));
        }
    }
}

/* Cuts at the digits by which the network's builder numbers its NPUs. */
static void cut_graph(const struct net_graph *graph, struct cuts *cuts)
{
    uint64_t at = 1;
    for (unsigned d = 0; d < graph->digits; d++) {
        at *= graph->digit[d];
        cut_if_it_fits(cuts, at, graph->npus);
    }
}

static bool choose_digits(struct cuts *cuts, struct orr_fold *fold)
{
    qsort(cuts->at, cuts->count, sizeof *cuts->at, compare_cuts);
    return digits_between(cuts, fold);
}

bool orr_wl_fold_cut(const struct wl_fold_job *job, const struct sys *planner,
                     struct orr_fold *fold)
{
    struct cuts dims = {.count = 0};
    if (job->group_npus != 0) {
        cut(&dims, job->group_npus);
        cut(&dims, orr_net_npus(job->network));
        return choose_digits(&dims, fold);
    }
    cut_dims(job->network, &dims);
    if (job->network->graph != NULL) {
        cut_graph(job->network->graph, &dims);
    }
    if (job->traces->layout != NULL) {
        cut_axes(job->traces->layout, &dims);
        return choose_digits(&dims, fold);
    }
    struct cuts all = dims;
    cut_groups(planner, &all);
    return choose_digits(&all, fold) || choose_digits(&dims, fold);
}
