/* Option --jobs; see jobs_option.h. */
#include "cli/jobs_option.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "cli/terminal.h"
#include "study/parallel.h"

int orr_parse_jobs(const char *command, const char *text, unsigned *jobs)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < 1 || value > ORR_MAX_THREADS) {
        orr_print_message("orrery %s: --jobs: expected a whole number from 1 to %d, got \"%s\"\n",
                          command, ORR_MAX_THREADS, text);
        return ORR_EXIT_USAGE;
    }
    *jobs = (unsigned)value;
    return 0;
}
