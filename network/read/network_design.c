/* The key `design` of a network section: a fabric of TopoOpt or SiP-ML by name (network/design.h).
 * It expands to the keys graph and circuits, and the section is read as if these were in the file
 * (docs/file-formats.md). */
#include "network/read/network_design.h"

#include "core/conf/conf.h"
#include "network/cost/cost.h"
#include "network/design.h"
#include "network/net_config.h"
#include "network/net_config_cost.h"
#include "network/net_config_read.h"

#include <inttypes.h>
#include <string.h>

static enum orr_status no_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "the design of the network");
}

/* ---- expansion ---- */

/* Copies a tree; all nodes get the location of the design. */
static struct orr_conf *copy_at(struct orr_arena *arena, const struct orr_conf *at,
                                const struct orr_conf *node)
{
    struct orr_conf *copy = orr_arena_alloc(arena, sizeof *copy);
    const struct orr_conf **item = orr_arena_array(arena, node->count + 1, sizeof *item);
    if (copy == NULL || item == NULL) {
        return NULL;
    }
    *copy = *at;
    copy->kind = node->kind;
    copy->quoted = node->quoted;
    copy->text = node->text;
    copy->count = node->count;
    copy->key = node->key;
    copy->item = item;
    copy->arena = arena;
    for (size_t i = 0; i < node->count; i++) {
        item[i] = copy_at(arena, at, node->item[i]);
        if (item[i] == NULL) {
            return NULL;
        }
    }
    return copy;
}

/* `user` with the keys of `derived` added. A key in both is an error unless `user_wins`, which
 * keeps the user's value. */
static enum orr_status merge_maps(struct orr_arena *arena, const struct orr_conf *user,
                                  const struct orr_conf *derived, bool user_wins,
                                  struct orr_conf *out, struct orr_diag *diag)
{
    const size_t max = user->count + derived->count;
    const struct orr_conf **item = orr_arena_array(arena, max, sizeof *item);
    const char **key = orr_arena_array(arena, max, sizeof *key);
    if (item == NULL || key == NULL) {
        return no_memory(diag);
    }
    *out = *user;
    out->item = item;
    out->key = key;
    for (size_t i = 0; i < user->count; i++) {
        key[i] = user->key[i];
        item[i] = user->item[i];
    }
    for (size_t i = 0; i < derived->count; i++) {
        const struct orr_conf *same = orr_conf_get(user, derived->key[i]);
        if (same != NULL && !user_wins) {
            const struct orr_location place = orr_conf_key_location(same);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s: the design gives it already; remove one of the two",
                                 same->path);
        }
        if (same == NULL) {
            key[out->count] = derived->key[i];
            item[out->count++] = derived->item[i];
        }
    }
    return ORR_OK;
}

/* Merges the parts into the section: a mapping that the section already has gets the missing
 * keys. */
static enum orr_status merge_parts(const struct net_config_input *input,
                                   const struct orr_conf *parts, const struct orr_conf **out,
                                   struct orr_diag *diag)
{
    const struct orr_conf **item = orr_arena_array(input->arena, parts->count, sizeof *item);
    struct orr_conf *all = orr_arena_alloc(input->arena, sizeof *all);
    if (item == NULL || all == NULL) {
        return no_memory(diag);
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < parts->count && status == ORR_OK; i++) {
        const struct orr_conf *user = orr_conf_get(input->map, parts->key[i]);
        item[i] = parts->item[i];
        const bool map = parts->item[i]->kind == ORR_CONF_MAP;
        if (user != NULL && map && user->kind != ORR_CONF_MAP) {
            return orr_conf_expected(user, "a mapping", diag);
        }
        if (user != NULL && !map) {
            item[i] = user;
        } else if (user != NULL) {
            struct orr_conf *merged = orr_arena_alloc(input->arena, sizeof *merged);
            item[i] = merged;
            status = merged == NULL ? no_memory(diag)
                                    : merge_maps(input->arena, user, parts->item[i],
                                                 strcmp(parts->key[i], "graph") != 0, merged, diag);
        }
    }
    if (status != ORR_OK) {
        return status;
    }
    struct orr_conf derived = *input->map;
    derived.count = parts->count;
    derived.key = parts->key;
    derived.item = item;
    *out = all;
    return merge_maps(input->arena, &derived, input->map, true, all, diag);
}

/* Cost rules of a design: topoopt links go through patch panels, ocs-reconfig circuits through
 * optical circuit switches, other links through none. An ideal switch priced as parallel trees has
 * one tree per interface. */
static enum orr_status find_cost(struct orr_arena *arena, const struct net_design *design,
                                 const struct net_design_parts *parts,
                                 const struct net_cost_rules **out, struct orr_diag *diag)
{
    struct net_cost_rules *rules = orr_arena_alloc(arena, sizeof *rules);
    if (rules == NULL) {
        return no_memory(diag);
    }
    const enum net_optical optical = design->name == NET_DESIGN_OCS ? NET_OPTICAL_OCS
                                     : parts->optical               ? NET_OPTICAL_PATCH_PANEL
                                                                    : NET_OPTICAL_NONE;
    *rules = (struct net_cost_rules){.optical = optical, .degree = design->degree};
    *out = rules;
    return ORR_OK;
}

