/* Composition of configurations: includes, and values set on the command line. Trees are immutable,
 * so both create new nodes along the changed paths. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"
#include "core/conf/conf_read.h"
#include "core/strings.h"
#include "core/units.h"

enum { DEEPEST_INCLUDE = 16 };

/* ---- includes ---- */

struct include_chain {
    const struct include_chain *outer;
    const char *path;            /* "" before the first file */
    const char *library;         /* folder of the installed inputs; NULL: none */
    const struct orr_conf *root; /* root of this file, without its includes */
    unsigned depth;
};

static enum orr_status load_with_includes(struct orr_arena *arena, const char *path,
                                          const struct include_chain *outer,
                                          const struct orr_conf *included_at,
                                          const struct orr_conf **root, struct orr_diag *diag);

/* Resolves the included path relative to the including file. */
static const char *join_path(struct orr_arena *arena, const char *from, const char *path)
{
    const char *slash = strrchr(from, '/');
    if (path[0] == '/' || slash == NULL) {
        return orr_arena_strdup(arena, path);
    }
    return orr_arena_printf(arena, "%.*s/%s", (int)(slash - from), from, path);
}

/* Finds the file of an include: relative to the including file, else an installed file by name. */
static const char *resolve_include(struct orr_arena *arena, const struct include_chain *chain,
                                   const char *name)
{
    static const char *const forms[] = {"%s/%s",
                                        "%s/%s.yml",
                                        "%s/models/%s.yml",
                                        "%s/platforms/%s.yml",
                                        "%s/compute/%s.yml",
                                        "%s/workloads/%s.yml"};
    const char *path = join_path(arena, chain->path, name);
    if (path == NULL || chain->library == NULL || access(path, F_OK) == 0) {
        return path;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char shipped[4096];
        const int length = snprintf(shipped, sizeof shipped, forms[i], chain->library, name);
        if (length > 0 && (size_t)length < sizeof shipped && access(shipped, R_OK) == 0) {
            return orr_arena_strdup(arena, shipped);
        }
    }
    return path;
}

enum { MAX_NAMED = 64 };

/* The merged includes so far (NULL: none), and the roots of the directly included files. */
struct included {
    const struct orr_conf *sum;
    const struct orr_conf *named[MAX_NAMED];
    size_t names;
};

/* Reads one included file and merges it with the previous ones. */
static enum orr_status include_one(struct orr_arena *arena, const struct include_chain *chain,
                                   const struct orr_conf *node, struct included *all,
                                   struct orr_diag *diag)
{
    const char *name = NULL;
    enum orr_status status = orr_conf_text(node, &name, diag);
    if (status != ORR_OK) {
        return status;
    }
    const char *path = resolve_include(arena, chain, name);
    const struct orr_conf *included = NULL;
    if (path == NULL) {
        return orr_diag_no_memory(diag, "a configuration");
    }
    status = load_with_includes(arena, path, chain, node, &included, diag);
    if (status == ORR_OK && included->kind != ORR_CONF_MAP) {
        return orr_conf_expected(included, "a mapping of sections", diag);
    }
    if (status == ORR_OK && all->names == MAX_NAMED) {
        return orr_conf_expected(node, "at most 64 files", diag);
    }
    if (status == ORR_OK) {
        all->named[all->names++] = included;
    }
    if (status == ORR_OK && all->sum != NULL) {
        const struct conf_merging merging = {arena, diag, all->named, all->names};
        return orr_conf_merge_maps(&merging, all->sum, included, chain->root, &all->sum);
    }
    all->sum = included;
    return status;
}

static enum orr_status check_chain(const struct include_chain *outer, const char *path,
                                   const struct orr_conf *included_at, struct orr_diag *diag)
{
    const struct orr_location place =
        included_at != NULL ? orr_conf_location(included_at) : orr_location_none();
    for (const struct include_chain *link = outer; link != NULL; link = link->outer) {
        if (strcmp(link->path, path) == 0) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "include: %s includes itself, directly or through others", path);
        }
    }
    if (outer->depth == DEEPEST_INCLUDE) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "include: %s is more than %d includes deep", path, DEEPEST_INCLUDE);
    }
    return ORR_OK;
}

