/* Options by the names that they had in earlier versions. */
#ifndef ORR_CLI_DEPRECATED_OPTIONS_H
#define ORR_CLI_DEPRECATED_OPTIONS_H

/* Replaces former names among the arguments of a command by those of today, so that scripts go on
 * as they are and only one name is known further in; argv[0] is the command. The texts of the new
 * names are kept until the program ends. */
void orr_replace_deprecated_options(int argc, char **argv);

#endif
