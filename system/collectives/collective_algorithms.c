/* The table of collective algorithms and the names of the kinds. */
#include <stddef.h>
#include <string.h>

#include "system/collectives/program.h"

const struct coll_algorithm *const coll_algorithms[] = {
    &coll_ring, &coll_bidirectional_ring, &coll_direct,   &coll_halving_doubling,
    &coll_tree, &coll_double_binary_tree, &coll_pairwise, &coll_switch_reduce,
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

const struct coll_algorithm *coll_algorithm_find(const char *name)
{
    for (size_t i = 0; coll_algorithms[i] != NULL; i++) {
        if (strcmp(coll_algorithms[i]->name, name) == 0) {
            return coll_algorithms[i];
        }
    }
    return NULL;
}

const char *coll_kind_name(enum coll_kind kind)
{
    return (unsigned)kind < COLL_KINDS ? kind_names[kind] : "unknown";
}
