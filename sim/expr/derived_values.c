/* Derived values; see derived_values.h. A value is evaluated when it is asked for: those that are
 * being evaluated are a chain, and one that is in it already depends on itself. */
#include "sim/expr/derived_values.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "sim/expr/expr.h"

enum { MAX_NAMES = 64, WHY_BYTES = 512 };

/* A node of a tree of our own, which no one else reads. */
static struct orr_conf *writable(const struct orr_conf *node)
{
    union {
        const struct orr_conf *in;
        struct orr_conf *out;
    } both = {.in = node};
    return both.out;
}

static bool is_marked(const struct orr_conf *node)
{
    return node->kind == ORR_CONF_SCALAR && node->text[0] == '=' && node->text[1] != '\0';
}

/* ---- places of a tree ---- */

static const struct orr_conf *entry_of(const struct orr_conf *node, const char *name, size_t length)
{
    for (size_t i = 0; node->kind == ORR_CONF_MAP && i < node->count; i++) {
        if (strlen(node->key[i]) == length && strncmp(node->key[i], name, length) == 0) {
            return node->item[i];
        }
    }
    return NULL;
}

/* The value at a path; NULL: there is none. */
static const struct orr_conf *find_path(const struct orr_conf *node, const char *path)
{
    while (node != NULL && *path != '\0') {
        if (*path == '[') {
            size_t index = 0;
            for (path++; *path >= '0' && *path <= '9' && index < SIZE_MAX / 20; path++) {
                index = 10 * index + (size_t)(*path - '0');
            }
            path += *path == ']';
            node = node->kind == ORR_CONF_LIST && index < node->count ? node->item[index] : NULL;
        } else {
            path += *path == '.';
            const size_t length = strcspn(path, ".[");
            node = length > 0 ? entry_of(node, path, length) : NULL;
            path += length;
        }
    }
    return node;
}

const char *orr_conf_text_at(const struct orr_conf *root, const char *path)
{
    const struct orr_conf *node = find_path(root, path);
    return node != NULL && node->kind == ORR_CONF_SCALAR ? node->text : NULL;
}

/* Values whose path ends with a name. */
struct ends {
    const char *name;
    const struct orr_conf *first, *second;
    unsigned count;
};

static void find_ends(const struct orr_conf *node, struct ends *ends)
{
    if (node->kind != ORR_CONF_SCALAR) {
        for (size_t i = 0; i < node->count; i++) {
            find_ends(node->item[i], ends);
        }
        return;
    }
    const size_t length = strlen(node->path), end = strlen(ends->name);
    if (end < length && strcmp(node->path + length - end, ends->name) == 0 &&
        node->path[length - end - 1] == '.') {
        ends->first = ends->count == 0 ? node : ends->first;
        ends->second = ends->count == 1 ? node : ends->second;
        ends->count++;
    }
}

/* ---- what an entry is ---- */

struct asked {
    bool (*is_name)(void *context, const char *name);
    void *context;
    unsigned names;
};

static int count_name(void *context, const char *name, char *why, size_t bytes)
{
    struct asked *asked = context;
    (void)snprintf(why, bytes, "unknown name");
    asked->names++;
    return asked->is_name(asked->context, name) ? 0 : -1;
}

bool orr_is_derived(const char *text, bool (*is_name)(void *context, const char *name),
                    void *context)
{
    if (text[0] == '=') {
        return text[1] != '\0';
    }
    if (strpbrk(text, "+-*/%(?<>=.") == NULL) {
        return false;
    }
    static const char *const operators[] = {" * ", " / ", " + "};
    static const char *const functions[] = {"min(", "max(", "floor(", "ceil(", "sqrt(", "log2("};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strncmp(text, functions[i], strlen(functions[i])) == 0) {
            return true; /* whatever is wrong with it is to be told */
        }
    }
    bool computes = false; /* with numbers alone */
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        computes |= strstr(text, operators[i]) != NULL;
    }
    struct asked asked = {.is_name = is_name, .context = context};
    const struct orr_expr_names names = {.find = count_name, .context = &asked};
    struct orr_arena *arena = orr_arena_create();
    struct orr_expr_error error;
    const bool is = arena != NULL && orr_expr_parse(arena, text, &names, &error) != NULL &&
                    (asked.names > 0 || computes);
    orr_arena_destroy(arena);
    return is;
}

