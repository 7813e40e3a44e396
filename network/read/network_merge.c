/* Merges the dimensions of a section that several included files give, dimension by dimension. A
 * value of a file overrides the values of the files it includes, also if one is a value for all
 * dimensions (network.bandwidth, network.latency) and the other an entry of network.dims. A
 * topology keeps the dimensions of an included file with the same number of them. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "network/net_dims.h"
#include "network/notation.h"

enum { TEXT_BYTES = 128 };

struct merging {
    struct orr_arena *arena;
    struct orr_diag *diag;
    const struct orr_conf *topology, *dims, *bandwidth, *latency; /* NULL: absent */
    unsigned count;                                               /* of dimensions */
};

/* Include level of a value; absent values have the highest. */
static unsigned level_of(const struct orr_conf *node)
{
    return node != NULL ? node->level : UINT_MAX;
}

/* ---- values ---- */

static struct orr_conf *copy_node(struct orr_arena *arena, const struct orr_conf *from,
                                  size_t alloc, const struct orr_conf ***items, const char ***keys)
{
    struct orr_conf *copy = orr_arena_alloc(arena, sizeof *copy);
    *items = orr_arena_array(arena, alloc, sizeof **items);
    *keys = orr_arena_array(arena, alloc, sizeof **keys);
    if (copy == NULL || *items == NULL || *keys == NULL) {
        return NULL;
    }
    *copy = *from;
    copy->item = *items;
    copy->key = *keys;
    copy->count = 0;
    copy->overridden = NULL;
    return copy;
}

static bool gives_shape(const struct orr_conf *entry)
{
    return orr_conf_get(entry, "block") != NULL || orr_conf_get(entry, "npus") != NULL;
}

/* ---- entries ---- */

/* Adds the keys of an entry of an included file that are not set yet. Shapes are skipped if the
 * topology overrides them. */
static const struct orr_conf *add_entry(const struct merging *merging, const struct orr_conf *entry,
                                        const struct orr_conf *more)
{
    for (size_t i = 0; entry != NULL && i < more->count; i++) {
        const bool shape = strcmp(more->key[i], "block") == 0 || strcmp(more->key[i], "npus") == 0;
        if (orr_conf_get(entry, more->key[i]) == NULL &&
            !(shape && level_of(merging->topology) < more->level)) {
            entry = orr_conf_with(merging->arena, entry, more->key[i], more->item[i]);
        }
    }
    return entry;
}

/* The value for one dimension of a list for all; NULL if it has none. */
static const struct orr_conf *value_at(const struct orr_conf *list, size_t index)
{
    const struct orr_conf *expanded = NULL;
    if (list == NULL || orr_conf_expand_shorthand(list, &expanded, NULL) != ORR_OK) {
        return NULL;
    }
    if (expanded->kind != ORR_CONF_LIST) {
        return expanded;
    }
    return expanded->count == 1 ? expanded->item[0]
                                : (index < expanded->count ? expanded->item[index] : NULL);
}

/* Sets the key of the entry to the value of the list unless the entry has one of the same or a
 * lower include level. */
