/* Composing configurations: files that include others, and values set on the command line. Trees
 * are immutable, so both make new nodes along the changed paths. */
#include <stdio.h>
#include <string.h>

#include "core/conf.h"
#include "core/units.h"

enum { DEEPEST_INCLUDE = 16 };

/* ---- merging ---- */

static struct orr_conf *copy_map(struct orr_arena *arena, const struct orr_conf *map, size_t room,
                                 const struct orr_conf ***items, const char ***keys)
{
    struct orr_conf *copy = orr_arena_alloc(arena, sizeof *copy);
    *items = orr_arena_array(arena, map->count + room, sizeof **items);
    *keys = orr_arena_array(arena, map->count + room, sizeof **keys);
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

static enum orr_status conflict(const struct orr_conf *first, const struct orr_conf *second,
                                struct orr_diag *diag)
{
    const struct orr_place place = orr_conf_place(second);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s is set by two files: here and at %s:%u:%u; remove one", second->path,
                         first->file, first->line, first->column);
}

/* The union of two mappings; values that both give are conflicts unless they are mappings. */
static enum orr_status merge(struct orr_arena *arena, const struct orr_conf *first,
                             const struct orr_conf *second, const struct orr_conf **out,
                             struct orr_diag *diag)
{
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *merged = copy_map(arena, first, second->count, &items, &keys);
    if (merged == NULL) {
        return orr_diag_no_memory(diag, "a configuration");
    }
    for (size_t i = 0; i < second->count; i++) {
        size_t at = 0;
        while (at < first->count && strcmp(keys[at], second->key[i]) != 0) {
            at++;
        }
        if (at == first->count) {
            items[merged->count] = second->item[i];
            keys[merged->count++] = second->key[i];
            continue;
        }
        if (items[at]->kind != ORR_CONF_MAP || second->item[i]->kind != ORR_CONF_MAP) {
            return conflict(items[at], second->item[i], diag);
        }
        const enum orr_status status = merge(arena, items[at], second->item[i], &items[at], diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    *out = merged;
    return ORR_OK;
}

/* ---- includes ---- */

struct include_chain {
    const struct include_chain *outer;
    const char *path;
    unsigned depth;
};

static enum orr_status load_with_includes(struct orr_arena *arena, const char *path,
                                          const struct include_chain *outer,
                                          const struct orr_conf *asked_at,
                                          const struct orr_conf **root, struct orr_diag *diag);

/* The included path as seen from the including file's folder. */
static const char *resolve(struct orr_arena *arena, const char *from, const char *path)
{
    const char *slash = strrchr(from, '/');
    if (path[0] == '/' || slash == NULL) {
        return orr_arena_strdup(arena, path);
    }
    return orr_arena_printf(arena, "%.*s/%s", (int)(slash - from), from, path);
}

static enum orr_status include_one(struct orr_arena *arena, const struct include_chain *chain,
                                   const struct orr_conf *node, const struct orr_conf **root,
                                   struct orr_diag *diag)
{
    const char *name = NULL;
    enum orr_status status = orr_conf_text(node, &name, diag);
    if (status != ORR_OK) {
        return status;
    }
    const char *path = resolve(arena, chain->path, name);
    const struct orr_conf *included = NULL;
    if (path == NULL) {
        return orr_diag_no_memory(diag, "a configuration");
    }
    status = load_with_includes(arena, path, chain, node, &included, diag);
    return status == ORR_OK ? merge(arena, included, *root, root, diag) : status;
}

static const struct orr_conf *without_key(struct orr_arena *arena, const struct orr_conf *map,
                                          const char *key)
{
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *copy = copy_map(arena, map, 0, &items, &keys);
    if (copy == NULL) {
        return NULL;
    }
    copy->count = 0;
    for (size_t i = 0; i < map->count; i++) {
        if (strcmp(map->key[i], key) != 0) {
            items[copy->count] = map->item[i];
            keys[copy->count++] = map->key[i];
        }
    }
    return copy;
}

static enum orr_status check_chain(const struct include_chain *outer, const char *path,
                                   const struct orr_conf *asked_at, struct orr_diag *diag)
{
    for (const struct include_chain *link = outer; link != NULL; link = link->outer) {
        if (strcmp(link->path, path) == 0 || link->depth == DEEPEST_INCLUDE) {
            const struct orr_place place = orr_conf_place(asked_at);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "include: %s includes itself, directly or through others", path);
        }
    }
    return ORR_OK;
}

static enum orr_status load_with_includes(struct orr_arena *arena, const char *path,
                                          const struct include_chain *outer,
                                          const struct orr_conf *asked_at,
                                          const struct orr_conf **root, struct orr_diag *diag)
{
    enum orr_status status = check_chain(outer, path, asked_at, diag);
    if (status == ORR_OK) {
        status = orr_conf_load(arena, path, root, diag);
    }
    const struct orr_conf *include = status == ORR_OK ? orr_conf_get(*root, "include") : NULL;
    if (include == NULL) {
        return status;
    }
    const struct include_chain chain = {
        .outer = outer, .path = path, .depth = outer != NULL ? outer->depth + 1 : 1};
    *root = without_key(arena, *root, "include");
    if (*root == NULL) {
        return orr_diag_no_memory(diag, "a configuration");
    }
    if (include->kind != ORR_CONF_LIST) {
        return include_one(arena, &chain, include, root, diag);
    }
    for (size_t i = 0; i < include->count && status == ORR_OK; i++) {
        status = include_one(arena, &chain, include->item[i], root, diag);
    }
    return status;
}

enum orr_status orr_conf_load_composed(struct orr_arena *arena, const char *path,
                                       const struct orr_conf **root, struct orr_diag *diag)
{
    return load_with_includes(arena, path, NULL, NULL, root, diag);
}

enum orr_status orr_conf_merge(struct orr_arena *arena, const struct orr_conf *first,
                               const struct orr_conf *second, const struct orr_conf **out,
                               struct orr_diag *diag)
{
    return merge(arena, first, second, out, diag);
}

/* ---- values from the command line ---- */

static const char command_line[] = "command line";

struct setting {
    struct orr_arena *arena;
    const char *path; /* the whole path, for messages */
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
    map->file = command_line;
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
    if (node->kind != ORR_CONF_LIST || (size_t)index >= node->count) {
        char why[96];
        (void)snprintf(why, sizeof why, "there is no entry %lld: %s has %zu", (long long)index,
                       node->path, node->kind == ORR_CONF_LIST ? node->count : 0);
        return bad_path(setting, why);
    }
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *copy = copy_map(setting->arena, node, 0, &items, &keys);
    if (copy == NULL) {
        return orr_diag_no_memory(setting->diag, "a configuration");
    }
    *out = copy;
    return set_at(setting, items[index], close + 1, &items[index]);
}

static enum orr_status set_in_map(const struct setting *setting, const struct orr_conf *node,
                                  const char *rest, const struct orr_conf **out)
{
    const size_t length = strcspn(rest, ".[");
    const char *name = orr_arena_strndup(setting->arena, rest, length);
    const struct orr_conf **items;
    const char **keys;
    struct orr_conf *copy = copy_map(setting->arena, node, 1, &items, &keys);
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
        char why[256];
        (void)snprintf(why, sizeof why, "%s is not a mapping, so it has no key \"%s\"", node->path,
                       rest + (*rest == '.' ? 1 : 0));
        return bad_path(setting, why);
    }
    return set_in_map(setting, node, rest + (*rest == '.' ? 1 : 0), out);
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
    const struct orr_conf *parsed = NULL;
    const enum orr_status status =
        orr_conf_parse(arena, equals + 1, strlen(equals + 1), command_line, &parsed, diag);
    if (status != ORR_OK) {
        return status;
    }
    *value = *parsed;
    value->path = path;
    return set_at(&setting, root, path, out);
}

