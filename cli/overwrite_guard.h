/* Results must not overwrite what they are made from. */
#ifndef ORR_CLI_OVERWRITE_GUARD_H
#define ORR_CLI_OVERWRITE_GUARD_H

/* Looks through the arguments of a command (argv[0] is its name) for outputs that are one of its
 * inputs: by another name or through a link too, and inputs that files include or name too; and for
 * a file that two options write. Says so on stderr; returns 0, or the exit status. Reads nothing
 * unless an output is there already. */
int orr_check_overwrite(int argc, const char *const *argv);

#endif
