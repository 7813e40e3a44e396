/* Finds the shipped inputs: in $ORRERY_INPUTS if it is set; else in share/orrery next to the bin/
 * of the command (the build tree has a link to inputs/ there), or next to the lib/ of the library
 * that a program is linked with; else in the data directory configured at build time. */
#define _GNU_SOURCE /* dladdr */
#include "sim/load/find_input.h"

#include "core/diag.h"
#include "core/strings.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_INPUTS = 1024, PATH_BYTES = 4096, LINE_BYTES = 256, COMMENT_BYTES = 512 };

static const char here; /* an address in this library */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_file(const char *path)
{
    return path != NULL && access(path, F_OK) == 0 && !is_folder(path);
}

/* share/orrery of the tree that a file in bin/, lib/ or lib/TRIPLET/ is in, or NULL. Changes the
 * path. */
static const char *share_of_tree(struct orr_arena *arena, char *path)
{
    enum { LEVELS = 3 };
    for (int up = 0; up < LEVELS; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL) {
            return NULL;
        }
        *slash = '\0';
        const char *inputs = up > 0 ? orr_arena_printf(arena, "%s/share/orrery", path) : NULL;
        if (inputs != NULL && is_folder(inputs)) {
            return inputs;
        }
    }
    return NULL;
}

/* That of the running command. */
static const char *share_of_command(struct orr_arena *arena)
{
    char path[PATH_BYTES];
    const ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    if (bytes <= 0) {
        return NULL;
    }
    path[bytes] = '\0';
    return share_of_tree(arena, path);
}

/* That of the library that this code is in. */
static const char *share_of_library(struct orr_arena *arena)
{
    char path[PATH_BYTES];
    Dl_info info;
    char *real =
        dladdr(&here, &info) != 0 && info.dli_fname != NULL ? realpath(info.dli_fname, NULL) : NULL;
    if (real == NULL) {
        return NULL;
    }
    (void)snprintf(path, sizeof path, "%s", real);
    free(real);
    return share_of_tree(arena, path);
}

static const char *inputs_folder(struct orr_arena *arena)
{
    const char *given = getenv("ORRERY_INPUTS");
    if (given != NULL && given[0] != '\0') {
        return given;
    }
    const char *share = share_of_command(arena);
    share = share != NULL ? share : share_of_library(arena);
    return share != NULL ? share : ORRERY_INPUTS_DIR;
}

void orr_inputs_library(char path[ORR_INPUT_PATH_BYTES])
{
    struct orr_arena *arena = orr_arena_create();
    const char *folder = arena != NULL ? inputs_folder(arena) : "";
    (void)snprintf(path, ORR_INPUT_PATH_BYTES, "%s", folder);
    orr_arena_destroy(arena);
}

/* ---- the list ---- */

struct names {
    const char *name[MAX_INPUTS]; /* without ".yml", sorted */
    size_t count;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the files of a folder, with the prefix; with `below` also those of its subfolders
 * (models/topoopt/vgg.yml is "topoopt/vgg"). An unreadable folder adds nothing. */
static void add_names(struct orr_arena *arena, const char *folder, const char *prefix, bool below,
                      struct names *names)
{
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        const char *path = orr_arena_printf(arena, "%s/%s", folder, entry->d_name);
        const char *inner = orr_arena_printf(arena, "%s/", entry->d_name);
        const size_t length = strlen(entry->d_name);
        if (below && entry->d_name[0] != '.' && path != NULL && inner != NULL && is_folder(path)) {
            add_names(arena, path, inner, false, names);
        }
        if (length <= 4 || strcmp(entry->d_name + length - 4, ".yml") != 0) {
            continue;
        }
        const char *name =
            orr_arena_printf(arena, "%s%.*s", prefix, (int)length - 4, entry->d_name);
        if (name != NULL && names->count < MAX_INPUTS) {
            names->name[names->count++] = name;
        }
    }
    (void)closedir(stream);
}

/* Names in a folder and, unless NULL, in another. */
static void read_names(struct orr_arena *arena, const char *folder, const char *other,
                       struct names *names)
{
    names->count = 0;
    add_names(arena, folder, "", true, names);
    if (other != NULL) {
        add_names(arena, other, "", true, names);
    }
    qsort(names->name, names->count, sizeof names->name[0], compare_names);
}

/* Truncates the text after its first sentence, which a capital letter follows. */
static void cut_sentence(char *text)
{
    for (char *dot = strstr(text, ". "); dot != NULL; dot = strstr(dot + 1, ". ")) {
        if (isupper((unsigned char)dot[2])) {
            dot[1] = '\0';
            return;
        }
    }
}

/* Reads the first sentence of the file's head comment; "": none. */
static void read_comment(const char *path, char text[COMMENT_BYTES])
{
    text[0] = '\0';
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return;
    }
    char line[LINE_BYTES];
    size_t used = 0;
    while (fgets(line, sizeof line, file) != NULL && line[0] == '#') {
        const char *begin = line + strspn(line, "# ");
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, "yaml-language-server") == NULL && /* a line for editors */
            used + strlen(begin) + 2 < COMMENT_BYTES) {
            used += (size_t)snprintf(text + used, COMMENT_BYTES - used, "%s%s",
                                     used != 0 ? " " : "", begin);
        }
    }
    (void)fclose(file);
    cut_sentence(text);
}

