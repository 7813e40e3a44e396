/* How many runs of a study go on at a time. */
#ifndef ORR_CLI_JOBS_OPTION_H
#define ORR_CLI_JOBS_OPTION_H

/* The value of --jobs; 0, or the exit status of bad usage. */
int orr_parse_jobs(const char *command, const char *text, unsigned *jobs);

#endif