/* Loads an included file; an error of reading also names the location of the include. */
static enum orr_status load_included(struct orr_arena *arena, const char *path,
                                     const struct include_chain *outer,
                                     const struct orr_conf *included_at,
                                     const struct orr_conf **root, struct orr_diag *diag)
{
    const bool first = diag != NULL && diag->status == ORR_OK;
    const enum orr_status status = orr_conf_load_at(arena, path, outer->depth + 1, root, diag);
    if (first && status == ORR_ERR_IO && included_at != NULL) {
        orr_diag_append(diag, "; included at %s:%u:%u", included_at->file, included_at->line,
                        included_at->column);
    }
    return status;
}

/* Merges the files that the value of `include` names. */
static enum orr_status include_all(struct orr_arena *arena, const struct include_chain *chain,
                                   const struct orr_conf *include, struct included *all,
                                   struct orr_diag *diag)
{
    if (include->kind != ORR_CONF_LIST) {
        return include_one(arena, chain, include, all, diag);
    }
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < include->count && status == ORR_OK; i++) {
        status = include_one(arena, chain, include->item[i], all, diag);
    }
    return status;
}

static enum orr_status load_with_includes(struct orr_arena *arena, const char *path,
                                          const struct include_chain *outer,
                                          const struct orr_conf *included_at,
                                          const struct orr_conf **root, struct orr_diag *diag)
{
    enum orr_status status = check_chain(outer, path, included_at, diag);
    if (status == ORR_OK) {
        status = load_included(arena, path, outer, included_at, root, diag);
    }
    const struct orr_conf *include = status == ORR_OK ? orr_conf_get(*root, "include") : NULL;
    if (include == NULL) {
        return status;
    }
    *root = orr_conf_with(arena, *root, "include", NULL);
    if (*root == NULL) {
        return orr_diag_no_memory(diag, "a configuration");
    }
    const struct include_chain chain = {.outer = outer,
                                        .path = path,
                                        .library = outer->library,
                                        .root = *root,
                                        .depth = outer->depth + 1};
    struct included all = {.sum = NULL};
    status = include_all(arena, &chain, include, &all, diag);
    if (status != ORR_OK || all.sum == NULL) {
        return status;
    }
    *root = orr_conf_overlay(arena, *root, all.sum);
    return *root != NULL ? ORR_OK : orr_diag_no_memory(diag, "a configuration");
}

enum orr_status orr_conf_load_composed(struct orr_arena *arena, const char *path,
                                       const char *library, const struct orr_conf **root,
                                       struct orr_diag *diag)
{
    const struct include_chain none = {.path = "", .library = library};
    return load_with_includes(arena, path, &none, NULL, root, diag);
}

enum orr_status orr_conf_merge(struct orr_arena *arena, const struct orr_conf *first,
                               const struct orr_conf *second, const struct orr_conf **out,
                               struct orr_diag *diag)
{
    const struct conf_merging merging = {.arena = arena, .diag = diag};
    return orr_conf_merge_maps(&merging, first, second, NULL, out);
}

/* Texts and keys are shared: nothing writes them. */
const struct orr_conf *orr_conf_copy(struct orr_arena *arena, const struct orr_conf *root)
{
    const struct orr_conf **items = NULL;
    const char **keys = NULL;
    struct orr_conf *copy = root->kind == ORR_CONF_SCALAR
                                ? orr_arena_alloc(arena, sizeof *copy)
                                : orr_conf_copy_map(arena, root, 0, &items, &keys);
    if (copy == NULL) {
        return NULL;
    }
    if (root->kind == ORR_CONF_SCALAR) {
        *copy = *root;
    }
    copy->arena = root->arena != NULL ? arena : NULL;
    if (root->overridden != NULL &&
        (copy->overridden = orr_conf_copy(arena, root->overridden)) == NULL) {
        return NULL;
    }
    for (size_t i = 0; items != NULL && i < root->count; i++) {
        items[i] = orr_conf_copy(arena, root->item[i]);
        if (items[i] == NULL) {
            return NULL;
        }
    }
    return copy;
}

