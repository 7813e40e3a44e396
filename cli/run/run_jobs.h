/* orrery run --cluster: several jobs on one cluster. */
#ifndef ORR_CLI_RUN_RUN_JOBS_H
#define ORR_CLI_RUN_RUN_JOBS_H

struct orr_command;

int orr_run_jobs(const struct orr_command *root, int argc, char **argv);

extern const struct orr_command orr_run_jobs_mode;

#endif
