/* Merging of configuration trees; see conf_private.h. */
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"

struct orr_conf *orr_conf_copy_map(struct orr_arena *arena, const struct orr_conf *map,
                                   size_t extra, const struct orr_conf ***items, const char ***keys)
{
    struct orr_conf *copy = orr_arena_alloc(arena, sizeof *copy);
    *items = orr_arena_array(arena, map->count + extra, sizeof **items);
    *keys = orr_arena_array(arena, map->count + extra, sizeof **keys);
    if (copy == NULL || *items == NULL || *keys == NULL) {
        return NULL;
    }
    *copy = *map;
    if (map->count != 0) {
        memcpy((void *)*items, (const void *)map->item, map->count * sizeof **items);
        if (map->key != NULL) {
            memcpy((void *)*keys, (const void *)map->key, map->count * sizeof **keys);
        }
    }
    copy->item = *items;
    copy->key = *keys;
    return copy;
}

const struct orr_conf *orr_conf_with(struct orr_arena *arena, const struct orr_conf *map,
                                     const char *key, const struct orr_conf *value)
{
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *copy = orr_conf_copy_map(arena, map, 1, &items, &keys);
    if (copy == NULL) {
        return NULL;
    }
    bool replaced = false;
    copy->count = 0;
    for (size_t i = 0; i < map->count; i++) {
        const bool this = strcmp(map->key[i], key) == 0;
        if (!this || value != NULL) {
            items[copy->count] = this ? value : map->item[i];
            keys[copy->count++] = map->key[i];
        }
        replaced = replaced || this;
    }
    if (!replaced && value != NULL) {
        items[copy->count] = value;
        keys[copy->count++] = key;
    }
    return copy;
}

static enum orr_status conflict(const struct orr_conf *first, const struct orr_conf *second,
                                struct orr_diag *diag)
{
    const struct orr_location place = orr_conf_location(second);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s is set by two files: here and at %s:%u:%u; remove one", second->path,
                         first->file, first->line, first->column);
}

/* Whether two values are the same line: a file that two others include is read twice. */
static bool is_same_location(const struct orr_conf *a, const struct orr_conf *b)
{
    return strcmp(a->file, b->file) == 0 && a->line == b->line && a->column == b->column;
}

/* Whether a value is from a directly included file. */
static bool is_named(const struct conf_merging *merging, const struct orr_conf *value)
{
    bool named = false;
    for (size_t i = 0; i < merging->names && !named; i++) {
        named = strcmp(merging->named[i]->file, value->file) == 0;
    }
    return named;
}

/* Merges two values of one key. `winner`, if any, overrides both; else the value of a directly
 * included file overrides that of an indirectly included one. */
static enum orr_status merge_values(const struct conf_merging *merging,
                                    const struct orr_conf **first, const struct orr_conf *second,
                                    const struct orr_conf *winner)
{
    if ((*first)->kind == ORR_CONF_MAP && second->kind == ORR_CONF_MAP) {
        return orr_conf_merge_maps(merging, *first, second, winner, first);
    }
    const bool settled = winner != NULL || is_same_location(*first, second);
    const bool second_named = is_named(merging, second);
    if (!settled && is_named(merging, *first) == second_named) {
        return conflict(*first, second, merging->diag);
    }
    *first = !settled && second_named ? second : *first;
    return ORR_OK;
}

static size_t find_name(const char *const *names, size_t count, const char *name)
{
    size_t at = 0;
    while (at < count && strcmp(names[at], name) != 0) {
        at++;
    }
    return at;
}

/* The union of two mappings; values in both conflict unless both are mappings or the mapping
 * `winner` (NULL: none) has the key too. */
enum orr_status orr_conf_merge_maps(const struct conf_merging *merging,
                                    const struct orr_conf *first, const struct orr_conf *second,
                                    const struct orr_conf *winner, const struct orr_conf **out)
{
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *merged =
        orr_conf_copy_map(merging->arena, first, second->count, &items, &keys);
    if (merged == NULL) {
        return orr_diag_no_memory(merging->diag, "a configuration");
    }
    for (size_t i = 0; i < second->count; i++) {
        const size_t at = find_name(keys, first->count, second->key[i]);
        if (at == first->count) {
            items[merged->count] = second->item[i];
            keys[merged->count++] = second->key[i];
            continue;
        }
        const struct orr_conf *best = winner != NULL ? orr_conf_get(winner, keys[at]) : NULL;
        const enum orr_status status = merge_values(merging, &items[at], second->item[i], best);
        if (status != ORR_OK) {
            return status;
        }
    }
    *out = merged;
    return ORR_OK;
}

/* A copy of the list that keeps the overridden one. */
static const struct orr_conf *link_lists(struct orr_arena *arena, const struct orr_conf *over,
                                         const struct orr_conf *overridden)
{
    struct orr_conf *list = orr_arena_alloc(arena, sizeof *list);
    if (list != NULL) {
        *list = *over;
        list->overridden = overridden;
    }
    return list;
}

/* `over` with the keys that only the other mapping has. */
const struct orr_conf *orr_conf_overlay(struct orr_arena *arena, const struct orr_conf *over,
                                        const struct orr_conf *overridden)
{
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *merged = orr_conf_copy_map(arena, over, overridden->count, &items, &keys);
    for (size_t i = 0; merged != NULL && i < overridden->count; i++) {
        const size_t at = find_name(keys, over->count, overridden->key[i]);
        if (at == over->count) {
            items[merged->count] = overridden->item[i];
            keys[merged->count++] = overridden->key[i];
        } else if (items[at]->kind == ORR_CONF_MAP && overridden->item[i]->kind == ORR_CONF_MAP) {
            items[at] = orr_conf_overlay(arena, items[at], overridden->item[i]);
            merged = items[at] != NULL ? merged : NULL;
        } else if (items[at]->kind == ORR_CONF_LIST && overridden->item[i]->kind == ORR_CONF_LIST) {
            items[at] = link_lists(arena, items[at], overridden->item[i]);
            merged = items[at] != NULL ? merged : NULL;
        }
    }
    return merged;
}
