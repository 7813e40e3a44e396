/* The dimensions of a section that is joined of several files: by dimension, as a reader of the
 * files would expect it. A value of a file comes before that of the files that it includes, also
 * where the one is of all dimensions (network.bandwidth, network.latency) and the other an entry of
 * network.dims, and a topology takes what an included file says of as many dimensions. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "network/network.h"

enum { TEXT_BYTES = 128 };

struct joining {
    struct orr_arena *arena;
    struct orr_diag *diag;
    const struct orr_conf *topology, *dims, *bandwidth, *latency; /* as given; NULL: not */
    unsigned count;                                               /* of dimensions */
};

/* Includes between a value and what was asked for; one that is not there lies behind all. */
static unsigned level_of(const struct orr_conf *node)
{
    return node != NULL ? node->level : UINT_MAX;
}

/* ---- values ---- */

static struct orr_conf *copy_node(struct orr_arena *arena, const struct orr_conf *from, size_t room,
                                  const struct orr_conf ***items, const char ***keys)
{
    struct orr_conf *copy = orr_arena_alloc(arena, sizeof *copy);
    *items = orr_arena_array(arena, room, sizeof **items);
    *keys = orr_arena_array(arena, room, sizeof **keys);
    if (copy == NULL || *items == NULL || *keys == NULL) {
        return NULL;
    }
    *copy = *from;
    copy->item = *items;
    copy->key = *keys;
    copy->count = 0;
    copy->under = NULL;
    return copy;
}

static bool gives_shape(const struct orr_conf *entry)
{
    return orr_conf_get(entry, "block") != NULL || orr_conf_get(entry, "npus") != NULL;
}

/* ---- entries ---- */

/* What an entry of network.dims says and none before it: shapes not behind a topology. */
static const struct orr_conf *add_entry(const struct joining *joining, const struct orr_conf *entry,
                                        const struct orr_conf *more)
{
    for (size_t i = 0; entry != NULL && i < more->count; i++) {
        const bool shape = strcmp(more->key[i], "block") == 0 || strcmp(more->key[i], "npus") == 0;
        if (orr_conf_get(entry, more->key[i]) == NULL &&
            !(shape && level_of(joining->topology) < more->level)) {
            entry = orr_conf_with(joining->arena, entry, more->key[i], more->item[i]);
        }
    }
    return entry;
}

/* The value of a list of all dimensions for one of them: NULL where it has none. */
static const struct orr_conf *value_at(const struct orr_conf *list, size_t index)
{
    const struct orr_conf *spread = NULL;
    if (list == NULL || orr_conf_expand_shorthand(list, &spread, NULL) != ORR_OK) {
        return NULL;
    }
    if (spread->kind != ORR_CONF_LIST) {
        return spread;
    }
    return spread->count == 1 ? spread->item[0]
                              : (index < spread->count ? spread->item[index] : NULL);
}

