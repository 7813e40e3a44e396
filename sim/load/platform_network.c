/* The network of a platform; see platform_network.h. */
#include "sim/load/platform_network.h"

#include <string.h>
#include <unistd.h>

#include "core/conf/conf.h"
#include "network/graph_source.h"
#include "network/net_config_graph.h"
#include "network/net_config_read.h"
#include "sim/expr/derived_values.h"
#include "sim/load/find_input.h"
#include "sim/load/shared_parts.h"

static enum orr_status read_root(struct orr_arena *arena, const struct orr_conf *root,
                                 struct net_config *config, struct orr_diag *diag)
{
    const struct orr_conf *section = root != NULL ? orr_conf_get(root, "network") : NULL;
    if (section != NULL) {
        return orr_net_config_read(arena, section, config, diag);
    }
    if (root != NULL && orr_conf_identify_map(root, "a platform", diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    const struct orr_location place = root != NULL ? orr_conf_location(root) : orr_location_none();
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "a platform needs the key \"network\", such as network: {topology: "
                         "Switch(8), bandwidth: 300 GB/s}");
}

enum orr_status orr_platform_tree(struct orr_arena *arena, const struct orr_platform_source *source,
                                  const struct orr_conf **root, struct orr_diag *diag)
{
    char library[ORR_INPUT_PATH_BYTES];
    orr_inputs_library(library);
    enum orr_status status = orr_conf_load_composed(arena, source->path, library, root, diag);
    status = status == ORR_OK ? orr_conf_apply_set(arena, root, diag) : status;
    for (size_t i = 0; i < source->sets && status == ORR_OK; i++) {
        status = orr_conf_set(arena, *root, source->set[i], root, diag);
    }
    return status == ORR_OK ? orr_conf_derive(arena, root, diag) : status;
}

const struct orr_conf *orr_platform_system(struct orr_arena *arena,
                                           const struct orr_platform_source *source)
{
    const struct orr_conf *root = NULL;
    return orr_platform_tree(arena, source, &root, NULL) == ORR_OK && root->kind == ORR_CONF_MAP
               ? orr_conf_get(root, "system")
               : NULL;
}

const struct orr_conf *orr_platform_system_of(struct orr_arena *arena,
                                              const struct orrery_platform *platform)
{
    const struct orr_conf *root =
        platform->part.root != NULL ? orr_conf_copy(arena, platform->part.root) : NULL;
    return root != NULL && root->kind == ORR_CONF_MAP ? orr_conf_get(root, "system") : NULL;
}

enum orr_status orr_platform_network_read(struct orr_arena *arena,
                                          const struct orr_platform_source *source,
                                          struct net_config *config, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    const enum orr_status status = orr_platform_tree(arena, source, &root, diag);
    return status == ORR_OK ? read_root(arena, root, config, diag) : status;
}

enum orr_status orr_platform_network_of(struct orr_arena *arena, struct orrery_platform *platform,
                                        struct net_config *config, struct orr_diag *diag)
{
    const struct orr_conf *root = platform->part.root;
    if (root != NULL) {
        root = orr_conf_copy(arena, root);
        if (root == NULL) {
            return orr_diag_no_memory(diag, "a platform");
        }
        enum orr_status status = orr_conf_apply_set(arena, &root, diag);
        status = status == ORR_OK ? orr_conf_derive(arena, &root, diag) : status;
        if (status != ORR_OK) {
            return status;
        }
    }
    return read_root(arena, root, config, diag);
}

/* ---- graphs ---- */

/* The values of the section `set` behind those that the user sets, as they are in the tree; NULL:
 * memory. */
static const char **derived_sets(struct orr_arena *arena, const struct net_graph_input *source,
                                 const struct orr_conf *entries, const struct orr_conf *root,
                                 size_t *sets)
{
    const char **all = orr_arena_alloc(arena, (source->sets + entries->count + 1) * sizeof *all);
    for (*sets = 0; all != NULL && *sets < source->sets; (*sets)++) {
        all[*sets] = source->set[*sets];
    }
    for (size_t i = 0; all != NULL && i < entries->count; i++) {
        const char *value = orr_conf_text_at(root, entries->key[i]);
        if (value == NULL) {
            continue; /* a section, or the user sets what it is in */
        }
        all[*sets] = orr_arena_printf(arena, "%s=%s", entries->key[i], value);
        all = all[(*sets)++] != NULL ? all : NULL;
    }
    return all;
}

enum orr_status orr_platform_graph_load(struct orr_arena *arena,
                                        const struct net_graph_input *source,
                                        struct net_config *config, struct orr_diag *diag)
{
    const struct orr_platform_source platform = {
        .path = source->path, .set = source->set, .sets = source->sets};
    const struct orr_conf *given = NULL, *root = NULL, *entries = NULL;
    struct net_graph_input input = *source;
    if (!orr_net_graph_is_dot(source->path) &&
        orr_conf_load_composed(arena, source->path, source->library, &given, NULL) == ORR_OK) {
        entries = given != NULL && given->kind == ORR_CONF_MAP ? orr_conf_get(given, "set") : NULL;
    }
    if (entries != NULL) {
        const enum orr_status status = orr_platform_tree(arena, &platform, &root, diag);
        if (status != ORR_OK) {
            return status;
        }
        input.set = derived_sets(arena, source, entries, root, &input.sets);
        if (input.set == NULL) {
            return orr_diag_no_memory(diag, "a platform");
        }
    }
    return orr_net_graph_load(arena, &input, config, diag);
}

/* ---- kinds of texts ---- */

static bool is_yaml(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".yml") == 0 || strcmp(dot, ".yaml") == 0);
}

bool orr_file_has_graph(const char *path)
{
    bool holds = orr_net_graph_is_dot(path);
    struct orr_arena *arena = holds || !is_yaml(path) ? NULL : orr_arena_create();
    const struct orr_conf *root = NULL;
    char library[ORR_INPUT_PATH_BYTES];
    orr_inputs_library(library);
    if (arena != NULL && orr_conf_load_composed(arena, path, library, &root, NULL) == ORR_OK) {
        const struct orr_conf *section = orr_conf_get(root, "network");
        holds = section != NULL &&
                (orr_conf_get(section, "graph") != NULL || orr_conf_get(section, "design") != NULL);
    }
    orr_arena_destroy(arena);
    return holds;
}

bool orr_is_notation(const char *text)
{
    const bool like_file = strpbrk(text, "./") != NULL && strchr(text, '(') == NULL;
    return !like_file && access(text, F_OK) != 0;
}

enum orr_status orr_reject_lost_sets(const char *network, const char *section,
                                     const char *const *set, size_t sets, struct orr_diag *diag)
{
    for (size_t i = 0; i < sets; i++) {
        if (strncmp(set[i], section, strlen(section)) == 0) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "--set: %s: expected a network of a file, in which it is set; %s "
                                 "is none, and has options of its own",
                                 set[i], network);
        }
    }
    return ORR_OK;
}
