/* Deprecated names of options and of their values, accepted with a warning. */
#ifndef ORR_CLI_DEPRECATED_OPTIONS_H
#define ORR_CLI_DEPRECATED_OPTIONS_H

/* Replaces deprecated names among the arguments of a command by the current ones, with a warning on
 * standard error for each; argv[0] is the command. The texts of the current names are kept until
 * the program ends. */
void orr_replace_deprecated_options(int argc, char **argv);

#endif
