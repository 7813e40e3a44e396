/* The forest of a collective of all NPUs on a graph: found once for each kind and root, and kept by
 * the group. */
#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/spanning_forest.h"
#include "network/net_config.h"
#include "network/net_config_graph.h"
#include "system/collectives/forest.h"
#include "system/groups/group.h"
#include "system/plan/autotune.h"

/* A forest that was looked for. */
struct sys_forest {
    bool reduces, gathers;
    uint32_t root; /* NET_FOREST_ALL: all NPUs */
    enum orr_status status;
    struct orr_diag why;
    struct coll_forest forest;
    struct sys_forest *next;
};

static enum orr_status add_part(const struct sys *sys, struct sys_forest *wanted, bool reduces,
                                struct coll_forest_part *out)
{
    const struct net_forest_request request = {
        .graph = sys->net->config->graph, .reversed = reduces, .root = wanted->root};
    struct net_forest found;
    const enum orr_status status = orr_net_forest(&request, sys->arena, &found, &wanted->why);
    if (status != ORR_OK) {
        return status;
    }
    const struct coll_forest_trees trees = {.n = found.npus,
                                            .roots = found.roots,
                                            .root = found.root,
                                            .units = found.units,
                                            .parent = found.parent,
                                            .reduces = reduces};
    return orr_coll_forest_part(&trees, sys->arena, out)
               ? ORR_OK
               : orr_diag_no_memory(&wanted->why, "the trees of a network");
}

static void find(const struct sys *sys, struct sys_forest *wanted)
{
    orr_diag_init(&wanted->why);
    wanted->forest.n = sys->net->config->graph->npus;
    wanted->forest.root = wanted->root == NET_FOREST_ALL ? 0 : wanted->root;
    if (wanted->reduces) {
        wanted->status = add_part(sys, wanted, true, &wanted->forest.reduce);
    }
    if (wanted->gathers && wanted->status == ORR_OK) {
        wanted->status = add_part(sys, wanted, false, &wanted->forest.gather);
    }
}

/* Whether the operation spans the NPUs of a graph, in order, in one dimension. */
static bool spans_graph(const struct sys *sys, const struct sys_operation *operation)
{
    const struct net_config *net = sys->net->config;
    return net->graph != NULL && operation->group->whole && operation->group->ranks == NULL &&
           operation->dims == 1 && net->graph->npus > 1 &&
           operation->dim[0].n == net->graph->npus && net->graph->circuits == NULL;
}

enum orr_status orr_sys_phase_forest(const struct sys *sys, const struct sys_operation *operation,
                                     const struct coll_forest **out, struct orr_diag *diag)
{
    struct sys_group *group = operation->group;
    const enum coll_kind kind = operation->kind;
    const uint32_t root = kind == COLL_BROADCAST ? operation->root.position : NET_FOREST_ALL;
    const bool reduces = kind == COLL_ALL_REDUCE || kind == COLL_REDUCE_SCATTER;
    const bool gathers = kind != COLL_REDUCE_SCATTER;
    *out = NULL;
    if (!spans_graph(sys, operation)) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "goes along trees on the links of a graph (system.algorithms: forest): expected a "
            "group of all NPUs, in order, on a graph");
    }
    struct sys_forest *found = group->forests;
    while (found != NULL &&
           (found->reduces != reduces || found->gathers != gathers || found->root != root)) {
        found = found->next;
    }
    if (found == NULL) {
        found = orr_arena_alloc(sys->arena, sizeof *found);
        if (found == NULL) {
            return orr_diag_no_memory(diag, "the trees of a network");
        }
        *found = (struct sys_forest){
            .reduces = reduces, .gathers = gathers, .root = root, .next = group->forests};
        group->forests = found;
        find(sys, found);
    }
    *out = found->status == ORR_OK ? &found->forest : NULL;
    return found->status == ORR_OK ? ORR_OK : orr_diag_forward(diag, &found->why);
}
