/* orrery fit: parameters of platforms from what was measured. */
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
    "Finds the parameters of a platform for which its model is nearest to measurements, and "
    "writes\n"
    "the platform with them.\n"
    "\n"
    "  collectives    the library of a platform (system.library) to times of nccl-tests or\n"
    "                 rccl-tests: what they print, their JSON, or a table as CSV\n"
    "  compute        how fast it computes (compute.efficiency) to times of training steps: a\n"
    "                 table as CSV, with the column time_s and columns that are named by the keys\n"
    "                 that they set\n"
    "\n"
    "The result tells how near the model is to rows that were fitted and to those that were held\n"
    "out, which parameters the rows tell, and what would have to be measured for the others.\n"
    "\n"
    "Options:\n"
    "  --platform PLATFORM.yml            the platform, with numbers of data sheets; for\n"
    "                                     collectives with system.library, for compute with\n"
    "                                     compute.peak: a file, or the name of one that ships\n"
    "  --set PATH=VALUE                   set a value of it, such as\n"
    "                                     'system.library={name: nccl, gpu: a100}', or of the\n"
    "                                     workload; may be given several times\n"
    "  -o, --output FILE|-                the platform with what was fitted\n"
    "  --holdout RULE                     rows that are not fitted but test the fit: every:N (of\n"
    "                                     each table by size, of all iterations, all but each\n"
    "                                     N-th) or column:NAME, column:NAME>VALUE, as in\n"
    "                                     column:nodes>8\n"
    "  --evaluate                         fit nothing, report how near the platform is;\n"
    "                                     -o is not needed\n"
    "  --report FILE.html|.json|.svg|-    all rows, errors and parameters as a page or as JSON,\n"
    "                                     or a picture of measured times and the model's; may be\n"
    "                                     given several times\n"
    "\n"
    "Of collectives, what files do not say themselves:\n"
    "  --collective NAME                  which collective they are of, as in all_reduce\n"
    "  --npus N                           NPUs that took part\n"
    "  --npus-per-node N                  of each node\n"
    "\n"
    "Of compute:\n"
    "  --workload WORKLOAD.yml            the model, of which rows set values; a file, or the "
    "name\n"
    "                                     of one that ships\n"
    "  --fit PATH                         fit this key of a number too, such as\n"
    "                                     network.dims[1].bandwidth; may be given several times\n"
    "  --fix PATH                         keep this parameter as it is, such as\n"
    "                                     compute.efficiency.gemm.constant; the same\n"
    "  --skip-refused                     leave out rows that cannot run\n"
    "  --save-compute FILE                what was fitted of the section compute alone, to\n"
    "                                     include beside a platform\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

void orr_fit_print_help(void)
{
    (void)fputs(help, stdout);
}

int orr_cmd_fit(int argc, char **argv)
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