/* ---- explaining ---- */

char *orr_conf_origin(const struct orr_conf *node, char *text, size_t bytes)
{
    if (strcmp(node->file, command_line) == 0) {
        (void)snprintf(text, bytes, "%s", command_line);
    } else {
        (void)snprintf(text, bytes, "%s:%u", node->file, node->line);
    }
    return text;
}

enum orr_status orr_conf_explain(const struct orr_conf *map, const char *path,
                                 const struct orr_key *keys, size_t count, orr_conf_explain_fn emit,
                                 void *context)
{
    for (size_t i = 0; i < count; i++) {
        const struct orr_conf *node = map != NULL ? orr_conf_get(map, keys[i].name) : NULL;
        char name[512], origin[640];
        (void)snprintf(name, sizeof name, "%s%s%s", path, path[0] != '\0' ? "." : "", keys[i].name);
        if (keys[i].type == ORR_KEY_NODE || keys[i].type == ORR_KEY_IGNORED) {
            continue;
        }
        if (node == NULL && keys[i].fallback == NULL) {
            continue;
        }
        if (node == NULL) {
            emit(context, name, keys[i].fallback, "default");
        } else {
            emit(context, name, node->text, orr_conf_origin(node, origin, sizeof origin));
        }
    }
    return ORR_OK;
}