/* ---- entries of `set` ---- */

struct tree_names {
    const struct orr_conf *root;
    bool sections; /* names that begin with a section count, too: they are told if they do not exist
                    */
};

static bool is_in_tree(void *context, const char *name)
{
    const struct tree_names *names = context;
    struct ends ends = {.name = name};
    const size_t section = strcspn(name, ".[");
    if (find_path(names->root, name) != NULL) {
        return true;
    }
    find_ends(names->root, &ends);
    return ends.count > 0 || (names->sections && name[section] == '.' &&
                              entry_of(names->root, name, section) != NULL);
}

/* Puts an entry at its path, with its own location. */
static enum orr_status apply(struct orr_arena *arena, const char *path,
                             const struct orr_conf *entry, const struct orr_conf **root,
                             struct orr_diag *diag)
{
    const char *assignment = orr_arena_printf(arena, "%s=0", path);
    if (assignment == NULL) {
        return orr_diag_no_memory(diag, "a configuration");
    }
    const bool is_first = diag == NULL || diag->status == ORR_OK;
    const enum orr_status status = orr_conf_set(arena, *root, assignment, root, diag);
    if (status != ORR_OK) {
        if (is_first && diag != NULL && status == ORR_ERR_INPUT) {
            const char *message = orr_conf_unset_message(diag->message);
            memmove(diag->message, message, strlen(message) + 1);
            diag->place = orr_conf_key_location(entry);
        }
        return status;
    }
    struct tree_names names = {.root = *root,
                               .sections = entry->kind == ORR_CONF_SCALAR &&
                                           strpbrk(entry->text, "+*/%(?") != NULL};
    const bool derived =
        entry->kind == ORR_CONF_SCALAR && orr_is_derived(entry->text, is_in_tree, &names);
    struct orr_conf *made = writable(find_path(*root, path));
    const char *made_path = made->path;
    *made = *entry;
    made->path = made_path;
    if (derived && entry->text[0] != '=') {
        made->text = orr_arena_printf(arena, "=%s", entry->text);
    }
    return made->kind != ORR_CONF_SCALAR || made->text != NULL
               ? ORR_OK
               : orr_diag_no_memory(diag, "a configuration");
}

/* Whether a file that includes the entry's file gives the value itself. */
static bool is_overridden(const struct orr_conf *root, const char *path,
                          const struct orr_conf *entry)
{
    const struct orr_conf *given = find_path(root, path);
    return given != NULL && given->kind == ORR_CONF_SCALAR && given->level != 0 &&
           given->level < entry->level;
}

enum orr_status orr_conf_apply_set(struct orr_arena *arena, const struct orr_conf **root,
                                   struct orr_diag *diag)
{
    const struct orr_conf *set =
        *root != NULL && (*root)->kind == ORR_CONF_MAP ? orr_conf_get(*root, "set") : NULL;
    if (set == NULL) {
        return ORR_OK;
    }
    if (set->kind != ORR_CONF_MAP) {
        return orr_conf_expected(set, "a mapping of paths to values or expressions", diag);
    }
    *root = orr_conf_with(arena, *root, "set", NULL);
    enum orr_status status = *root != NULL ? ORR_OK : orr_diag_no_memory(diag, "a configuration");
    for (size_t i = 0; i < set->count && status == ORR_OK; i++) {
        if (!is_overridden(*root, set->key[i], set->item[i])) {
            status = apply(arena, set->key[i], set->item[i], root, diag);
        }
    }
    return status;
}

/* ---- evaluation ---- */

struct work {
    struct orr_arena *arena;
    const struct orr_conf *root;
    struct orr_diag *diag;
    enum orr_status status; /* of the value that failed */
};

