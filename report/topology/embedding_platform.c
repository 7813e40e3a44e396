/* The trees of a platform's `system` section, as the words that ask for them. */
#include <string.h>

#include "report/topology/embedding_report.h"

/* The texts of a value or a list of them, with `between` two; NULL: memory is out. */
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

/* "search", "search 3": how many; NULL: the usual number. */
static const char *number_of(const char *search)
{
    const char *number = search + strlen("search");
    number += strspn(number, " ");
    return *number != '\0' ? number : NULL;
}

/* "2 0 4" as "2-0-4". */
static const char *dashed(const char *way, struct orr_arena *arena)
{
    char *copy = orr_arena_strdup(arena, way);
    for (char *c = copy; c != NULL && *c != '\0'; c++) {
        *c = *c == ' ' ? '-' : *c;
    }
    return copy;
}

static bool take_ways(const struct orr_conf *ways, struct orr_embedding_words *words,
                      struct orr_arena *arena)
{
    const bool one = ways->kind == ORR_CONF_SCALAR;
    const size_t count = one ? 1 : ways->count;
    const char **detour = orr_arena_array(arena, count + 1, sizeof *detour);
    bool taken = detour != NULL;
    for (size_t i = 0; i < count && taken; i++) {
        const struct orr_conf *way = one ? ways : ways->item[i];
        detour[i] = dashed(way->kind == ORR_CONF_SCALAR ? way->text : "", arena);
        taken = detour[i] != NULL;
    }
    words->detour = detour;
    words->given = count;
    return taken;
}

static bool says(const struct orr_conf *system, const char *key, const char *word)
{
    const struct orr_conf *node = orr_conf_get(system, key);
    return node != NULL && node->kind == ORR_CONF_SCALAR && strcmp(node->text, word) == 0;
}

bool orr_embedding_of_platform(const struct orr_conf *system, struct orr_embedding_words *words,
                               struct orr_arena *arena)
{
    const struct orr_conf *trees =
        system != NULL && system->kind == ORR_CONF_MAP ? orr_conf_get(system, "trees") : NULL;
    if (trees == NULL || trees->kind == ORR_CONF_MAP || words->trees != NULL || words->rings) {
        return true;
    }
    const char *text = joined(trees, "; ", arena);
    if (text == NULL) {
        return false;
    }
    words->trees = strncmp(text, "search", strlen("search")) == 0 ? number_of(text) : text;
    if (words->detours == NULL && says(system, "tree_detours", "switches")) {
        words->detours = "off";
    }
    words->strict = words->strict || says(system, "tree_channels", "own");
    const struct orr_conf *ways = orr_conf_get(system, "tree_ways");
    return ways == NULL || ways->kind == ORR_CONF_MAP || words->given > 0 ||
           take_ways(ways, words, arena);
}