/* ---- values from the command line ---- */

struct setting {
    struct orr_arena *arena;
    const char *path; /* the complete path, for messages */
    const struct orr_conf *value;
    struct orr_diag *diag;
};

static enum orr_status bad_path(const struct setting *setting, const char *why)
{
    return orr_diag_fail(setting->diag, ORR_ERR_INPUT, NULL, "--set %s: %s", setting->path, why);
}

static enum orr_status set_at(const struct setting *setting, const struct orr_conf *node,
                              const char *rest, const struct orr_conf **out);

static struct orr_conf *empty_map(const struct setting *setting, size_t path_length)
{
    struct orr_conf *map = orr_arena_alloc(setting->arena, sizeof *map);
    const char *path = orr_arena_strndup(setting->arena, setting->path, path_length);
    if (map == NULL || path == NULL) {
        return NULL;
    }
    map->kind = ORR_CONF_MAP;
    map->file = orr_conf_command_line;
    map->line = map->column = 1;
    map->path = path;
    return map;
}

static enum orr_status set_in_list(const struct setting *setting, const struct orr_conf *node,
                                   const char *rest, const struct orr_conf **out)
{
    const char *close = strchr(rest, ']');
    char digits[16];
    int64_t index = 0;
    if (close == NULL || close - rest > 12) {
        return bad_path(setting, "expected an index such as [1]");
    }
    (void)snprintf(digits, sizeof digits, "%.*s", (int)(close - rest - 1), rest + 1);
    if (!orr_parse_integer(digits, &index) || index < 0) {
        return bad_path(setting, "expected an index such as [1]");
    }
    if (strchr(".[", close[1]) == NULL) {
        return bad_path(setting, "expected a dot after the index, such as [1].bandwidth");
    }
    if (node->kind != ORR_CONF_LIST || (size_t)index >= node->count) {
        char why[ORR_CONF_LONGEST_PATH + 96];
        if (node->kind == ORR_CONF_LIST) {
            (void)snprintf(why, sizeof why, "there is no entry %lld: %s has %zu, from 0 on",
                           (long long)index, node->path, node->count);
        } else {
            (void)snprintf(why, sizeof why, "%s is not a list, so it has no entry %lld",
                           node->path[0] != '\0' ? node->path : "the file", (long long)index);
        }
        return bad_path(setting, why);
    }
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *copy = orr_conf_copy_map(setting->arena, node, 0, &items, &keys);
    if (copy == NULL) {
        return orr_diag_no_memory(setting->diag, "a configuration");
    }
    *out = copy;
    return set_at(setting, items[index], close + 1, &items[index]);
}

/* Only entries of existing lists can be set. */
static enum orr_status no_list(const struct setting *setting, const char *path, const char *name,
                               const char *const *keys, size_t count)
{
    char why[ORR_CONF_LONGEST_PATH + ORR_SUGGESTION_BYTES + 64], suggestion[ORR_SUGGESTION_BYTES];
    (void)snprintf(why, sizeof why, "there is no list %s with entries to set%s", path,
                   orr_suggest_name(name, keys, count, suggestion, sizeof suggestion));
    return bad_path(setting, why);
}

