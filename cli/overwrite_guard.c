/* Guard against overwriting of inputs, for all commands; see overwrite_guard.h. */
#include "cli/overwrite_guard.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/terminal.h"
#include "core/strings.h"
#include "sim/load/find_input.h"
#include "sim/load/input_files.h"

enum { LARGEST_JSON_BYTES = 1 << 20 };

struct arguments {
    struct orr_input_files inputs, outputs;
    struct orr_strings written; /* paths of outputs, whether they exist or not */
    const char *twice;          /* path that two options name; NULL: none */
};

/* Adds the path of an output file; devices may be written several times. */
static void add_written(struct arguments *arguments, const char *path)
{
    struct stat status;
    const uint32_t before = arguments->written.count;
    if (path != NULL && strcmp(path, "-") != 0 &&
        (stat(path, &status) != 0 || S_ISREG(status.st_mode))) {
        (void)orr_strings_add(&arguments->written, path, strlen(path));
        arguments->twice = arguments->written.count == before ? path : arguments->twice;
    }
}

/* Adds an output; of a prefix, all files that commands write: traces, or the results of a sweep. */
static void add_output(struct arguments *arguments, bool prefix, const char *value)
{
    static const char *const ends[] = {".groups.json", ".csv", ".jsonl"};
    struct orr_input_files *files = &arguments->outputs;
    if (strcmp(value, "-") == 0) {
        return;
    }
    orr_input_files_add(files, value);
    add_written(arguments, value);
    for (size_t i = 0; prefix && i < sizeof ends / sizeof *ends; i++) {
        const char *path = orr_arena_printf(files->arena, "%s%s", value, ends[i]);
        orr_input_files_add(files, path);
        add_written(arguments, path);
    }
    if (prefix) {
        orr_input_files_add_traces(files, value);
    }
}

/* Whether a file is a configuration; a large JSON file is a trace or a result. */
static bool is_configuration(const char *path)
{
    const char *end = strrchr(path, '.');
    struct stat status;
    if (end == NULL || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    return strcasecmp(end, ".yml") == 0 || strcasecmp(end, ".yaml") == 0 ||
           (strcasecmp(end, ".json") == 0 && status.st_size <= LARGEST_JSON_BYTES);
}

/* Adds the files of all ranks for a path with "{rank}". */
static void add_ranks(struct orr_input_files *files, const char *text, const char *mark)
{
    bool more = true;
    for (unsigned rank = 0; more; rank++) {
        const uint32_t before = files->paths.count;
        orr_input_files_add(files, orr_arena_printf(files->arena, "%.*s%u%s", (int)(mark - text),
                                                    text, rank, mark + strlen("{rank}")));
        more = files->paths.count != before;
    }
}

static void add_input(struct orr_input_files *files, const char *text)
{
    static const char *const kinds[] = {"platforms", "workloads", "plans"};
    char found[ORR_INPUT_PATH_BYTES];
    const char *mark = strstr(text, "{rank}"), *value = strchr(text, '=');
    orr_input_files_add(files, text);
    orr_input_files_add_traces(files, text);
    if (mark != NULL) {
        add_ranks(files, text, mark);
    }
    if (is_configuration(text)) {
        orr_input_files_add_tree(files, text);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (orr_ships_input(kinds[i], text, found)) {
            orr_input_files_add_tree(files, found);
        }
    }
    if (value != NULL) { /* of --set PATH=VALUE, --option=FILE */
        add_input(files, value + 1);
    }
}

static void add_all(struct arguments *arguments, const struct orr_given *given, size_t count,
                    bool inputs)
{
    for (size_t i = 0; i < count; i++) {
        const bool output = given[i].role == ORR_OUTPUT || given[i].role == ORR_PREFIX;
        if (output && !inputs) {
            add_output(arguments, given[i].role == ORR_PREFIX, given[i].value);
        } else if (!output && inputs && given[i].role != ORR_FOLDER) {
            add_input(&arguments->inputs, given[i].value);
        }
    }
}

/* ---- comparison ---- */

/* Identity of the file at a path. */
struct file_id {
    dev_t device;
    ino_t inode;
    const char *path;
};

static int by_file(const void *a, const void *b)
{
    const struct file_id *one = a, *other = b;
    const int devices = (one->device > other->device) - (one->device < other->device);
    const int inodes = (one->inode > other->inode) - (one->inode < other->inode);
    return devices != 0 ? devices : inodes;
}

static struct file_id file_at(const char *path)
{
    struct stat status = {0};
    return stat(path, &status) == 0 ? (struct file_id){status.st_dev, status.st_ino, path}
                                    : (struct file_id){.path = path};
}

/* All inputs, sorted by file; NULL if out of memory. */
static const struct file_id *sorted(const struct orr_input_files *inputs)
{
    const size_t count = inputs->paths.count;
    struct file_id *all = orr_arena_array(inputs->arena, count + 1, sizeof *all);
    for (uint32_t i = 0; all != NULL && i < count; i++) {
        all[i] = file_at(inputs->paths.text[i]);
    }
    if (all != NULL) {
        qsort(all, count, sizeof *all, by_file);
    }
    return all;
}

static int reject(const char *command, const char *output, const char *input)
{
    const bool other = strcmp(output, input) != 0;
    orr_print_message("orrery %s: %s: is an input%s%s%s; results would overwrite it\n", command,
                      output, other ? " (" : "", other ? input : "", other ? ")" : "");
    return ORR_EXIT_USAGE;
}

static int compare(const struct arguments *arguments, const char *command)
{
    const struct orr_strings *written = &arguments->outputs.paths;
    const struct file_id *inputs = sorted(&arguments->inputs), *input = NULL;
    for (uint32_t i = 0; inputs != NULL && input == NULL && i < written->count; i++) {
        const struct file_id output = file_at(written->text[i]);
        input = bsearch(&output, inputs, arguments->inputs.paths.count, sizeof output, by_file);
        if (input != NULL) {
            return reject(command, output.path, input->path);
        }
    }
    if (arguments->twice != NULL) {
        orr_print_message("orrery %s: %s: two options write it; one would overwrite the other\n",
                          command, arguments->twice);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

int orr_check_overwrite(const char *command, const struct orr_given *given, size_t count)
{
    char library[ORR_INPUT_PATH_BYTES];
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return 0; /* the command reports it */
    }
    struct arguments arguments = {.twice = NULL};
    orr_inputs_library(library);
    orr_input_files_init(&arguments.inputs, arena, library);
    orr_input_files_init(&arguments.outputs, arena, library);
    orr_strings_init(&arguments.written, arena);
    add_all(&arguments, given, count, false);
    if (arguments.outputs.paths.count != 0) {
        add_all(&arguments, given, count, true);
    }
    const int status = compare(&arguments, command);
    orr_arena_destroy(arena);
    return status;
}
