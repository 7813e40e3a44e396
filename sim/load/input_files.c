/* Collects the input files of a command; see input_files.h. */
#include "sim/load/input_files.h"

#include "core/conf/conf.h"
#include "core/file.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

void orr_input_files_init(struct orr_input_files *files, struct orr_arena *arena,
                          const char *library)
{
    *files = (struct orr_input_files){.arena = arena, .library = library};
    orr_strings_init(&files->paths, arena);
    orr_strings_init(&files->trees, arena);
}

static bool is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

void orr_input_files_add(struct orr_input_files *files, const char *path)
{
    if (path != NULL && is_regular(path)) {
        (void)orr_strings_add(&files->paths, path, strlen(path));
    }
}

/* Whether the text is .RANK.et or .RANK.et.gz. */
static bool ends_as_trace(const char *text)
{
    const char *at = text + 1;
    while (text[0] == '.' && isdigit((unsigned char)*at)) {
        at++;
    }
    return at > text + 1 && (strcmp(at, ".et") == 0 || strcmp(at, ".et.gz") == 0);
}

void orr_input_files_add_traces(struct orr_input_files *files, const char *prefix)
{
    const char *slash = strrchr(prefix, '/');
    const char *name = slash != NULL ? slash + 1 : prefix;
    const char *folder =
        slash != NULL ? orr_arena_printf(files->arena, "%.*s/", (int)(slash - prefix), prefix)
                      : "./";
    DIR *stream = folder != NULL ? opendir(folder) : NULL;
    const size_t length = strlen(name);
    for (struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        if (strncmp(entry->d_name, name, length) == 0 && ends_as_trace(entry->d_name + length)) {
            orr_input_files_add(
                files,
                orr_arena_printf(files->arena, "%s%s", slash != NULL ? folder : "", entry->d_name));
        }
    }
    if (stream != NULL) {
        (void)closedir(stream);
    }
}

/* Adds the file of a value, and the files that it may name. */
static void add_node(struct orr_input_files *files, const struct orr_conf *node)
{
    orr_input_files_add(files, node->file);
    for (size_t i = 0; i < node->count; i++) {
        add_node(files, node->item[i]);
    }
    if (node->kind == ORR_CONF_SCALAR && node->text[0] != '\0') {
        const char *path = orr_path_resolve(files->arena, node->file, node->text);
        orr_input_files_add(files, path);
        if (path != NULL && strcmp(node->path, "workload.traces") == 0) {
            orr_input_files_add_traces(files, path);
        }
    }
}

void orr_input_files_add_tree(struct orr_input_files *files, const char *path)
{
    const struct orr_conf *root = NULL;
    const uint32_t known = files->trees.count;
    if (path == NULL || orr_strings_add(&files->trees, path, strlen(path)) != known) {
        return;
    }
    orr_input_files_add(files, path);
    if (orr_conf_load_composed(files->arena, path, files->library, &root, NULL) == ORR_OK) {
        add_node(files, root);
    }
}
