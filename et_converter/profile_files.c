/* The files of profiles; see profile_files.h. */
#include "et_converter/profile_files.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/input_bytes.h"

enum { HEAD_BYTES = 64 * 1024 };

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static bool is_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
}

static bool is_pattern(const char *path)
{
    return strpbrk(path, "*?[") != NULL && !is_file(path);
}

/* Whether the file begins as a profile does. */
static bool begins_as_profile(const char *path)
{
    char *head = orr_heap_calloc(HEAD_BYTES, 1);
    const size_t bytes =
        head != NULL ? orr_convert_source_peek(path, (unsigned char *)head, HEAD_BYTES - 1) : 0;
    const bool is = bytes > 0 && (strstr(head, "\"traceEvents\"") != NULL ||
                                  strstr(head, "\"deviceProperties\"") != NULL ||
                                  strstr(head, "\"distributedInfo\"") != NULL);
    orr_heap_free(head);
    return is;
}

bool orr_profile_is(const char *path)
{
    return is_folder(path) || is_pattern(path) || begins_as_profile(path);
}

/* ---- lists ---- */

static enum orr_status add(struct orr_arena *arena, const char *path, struct orr_profile_files *out,
                           struct orr_diag *diag)
{
    const char **grown =
        orr_arena_grow(arena, out->path, &out->capacity, out->count + 1, sizeof *grown);
    const char *copy = orr_arena_strdup(arena, path);
    if (grown == NULL || copy == NULL) {
        return orr_diag_no_memory(diag, "paths");
    }
    out->path = grown;
    grown[out->count++] = copy;
    return ORR_OK;
}

static bool ends(const char *name, const char *with)
{
    const size_t length = strlen(name), tail = strlen(with);
    return length > tail && strcmp(name + length - tail, with) == 0;
}

/* Names in the order of the numbers in them: "rank2" before "rank10". */
static int compare_names(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    while (*x != '\0' && *x == *y) {
        x++;
        y++;
    }
    const size_t digits = strspn(x, "0123456789"), others = strspn(y, "0123456789");
    if (digits != others && digits > 0 && others > 0) {
        return digits > others ? 1 : -1;
    }
    return strcmp(x, y);
}

static void sort_from(struct orr_profile_files *files, size_t first)
{
    if (files->count > first + 1) {
        qsort(files->path + first, files->count - first, sizeof *files->path, compare_names);
    }
}

static enum orr_status list_folder(struct orr_arena *arena, const char *folder,
                                   struct orr_profile_files *out, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(folder);
    const size_t first = out->count;
    enum orr_status status = ORR_OK;
    DIR *opened = opendir(folder);
    if (opened == NULL) {
        return orr_diag_fail(diag, ORR_ERR_IO, &place, "the folder cannot be read");
    }
    for (const struct dirent *entry = readdir(opened); entry != NULL && status == ORR_OK;
         entry = readdir(opened)) {
        const bool named = ends(entry->d_name, ".json") || ends(entry->d_name, ".json.gz");
        const size_t length = strlen(folder);
        const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
        const char *path =
            named ? orr_arena_printf(arena, "%s%s%s", folder, slash, entry->d_name) : NULL;
        if (path != NULL && is_file(path) && begins_as_profile(path)) {
            status = add(arena, path, out, diag);
        }
    }
    (void)closedir(opened);
    sort_from(out, first);
    return status != ORR_OK || out->count > first
               ? status
               : orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                               "expected profiles of torch.profiler in the folder (NAME.json or "
                               "NAME.json.gz, with \"traceEvents\"), found none");
}

static enum orr_status list_pattern(struct orr_arena *arena, const char *pattern,
                                    struct orr_profile_files *out, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(pattern);
    const size_t first = out->count;
    enum orr_status status = ORR_OK;
    glob_t found = {0};
    const int result = glob(pattern, 0, NULL, &found);
    for (size_t i = 0; result == 0 && i < found.gl_pathc && status == ORR_OK; i++) {
        status = is_folder(found.gl_pathv[i]) ? ORR_OK : add(arena, found.gl_pathv[i], out, diag);
    }
    globfree(&found);
    sort_from(out, first);
    return status != ORR_OK || out->count > first
               ? status
               : orr_diag_fail(diag, ORR_ERR_IO, &place, "no file has such a name");
}

enum orr_status orr_profile_files_list(struct orr_arena *arena, const char *const *given,
                                       size_t givens, struct orr_profile_files *out,
                                       struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    *out = (struct orr_profile_files){0};
    for (size_t i = 0; i < givens && status == ORR_OK; i++) {
        status = is_folder(given[i])    ? list_folder(arena, given[i], out, diag)
                 : is_pattern(given[i]) ? list_pattern(arena, given[i], out, diag)
                                        : add(arena, given[i], out, diag);
    }
    return status;
}