static const struct orr_conf *override_value(const struct merging *merging,
                                             const struct orr_conf *entry, const char *key,
                                             const struct orr_conf *list, size_t index)
{
    const struct orr_conf *value = value_at(list, index);
    const struct orr_conf *current = orr_conf_get(entry, key);
    if (value == NULL || (current != NULL && current->level <= list->level)) {
        return entry;
    }
    struct orr_conf *copy = orr_arena_alloc(merging->arena, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *value;
    return orr_conf_with(merging->arena, entry, key, copy);
}

/* Fails: the topology has more dimensions than the included files describe. */
static enum orr_status fail_missing_dims(const struct merging *merging, size_t known)
{
    const struct orr_conf *last = merging->dims;
    const struct orr_location place = orr_conf_location(merging->topology);
    char others[TEXT_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < known && used + 4 < sizeof others; i++) {
        used += (size_t)snprintf(others + used, sizeof others - used, "{}, ");
    }
    while (last->overridden != NULL) {
        last = last->overridden;
    }
    return orr_diag_fail(merging->diag, ORR_ERR_INPUT, &place,
                         "network.topology has %u dimensions, but network.dims at %s:%u, which is "
                         "included, has %zu; give the others here too, such as "
                         "dims: [%s{bandwidth: 50 GB/s, latency: 1 us}], or bandwidth and latency "
                         "of all dimensions, such as bandwidth: [300 GB/s, 50 GB/s, 25 GB/s]",
                         merging->count, last->file, last->line, known, others);
}

/* Merges the index-th entries of all lists of dimensions; NULL if memory is out. *known: it has a
 * bandwidth or was in a list. */
static const struct orr_conf *merge_entry(const struct merging *merging, size_t index, bool *known)
{
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *empty = copy_node(merging->arena, merging->dims, 1, &items, &keys);
    if (empty == NULL) {
        return NULL;
    }
    empty->kind = ORR_CONF_MAP;
    empty->path = orr_arena_printf(merging->arena, "%s[%zu]", merging->dims->path, index);
    const struct orr_conf *entry = empty->path != NULL ? empty : NULL;
    *known = false;
    for (const struct orr_conf *list = merging->dims; list != NULL; list = list->overridden) {
        if (index < list->count) {
            *known = true;
            entry = entry != NULL ? add_entry(merging, entry, list->item[index]) : NULL;
        }
    }
    entry = entry != NULL ? override_value(merging, entry, "bandwidth", merging->bandwidth, index)
                          : NULL;
    entry =
        entry != NULL ? override_value(merging, entry, "latency", merging->latency, index) : NULL;
    *known = *known || (entry != NULL && orr_conf_get(entry, "bandwidth") != NULL);
    return entry;
}

static enum orr_status merge_entries(const struct merging *merging, const struct orr_conf **out)
{
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *list = copy_node(merging->arena, merging->dims, merging->count, &items, &keys);
    if (list == NULL) {
        return orr_diag_no_memory(merging->diag, "the network's dimensions");
    }
    for (unsigned d = 0; d < merging->count; d++) {
        bool known;
        items[d] = merge_entry(merging, d, &known);
        if (items[d] == NULL) {
            return orr_diag_no_memory(merging->diag, "the network's dimensions");
        }
        if (!known) {
            return fail_missing_dims(merging, d);
        }
        list->count++;
    }
    list->key = NULL;
    *out = list;
    return ORR_OK;
}

/* ---- the section ---- */

/* The first node that is not a list of mappings, NULL: none. The reader reports it for a section of
 * one file. */
static const struct orr_conf *find_unmergeable(const struct orr_conf *dims)
{
    for (const struct orr_conf *list = dims; list != NULL; list = list->overridden) {
        if (list->kind != ORR_CONF_LIST || list->count > NET_MAX_DIMS) {
            return list;
        }
        for (size_t i = 0; i < list->count; i++) {
            if (list->item[i]->kind != ORR_CONF_MAP) {
                return list->item[i];
            }
        }
    }
    return NULL;
}

/* Whether the dimensions come from files of different include levels. */
static bool needs_merge(const struct merging *merging)
{
    const unsigned level = merging->dims->level;
    const bool others = merging->bandwidth != NULL && merging->bandwidth->level != level;
    return merging->dims->overridden != NULL || others || level_of(merging->topology) < level ||
           level_of(merging->latency) < level;
}

/* Whether the dimensions give all shapes themselves: then values of included files for another
 * network are dropped. */
static bool is_complete(const struct merging *merging)
{
    bool shapes = merging->dims->count != 0;
    for (size_t i = 0; i < merging->dims->count && shapes; i++) {
        shapes = gives_shape(merging->dims->item[i]);
    }
    return shapes && merging->dims->level <= level_of(merging->topology);
}

static const struct orr_conf *without_others(const struct merging *merging,
                                             const struct orr_conf *map)
{
    const unsigned level = merging->dims->level;
    if (merging->topology != NULL && merging->topology->level > level) {
        map = orr_conf_with(merging->arena, map, "topology", NULL);
    }
    if (map != NULL && merging->bandwidth != NULL && merging->bandwidth->level > level) {
        map = orr_conf_with(merging->arena, map, "bandwidth", NULL);
    }
    return map;
}

/* Counts the dimensions. More entries than the topology has are kept: the reader reports them. */
static enum orr_status count_dims(struct merging *merging)
{
    const struct orr_conf *topology = merging->topology;
    struct net_dim dim[NET_MAX_DIMS];
    const char *text = NULL;
    merging->count = 0;
    for (const struct orr_conf *list = merging->dims; list != NULL; list = list->overridden) {
        merging->count = list->count > merging->count ? (unsigned)list->count : merging->count;
    }
    if (topology == NULL) {
        return ORR_OK;
    }
    const unsigned current =
        merging->dims->level <= topology->level ? (unsigned)merging->dims->count : 0;
    const struct orr_location place = orr_conf_location(topology);
    enum orr_status status = orr_conf_text(topology, &text, merging->diag);
    if (status == ORR_OK) {
        status = orr_net_parse_notation(text, dim, &merging->count, &place, merging->diag);
    }
    merging->count = current > merging->count ? current : merging->count;
    return status;
}

/* Fails if a list for all dimensions has a wrong number of values and comes from a file at or above
 * the topology's level. */
static enum orr_status check_values(const struct merging *merging, const struct orr_conf *list)
{
    const struct orr_conf *expanded = NULL;
    if (list == NULL || list->level > level_of(merging->topology) ||
        orr_conf_expand_shorthand(list, &expanded, NULL) != ORR_OK ||
        expanded->kind != ORR_CONF_LIST || expanded->count == 1 ||
        expanded->count == merging->count) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(list);
    char each[TEXT_BYTES] = "";
    if (merging->count > 1) {
        (void)snprintf(each, sizeof each, ", or one for each of the %u dimensions", merging->count);
    }
    return orr_diag_fail(merging->diag, ORR_ERR_INPUT, &place, "%s: expected one value%s; got %zu",
                         list->path, each, expanded->count);
}

/* One file that gives both network.bandwidth and bandwidths of dims is an error, as without
 * includes. */
static enum orr_status check_bandwidths(const struct merging *merging)
{
    const struct orr_conf *all = merging->bandwidth;
    for (const struct orr_conf *list = merging->dims; list != NULL && all != NULL;
         list = list->overridden) {
        for (size_t i = 0; i < list->count; i++) {
            const struct orr_conf *current = orr_conf_get(list->item[i], "bandwidth");
            if (current != NULL && current->level == all->level) {
                const struct orr_location place = orr_conf_location(all);
                return orr_diag_fail(merging->diag, ORR_ERR_INPUT, &place,
                                     "%s: network.dims gives bandwidths already; remove one of "
                                     "the two",
                                     all->path);
            }
        }
    }
    return ORR_OK;
}

static enum orr_status merge_dims(struct merging *merging, const struct orr_conf *map,
                                  const struct orr_conf **out)
{
    const struct orr_conf *dims = NULL;
    enum orr_status status = count_dims(merging);
    if (status == ORR_OK) {
        status = check_values(merging, merging->bandwidth);
    }
    if (status == ORR_OK) {
        status = check_values(merging, merging->latency);
    }
    if (status == ORR_OK) {
        status = check_bandwidths(merging);
    }
    if (status == ORR_OK) {
        status = merge_entries(merging, &dims);
    }
    if (status != ORR_OK) {
        return status;
    }
    const struct orr_conf *merged = orr_conf_with(merging->arena, map, "dims", dims);
    merged = merged != NULL ? orr_conf_with(merging->arena, merged, "bandwidth", NULL) : NULL;
    merged = merged != NULL ? orr_conf_with(merging->arena, merged, "latency", NULL) : NULL;
    if (merged == NULL) {
        return orr_diag_no_memory(merging->diag, "the network's dimensions");
    }
    *out = merged;
    return ORR_OK;
}

/* Cuts a list of an included file, which had another topology, to the number of dimensions. */
static enum orr_status cut_values(struct merging *merging, const struct orr_conf **map,
                                  const char *key)
{
    const struct orr_conf *list = orr_conf_get(*map, key), *expanded = NULL;
    if (list == NULL || list->level <= level_of(merging->topology) ||
        orr_conf_expand_shorthand(list, &expanded, NULL) != ORR_OK ||
        expanded->kind != ORR_CONF_LIST || expanded->count <= 1 ||
        expanded->count == merging->count) {
        return ORR_OK;
    }
    if (expanded->count < merging->count) {
        const struct orr_location place = orr_conf_location(merging->topology);
        return orr_diag_fail(merging->diag, ORR_ERR_INPUT, &place,
                             "network.topology has %u dimensions, but %s at %s:%u, which is "
                             "included, has %zu values; give %s here too, of all %u dimensions",
                             merging->count, list->path, list->file, list->line, expanded->count,
                             key, merging->count);
    }
    struct orr_conf *cut = orr_arena_alloc(merging->arena, sizeof *cut);
    if (cut == NULL) {
        return orr_diag_no_memory(merging->diag, "the network's dimensions");
    }
    *cut = *expanded;
    cut->count = merging->count;
    *map = orr_conf_with(merging->arena, *map, key, cut);
    return *map != NULL ? ORR_OK : orr_diag_no_memory(merging->diag, "the network's dimensions");
}

static enum orr_status cut_lists(struct merging *merging, const struct orr_conf **map)
{
    struct net_dim dim[NET_MAX_DIMS];
    struct orr_diag unused;
    orr_diag_init(&unused);
    const struct orr_location place = orr_location_none();
    if (merging->topology == NULL || merging->topology->kind != ORR_CONF_SCALAR ||
        orr_net_parse_notation(merging->topology->text, dim, &merging->count, &place, &unused) !=
            ORR_OK) {
        return ORR_OK;
    }
    const enum orr_status status = cut_values(merging, map, "bandwidth");
    return status == ORR_OK ? cut_values(merging, map, "latency") : status;
}

enum orr_status orr_net_config_merge(struct orr_arena *arena, const struct orr_conf **map,
                                     struct orr_diag *diag)
{
    if ((*map)->kind != ORR_CONF_MAP || orr_conf_get(*map, "graph") != NULL ||
        orr_conf_get(*map, "design") != NULL) {
        return ORR_OK;
    }
    struct merging merging = {.arena = arena,
                              .diag = diag,
                              .topology = orr_conf_get(*map, "topology"),
                              .dims = orr_conf_get(*map, "dims"),
                              .bandwidth = orr_conf_get(*map, "bandwidth"),
                              .latency = orr_conf_get(*map, "latency")};
    if (merging.dims == NULL) {
        return cut_lists(&merging, map);
    }
    const struct orr_conf *other = find_unmergeable(merging.dims);
    if (other != NULL && !needs_merge(&merging)) {
        return ORR_OK;
    }
    if (other != NULL) {
        return orr_conf_expected(other,
                                 other->path == merging.dims->path
                                     ? "a list of dimensions, such as [{bandwidth: 50 GB/s}]"
                                     : "a mapping, such as {bandwidth: 50 GB/s}",
                                 diag);
    }
    if (is_complete(&merging)) {
        *map = without_others(&merging, *map);
        return *map != NULL ? ORR_OK : orr_diag_no_memory(diag, "the network's dimensions");
    }
    return needs_merge(&merging) ? merge_dims(&merging, *map, map) : ORR_OK;
}

enum orr_status orr_net_tree_merge(struct orr_arena *arena, const struct orr_conf **root,
                                   struct orr_diag *diag)
{
    const struct orr_conf *original = orr_conf_get(*root, "network"), *section = original;
    const enum orr_status status =
        original != NULL ? orr_net_config_merge(arena, &section, diag) : ORR_OK;
    if (status != ORR_OK || section == original) {
        return status;
    }
    *root = orr_conf_with(arena, *root, "network", section);
    return *root != NULL ? ORR_OK : orr_diag_no_memory(diag, "the network's dimensions");
}
