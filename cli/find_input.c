/* The inputs that ship, and where they are: in $ORRERY_INPUTS if that is set; else in share/orrery
 * beside the bin/ that holds the command (the build tree has a link to inputs/ there); else in the
 * data directory that the build was configured for. */
#include "cli/find_input.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "core/core.h"

enum { MOST_INPUTS = 1024, PATH_BYTES = 4096, LINE_BYTES = 256, COMMENT_BYTES = 512 };

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_file(const char *path)
{
    return path != NULL && access(path, F_OK) == 0 && !is_folder(path);
}

/* share/orrery of the tree that the running command is in, or NULL. */
static const char *beside_command(struct orr_arena *arena)
{
    char path[PATH_BYTES];
    const ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    if (bytes <= 0) {
        return NULL;
    }
    path[bytes] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL) {
            return NULL;
        }
        *slash = '\0';
    }
    const char *inputs = orr_arena_printf(arena, "%s/share/orrery", path);
    return inputs != NULL && is_folder(inputs) ? inputs : NULL;
}

static const char *inputs_folder(struct orr_arena *arena)
{
    const char *given = getenv("ORRERY_INPUTS");
    if (given != NULL && given[0] != '\0') {
        return given;
    }
    const char *beside = beside_command(arena);
    return beside != NULL ? beside : ORRERY_INPUTS_DIR;
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
    const char *name[MOST_INPUTS]; /* without ".yml", sorted */
    size_t count;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Empty when the folder cannot be read. */
static void read_names(struct orr_arena *arena, const char *folder, struct names *names)
{
    names->count = 0;
    DIR *stream = opendir(folder);
    if (stream == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length <= 4 || strcmp(entry->d_name + length - 4, ".yml") != 0) {
            continue;
        }
        const char *name = orr_arena_strndup(arena, entry->d_name, length - 4);
        if (name != NULL && names->count < MOST_INPUTS) {
            names->name[names->count++] = name;
        }
    }
    (void)closedir(stream);
    qsort(names->name, names->count, sizeof names->name[0], compare_names);
}

/* Cuts the text behind its first sentence, which a capital letter follows. */
static void cut_sentence(char *text)
{
    for (char *dot = strstr(text, ". "); dot != NULL; dot = strstr(dot + 1, ". ")) {
        if (isupper((unsigned char)dot[2])) {
            dot[1] = '\0';
            return;
        }
    }
}

/* The first sentence of the comment that the file begins with; else "". */
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
        if (strstr(line, "yaml-language-server") == NULL && /* that is for editors */
            used + strlen(begin) + 2 < COMMENT_BYTES) {
            used += (size_t)snprintf(text + used, COMMENT_BYTES - used, "%s%s",
                                     used != 0 ? " " : "", begin);
        }
    }
    (void)fclose(file);
    cut_sentence(text);
}

static size_t list_kind(FILE *out, struct orr_arena *arena, const char *root, const char *kind)
{
    struct names names;
    char comment[COMMENT_BYTES];
    const char *folder = orr_arena_printf(arena, "%s/%s", root, kind);
    if (folder == NULL) {
        return 0;
    }
    read_names(arena, folder, &names);
    orr_print(out, "%s in %s:\n", kind, folder);
    for (size_t i = 0; i < names.count; i++) {
        const char *path = orr_arena_printf(arena, "%s/%s.yml", folder, names.name[i]);
        read_comment(path != NULL ? path : "", comment);
        orr_print(out, "  %-20s %s\n", names.name[i], comment);
    }
    return names.count;
}

int orr_list_inputs(FILE *out)
{
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        orr_say("orrery: out of memory\n");
        return 1;
    }
    const char *root = inputs_folder(arena);
    size_t count = list_kind(out, arena, root, "platforms");
    count += list_kind(out, arena, root, "workloads");
    count += list_kind(out, arena, root, "models");
    const int status = count > 0 ? 0 : ORR_EXIT_USAGE;
    if (status != 0) {
        orr_say("orrery: %s: no inputs here; ORRERY_INPUTS names another folder\n", root);
    }
    orr_arena_destroy(arena);
    return status;
}

/* ---- finding ---- */

/* The name nearest to a wrong one: misspelt, or cut short. */
static const char *nearest_name(const char *name, const struct names *names)
{
    const char *nearest = orr_nearest_name(name, names->name, names->count);
    for (size_t i = 0; i < names->count && nearest == NULL; i++) {
        nearest = strncmp(names->name[i], name, strlen(name)) == 0 ? names->name[i] : NULL;
    }
    return nearest;
}

static void refuse(struct orr_arena *arena, const char *root, const char *kind, const char *name)
{
    struct names names;
    const char *folder = orr_arena_printf(arena, "%s/%s", root, kind);
    read_names(arena, folder != NULL ? folder : "", &names);
    const char *nearest = nearest_name(name, &names);
    orr_say("orrery: \"%s\": no such file, and none of the %s in %s has this name%s%s%s\n"
            "See orrery run --list-inputs.\n",
            name, kind, root, nearest != NULL ? "; did you mean \"" : "",
            nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

/* The path of a name that ships, or NULL. */
static const char *find_shipped(struct orr_arena *arena, const char *root, const char *kind,
                                const char *name)
{
    const bool workload = strcmp(kind, "workloads") == 0; /* a model is one */
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

const char *orr_find_input(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES],
                           int *status)
{
    if (strchr("./", name[0]) != NULL || is_file(name)) { /* an empty name as well */
        return name;
    }
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return name;
    }
    const char *root = inputs_folder(arena);
    const char *found = find_shipped(arena, root, kind, name);
    if (found != NULL) {
        memcpy(path, found, strlen(found) + 1);
    } else if (strpbrk(name, "/.") == NULL) {
        refuse(arena, root, kind, name);
        *status = ORR_EXIT_USAGE;
    }
    orr_arena_destroy(arena);
    return found != NULL ? path : name;
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
