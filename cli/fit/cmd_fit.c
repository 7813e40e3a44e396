/* orrery fit: parameters of platforms fitted to measurements. */
#include "cli/cli.h"
#include "cli/fit/fit_command.h"

const struct orr_command orr_command_fit = {
    .name = "fit",
    .summary = "fit a platform's parameters to measurements",
    .about =
        "Fits parameters of a platform to measurements, and writes the fitted platform. Reports "
        "the errors on fitted and on held-out rows, which parameters the rows determine, and "
        "what to measure for the others.",
    .actions = (const struct orr_command *const[]){&orr_fit_collectives, &orr_fit_compute, NULL}};