static enum orr_status set_in_map(const struct setting *setting, const struct orr_conf *node,
                                  const char *rest, const struct orr_conf **out)
{
    const size_t length = strcspn(rest, ".[");
    const char *name = orr_arena_strndup(setting->arena, rest, length);
    if (name != NULL && orr_conf_current_key(name) != name) {
        const struct orr_location location = orr_location_file("--set");
        orr_conf_warn_deprecated(&location, name, orr_conf_current_key(name), setting->diag);
        name = orr_conf_current_key(name);
    }
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *copy = orr_conf_copy_map(setting->arena, node, 1, &items, &keys);
    struct orr_conf *missing = empty_map(setting, (size_t)(rest + length - setting->path));
    if (name == NULL || copy == NULL || missing == NULL) {
        return orr_diag_no_memory(setting->diag, "a configuration");
    }
    if (length == 0) {
        return bad_path(setting, "expected a path such as network.dims[1].bandwidth");
    }
    size_t at = 0;
    while (at < copy->count && strcmp(keys[at], name) != 0) {
        at++;
    }
    if (at == copy->count && rest[length] == '[') {
        return no_list(setting, missing->path, name, keys, at);
    }
    if (at == copy->count) {
        items[at] = missing;
        keys[at] = name;
        copy->count++;
    }
    *out = copy;
    return set_at(setting, items[at], rest + length, &items[at]);
}

static enum orr_status set_at(const struct setting *setting, const struct orr_conf *node,
                              const char *rest, const struct orr_conf **out)
{
    if (*rest == '\0') {
        *out = setting->value;
        return ORR_OK;
    }
    if (*rest == '[') {
        return set_in_list(setting, node, rest, out);
    }
    if (node->kind != ORR_CONF_MAP) {
        char why[2 * ORR_CONF_LONGEST_PATH];
        const char *name = rest + (*rest == '.' ? 1 : 0);
        if (node->kind == ORR_CONF_LIST) {
            (void)snprintf(why, sizeof why, "%s is a list: name an entry, such as %s[0].%s",
                           node->path, node->path, name);
        } else {
            (void)snprintf(why, sizeof why, "%s is not a mapping, so it has no key \"%s\"",
                           node->path, name);
        }
        return bad_path(setting, why);
    }
    return set_in_map(setting, node, rest + (*rest == '.' ? 1 : 0), out);
}

const char *orr_conf_unset_message(const char *text)
{
    static const char *const heads[] = {"--set: ", "--set "};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const size_t length = strlen(heads[i]);
        if (strncmp(text, heads[i], length) == 0) {
            return text + length;
        }
    }
    return text;
}

enum orr_status orr_conf_set(struct orr_arena *arena, const struct orr_conf *root,
                             const char *assignment, const struct orr_conf **out,
                             struct orr_diag *diag)
{
    const char *equals = strchr(assignment, '=');
    if (equals == NULL || equals == assignment) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "--set: expected PATH=VALUE, such as "
                             "network.dims[1].bandwidth=100GB/s, got \"%s\"",
                             assignment);
    }
    const char *path = orr_arena_strndup(arena, assignment, (size_t)(equals - assignment));
    struct orr_conf *value = orr_arena_alloc(arena, sizeof *value);
    if (path == NULL || value == NULL) {
        return orr_diag_no_memory(diag, "a configuration");
    }
    const struct setting setting = {.arena = arena, .path = path, .value = value, .diag = diag};
    if (equals[strspn(equals + 1, " \t") + 1] == '\0') {
        return bad_path(&setting, "a value is missing after the =");
    }
    const struct orr_conf *parsed = NULL;
    const bool first = diag != NULL && diag->status == ORR_OK;
    const enum orr_status status =
        orr_conf_parse_at(arena, equals + 1, orr_conf_command_line, path, &parsed, diag);
    if (status != ORR_OK) {
        if (first && diag->place.kind == ORR_LOCATION_TEXT) {
            orr_diag_append(diag, "; in --set %s", assignment);
            diag->place = orr_location_file("--set");
        }
        return status;
    }
    *value = *parsed;
    return set_at(&setting, root, path, out);
}