/* The entry, which takes such a value where its own is of a file further behind. */
static const struct orr_conf *take_value(const struct joining *joining,
                                         const struct orr_conf *entry, const char *key,
                                         const struct orr_conf *list, size_t index)
{
    const struct orr_conf *value = value_at(list, index);
    const struct orr_conf *own = orr_conf_get(entry, key);
    if (value == NULL || (own != NULL && own->level <= list->level)) {
        return entry;
    }
    struct orr_conf *copy = orr_arena_alloc(joining->arena, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *value;
    return orr_conf_with(joining->arena, entry, key, copy);
}

/* Dimensions that nobody says anything of: those of the topology beyond the included ones. */
static enum orr_status refuse_missing(const struct joining *joining, size_t known)
{
    const struct orr_conf *last = joining->dims;
    const struct orr_location place = orr_conf_location(joining->topology);
    char others[TEXT_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < known && used + 4 < sizeof others; i++) {
        used += (size_t)snprintf(others + used, sizeof others - used, "{}, ");
    }
    while (last->under != NULL) {
        last = last->under;
    }
    return orr_diag_fail(joining->diag, ORR_ERR_INPUT, &place,
                         "network.topology has %u dimensions, but network.dims at %s:%u, which is "
                         "included, has %zu; give the others here too, such as "
                         "dims: [%s{bandwidth: 50 GB/s, latency: 1 us}], or bandwidth and latency "
                         "of all dimensions, such as bandwidth: [300 GB/s, 50 GB/s, 25 GB/s]",
                         joining->count, last->file, last->line, known, others);
}

/* An entry that takes after the index-th of each list of dimensions; NULL: memory is out. */
static const struct orr_conf *join_entry(const struct joining *joining, size_t index, bool *known)
{
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *empty = copy_node(joining->arena, joining->dims, 1, &items, &keys);
    if (empty == NULL) {
        return NULL;
    }
    empty->kind = ORR_CONF_MAP;
    empty->path = orr_arena_printf(joining->arena, "%s[%zu]", joining->dims->path, index);
    const struct orr_conf *entry = empty->path != NULL ? empty : NULL;
    *known = false;
    for (const struct orr_conf *list = joining->dims; list != NULL; list = list->under) {
        if (index < list->count) {
            *known = true;
            entry = entry != NULL ? add_entry(joining, entry, list->item[index]) : NULL;
        }
    }
    entry =
        entry != NULL ? take_value(joining, entry, "bandwidth", joining->bandwidth, index) : NULL;
    entry = entry != NULL ? take_value(joining, entry, "latency", joining->latency, index) : NULL;
    *known = *known || (entry != NULL && orr_conf_get(entry, "bandwidth") != NULL);
    return entry;
}

static enum orr_status join_entries(const struct joining *joining, const struct orr_conf **out)
{
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *list = copy_node(joining->arena, joining->dims, joining->count, &items, &keys);
    if (list == NULL) {
        return orr_diag_no_memory(joining->diag, "the network's dimensions");
    }
    for (unsigned d = 0; d < joining->count; d++) {
        bool known;
        items[d] = join_entry(joining, d, &known);
        if (items[d] == NULL) {
            return orr_diag_no_memory(joining->diag, "the network's dimensions");
        }
        if (!known) {
            return refuse_missing(joining, d);
        }
        list->count++;
    }
    list->key = NULL;
    *out = list;
    return ORR_OK;
}

/* ---- the section ---- */

/* What is not a list of mappings, NULL: all are. Its reader says so of a section of one file. */
static const struct orr_conf *not_joinable(const struct orr_conf *dims)
{
    for (const struct orr_conf *list = dims; list != NULL; list = list->under) {
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

/* Whether files differ in what they say of the dimensions. */
static bool is_joined(const struct joining *joining)
{
    const unsigned level = joining->dims->level;
    const bool others = joining->bandwidth != NULL && joining->bandwidth->level != level;
    return joining->dims->under != NULL || others || level_of(joining->topology) < level ||
           level_of(joining->latency) < level;
}

/* Dimensions with shapes of their own are a network by themselves: what included files say of
 * another one is left out. */
static bool is_complete(const struct joining *joining)
{
    bool shapes = joining->dims->count != 0;
    for (size_t i = 0; i < joining->dims->count && shapes; i++) {
        shapes = gives_shape(joining->dims->item[i]);
    }
    return shapes && joining->dims->level <= level_of(joining->topology);
}

static const struct orr_conf *without_others(const struct joining *joining,
                                             const struct orr_conf *map)
{
    const unsigned level = joining->dims->level;
    if (joining->topology != NULL && joining->topology->level > level) {
        map = orr_conf_with(joining->arena, map, "topology", NULL);
    }
    if (map != NULL && joining->bandwidth != NULL && joining->bandwidth->level > level) {
        map = orr_conf_with(joining->arena, map, "bandwidth", NULL);
    }
    return map;
}

/* How many dimensions there are. More entries than the topology beside them has are kept: its
 * reader says so. */
static enum orr_status count_dims(struct joining *joining)
{
    const struct orr_conf *topology = joining->topology;
    struct net_dim dim[NET_MAX_DIMS];
    const char *text = NULL;
    joining->count = 0;
    for (const struct orr_conf *list = joining->dims; list != NULL; list = list->under) {
        joining->count = list->count > joining->count ? (unsigned)list->count : joining->count;
    }
    if (topology == NULL) {
        return ORR_OK;
    }
    const unsigned own =
        joining->dims->level <= topology->level ? (unsigned)joining->dims->count : 0;
    const struct orr_location place = orr_conf_location(topology);
    enum orr_status status = orr_conf_text(topology, &text, joining->diag);
    if (status == ORR_OK) {
        status = orr_net_parse_notation(text, dim, &joining->count, &place, joining->diag);
    }
    joining->count = own > joining->count ? own : joining->count;
    return status;
}

/* Values of all dimensions that are as many as there are, if they are of a file before the
 * topology's or its own. */
static enum orr_status check_values(const struct joining *joining, const struct orr_conf *list)
{
    const struct orr_conf *spread = NULL;
    if (list == NULL || list->level > level_of(joining->topology) ||
        orr_conf_expand_shorthand(list, &spread, NULL) != ORR_OK || spread->kind != ORR_CONF_LIST ||
        spread->count == 1 || spread->count == joining->count) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(list);
    char each[TEXT_BYTES] = "";
    if (joining->count > 1) {
        (void)snprintf(each, sizeof each, ", or one for each of the %u dimensions", joining->count);
    }
    return orr_diag_fail(joining->diag, ORR_ERR_INPUT, &place, "%s: expected one value%s; got %zu",
                         list->path, each, spread->count);
}

/* One file that says both is refused, as it is without includes: neither comes before the other. */
static enum orr_status check_bandwidths(const struct joining *joining)
{
    const struct orr_conf *all = joining->bandwidth;
    for (const struct orr_conf *list = joining->dims; list != NULL && all != NULL;
         list = list->under) {
        for (size_t i = 0; i < list->count; i++) {
            const struct orr_conf *own = orr_conf_get(list->item[i], "bandwidth");
            if (own != NULL && own->level == all->level) {
                const struct orr_location place = orr_conf_location(all);
                return orr_diag_fail(joining->diag, ORR_ERR_INPUT, &place,
                                     "%s: network.dims gives bandwidths already; remove one of "
                                     "the two",
                                     all->path);
            }
        }
    }
    return ORR_OK;
}

static enum orr_status join_dims(struct joining *joining, const struct orr_conf *map,
                                 const struct orr_conf **out)
{
    const struct orr_conf *dims = NULL;
    enum orr_status status = count_dims(joining);
    if (status == ORR_OK) {
        status = check_values(joining, joining->bandwidth);
    }
    if (status == ORR_OK) {
        status = check_values(joining, joining->latency);
    }
    if (status == ORR_OK) {
        status = check_bandwidths(joining);
    }
    if (status == ORR_OK) {
        status = join_entries(joining, &dims);
    }
    if (status != ORR_OK) {
        return status;
    }
    const struct orr_conf *joined = orr_conf_with(joining->arena, map, "dims", dims);
    joined = joined != NULL ? orr_conf_with(joining->arena, joined, "bandwidth", NULL) : NULL;
    joined = joined != NULL ? orr_conf_with(joining->arena, joined, "latency", NULL) : NULL;
    if (joined == NULL) {
        return orr_diag_no_memory(joining->diag, "the network's dimensions");
    }
    *out = joined;
    return ORR_OK;
}

/* Values of all dimensions, of an included file that had another topology: as many of them as
 * there are dimensions now. */
static enum orr_status cut_values(struct joining *joining, const struct orr_conf **map,
                                  const char *key)
{
    const struct orr_conf *list = orr_conf_get(*map, key), *spread = NULL;
    if (list == NULL || list->level <= level_of(joining->topology) ||
        orr_conf_expand_shorthand(list, &spread, NULL) != ORR_OK || spread->kind != ORR_CONF_LIST ||
        spread->count <= 1 || spread->count == joining->count) {
        return ORR_OK;
    }
    if (spread->count < joining->count) {
        const struct orr_location place = orr_conf_location(joining->topology);
        return orr_diag_fail(joining->diag, ORR_ERR_INPUT, &place,
                             "network.topology has %u dimensions, but %s at %s:%u, which is "
                             "included, has %zu values; give %s here too, of all %u dimensions",
                             joining->count, list->path, list->file, list->line, spread->count, key,
                             joining->count);
    }
    struct orr_conf *cut = orr_arena_alloc(joining->arena, sizeof *cut);
    if (cut == NULL) {
        return orr_diag_no_memory(joining->diag, "the network's dimensions");
    }
    *cut = *spread;
    cut->count = joining->count;
    *map = orr_conf_with(joining->arena, *map, key, cut);
    return *map != NULL ? ORR_OK : orr_diag_no_memory(joining->diag, "the network's dimensions");
}

static enum orr_status cut_lists(struct joining *joining, const struct orr_conf **map)
{
    struct net_dim dim[NET_MAX_DIMS];
    struct orr_diag unused;
    orr_diag_init(&unused);
    const struct orr_location place = orr_location_none();
    if (joining->topology == NULL || joining->topology->kind != ORR_CONF_SCALAR ||
        orr_net_parse_notation(joining->topology->text, dim, &joining->count, &place, &unused) !=
            ORR_OK) {
        return ORR_OK;
    }
    const enum orr_status status = cut_values(joining, map, "bandwidth");
    return status == ORR_OK ? cut_values(joining, map, "latency") : status;
}

enum orr_status orr_net_config_merge(struct orr_arena *arena, const struct orr_conf **map,
                                     struct orr_diag *diag)
{
    if ((*map)->kind != ORR_CONF_MAP || orr_conf_get(*map, "graph") != NULL ||
        orr_conf_get(*map, "design") != NULL) {
        return ORR_OK;
    }
    struct joining joining = {.arena = arena,
                              .diag = diag,
                              .topology = orr_conf_get(*map, "topology"),
                              .dims = orr_conf_get(*map, "dims"),
                              .bandwidth = orr_conf_get(*map, "bandwidth"),
                              .latency = orr_conf_get(*map, "latency")};
    if (joining.dims == NULL) {
        return cut_lists(&joining, map);
    }
    const struct orr_conf *other = not_joinable(joining.dims);
    if (other != NULL && !is_joined(&joining)) {
        return ORR_OK;
    }
    if (other != NULL) {
        return orr_conf_expected(other,
                                 other->path == joining.dims->path
                                     ? "a list of dimensions, such as [{bandwidth: 50 GB/s}]"
                                     : "a mapping, such as {bandwidth: 50 GB/s}",
                                 diag);
    }
    if (is_complete(&joining)) {
        *map = without_others(&joining, *map);
        return *map != NULL ? ORR_OK : orr_diag_no_memory(diag, "the network's dimensions");
    }
    return is_joined(&joining) ? join_dims(&joining, *map, map) : ORR_OK;
}

enum orr_status orr_net_tree_merge(struct orr_arena *arena, const struct orr_conf **root,
                                   struct orr_diag *diag)
{
    const struct orr_conf *given = orr_conf_get(*root, "network"), *section = given;
    const enum orr_status status =
        given != NULL ? orr_net_config_merge(arena, &section, diag) : ORR_OK;
    if (status != ORR_OK || section == given) {
        return status;
    }
    *root = orr_conf_with(arena, *root, "network", section);
    return *root != NULL ? ORR_OK : orr_diag_no_memory(diag, "the network's dimensions");
}
