/* A hash of all that the results of a sweep depend on: its points, what it reads of each, the bytes
 * of every file that they are read from, and the version. Results of another hash are not resumed.
 * FNV-1a of 64 bits. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/sweep.h"

static const uint64_t EMPTY = UINT64_C(0xcbf29ce484222325);

static uint64_t add_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* With the byte behind it, so that texts do not run together. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    return text != NULL ? add_bytes(hash, text, strlen(text) + 1) : add_bytes(hash, "\1", 1);
}

/* ---- files ---- */

struct files {
    struct orr_arena *arena;
    const char *library;
    struct orr_strings paths;
    struct orr_strings trees; /* platforms and workloads that were walked */
};

static bool is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void add_file(struct files *files, const char *path)
{
    if (is_regular(path)) {
        (void)orr_strings_add(&files->paths, path, strlen(path));
    }
}

static const char *beside(struct files *files, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    return path[0] == '/' || slash == NULL
               ? path
               : orr_arena_printf(files->arena, "%.*s/%s", (int)(slash - file), file, path);
}

/* The files PREFIX.*: traces. */
static void add_prefix(struct files *files, const char *prefix)
{
    const char *slash = strrchr(prefix, '/');
    const char *name = slash != NULL ? slash + 1 : prefix;
    const char *folder =
        slash != NULL ? orr_arena_printf(files->arena, "%.*s/", (int)(slash - prefix), prefix)
                      : "./";
    DIR *stream = folder != NULL ? opendir(folder) : NULL;
    for (struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        const size_t length = strlen(name);
        if (strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '.') {
            const char *path =
                orr_arena_printf(files->arena, "%s%s", slash != NULL ? folder : "", entry->d_name);
            add_file(files, path != NULL ? path : "");
        }
    }
    if (stream != NULL) {
        (void)closedir(stream);
    }
}

/* The file that a value stands in, and those that it may name. */
static void add_node(struct files *files, const struct orr_conf *node)
{
    add_file(files, node->file);
    for (size_t i = 0; i < node->count; i++) {
        add_node(files, node->item[i]);
    }
    if (node->kind == ORR_CONF_SCALAR && node->text[0] != '\0') {
        const char *path = beside(files, node->file, node->text);
        add_file(files, path != NULL ? path : "");
        if (path != NULL && strcmp(node->path, "workload.traces") == 0) {
            add_prefix(files, path);
        }
    }
}

static void add_tree(struct files *files, const char *path)
{
    const struct orr_conf *root = NULL;
    const uint32_t known = files->trees.count;
    if (path == NULL || orr_strings_add(&files->trees, path, strlen(path)) != known) {
        return;
    }
    add_file(files, path);
    if (orr_conf_load_composed(files->arena, path, files->library, &root, NULL) == ORR_OK) {
        add_node(files, root);
    }
}

static void add_values(struct files *files, const struct orr_sweep *sweep)
{
    for (size_t a = 0; a < sweep->axes + sweep->sets; a++) {
        const struct orr_sweep_axis *axis = &sweep->axis[a];
        for (size_t i = 0; i < axis->count; i++) {
            const struct orr_sweep_value *value = &axis->value[i];
            add_tree(files, value->file);
            const char *text = value->assignment != NULL ? strchr(value->assignment, '=') + 1 : "";
            add_file(files, text);
            if (strcmp(axis->path, "workload.traces") == 0) {
                add_prefix(files, text);
            }
        }
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum orr_status hash_file(const char *path, uint64_t *hash, struct orr_diag *diag)
{
    char buffer[65536];
    size_t got;
    FILE *file = fopen(path, "rb");
    *hash = EMPTY;
    while (file != NULL && (got = fread(buffer, 1, sizeof buffer, file)) > 0) {
        *hash = add_bytes(*hash, buffer, got);
    }
    const bool failed = file == NULL || ferror(file) != 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    const struct orr_place place = orr_place_file(path);
    return failed ? orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be read") : ORR_OK;
}

/* The path as the sweep's file sees it, whatever the working directory is. */
static const char *from_sweep(const struct orr_sweep *sweep, const char *path)
{
    const char *slash = strrchr(sweep->file, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - sweep->file) + 1 : 0;
    return strncmp(path, sweep->file, folder) == 0 ? path + folder : path;
}

static enum orr_status hash_files(struct files *files, struct orr_sweep *sweep,
                                  struct orr_diag *diag)
{
    const char *lines = "";
    qsort((void *)files->paths.text, files->paths.count, sizeof *files->paths.text, compare_names);
    for (uint32_t i = 0; i < files->paths.count && lines != NULL; i++) {
        uint64_t hash;
        const enum orr_status status = hash_file(files->paths.text[i], &hash, diag);
        if (status != ORR_OK) {
            return status;
        }
        /* A sum: the order of the paths depends on the working directory, too. */
        const char *name = from_sweep(sweep, files->paths.text[i]);
        sweep->hash += add_text(hash, name);
        lines = orr_arena_printf(sweep->arena, "%s%016" PRIx64 " %s\n", lines, hash, name);
    }
    sweep->files = lines;
    return lines != NULL ? ORR_OK : orr_diag_no_memory(diag, "a sweep");
}

/* ---- the sweep itself ---- */

static void hash_points(struct orr_sweep *sweep)
{
    uint64_t hash = add_text(EMPTY, orrery_version());
    for (size_t a = 0; a < sweep->axes + sweep->sets; a++) {
        const struct orr_sweep_axis *axis = &sweep->axis[a];
        hash = add_text(hash, axis->path);
        for (size_t i = 0; i < axis->count; i++) {
            hash = add_text(hash, axis->value[i].label);
            hash = add_text(hash, axis->value[i].number         ? "number"
                                  : axis->value[i].file != NULL ? "file"
                                                                : "text");
        }
    }
    for (unsigned f = 0; f < sweep->factors; f++) {
        hash = add_bytes(hash, &sweep->factor_count[f], sizeof sweep->factor_count[f]);
    }
    hash = add_bytes(hash, sweep->point, sweep->points * sizeof *sweep->point);
    sweep->hash = add_text(hash, sweep->cost.text);
}

enum orr_status orr_sweep_hash(struct orr_sweep *sweep, struct orr_diag *diag)
{
    struct files files = {.arena = orr_arena_create(), .library = sweep->library};
    if (files.arena == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    orr_strings_init(&files.paths, files.arena);
    orr_strings_init(&files.trees, files.arena);
    hash_points(sweep);
    add_tree(&files, sweep->platform);
    add_tree(&files, sweep->workload);
    add_values(&files, sweep);
    const enum orr_status status = hash_files(&files, sweep, diag);
    orr_arena_destroy(files.arena);
    return status;
}