/* Warns about idle interfaces, and (unless cables connect the servers directly) about links that do
 * not fit the patch panels. One idle interface is enough for all links: the edges of a graph of
 * degree D are at most D + 1 matchings (Vizing). */
static void warn_jumps(const struct orr_conf *map, const struct net_design *design,
                       const struct net_design_parts *parts, bool cables, struct orr_diag *diag)
{
    const struct orr_location place = orr_conf_location(map);
    if (parts->idle != 0) {
        orr_diag_warn(diag, &place,
                      "%s: there are jumps for %" PRIu32 " of the %" PRIu32
                      " interfaces only; the others are idle",
                      map->path, design->degree - parts->idle, design->degree);
    }
    if (cables || parts->odd_cycle == 0 || parts->idle != 0) {
        return;
    }
    if (parts->ends % 2 != 0) {
        orr_diag_warn(diag, &place,
                      "%s: panel i connects interfaces i in pairs and leaves one of %" PRIu32 " "
                      "out, so that panels do not hold all of these duplex links (links: one-way "
                      "leaves none out)",
                      map->path, parts->ends);
    } else {
        orr_diag_warn(diag, &place,
                      "%s: jump %" PRIu32 " goes in cycles of %" PRIu32 ", an odd length, which do "
                      "not fit two panels as duplex links (links: one-way fits)",
                      map->path, parts->odd_jump, parts->odd_cycle);
    }
}

static enum orr_status find_parts(const struct net_config_input *input, const struct orr_conf *map,
                                  const char **text, const struct net_cost_rules **cost,
                                  struct orr_diag *diag)
{
    struct net_design design;
    struct net_design_parts parts;
    sim_time latency_ps = 0;
    struct net_cost_rules prices;
    const struct orr_conf *priced = orr_conf_get(input->map, "cost");
    enum orr_status status = orr_net_design_read(input, map, &design, &latency_ps, diag);
    if (status == ORR_OK && priced != NULL && priced->kind == ORR_CONF_MAP) {
        design.prices = &prices;
        status = orr_net_cost_read(priced, NULL, &prices, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    status = orr_net_design_parts(input->arena, &design, &parts, diag);
    if (status == ORR_ERR_INPUT) {
        const struct orr_conf *at = parts.key != NULL ? orr_conf_get(map, parts.key) : NULL;
        diag->place = orr_conf_location(at != NULL ? at : map);
    }
    if (status != ORR_OK) {
        return status;
    }
    const bool cables = design.prices != NULL && orr_conf_get(priced, "optical") != NULL &&
                        prices.optical == NET_OPTICAL_NONE;
    warn_jumps(map, &design, &parts, cables, diag);
    *text = orr_net_design_text(input->arena, &design, &parts, latency_ps);
    return *text != NULL ? find_cost(input->arena, &design, &parts, cost, diag) : no_memory(diag);
}

/* Expands the design of a section. Sets *map to the section with the derived keys, *text to these
 * keys as YAML and *cost to the default cost rules, all in the arena; without a design *map is the
 * section and *text is NULL. Keys of `graph` that the design also gives are an error; keys of
 * `circuits` override the derived ones. */
static enum orr_status expand(const struct net_config_input *input, const struct orr_conf **map,
                              const char **text, const struct net_cost_rules **cost,
                              struct orr_diag *diag)
{
    const struct orr_conf *at = orr_conf_get(input->map, "design"), *parsed = NULL;
    *map = input->map;
    *text = NULL;
    if (at == NULL) {
        return ORR_OK;
    }
    enum orr_status status = find_parts(input, at, text, cost, diag);
    const char *yaml = status == ORR_OK ? orr_arena_printf(input->arena, "{%s}", *text) : NULL;
    if (status == ORR_OK && yaml == NULL) {
        return no_memory(diag);
    }
    if (status == ORR_OK) {
        status = orr_conf_parse(input->arena, yaml, strlen(yaml), "network.design", &parsed, diag);
    }
    struct orr_conf *parts = status == ORR_OK ? copy_at(input->arena, at, parsed) : NULL;
    if (status == ORR_OK && parts == NULL) {
        return no_memory(diag);
    }
    return status == ORR_OK ? merge_parts(input, parts, map, diag) : status;
}

/* ---- the section ---- */

enum orr_status orr_net_config_read(struct orr_arena *arena, const struct orr_conf *map,
                                    struct net_config *config, struct orr_diag *diag)
{
    const struct net_config_input input = {.arena = arena, .map = map};
    return orr_net_config_read_for(&input, config, diag);
}

enum orr_status orr_net_config_read_for(const struct net_config_input *input,
                                        struct net_config *config, struct orr_diag *diag)
{
    struct net_config_input expanded = *input; /* with the design expanded */
    struct net_config_input merged = *input;
    const char *design = NULL;
    enum orr_status status = orr_net_config_merge(input->arena, &merged.map, diag);
    expanded.map = merged.map;
    if (status == ORR_OK) {
        status = expand(&merged, &expanded.map, &design, &expanded.defaults, diag);
    }
    if (status == ORR_OK) {
        status = orr_net_config_read_section(&expanded, config, diag);
        config->design = design;
    }
    return status;
}
