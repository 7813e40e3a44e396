/* Whether a path names a key, by the tables that configurations are read by; see sweep.h. A path in
 * a table has [] for the index of a list's entry, and words in capitals for names that users give.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/sim.h"
#include "study/sweep/sweep.h"
#include "workload/workload.h"

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

/* The rest of the path behind its first word. */
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

/* A mapping that its reader, not a table, knows. */
static bool is_free(const struct orr_key *key)
{
    return key->type == ORR_KEY_NODE && key->table == NULL && key->each == NULL;
}

struct search {
    struct orr_arena *arena;
    char path[PATH_BYTES];
    bool found, below; /* below: a part of a key that is free */
    const char *names[MAX_KEYS];
    size_t count;
};

static void look(void *context, const char *path, const struct orr_key_table *table,
                 const struct orr_key *key)
{
    struct search *search = context;
    (void)table;
    if (key->merge_only) {
        return;
    }
    const size_t length = strlen(path);
    search->found = search->found || same_path(search->path, path);
    search->below = search->below ||
                    (is_free(key) && strncmp(search->path, path, length) == 0 &&
                     strchr(".[", search->path[length]) != NULL && search->path[length] != '\0');
    if (search->arena != NULL && search->count < MAX_KEYS) {
        search->names[search->count] = orr_arena_strdup(search->arena, path);
        search->count += search->names[search->count] != NULL ? 1 : 0;
    }
}

static void find(struct search *search, const char *path)
{
    if (without_indices(path, search->path)) {
        orr_keys_visit(&orr_wl_key_table, look, search);
    }
}

bool orr_sweep_is_key(const char *path)
{
    struct search search = {.arena = NULL};
    find(&search, path);
    return search.found || search.below;
}

/* The key that was meant: a misspelt one, or one whose last word this is. */
static const char *nearest(const struct search *search, const char *path)
{
    const char *name = orr_nearest_name(search->path, search->names, search->count);
    const size_t length = strlen(path);
    for (size_t i = 0; i < search->count && name == NULL; i++) {
        const size_t longer = strlen(search->names[i]);
        if (longer > length && search->names[i][longer - length - 1] == '.' &&
            strcmp(search->names[i] + longer - length, path) == 0) {
            name = search->names[i];
        }
    }
    return name;
}

enum orr_status orr_sweep_check_path(const char *path, const struct orr_location *place,
                                     const char *what, struct orr_diag *diag)
{
    struct search search = {.arena = orr_arena_create()};
    if (search.arena == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    find(&search, path);
    enum orr_status status = ORR_OK;
    if (!search.found && !search.below) {
        const char *name = nearest(&search, path);
        status = orr_diag_fail(
            diag, ORR_ERR_INPUT, place, "%s: \"%s\" names no key of platforms or workloads%s%s%s",
            what, path, name != NULL ? "; did you mean \"" : " (see orrery schema keys)",
            name != NULL ? name : "", name != NULL ? "\"?" : "");
    }
    orr_arena_destroy(search.arena);
    return status;
}
