/* Subcommands of orrery plan. argv[0] is the subcommand's name; they return the exit status. */
#ifndef ORR_CLI_PLAN_PLAN_COMMAND_H
#define ORR_CLI_PLAN_PLAN_COMMAND_H

struct plan_kind;

/* Prints the --help of all of them. */
void orr_plan_print_help(void);

/* Plans for a file JOB.yml, by a kind of plan. */
int orr_plan_by(const struct plan_kind *kind, int argc, char **argv);
int orr_plan_evaluate(int argc, char **argv);

#endif
