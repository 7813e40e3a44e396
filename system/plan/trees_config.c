/* Keys about trees in the `system` section: parents, paths, chunks; and checks against the named
 * algorithms. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/units.h"
#include "system/collectives/program.h"
#include "system/collectives/trees.h"
#include "system/embedding/embedding.h"
#include "system/plan/schedulers.h"
#include "system/sys_config.h"

/* ---- trees ---- */

static uint32_t count_words(const char *text)
{
    uint32_t words = 0;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        text += strcspn(text, " ");
        words++;
    }
    return words;
}

/* Reads one word per rank; false: a word is no parent. */
static bool read_parents(const char *text, uint32_t *parent)
{
    char word[16];
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        const size_t length = strcspn(text, " ");
        int64_t value = COLL_NO_PARENT;
        (void)snprintf(word, sizeof word, "%.*s", (int)(length < 15 ? length : 15), text);
        if (strcmp(word, "-") != 0 &&
            (!orr_parse_integer(word, &value) || value < 0 || value >= COLL_NO_PARENT)) {
            return false;
        }
        *parent++ = (uint32_t)value;
        text += length;
    }
    return true;
}

static enum orr_status fail(const struct orr_conf *node, const char *why, struct orr_diag *diag)
{
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s: %s", node->path, why);
}

/* One entry of system.trees. */
struct given {
    const struct orr_conf *node;
    const char *text;
    uint32_t number, n; /* 1-based number; ranks of the first tree */
};

static enum orr_status read_tree(struct orr_arena *arena, const struct given *given,
                                 struct coll_tree *out, struct orr_diag *diag)
{
    char why[512], what[32];
    struct orr_diag reason;
    struct sys_tree tree;
    const uint32_t n = count_words(given->text);
    uint32_t *parent = orr_arena_array(arena, n, sizeof *parent);
    if (parent == NULL && n > 0) {
        return orr_diag_no_memory(diag, "the trees");
    }
    (void)snprintf(what, sizeof what, "tree %u", given->number);
    if (n == 0 || !read_parents(given->text, parent)) {
        (void)snprintf(why, sizeof why,
                       "%s: expected the parent of each rank and - for the root, such as "
                       "\"- 0 0 1\", got \"%.64s\"",
                       what, given->text);
        return fail(given->node, why, diag);
    }
    if (n != given->n) {
        (void)snprintf(why, sizeof why, "%s has %u ranks, and the first one %u", what, n, given->n);
        return fail(given->node, why, diag);
    }
    orr_diag_init(&reason);
    if (orr_sys_tree_make(&tree, n, parent, what, &reason) != ORR_OK) {
        (void)snprintf(why, sizeof why, "%.400s", reason.message);
        return fail(given->node, why, diag);
    }
    *out = (struct coll_tree){.parent = parent};
    return orr_coll_tree_fill(out, n, arena) ? ORR_OK : orr_diag_no_memory(diag, "the trees");
}

