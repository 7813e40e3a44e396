/* The subcommands of orrery fit. argv[0] is the subcommand's own name; they return the exit status.
 */
#ifndef ORR_CLI_FIT_FIT_COMMAND_H
#define ORR_CLI_FIT_FIT_COMMAND_H

/* What --help prints, of all of them. */
void orr_fit_print_help(void);

int orr_fit_collectives_command(int argc, char **argv);

#endif