/* A value that is being evaluated, and the one that needs it. */
struct chain {
    struct work *work;
    const struct orr_conf *node;
    const struct chain *outer;
    const struct orr_conf *named[MAX_NAMES];
    unsigned names;
};

/* The value with the path most like a name; NULL: there is none that is much like it. */
static const struct orr_conf *find_similar(const struct orr_conf *node, const char *name,
                                           unsigned *distance)
{
    const struct orr_conf *found = NULL;
    for (size_t i = 0; node->kind != ORR_CONF_SCALAR && i < node->count; i++) {
        const struct orr_conf *inner = find_similar(node->item[i], name, distance);
        found = inner != NULL ? inner : found;
    }
    if (node->kind == ORR_CONF_SCALAR) {
        /* Also the end of the path with as many parts as the name has. */
        const char *end = node->path + strlen(node->path);
        size_t parts = 0;
        for (const char *at = name; *at != '\0'; at++) {
            parts += *at == '.';
        }
        while (end > node->path && (end[-1] != '.' || parts-- > 0)) {
            end--;
        }
        const unsigned apart = orr_edit_distance(name, end, *distance);
        if (apart < *distance) {
            *distance = apart;
            found = node;
        }
    }
    return found;
}

static void explain_unknown(const struct orr_conf *root, const char *name, char *why, size_t bytes)
{
    unsigned distance = (unsigned)strlen(name) / 3 + 1;
    const struct orr_conf *similar = find_similar(root, name, &distance);
    (void)snprintf(why, bytes,
                   "no value is called \"%s\"; expected the path of a key that the files "
                   "give, such as %s",
                   name, similar != NULL ? similar->path : "network.dims[0].bandwidth");
}

static int find_name(void *context, const char *name, char *why, size_t bytes)
{
    struct chain *chain = context;
    struct ends ends = {.name = name};
    const struct orr_conf *node = find_path(chain->work->root, name);
    if (node == NULL) {
        find_ends(chain->work->root, &ends);
        node = ends.count == 1 ? ends.first : NULL;
    }
    if (node != NULL && node->kind == ORR_CONF_SCALAR && chain->names < MAX_NAMES) {
        chain->named[chain->names] = node;
        return (int)chain->names++;
    }
    if (node != NULL) {
        (void)snprintf(why, bytes, "%s \"%s\"",
                       chain->names < MAX_NAMES ? "expected a single value, not a section:"
                                                : "more than 64 names, at",
                       name);
    } else if (ends.count > 1) {
        (void)snprintf(why, bytes,
                       "%u values are called \"%s\"; expected the whole path, such as %s or %s",
                       ends.count, name, ends.first->path, ends.second->path);
    } else {
        explain_unknown(chain->work->root, name, why, bytes);
    }
    return -1;
}

static enum orr_status fail(const struct chain *chain, const char *text,
                            const struct orr_expr_error *error)
{
    struct work *work = chain->work;
    const struct orr_location place = orr_conf_location(chain->node);
    if (work->status != ORR_OK) {
        return work->status; /* told by a value that this one needs */
    }
    work->status =
        orr_diag_fail(work->diag, ORR_ERR_INPUT, &place, "%s: %s, at column %u of \"%.200s\"",
                      chain->node->path, error->message, error->column, text);
    return work->status;
}

/* "a needs b, which needs a" */
static enum orr_status fail_circle(const struct chain *chain, const struct orr_conf *node)
{
    struct work *work = chain->work;
    const struct orr_location place = orr_conf_location(node);
    char text[WHY_BYTES];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", node->path);
    for (const struct chain *at = chain; at != NULL && used < sizeof text; at = at->outer) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, ", which %s needs", at->node->path);
        if (at->node == node) {
            break;
        }
    }
    work->status = orr_diag_fail(work->diag, ORR_ERR_INPUT, &place,
                                 "%s: expected a value that does not depend on itself, got %s",
                                 node->path, text);
    return work->status;
}