enum orr_status orr_shipped_inputs(struct orr_arena *arena, const char *kind,
                                   struct orr_shipped_inputs *out)
{
    struct names names;
    char comment[COMMENT_BYTES];
    *out = (struct orr_shipped_inputs){.root = inputs_folder(arena)};
    out->folder = orr_arena_printf(arena, "%s/%s", out->root, kind);
    if (out->folder == NULL) {
        return ORR_ERR_MEMORY;
    }
    read_names(arena, out->folder, NULL, &names);
    struct orr_shipped_input *input = orr_arena_array(arena, names.count + 1, sizeof *input);
    for (size_t i = 0; i < names.count && input != NULL; i++) {
        const char *path = orr_arena_printf(arena, "%s/%s.yml", out->folder, names.name[i]);
        read_comment(path != NULL ? path : "", comment);
        input[i].name = names.name[i];
        input[i].comment = orr_arena_strndup(arena, comment, strlen(comment));
        input = path != NULL && input[i].comment != NULL ? input : NULL;
    }
    out->input = input;
    out->count = names.count;
    return input != NULL ? ORR_OK : ORR_ERR_MEMORY;
}

/* ---- finding ---- */

/* The name nearest to an unknown one: truncated, or else misspelt. */
static const char *nearest_name(const char *name, const struct names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strncmp(names->name[i], name, strlen(name)) == 0) {
            return names->name[i];
        }
    }
    return orr_nearest_name(name, names->name, names->count);
}

const char *orr_nearest_input(struct orr_arena *arena, const char *kind, const char *name)
{
    struct names names;
    const char *slash = strrchr(name, '/');
    const int folder = slash != NULL ? (int)(slash - name) + 1 : 0;
    const char *path =
        orr_arena_printf(arena, "%s/%s/%.*s", inputs_folder(arena), kind, folder, name);
    const char *models =
        strcmp(kind, "workloads") == 0 /* a model is a workload */
            ? orr_arena_printf(arena, "%s/models/%.*s", inputs_folder(arena), folder, name)
            : NULL;
    read_names(arena, path != NULL ? path : "", models, &names);
    const char *nearest = nearest_name(name + folder, &names);
    return nearest != NULL ? orr_arena_printf(arena, "%.*s%s", folder, name, nearest) : NULL;
}

static enum orr_status fail_unknown(struct orr_arena *arena, const char *kind, const char *name,
                                    struct orr_diag *diag)
{
    const char *nearest = orr_nearest_input(arena, kind, name);
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "\"%s\": no such file, and none of the %s in %s has this name%s%s%s", name,
                         kind, inputs_folder(arena), nearest != NULL ? "; did you mean \"" : "",
                         nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

/* Whether a name with a slash is in a shipped folder. */
static bool in_shipped_folder(struct orr_arena *arena, const char *kind, const char *name)
{
    const char *slash = strchr(name, '/');
    const char *path = slash == NULL ? NULL
                                     : orr_arena_printf(arena, "%s/%s/%.*s", inputs_folder(arena),
                                                        kind, (int)(slash - name), name);
    return path != NULL && is_folder(path);
}

/* The path of a shipped input; NULL: none. */
static const char *find_shipped(struct orr_arena *arena, const char *root, const char *kind,
                                const char *name)
{
    const bool workload = strcmp(kind, "workloads") == 0; /* a model is a workload */
    const char *const candidates[] = {
        orr_arena_printf(arena, "%s/%s/%s", root, kind, name),
        workload ? orr_arena_printf(arena, "%s/models/%s.yml", root, name) : NULL,
        orr_arena_printf(arena, "%s/%s/%s.yml", root, kind, name),
        orr_arena_printf(arena, "%s/%s", root, name),
        orr_arena_printf(arena, "%s/%s.yml", root, name)};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        if (is_file(candidates[i]) && strlen(candidates[i]) < ORR_INPUT_PATH_BYTES) {
            return candidates[i];
        }
    }
    return NULL;
}

enum orr_status orr_find_input(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES],
                               const char **out, struct orr_diag *diag)
{
    *out = name;
    if (strchr("./", name[0]) != NULL || is_file(name)) { /* also an empty name */
        return ORR_OK;
    }
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "finding an input");
    }
    enum orr_status status = ORR_OK;
    const char *found = find_shipped(arena, inputs_folder(arena), kind, name);
    if (found != NULL) {
        *out = memcpy(path, found, strlen(found) + 1);
    } else if (access(name, F_OK) == 0) {
        status = ORR_OK; /* a folder: the reader will report it */
    } else if (strpbrk(name, "/.") == NULL ||
               (strchr(name, '.') == NULL && in_shipped_folder(arena, kind, name))) {
        status = fail_unknown(arena, kind, name, diag);
    }
    orr_arena_destroy(arena);
    return status;
}

bool orr_ships_input(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES])
{
    struct orr_arena *arena = orr_arena_create();
    const char *found = NULL;
    if (arena != NULL && name[0] != '\0' && strchr("./", name[0]) == NULL) {
        found = find_shipped(arena, inputs_folder(arena), kind, name);
    }
    if (found != NULL) {
        memcpy(path, found, strlen(found) + 1);
    }
    orr_arena_destroy(arena);
    return found != NULL;
}
