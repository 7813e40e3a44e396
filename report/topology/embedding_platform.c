/* The trees of a platform's `system` section, as embedding options. */
#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "report/topology/embedding_report.h"

/* The text of a scalar, or of a list joined by `between`; NULL: no memory. */
static const char *joined(const struct orr_conf *node, const char *between, struct orr_arena *arena)
{
    const char *text = "";
    if (node->kind == ORR_CONF_SCALAR) {
        return node->text;
    }
    for (size_t i = 0; i < node->count && text != NULL; i++) {
        if (node->item[i]->kind == ORR_CONF_SCALAR) {
            text =
                orr_arena_printf(arena, "%s%s%s", text, i == 0 ? "" : between, node->item[i]->text);
        }
    }
    return text;
}

/* The number in "search 3"; NULL in "search": the default number. */
static const char *number_of(const char *search)
{
    const char *number = search + strlen("search");
    number += strspn(number, " ");
    return *number != '\0' ? number : NULL;
}

/* "2 0 4" as "2-0-4". */
static const char *dashed(const char *path_node, struct orr_arena *arena)
{
    char *copy = orr_arena_strdup(arena, path_node);
    for (char *c = copy; c != NULL && *c != '\0'; c++) {
        *c = *c == ' ' ? '-' : *c;
    }
    return copy;
}

static bool read_detours(const struct orr_conf *user_paths, struct orr_embedding_options *options,
                         struct orr_arena *arena)
{
    const bool one = user_paths->kind == ORR_CONF_SCALAR;
    const size_t count = one ? 1 : user_paths->count;
    const char **detour = orr_arena_array(arena, count + 1, sizeof *detour);
    bool taken = detour != NULL;
    for (size_t i = 0; i < count && taken; i++) {
        const struct orr_conf *path_node = one ? user_paths : user_paths->item[i];
        detour[i] = dashed(path_node->kind == ORR_CONF_SCALAR ? path_node->text : "", arena);
        taken = detour[i] != NULL;
    }
    options->detour = detour;
    options->given = count;
    return taken;
}

static bool is_set_to(const struct orr_conf *system, const char *key, const char *word)
{
    const struct orr_conf *node = orr_conf_get(system, key);
    return node != NULL && node->kind == ORR_CONF_SCALAR && strcmp(node->text, word) == 0;
}

/* The first dimension that an algorithm of the platform has trees in; `dims`: none, or trees go
 * through all NPUs. */
static unsigned dim_of(const struct orr_conf *system, unsigned dims)
{
    const struct orr_conf *algorithms = orr_conf_get(system, "algorithms");
    unsigned first = dims;
    for (size_t i = 0;
         algorithms != NULL && algorithms->kind == ORR_CONF_MAP && i < algorithms->count; i++) {
        const struct orr_conf *value = algorithms->item[i];
        const size_t items = value->kind == ORR_CONF_LIST ? value->count : 1;
        for (size_t d = 0; d < items && d < first; d++) {
            const struct orr_conf *item = value->kind == ORR_CONF_LIST ? value->item[d] : value;
            const bool names = item->kind == ORR_CONF_SCALAR && strcmp(item->text, "trees") == 0;
            first = names ? (unsigned)d : first;
        }
    }
    return first;
}

bool orr_embedding_members(const struct orr_conf *system, const struct net_config *config,
                           struct orr_embedding_options *options, struct orr_arena *arena)
{
    const bool has = system != NULL && system->kind == ORR_CONF_MAP &&
                     orr_conf_get(system, "trees") != NULL && options->ranks == NULL &&
                     !options->rings;
    const unsigned dim = has ? dim_of(system, config->dims) : config->dims;
    uint32_t stride = 1;
    if (dim >= config->dims || config->dims == 1) {
        return true;
    }
    for (unsigned d = 0; d < dim; d++) {
        stride *= config->dim[d].npus;
    }
    const char *ranks = "0";
    for (uint32_t i = 1; i < config->dim[dim].npus && ranks != NULL; i++) {
        ranks = orr_arena_printf(arena, "%s,%" PRIu32, ranks, i * stride);
    }
    options->ranks = ranks;
    return ranks != NULL;
}

bool orr_embedding_of_platform(const struct orr_conf *system, struct orr_embedding_options *options,
                               struct orr_arena *arena)
{
    const struct orr_conf *trees =
        system != NULL && system->kind == ORR_CONF_MAP ? orr_conf_get(system, "trees") : NULL;
    if (trees == NULL || trees->kind == ORR_CONF_MAP || options->trees != NULL || options->rings) {
        return true;
    }
    const char *text = joined(trees, "; ", arena);
    if (text == NULL) {
        return false;
    }
    options->trees = strncmp(text, "search", strlen("search")) == 0 ? number_of(text) : text;
    if (options->detours == NULL && is_set_to(system, "tree_detours", "switches")) {
        options->detours = "off";
    }
    options->strict = options->strict || is_set_to(system, "tree_channels", "own");
    const struct orr_conf *user_paths = orr_conf_get(system, "tree_ways");
    return user_paths == NULL || user_paths->kind == ORR_CONF_MAP || options->given > 0 ||
           read_detours(user_paths, options, arena);
}
