/* Hash of everything that results of a sweep depend on: its points, their assignments, the bytes of
 * all input files, and the version. Results with another hash are not resumed. 64-bit FNV-1a. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/load/input_files.h"
#include "study/sweep/sweep_money.h"
#include "study/sweep/sweep_reading.h"

static const uint64_t EMPTY = UINT64_C(0xcbf29ce484222325);

static uint64_t add_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* With the terminating byte, so that concatenations differ. */
static uint64_t add_text(uint64_t hash, const char *text)
{
    return text != NULL ? add_bytes(hash, text, strlen(text) + 1) : add_bytes(hash, "\1", 1);
}

/* ---- files ---- */

static void add_values(struct orr_input_files *files, const struct orr_sweep *sweep)
{
    for (size_t a = 0; a < sweep->axes + sweep->sets; a++) {
        const struct orr_sweep_axis *axis = &sweep->axis[a];
        for (size_t i = 0; i < axis->count; i++) {
            const struct orr_sweep_value *value = &axis->value[i];
            orr_input_files_add_tree(files, value->file);
            const char *text = value->assignment != NULL ? strchr(value->assignment, '=') + 1 : "";
            orr_input_files_add(files, text);
            if (strcmp(axis->path, "workload.traces") == 0) {
                orr_input_files_add_traces(files, text);
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
    const struct orr_location location = orr_location_file(path);
    return failed ? orr_diag_fail(diag, ORR_ERR_IO, &location, "cannot be read") : ORR_OK;
}

/* The path as the sweep's file sees it, whatever the working directory is. */
static const char *from_sweep(const struct orr_sweep *sweep, const char *path)
{
    const char *slash = strrchr(sweep->file, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - sweep->file) + 1 : 0;
    return strncmp(path, sweep->file, folder) == 0 ? path + folder : path;
}

static enum orr_status hash_files(struct orr_input_files *files, struct orr_sweep *sweep,
                                  struct orr_diag *diag)
{
    const char *lines = "";
    if (files->paths.count != 0) { /* a sweep may set everything without a file */
        qsort((void *)files->paths.text, files->paths.count, sizeof *files->paths.text,
              compare_names);
    }
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

static bool is_money(void *context, int name)
{
    (void)context;
    return orr_sweep_is_money(name);
}

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
    if (orr_expr_uses(sweep->cost.expr, is_money, NULL)) {
        hash = add_bytes(hash, sweep->money, sizeof *sweep->money);
    }
    sweep->hash = add_text(hash, sweep->cost.text);
}

enum orr_status orr_sweep_hash(struct orr_sweep *sweep, struct orr_diag *diag)
{
    struct orr_input_files files;
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "a sweep");
    }
    orr_input_files_init(&files, arena, sweep->library);
    hash_points(sweep);
    orr_input_files_add_tree(&files, sweep->platform);
    orr_input_files_add_tree(&files, sweep->workload);
    add_values(&files, sweep);
    const enum orr_status status = hash_files(&files, sweep, diag);
    orr_arena_destroy(arena);
    return status;
}
