/* Guard against results that overwrite inputs. */
#ifndef ORR_CLI_OVERWRITE_GUARD_H
#define ORR_CLI_OVERWRITE_GUARD_H

#include <stddef.h>

/* A value of the command line. */
struct orr_given {
    unsigned role;      /* enum orr_role: outputs are ORR_OUTPUT and ORR_PREFIX */
    const char *option; /* name; NULL: an argument */
    const char *value;
};

/* Rejects values of a command where an output is also an input, under another name, by a link, or
 * included or named by an input file, and a file that two options write. What is no output is an
 * input where such a file exists. Prints the error on stderr; returns 0 or the exit status. Reads
 * no file unless an output already exists. */
int orr_check_overwrite(const char *command, const struct orr_given *given, size_t count);

#endif
