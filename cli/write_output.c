/* Output files of commands; see write_output.h. */
#include "cli/write_output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/terminal.h"
#include "core/arena.h"
#include "core/whole_file.h"
#include "report/table_text.h"

static int print_unwritable(const char *path, int error)
{
    orr_print_message("%s: cannot be written: %s\n", path, strerror(error));
    return ORR_EXIT_USAGE;
}

/* Whether a file can be created in its folder: 0, or the errno. */
static int folder_error(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = orr_heap_strdup(slash != NULL ? path : ".");
    if (folder == NULL) {
        return 0; /* writing reports the error */
    }
    if (slash != NULL) {
        folder[slash == path ? 1 : slash - path] = '\0';
    }
    const int error = access(folder, W_OK | X_OK) == 0 ? 0 : errno;
    orr_heap_free(folder);
    return error;
}

int orr_check_output(const char *path)
{
    struct stat found;
    int error = 0;
    if (path == NULL || strcmp(path, "-") == 0) {
        return 0;
    }
    if (stat(path, &found) == 0) {
        error = S_ISDIR(found.st_mode) ? EISDIR : access(path, W_OK) != 0 ? errno : 0;
    } else {
        error = errno == ENOENT ? folder_error(path) : errno;
    }
    return error != 0 ? print_unwritable(path, error) : 0;
}

/* Files that are written, and get their names when the command ends: one that runs out of memory
 * has written nothing. The command's own state, as its process is. */
enum { MAX_WRITTEN = 32 };
static struct {
    struct orr_whole_file file;
    const char *path;
} written[MAX_WRITTEN];
static size_t written_count;

static int keep(struct orr_whole_file *file, const char *path)
{
    if (orr_whole_file_keep(file)) {
        return 0;
    }
    (void)print_unwritable(path, errno);
    return 1;
}

int orr_keep_outputs(void)
{
    int status = 0;
    for (size_t i = 0; i < written_count; i++) {
        const int kept = keep(&written[i].file, written[i].path);
        status = status == 0 ? kept : status;
    }
    written_count = 0;
    return status;
}

/* Ends a file: kept with the others, or dropped. */
static void end_file(struct orr_whole_file *file, const char *path, bool whole)
{
    if (!whole) {
        orr_whole_file_drop(file);
    } else if (written_count < MAX_WRITTEN) {
        written[written_count].file = *file;
        written[written_count++].path = path;
    } else {
        (void)keep(file, path);
    }
}

/* Writes a file by `write`. Prints errors; returns the writer's status, 1 if that is 0 and it
 * cannot be written. */
static int write_file(const char *path, int (*write)(FILE *out, const void *context),
                      const void *context)
{
    struct orr_whole_file file;
    if (!orr_whole_file_open(&file, path)) {
        return print_unwritable(path, errno);
    }
    errno = 0;
    int result = write(file.file, context);
    const bool failed = result == 1 || fflush(file.file) != 0 || ferror(file.file) != 0;
    const int error = errno;
    end_file(&file, path, result == 0 && !failed);
    if (failed) { /* another status is of a writer that said why */
        (void)print_unwritable(path, error);
        result = result == 0 ? 1 : result;
    }
    return result;
}

int orr_write_output(const struct orr_output *output, const void *context, bool *standard)
{
    if (output->path == NULL) {
        return 0;
    }
    if (strcmp(output->path, "-") != 0) {
        return write_file(output->path, output->write, context);
    }
    errno = 0;
    int result = output->write(stdout, context);
    if (ferror(stdout) != 0 || result == 1) {
        (void)print_unwritable(output->path, errno);
        (void)freopen("/dev/null", "w", stdout); /* said once: what follows is lost anyway */
        result = result == 0 ? 1 : result;
    }
    *standard = true;
    return result;
}

int orr_write_json_or_text(const char *path, int (*json)(FILE *out, const void *context),
                           const void *json_context, int (*text)(FILE *out, const void *context),
                           const void *text_context)
{
    const bool standard = path != NULL && strcmp(path, "-") == 0;
    const int status = path == NULL ? 0
                       : standard   ? json(stdout, json_context)
                                    : write_file(path, json, json_context);
    return status == 0 && !standard && text != NULL ? text(stdout, text_context) : status;
}