static enum orr_status derive(struct work *work, const struct orr_conf *node,
                              const struct chain *outer);

static bool get(const void *context, int name, struct orr_expr_value *out, char *why, size_t bytes)
{
    const struct chain *chain = context;
    const struct orr_conf *node = chain->named[name];
    (void)snprintf(why, bytes, "%s has no value", node->path);
    if (is_marked(node) && derive(chain->work, node, chain) != ORR_OK) {
        return false;
    }
    orr_expr_read_value(node->text, out);
    return true;
}

/* The text of a value in its unit; NULL: no key has such a unit. */
static const char *text_of(struct orr_arena *arena, const struct orr_expr_value *value)
{
    const struct orr_expr_unit unit = value->unit;
    const double number = value->number;
    if (value->text != NULL) {
        return value->text;
    }
    if (unit.bytes == 0 && unit.operations == 0 && unit.seconds == 0) {
        return orr_arena_printf(arena, "%.17g", number);
    }
    if (unit.bytes == 1 && unit.operations == 0 && (unit.seconds == 0 || unit.seconds == -1)) {
        return unit.seconds == 0 ? orr_arena_printf(arena, "%.0f B", number)
                                 : orr_arena_printf(arena, "%.17g B/s", number);
    }
    if (unit.bytes == 0 && unit.operations == 1 && unit.seconds == -1) {
        return orr_arena_printf(arena, "%.17g FLOP/s", number);
    }
    return unit.bytes == 0 && unit.operations == 0 && unit.seconds == 1
               ? orr_arena_printf(arena, "%.0f ps", number * 1e12)
               : NULL;
}

static enum orr_status derive(struct work *work, const struct orr_conf *node,
                              const struct chain *outer)
{
    struct chain chain = {.work = work, .node = node, .outer = outer};
    const struct orr_expr_names names = {.find = find_name, .context = &chain};
    const struct orr_expr_values values = {.get = get, .context = &chain, .units = true};
    struct orr_expr_value value = {.text = NULL};
    struct orr_expr_error error;
    const char *text = node->text + 1 + strspn(node->text + 1, " ");
    for (const struct chain *at = outer; at != NULL; at = at->outer) {
        if (at->node == node) {
            return fail_circle(outer, node);
        }
    }
    const struct orr_expr *expr = orr_expr_parse(work->arena, text, &names, &error);
    if (expr == NULL || !orr_expr_eval(expr, &values, &value, &error)) {
        return fail(&chain, text, &error);
    }
    const char *result = text_of(work->arena, &value);
    if (result == NULL) {
        error.column = 1;
        (void)snprintf(error.message, sizeof error.message,
                       "expected a number, time, size, bandwidth or rate, got a value in %s",
                       orr_expr_unit_text(value.unit, (char[ORR_EXPR_UNIT_BYTES]){0}));
        return fail(&chain, text, &error);
    }
    writable(node)->text = result;
    return ORR_OK;
}

static bool has_marked(const struct orr_conf *node)
{
    bool has = is_marked(node);
    for (size_t i = 0; node->kind != ORR_CONF_SCALAR && i < node->count && !has; i++) {
        has = has_marked(node->item[i]);
    }
    return has;
}

static enum orr_status derive_all(struct work *work, const struct orr_conf *node)
{
    enum orr_status status = is_marked(node) ? derive(work, node, NULL) : ORR_OK;
    for (size_t i = 0; node->kind != ORR_CONF_SCALAR && i < node->count && status == ORR_OK; i++) {
        status = derive_all(work, node->item[i]);
    }
    return status;
}

enum orr_status orr_conf_derive(struct orr_arena *arena, const struct orr_conf **root,
                                struct orr_diag *diag)
{
    if (*root == NULL || !has_marked(*root)) {
        return ORR_OK;
    }
    *root = orr_conf_copy(arena, *root);
    if (*root == NULL) {
        return orr_diag_no_memory(diag, "a configuration");
    }
    struct work work = {.arena = arena, .root = *root, .diag = diag};
    return derive_all(&work, *root);
}