enum orr_status orr_sys_read_trees(struct orr_arena *arena, const struct orr_conf *map,
                                   const struct orr_conf_list *texts, struct sys_config *config,
                                   struct orr_diag *diag)
{
    const char *const *text = texts->values;
    if (texts->count == 0 || (texts->count == 1 && orr_sys_parse_tree_search(text[0], config))) {
        return ORR_OK;
    }
    struct coll_trees *trees = orr_arena_alloc(arena, sizeof *trees);
    struct coll_tree *tree = orr_arena_array(arena, texts->count, sizeof *tree);
    if (trees == NULL || tree == NULL) {
        return orr_diag_no_memory(diag, "the trees");
    }
    const uint32_t n = count_words(text[0]);
    for (size_t i = 0; i < texts->count; i++) {
        const struct given given = {
            .node = orr_conf_get(map, "trees"), .text = text[i], .number = (uint32_t)i + 1, .n = n};
        const enum orr_status status = read_tree(arena, &given, &tree[i], diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    *trees = (struct coll_trees){.n = n, .trees = (uint32_t)texts->count, .tree = tree};
    config->trees = trees;
    return ORR_OK;
}

static enum orr_status read_tree_path(struct orr_arena *arena, const struct orr_conf *node,
                                      const char *text, struct sys_detour *out,
                                      struct orr_diag *diag)
{
    char why[128];
    const uint32_t n = count_words(text);
    uint32_t *stop = orr_arena_array(arena, n, sizeof *stop);
    if (stop == NULL && n > 0) {
        return orr_diag_no_memory(diag, "the paths of trees");
    }
    bool npus = n >= 3 && read_parents(text, stop);
    for (uint32_t i = 0; i < n && npus; i++) {
        npus = stop[i] != COLL_NO_PARENT;
    }
    if (!npus) {
        (void)snprintf(why, sizeof why,
                       "expected the NPUs of a path, three or more, such as 2 0 4, got \"%.32s\"",
                       text);
        return fail(node, why, diag);
    }
    *out =
        (struct sys_detour){.from = stop[0], .to = stop[n - 1], .count = n - 2, .over = stop + 1};
    return ORR_OK;
}

enum orr_status orr_sys_read_tree_paths(struct orr_arena *arena, const struct orr_conf *map,
                                        const struct orr_conf_list *texts,
                                        struct sys_config *config, struct orr_diag *diag)
{
    const char *const *text = texts->values;
    struct sys_detour *way = orr_arena_array(arena, texts->count, sizeof *way);
    if (way == NULL && texts->count > 0) {
        return orr_diag_no_memory(diag, "the paths of trees");
    }
    for (size_t i = 0; i < texts->count; i++) {
        const enum orr_status status =
            read_tree_path(arena, orr_conf_get(map, "tree_ways"), text[i], &way[i], diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    config->tree_keys.way = way;
    config->tree_keys.ways = (uint32_t)texts->count;
    return ORR_OK;
}

/* ---- chunks by kind ---- */

enum { MAX_CHUNKS = 4096 };

static enum orr_status read_chunks(const struct orr_conf *node, uint32_t *out,
                                   struct orr_diag *diag)
{
    int64_t chunks = 0;
    if (node->kind == ORR_CONF_SCALAR && strcmp(node->text, "optimal") == 0) {
        *out = SYS_BEST_CHUNKS;
        return ORR_OK;
    }
    if (node->kind != ORR_CONF_SCALAR || !orr_parse_integer(node->text, &chunks) || chunks < 1 ||
        chunks > MAX_CHUNKS) {
        return orr_conf_expected(node, "a whole number from 1 to 4096, or optimal", diag);
    }
    *out = (uint32_t)chunks;
    return ORR_OK;
}

enum orr_status orr_sys_read_chunks(const struct orr_conf *map, struct sys_config *config,
                                    struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (unsigned kind = 0; kind < SYS_NAMED_KINDS && status == ORR_OK && map != NULL; kind++) {
        const struct orr_conf *node = orr_conf_get(map, orr_coll_kind_name((enum coll_kind)kind));
        if (node != NULL) {
            status = read_chunks(node, &config->chunks_of[kind], diag);
        }
    }
    return status;
}

/* ---- checks ---- */

/* Whether an up-down algorithm is named for the kind; `given`: one that uses user trees. */
static bool names_trees(const struct sys_config *config, enum coll_kind kind, bool given)
{
    const struct sys_algorithm_list *list = &config->algorithms[kind];
    bool names = false;
    for (unsigned d = 0; d < list->count; d++) {
        const struct coll_algorithm *algorithm = list->items[d].algorithm;
        names |= algorithm != NULL && algorithm->up_down && (!given || algorithm->given);
    }
    return names;
}

bool orr_sys_uses_user_trees(const struct sys_config *config, unsigned dim)
{
    bool names = false;
    for (unsigned kind = 0; kind < SYS_NAMED_KINDS; kind++) {
        const struct sys_algorithm_list *list = &config->algorithms[kind];
        const struct coll_algorithm *algorithm =
            dim < list->count ? list->items[dim].algorithm : NULL;
        names |= algorithm != NULL && algorithm->given;
    }
    return names;
}

static bool uses_user_trees(const struct sys_config *config)
{
    bool names = false;
    for (unsigned kind = 0; kind < SYS_NAMED_KINDS; kind++) {
        names |= names_trees(config, (enum coll_kind)kind, true);
    }
    return names;
}

/* The algorithm `trees` needs user trees of the dimension's size. */
static enum orr_status check_sizes(const struct orr_conf *map, const struct sys_config *config,
                                   const struct net_config *net, struct orr_diag *diag)
{
    char why[160];
    const struct orr_conf *given = orr_conf_get(map, "trees");
    if (!uses_user_trees(config)) {
        orr_conf_warn_unused(map, "trees", "no algorithm uses them: name trees in algorithms",
                             diag);
        return ORR_OK;
    }
    if (config->trees == NULL) {
        return fail(orr_conf_get(map, "algorithms"),
                    "the algorithm trees needs system.trees, which is absent", diag);
    }
    for (unsigned kind = 0; kind < SYS_NAMED_KINDS; kind++) {
        const struct sys_algorithm_list *list = &config->algorithms[kind];
        for (unsigned d = 0; d < list->count; d++) {
            const struct coll_algorithm *algorithm = list->items[d].algorithm;
            if (algorithm != NULL && algorithm->given && net->dim[d].npus != config->trees->n) {
                (void)snprintf(why, sizeof why,
                               "trees of %u ranks, for dimension %u of the network, which has %u "
                               "NPUs",
                               config->trees->n, d + 1, net->dim[d].npus);
                return fail(given, why, diag);
            }
        }
    }
    return ORR_OK;
}

/* Trees visit the dimensions in baseline order, and cannot be served one phase at a time. */
static enum orr_status check_order(const struct orr_conf *map, const struct sys_config *config,
                                   struct orr_diag *diag)
{
    const bool trees = uses_user_trees(config) || config->phased || config->receive_buffers != 0;
    const struct sys_scheduler_ops *scheduler = config->scheduler;
    if (trees && config->service == SYS_BY_PHASE) {
        return fail(orr_conf_get(map, "dimension_service"),
                    "trees run chunk by chunk, not one phase at a time; expected message", diag);
    }
    if (trees && scheduler != NULL && (scheduler->order != NULL || scheduler->compares)) {
        return fail(orr_conf_get(map, "scheduler"),
                    "trees visit the dimensions in baseline order; expected baseline", diag);
    }
    return ORR_OK;
}

static enum orr_status check_phased(const struct orr_conf *map, const struct sys_config *config,
                                    struct orr_diag *diag)
{
    const bool all_reduces = names_trees(config, COLL_ALL_REDUCE, false);
    if (config->phased && !all_reduces) {
        return fail(orr_conf_get(map, "phased"),
                    "only all-reduces along trees have a root that can wait; expected "
                    "algorithms.all_reduce: trees, tree or double_binary_tree",
                    diag);
    }
    if (config->receive_buffers != 0 && !all_reduces && !names_trees(config, COLL_REDUCE, false)) {
        orr_conf_warn_unused(
            map, "receive_buffers",
            "they belong to edges of trees, and no algorithm of all_reduce or reduce uses trees",
            diag);
    }
    return ORR_OK;
}

static enum orr_status check_optimal(const struct orr_conf *map, const struct sys_config *config,
                                     const struct net_config *net, struct orr_diag *diag)
{
    for (unsigned kind = 0; kind < SYS_NAMED_KINDS; kind++) {
        const struct orr_conf *chunks_map = orr_conf_get(map, "chunks_of");
        const struct orr_conf *node =
            chunks_map != NULL ? orr_conf_get(chunks_map, orr_coll_kind_name((enum coll_kind)kind))
                               : NULL;
        if (config->chunks_of[kind] != SYS_BEST_CHUNKS) {
            continue;
        }
        if (!names_trees(config, (enum coll_kind)kind, false)) {
            return fail(node,
                        "optimal needs an algorithm of trees for this collective in algorithms; "
                        "expected a whole number from 1 to 4096",
                        diag);
        }
        if (net->message_overhead_ps == 0) {
            return fail(node,
                        "without message overhead the optimum is the maximum number of chunks; "
                        "expected network.message_overhead or system.host_synchronization",
                        diag);
        }
    }
    return ORR_OK;
}

enum orr_status orr_sys_check_tree_keys(const struct orr_conf *map, const struct sys_config *config,
                                        const struct net_config *net, struct orr_diag *diag)
{
    enum orr_status status = check_sizes(map, config, net, diag);
    if (status == ORR_OK) {
        status = check_order(map, config, diag);
    }
    if (status == ORR_OK) {
        status = check_phased(map, config, diag);
    }
    return status == ORR_OK ? check_optimal(map, config, net, diag) : status;
}
