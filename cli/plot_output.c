/* Names of plots; see plot_output.h. */
#include "cli/plot_output.h"

#include <string.h>

#include "cli/options.h"

int orr_check_plot(const char *command, const char *file)
{
    const char *dot = file != NULL ? strrchr(file, '.') : NULL;
    if (file == NULL || (dot != NULL && strcmp(dot, ".svg") == 0)) {
        return 0;
    }
    return orr_reject_value(command, "plot", "a file that ends in .svg", file, "");
}
