/* Subcommands of orrery plan. argv[0] is the subcommand's name; they return the exit status. */
#ifndef ORR_CLI_PLAN_PLAN_COMMAND_H
#define ORR_CLI_PLAN_PLAN_COMMAND_H

/* Prints the --help of all of them. */
void orr_plan_print_help(void);

int orr_plan_topoopt(int argc, char **argv);
int orr_plan_sip_ml(int argc, char **argv);
int orr_plan_evaluate(int argc, char **argv);

#endif
