/* Whether a path names a key of the tables that configurations are read by; see sweep.h. A path in
 * a table has [] for the index of a list entry, and uppercase words for names that users choose. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "sim/load/config_keys.h"
#include "study/sweep/sweep.h"

enum { PATH_BYTES = 512, MAX_KEYS = 1024 };

/* "network.dims[2].bandwidth" as "network.dims[].bandwidth"; false when it is too long. */
static bool without_indices(const char *path, char *out)
{
    size_t used = 0;
    for (; *path != '\0'; path++) {
        if (used + 2 >= PATH_BYTES) {
            return false;
        }
        out[used++] = *path;
        if (*path == '[' && isdigit((unsigned char)path[1])) {
            path += strspn(path + 1, "0123456789");
        }
    }
    out[used] = '\0';
    return true;
}

/* The path after its first word. */
static const char *next_word(const char *path)
{
    path += strcspn(path, ".");
    return path + (*path == '.' ? 1 : 0);
}

static bool same_word(const char *path, const char *pattern)
{
    const size_t length = strcspn(path, "."), other = strcspn(pattern, ".");
    const bool any = other > 0 && strspn(pattern, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == other;
    return length > 0 && (any || (length == other && strncmp(path, pattern, length) == 0));
}

static bool same_path(const char *path, const char *pattern)
{
    while (*path != '\0' && *pattern != '\0') {
        if (!same_word(path, pattern)) {
            return false;
        }
        path = next_word(path);
        pattern = next_word(pattern);
    }
    return *path == '\0' && *pattern == '\0';
}

/* A mapping known to its reader, not to a table. */
static bool is_free(const struct orr_key *key)
{
    return key->type == ORR_KEY_NODE && key->table == NULL && key->each == NULL;
}

struct key_search {
    struct orr_arena *arena;
    char path[PATH_BYTES];
    bool found, below; /* below: inside a free mapping */
    const char *names[MAX_KEYS];
    size_t count;
};

static void visit_key(void *context, const char *path, const struct orr_key_table *table,
                      const struct orr_key *key)
{
    struct key_search *key_search = context;
    (void)table;
    if (key->merge_only) {
        return;
    }
    const size_t length = strlen(path);
    key_search->found = key_search->found || same_path(key_search->path, path);
    key_search->below =
        key_search->below ||
        (is_free(key) && strncmp(key_search->path, path, length) == 0 &&
         strchr(".[", key_search->path[length]) != NULL && key_search->path[length] != '\0');
    if (key_search->arena != NULL && key_search->count < MAX_KEYS) {
        key_search->names[key_search->count] = orr_arena_strdup(key_search->arena, path);
        key_search->count += key_search->names[key_search->count] != NULL ? 1 : 0;
    }
}

static void find(struct key_search *key_search, const char *path)
{
    if (without_indices(path, key_search->path)) {
        orr_keys_visit(&orr_wl_key_table, visit_key, key_search);
    }
}

bool orr_sweep_is_key(const char *path)
{
    struct key_search key_search = {.arena = NULL};
    find(&key_search, path);
    return key_search.found || key_search.below;
}

/* The suggested key: the nearest spelling, or a key whose last word this is. */
static const char *nearest(const struct key_search *key_search, const char *path)
{
    const char *name = orr_nearest_name(key_search->path, key_search->names, key_search->count);
    const size_t length = strlen(path);
    for (size_t i = 0; i < key_search->count && name == NULL; i++) {
        const size_t longer = strlen(key_search->names[i]);
        if (longer > length && key_search->names[i][longer - length - 1] == '.' &&
            strcmp(key_search->names[i] + longer - length, path) == 0) {
            name = key_search->names[i];
        }
    }
    return name;
}

enum orr_status orr_sweep_check_path(const char *path, const struct orr_location *place,
                                     const char *what, struct orr_diag *diag)
{
    struct key_search key_search = {.arena = orr_arena_create()};
    if (key_search.arena == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    find(&key_search, path);
    enum orr_status status = ORR_OK;
    if (!key_search.found && !key_search.below) {
        const char *name = nearest(&key_search, path);
        status = orr_diag_fail(
            diag, ORR_ERR_INPUT, place, "%s: \"%s\" names no key of platforms or workloads%s%s%s",
            what, path, name != NULL ? "; did you mean \"" : " (see orrery schema keys)",
            name != NULL ? name : "", name != NULL ? "\"?" : "");
    }
    orr_arena_destroy(key_search.arena);
    return status;
}
