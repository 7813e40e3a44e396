/* Option --jobs: the number of concurrent runs of a study. */
#ifndef ORR_CLI_JOBS_OPTION_H
#define ORR_CLI_JOBS_OPTION_H

/* Parses the value of --jobs; 0, or the exit status of bad usage. */
int orr_parse_jobs(const char *command, const char *text, unsigned *jobs);

#endif
