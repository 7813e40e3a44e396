/* The table of collective algorithms and the names of the kinds. */
#include <stddef.h>
#include <string.h>

#include "system/collectives/program.h"

const struct coll_algorithm *const orr_coll_algorithms[] = {&orr_coll_ring,
                                                            &orr_coll_bidirectional_ring,
                                                            &orr_coll_direct,
                                                            &orr_coll_halving_doubling,
                                                            &orr_coll_tree,
                                                            &orr_coll_double_binary_tree,
                                                            &orr_coll_pairwise,
                                                            &orr_coll_switch_reduce,
                                                            NULL};

static const char *const kind_names[COLL_KINDS] = {[COLL_ALL_REDUCE] = "all_reduce",
                                                   [COLL_ALL_GATHER] = "all_gather",
                                                   [COLL_REDUCE_SCATTER] = "reduce_scatter",
                                                   [COLL_ALL_TO_ALL] = "all_to_all",
                                                   [COLL_BROADCAST] = "broadcast",
                                                   [COLL_REDUCE] = "reduce",
                                                   [COLL_GATHER] = "gather",
                                                   [COLL_SCATTER] = "scatter",
                                                   [COLL_BARRIER] = "barrier"};

const struct coll_algorithm *orr_coll_algorithm_find(const char *name)
{
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        if (strcmp(orr_coll_algorithms[i]->name, name) == 0) {
            return orr_coll_algorithms[i];
        }
    }
    return NULL;
}

const char *orr_coll_kind_name(enum coll_kind kind)
{
    return (unsigned)kind < COLL_KINDS ? kind_names[kind] : "unknown";
}
