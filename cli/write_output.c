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

int orr_write_output(const struct orr_output *output, const void *context, bool *standard)
{
    if (output->path == NULL) {
        return 0;
    }
    const bool to_standard = strcmp(output->path, "-") == 0;
    FILE *file = to_standard ? stdout : fopen(output->path, "w");
    if (file == NULL) {
        return print_unwritable(output->path, errno);
    }
    int result = output->write(file, context);
    bool failed = ferror(file) != 0 || result == 1;
    if (!to_standard && fclose(file) != 0) {
        result = 1;
        failed = true;
    }
    if (failed) { /* another status is of a writer that said why */
        orr_print_message("%s: cannot be written: %s\n", output->path, strerror(errno));
    }
    *standard = *standard || to_standard;
    return result;
}

int orr_write_json_or_text(const char *path, int (*json)(FILE *out, const void *context),
                           const void *json_context, int (*text)(FILE *out, const void *context),
                           const void *text_context)
{
    const bool standard = path != NULL && strcmp(path, "-") == 0;
    FILE *file = path == NULL || standard ? stdout : fopen(path, "w");
    if (file == NULL) {
        return print_unwritable(path, errno);
    }
    int status = path != NULL ? json(file, json_context) : 0;
    if (file != stdout && fclose(file) != 0 && status == 0) {
        status = print_unwritable(path, errno);
    }
    return status == 0 && !standard && text != NULL ? text(stdout, text_context) : status;
}
