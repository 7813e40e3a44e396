/* Guard against results that overwrite inputs. */
#ifndef ORR_CLI_OVERWRITE_GUARD_H
#define ORR_CLI_OVERWRITE_GUARD_H

/* Rejects arguments (argv[0]: the command) where an output is also an input, under another name, by
 * a link, or included or named by an input file, and a file that two options write. Prints the
 * error on stderr; returns 0 or the exit status. Reads no file unless an output already exists. */
int orr_check_overwrite(int argc, const char *const *argv);

#endif
