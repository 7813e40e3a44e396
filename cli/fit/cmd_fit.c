/* orrery fit: parameters of platforms fitted to measurements. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fit/fit_command.h"
#include "cli/options.h"

static const char help[] =
    "usage: orrery fit collectives DATA... --platform PLATFORM.yml -o OUT.yml [options]\n"
    "       orrery fit compute ITERATIONS.csv... --platform PLATFORM.yml --workload WORKLOAD.yml\n"
    "                          -o OUT.yml [options]\n"
    "\n"
    "Fits parameters of a platform to measurements, and writes the fitted platform.\n"
    "\n"
    "  collectives    parameters of the communication library (system.library), from times of\n"
    "                 nccl-tests or rccl-tests: their text or JSON output, or a CSV table\n"
    "  compute        compute efficiency (compute.efficiency), from times of training steps: a\n"
    "                 CSV table with the column time_s and columns named after the keys that\n"
    "                 they set\n"
    "\n"
    "Reports the errors on fitted and on held-out rows, which parameters the rows determine, and\n"
    "what to measure for the others.\n"
    "\n"
    "Options:\n"
    "  --platform PLATFORM.yml            the platform, with data-sheet values; for collectives\n"
    "                                     with system.library, for compute with compute.peak: a\n"
    "                                     file, or the name of one that ships\n"
    "  --set PATH=VALUE                   set a value of the platform, such as\n"
    "                                     'system.library={name: nccl, gpu: a100}', or of the\n"
    "                                     workload; may be given several times\n"
    "  -o, --output FILE|-                the fitted platform\n"
    "  --holdout RULE                     rows that are not fitted but test the fit: every:N (of\n"
    "                                     each table by size, of all iterations, all but each\n"
    "                                     N-th) or column:NAME, column:NAME>VALUE, as in\n"
    "                                     column:nodes>8\n"
    "  --evaluate                         fit nothing, report how near the platform is;\n"
    "                                     -o is not needed\n"
    "  --report FILE.html|.json|.svg|-    all rows, errors and parameters as a page or as JSON,\n"
    "                                     or a plot of measured and modelled times; may be given\n"
    "                                     several times\n"
    "\n"
    "For collectives, if the files do not contain it:\n"
    "  --collective NAME                  the measured collective, such as all_reduce\n"
    "  --npus N                           number of NPUs\n"
    "  --npus-per-node N                  NPUs of each node\n"
    "\n"
    "For compute:\n"
    "  --workload WORKLOAD.yml            the workload, of which rows set values; a file, or the\n"
    "                                     name of one that ships\n"
    "  --fit PATH                         also fit this numeric key, such as\n"
    "                                     network.dims[1].bandwidth; may be given several times\n"
    "  --fix PATH                         keep this parameter as it is, such as\n"
    "                                     compute.efficiency.gemm.constant; may be given several\n"
    "                                     times\n"
    "  --skip-refused                     skip rows that cannot run\n"
    "  --save-compute FILE                only the fitted section compute, to include in a\n"
    "                                     platform\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

void orr_fit_print_help(void)
{
    (void)fputs(help, stdout);
}

static int run_command(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"collectives", orr_fit_collectives_command},
                    {"compute", orr_fit_compute_command}};
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    if (argc > 1 && argv[1][0] != '-') {
        static const char *const names[] = {"collectives", "compute"};
        return orr_reject_action("fit", argv[1], names, sizeof names / sizeof *names);
    }
    if (orr_has_option("help", argc, argv)) {
        orr_fit_print_help();
        return 0;
    }
    return orr_usage_error("fit", "collectives or compute is missing", NULL);
}

const struct orr_command orr_command_fit = {"fit", "fit a platform's parameters to measurements",
                                            run_command};
