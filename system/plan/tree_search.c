/* `system.trees: search`: searches for trees on the links of the network's graph, for the dimension
 * with the algorithm `trees`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/units.h"
#include "system/collectives/trees.h"
#include "system/embedding/embedding.h"
#include "system/plan/planning.h"

enum { DEFAULT_TREES = 2, SEED = 1 };

bool orr_sys_parse_tree_search(const char *text, struct sys_config *config)
{
    static const char word[] = "search";
    int64_t trees = DEFAULT_TREES;
    if (strncmp(text, word, strlen(word)) != 0) {
        return false;
    }
    const char *number = text + strlen(word);
    number += strspn(number, " ");
    if (*number != '\0' &&
        (!orr_parse_integer(number, &trees) || trees < 1 || trees > SYS_MAX_TREES)) {
        return false;
    }
    config->tree_keys.search = (uint32_t)trees;
    return true;
}

/* Whether the value of a kind names the algorithm trees; `lists`: and others, by dimension. */
static bool names_trees(const struct orr_conf *value, bool *lists)
{
    bool names = false;
    if (value->kind == ORR_CONF_SCALAR) {
        return strcmp(value->text, "trees") == 0;
    }
    for (size_t i = 0; value->kind == ORR_CONF_LIST && i < value->count; i++) {
        names |=
            value->item[i]->kind == ORR_CONF_SCALAR && strcmp(value->item[i]->text, "trees") == 0;
    }
    *lists |= value->kind == ORR_CONF_LIST && value->count > 1;
    return names;
}

bool orr_sys_trees_span_all(const struct orr_conf *system)
{
    const bool is_map = system != NULL && system->kind == ORR_CONF_MAP;
    const struct orr_conf *trees = is_map ? orr_conf_get(system, "trees") : NULL;
    const struct orr_conf *algorithms = is_map ? orr_conf_get(system, "algorithms") : NULL;
    const char *text = trees != NULL && trees->kind == ORR_CONF_SCALAR ? trees->text : "";
    bool names = false, lists = false;
    if (algorithms == NULL || algorithms->kind != ORR_CONF_MAP ||
        strncmp(text, "search", strlen("search")) != 0) {
        return false;
    }
    for (size_t i = 0; i < algorithms->count; i++) {
        names |= names_trees(algorithms->item[i], &lists);
    }
    return names && !lists;
}

/* The first dimension that uses trees; dims: none. */
static unsigned dim_of(const struct sys_config *config, const struct net_config *net)
{
    unsigned d = 0;
    while (d < net->dims && !(orr_sys_uses_user_trees(config, d) && net->dim[d].npus > 1)) {
        d++;
    }
    return d;
}

static bool copy_trees(struct orr_arena *arena, const struct sys_trees *found,
                       struct sys_config *config)
{
    struct coll_trees *trees = orr_arena_alloc(arena, sizeof *trees);
    struct coll_tree *tree = orr_arena_array(arena, found->trees, sizeof *tree);
    if (trees == NULL || tree == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < found->trees; t++) {
        tree[t] = (struct coll_tree){.parent = found->tree[t].parent};
        if (!orr_coll_tree_fill(&tree[t], found->n, arena)) {
            return false;
        }
    }
    *trees = (struct coll_trees){.n = found->n, .trees = found->trees, .tree = tree};
    config->trees = trees;
    return true;
}

static enum orr_status fail(const struct orr_conf *map, const char *why, struct orr_diag *diag)
{
    const struct orr_conf *node = orr_conf_get(map, "trees");
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s: %.400s", node->path, why);
}

/* Searches the first slice of the dimension; all slices are equal. */
static enum orr_status search(struct orr_arena *arena, const struct net_config *net, unsigned dim,
                              const struct sys_tree_keys *keys, struct sys_trees *out,
                              struct orr_diag *diag)
{
    const uint32_t n = net->dim[dim].npus;
    uint32_t *npu = orr_arena_array(arena, n, sizeof *npu);
    uint32_t stride = 1;
    if (npu == NULL) {
        return orr_diag_no_memory(diag, "the trees");
    }
    for (unsigned d = 0; d < dim; d++) {
        stride *= net->dim[d].npus;
    }
    for (uint32_t i = 0; i < n; i++) {
        npu[i] = i * stride;
    }
    const struct sys_embed embed = {.graph = net->graph,
                                    .n = n,
                                    .npu = npu,
                                    .detours = keys->detours,
                                    .given = keys->way,
                                    .givens = keys->ways};
    const struct sys_tree_search how = {.trees = keys->search, .seed = SEED};
    return orr_sys_search_trees(&embed, &how, arena, out, diag);
}

enum orr_status orr_sys_find_trees(struct orr_arena *arena, const struct orr_conf *map,
                                   struct sys_config *config, const struct net_config *net,
                                   struct orr_diag *diag)
{
    const unsigned dim = dim_of(config, net);
    struct sys_trees found;
    struct orr_diag reason;
    if (config->tree_keys.search == 0 || dim == net->dims) {
        return ORR_OK;
    }
    if (net->graph == NULL) {
        return fail(map, "search needs a network.graph; expected the parents of ranks", diag);
    }
    orr_diag_init(&reason);
    const enum orr_status status = search(arena, net, dim, &config->tree_keys, &found, &reason);
    if (status == ORR_ERR_INPUT) {
        return fail(map, reason.message, diag);
    }
    return status == ORR_OK && copy_trees(arena, &found, config)
               ? ORR_OK
               : orr_diag_no_memory(diag, "the trees");
}
