/* Registry of collective algorithms, their roles, and names of the kinds. */
#include <stddef.h>
#include <string.h>

#include "core/extensions.h"
#include "system/collectives/program.h"

#define ORR_COLL_ALGORITHM(name) extern const struct coll_algorithm name;
#include "system/collectives/algorithm_list.h"
#undef ORR_COLL_ALGORITHM

const struct coll_algorithm *const orr_coll_algorithms[] = {
#define ORR_COLL_ALGORITHM(name) &name,
#include "system/collectives/algorithm_list.h"
#undef ORR_COLL_ALGORITHM
    NULL};

/* Defaults of blocks: ASTRA-sim 2.0, Table I. */
static const struct coll_algorithm *const roles[COLL_ROLES] = {
    [COLL_FOR_RING] = &orr_coll_ring,
    [COLL_FOR_CLIQUE] = &orr_coll_direct,
    [COLL_FOR_SWITCH] = &orr_coll_halving_doubling,
    [COLL_FOR_TURNS] = &orr_coll_double_binary_tree,
    [COLL_FOR_LINKS] = &orr_coll_multi_ring,
    [COLL_FOR_ANYTHING] = &orr_coll_direct};

const struct coll_algorithm *orr_coll_for(enum coll_role role)
{
    return roles[role];
}

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
    return orr_extension_find(ORR_EXTENSION_COLLECTIVE, name);
}

const struct coll_algorithm *orr_coll_algorithm_at(size_t index)
{
    enum { ALGORITHMS = sizeof orr_coll_algorithms / sizeof *orr_coll_algorithms - 1 };
    return index < ALGORITHMS ? orr_coll_algorithms[index]
                              : orr_extension_at(ORR_EXTENSION_COLLECTIVE, index - ALGORITHMS);
}

const char *orr_coll_kind_name(enum coll_kind kind)
{
    return (unsigned)kind < COLL_KINDS ? kind_names[kind] : "unknown";
}
