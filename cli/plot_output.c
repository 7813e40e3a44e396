/* Plots by gnuplot; see plot_output.h. */
#include "cli/plot_output.h"

#include <signal.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"

static bool is_pdf(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot != NULL && strcmp(dot, ".pdf") == 0;
}

int orr_check_plot(const char *command, const char *file)
{
    const char *dot = file != NULL ? strrchr(file, '.') : NULL;
    if (file == NULL || (dot != NULL && (is_pdf(file) || strcmp(dot, ".svg") == 0) &&
                         strpbrk(file, "'\n") == NULL)) {
        return 0;
    }
    return orr_reject_value(command, "plot", "a file that ends in .svg or .pdf, without quotes",
                            file, "");
}

int orr_plot(const char *command, const char *file,
             void (*draw)(FILE *gnuplot, const void *context, const char *file, bool pdf),
             const void *context)
{
    const int status = orr_check_plot(command, file);
    if (status != 0 || file == NULL) {
        return status;
    }
    /* If gnuplot is missing, the pipe closes while it is written to. */
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    (void)sigaction(SIGPIPE, &ignore, &before);
    FILE *gnuplot = popen("gnuplot", "w");
    if (gnuplot != NULL) {
        draw(gnuplot, context, file, is_pdf(file));
    }
    const bool failed = gnuplot == NULL || pclose(gnuplot) != 0;
    (void)sigaction(SIGPIPE, &before, NULL);
    if (failed) {
        orr_print_message(
            "%s: cannot be plotted: gnuplot (Debian package gnuplot-nox) failed or is not "
            "installed\n",
            file);
        return ORR_EXIT_USAGE;
    }
    return 0;
}
