/* The algorithm of a phase: the named one, the autotuned one, or that of the dimension's block
 * (ASTRA-sim 2.0, Table I). */
#include "system/collectives/trees.h"
#include "system/plan/autotune.h"

const struct sys_algorithm_list *orr_sys_list_of(const struct sys *sys, enum coll_kind kind)
{
    return kind < SYS_LISTED_KINDS ||
                   (kind < SYS_NAMED_KINDS && sys->config->algorithms[kind].count != 0)
               ? &sys->config->algorithms[kind]
               : NULL;
}

/* In a graph each pair of NPUs has its own route, so an all-to-all is direct. */
const struct coll_algorithm *orr_sys_block_algorithm(const struct net_config *net, unsigned d,
                                                     enum coll_kind kind)
{
    if (net->graph != NULL && kind == COLL_ALL_TO_ALL) {
        return orr_coll_for(COLL_FOR_CLIQUE);
    }
    switch (net->dim[d].block) {
    case NET_FULLY_CONNECTED:
        return orr_coll_for(COLL_FOR_CLIQUE);
    case NET_SWITCH:
        return orr_coll_for(COLL_FOR_SWITCH);
    default:
        return orr_coll_for(COLL_FOR_RING);
    }
}

/* The entry of the configured list; none without a list. */
struct sys_algorithm orr_sys_named_algorithm(const struct sys *sys,
                                             const struct sys_operation *operation, unsigned d)
{
    const struct sys_algorithm_list *list = orr_sys_list_of(sys, operation->kind);
    const struct sys_algorithm defaults = {.choice = sys->config->choice};
    if (list == NULL || list->count == 0) {
        return defaults;
    }
    const unsigned item = operation->dim[d].queue_dim;
    return list->items[item < list->count ? item : list->count - 1];
}

bool orr_sys_dim_is_auto(const struct sys *sys, const struct sys_operation *operation, unsigned d)
{
    const struct sys_algorithm named = orr_sys_named_algorithm(sys, operation, d);
    const struct sys_algorithm_list *list = orr_sys_list_of(sys, operation->kind);
    return named.algorithm == NULL && named.choice == SYS_AUTO &&
           (list == NULL || list->custom == NULL);
}

bool orr_sys_algorithm_fits(const struct sys *sys, const struct sys_operation *operation,
                            unsigned d, enum coll_kind kind, const struct coll_algorithm *algorithm)
{
    const struct net_config *net = sys->net->config;
    const bool reduces = net->dim[operation->dim[d].queue_dim].reduces &&
                         (!operation->flat || net->dims == 1) && net->graph == NULL;
    const struct coll_trees *trees = sys->config->trees;
    if (operation->sizes != NULL && !algorithm->uneven) {
        return false;
    }
    const bool has = !algorithm->given || (trees != NULL && trees->n == operation->dim[d].n);
    return algorithm->supports(kind, operation->dim[d].n) && (!algorithm->in_switch || reduces) &&
           has;
}

/* An uneven all-gather or reduce-scatter whose algorithm is not named: on one port a ring, in which
 * every member sends about as much; in direct exchanges the largest part leaves, or enters, one
 * port n - 1 times. */
static const struct coll_algorithm *balanced(const struct sys *sys,
                                             const struct sys_operation *operation, unsigned d,
                                             const struct coll_algorithm *chosen)
{
    const struct net_dim *net = &sys->net->config->dim[operation->dim[d].queue_dim];
    const bool port_per_peer = net->block == NET_FULLY_CONNECTED && !net->per_npu &&
                               sys->net->config->graph == NULL && !operation->flat;
    const bool stays = operation->sizes == NULL || operation->kind == COLL_ALL_TO_ALL ||
                       chosen->around || port_per_peer;
    return stays ? chosen : orr_coll_for(COLL_FOR_RING);
}

/* Named, else autotuned, else the block's algorithm (Table I). Flat groups of the policy use the
 * list's only entry, else a ring. `direct` replaces an algorithm that cannot run. */
struct sys_algorithm orr_sys_algorithm_of(const struct sys *sys,
                                          const struct sys_operation *operation, unsigned d,
                                          enum coll_kind phase_kind)
{
    const struct sys_algorithm_list *list = orr_sys_list_of(sys, operation->kind);
    const unsigned at = operation->dim[d].queue_dim;
    struct sys_algorithm chosen = orr_sys_named_algorithm(sys, operation, d);
    if (list != NULL && operation->flat && sys->policy->flat_groups) {
        chosen = list->count == 1 ? list->items[0] : (struct sys_algorithm){0};
        chosen.algorithm =
            chosen.algorithm != NULL ? chosen.algorithm : orr_coll_for(COLL_FOR_RING);
    }
    const bool named = chosen.algorithm != NULL;
    if (chosen.algorithm == NULL && operation->tuning != NULL) {
        chosen.algorithm = operation->tuning->of[at];
    }
    if (chosen.algorithm == NULL) {
        chosen.algorithm = orr_sys_block_algorithm(sys->net->config, at, phase_kind);
    }
    chosen.algorithm = named ? chosen.algorithm : balanced(sys, operation, d, chosen.algorithm);
    const bool tree = sys->policy->trees_all_reduce && phase_kind < SYS_LISTED_KINDS &&
                      chosen.algorithm->chain == COLL_CHAIN_TREES &&
                      (operation->dim[d].n & (operation->dim[d].n - 1)) == 0;
    const enum coll_kind runs = tree ? COLL_ALL_REDUCE : phase_kind;
    return orr_sys_algorithm_fits(sys, operation, d, runs, chosen.algorithm)
               ? chosen
               : (struct sys_algorithm){.algorithm = orr_coll_for(COLL_FOR_ANYTHING)};
}
