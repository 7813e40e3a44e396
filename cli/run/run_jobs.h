/* orrery run --cluster. */
#ifndef ORR_CLI_RUN_RUN_JOBS_H
#define ORR_CLI_RUN_RUN_JOBS_H

#include <getopt.h>

int orr_run_jobs(int argc, char **argv);

/* What it takes; ends with a name of NULL. */
extern const struct option orr_run_jobs_options[];

#define ORR_JOBS_HELP                                                                              \
    "Several jobs on one cluster (docs/user-guide.md):\n"                                          \
    "  --cluster FILE                     run the jobs of this file (task graphs, traces,\n"       \
    "                                     models) side by side; with --set and the options of\n"   \
    "                                     output below (--csv: a line for each iteration)\n"       \
    "  --alone                            also run each of them alone, and tell the slowdown\n"    \
    "  --compare [NAME:]PATH=VALUE[,...]   also run the same jobs with these values set, and "     \
    "tell\n"                                                                                       \
    "                                     the times side by side; repeatable\n"                    \
    "\n"

#endif
