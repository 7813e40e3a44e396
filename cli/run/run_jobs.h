/* orrery run --cluster: several jobs on one cluster. */
#ifndef ORR_CLI_RUN_RUN_JOBS_H
#define ORR_CLI_RUN_RUN_JOBS_H

#include <getopt.h>

int orr_run_jobs(int argc, char **argv);

/* Its options; the last name is NULL. */
extern const struct option orr_run_jobs_options[];

#define ORR_JOBS_HELP                                                                              \
    "Several jobs on one cluster (docs/how-to/shared-cluster.md):\n"                               \
    "  --cluster FILE                     run the jobs of this file (task graphs, traces,\n"       \
    "                                     models) concurrently; with --set and the output\n"       \
    "                                     options below (--csv: a line for each iteration)\n"      \
    "  --alone                            also run each of them alone, and report the\n"           \
    "                                     slowdown\n"                                              \
    "  --compare [NAME:]PATH=VALUE[,...]  run the jobs again with these values and print both\n"   \
    "                                     results; repeatable\n"                                   \
    "\n"

#endif
