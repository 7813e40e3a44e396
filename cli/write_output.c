/* Writing results to files; see write_output.h. */
#include "cli/write_output.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/terminal.h"

int orr_write_output(const struct orr_output *output, const void *context, bool *standard)
{
    if (output->path == NULL) {
        return 0;
    }
    const bool to_standard = strcmp(output->path, "-") == 0;
    FILE *file = to_standard ? stdout : fopen(output->path, "w");
    if (file == NULL) {
        orr_say("%s: cannot be written: %s\n", output->path, strerror(errno));
        return ORR_EXIT_USAGE;
    }
    int result = output->write(file, context);
    if (!to_standard && fclose(file) != 0) {
        result = 1;
    }
    if (result != 0) {
        orr_say("%s: cannot be written: %s\n", output->path, strerror(errno));
    }
    *standard = *standard || to_standard;
    return result;
}
