/* What subcommands share: refused options, warnings, errors of the library. */
#ifndef ORR_CLI_OPTIONS_H
#define ORR_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "cli/terminal.h"
#include "core/core.h"
#include "orrery/orrery.h"

/* Says on stderr what is wrong with the option that getopt_long just refused (`reason` is what it
 * returned, '?' or ':'), with the nearest known name; returns the exit status. getopt_long must be
 * called with opterr = 0 and short options that begin with ':'. */
int orr_reject_option(const char *command, const struct option *options, int reason,
                      const char *argument);

/* Refuses an option that a command has, but not with what else is given: "orrery COMMAND: --OPTION
 * WHY", where one of the arguments is an option that the first table lacks and the second has.
 * Returns 0 when there is none, else the exit status. Tables end with a name of NULL. */
int orr_reject_other_mode(const char *command, int argc, char **argv, const struct option *mine,
                          const struct option *others, const char *why);

/* Whether the arguments have the option, as "--NAME" or "--NAME=...". */
bool orr_has_option(const char *name, int argc, char **argv);

/* "orrery COMMAND: MESSAGE" and where help is, on stderr; returns the exit status. */
int orr_usage_error(const char *command, const char *message, const char *value);

/* "orrery COMMAND: --OPTION: expected EXPECTED, got "TEXT"MORE" on stderr; returns the exit status.
 */
int orr_reject_value(const char *command, const char *option, const char *expected,
                     const char *text, const char *more);

/* The same of a text that is none of the names, which are listed, with the nearest. */
int orr_reject_name(const char *command, const char *option, const char *text,
                    const char *const *names, size_t count);

/* "orrery COMMAND: expected NAMES, got "TEXT"" with the nearest, of a command's first argument. */
int orr_reject_action(const char *command, const char *text, const char *const *names,
                      size_t count);

/* The same of a text that is no such quantity, with what is wrong with it: a unit that is missing
 * or unknown, and the units that are near. */
int orr_reject_quantity(const char *command, const char *option, enum orr_quantity quantity,
                        const char *text);

/* Exit status of a library status: 0, 1 internal, 2 input, 3 deadlock. */
int orr_exit_status(enum orrery_status status);

/* Prints the diagnostic on stderr and returns the exit status that belongs to it: 0 when ok. */
int orr_print_diag(const struct orr_diag *diag);

/* The same for what an option's value is refused with: "orrery COMMAND: --OPTION: MESSAGE". */
int orr_print_option_diag(const char *command, const char *option, struct orr_diag *diag);

/* The same of a call of the public interface, with what it keeps of the error. */
int orr_print_api_error(enum orrery_status status, const char *error);

/* For orr_diag.warn: a line on stderr. */
void orr_print_warning(void *user, const char *text);

#endif
