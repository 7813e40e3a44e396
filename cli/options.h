/* Common parts of the subcommands: rejected options, warnings, errors of the library, exit
 * status. */
#ifndef ORR_CLI_OPTIONS_H
#define ORR_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/terminal.h"
#include "core/units.h"
#include "orrery/orrery.h"

struct orr_diag;

/* Rejects an option that none of the `names` is, with the nearest; `argument`: as given, `name`:
 * the name in it. Returns the exit status. */
int orr_reject_unknown_option(const char *command, const char *const *names, size_t count,
                              const char *argument, const char *name);

/* Whether the arguments have the option, as "--NAME" or "--NAME=...". */
bool orr_has_option(const char *name, int argc, char **argv);

/* Prints "orrery COMMAND: MESSAGE" and a reference to --help on stderr; returns the exit status. */
int orr_usage_error(const char *command, const char *message, const char *value);

/* Prints "orrery COMMAND: --OPTION: expected EXPECTED, got "TEXT"MORE" on stderr; returns the exit
 * status. */
int orr_reject_value(const char *command, const char *option, const char *expected,
                     const char *text, const char *more);

/* The same for a text that is none of the names: lists them, and suggests the nearest. */
int orr_reject_name(const char *command, const char *option, const char *text,
                    const char *const *names, size_t count);

enum { ORR_LIST_BYTES = 1024 };

/* Writes "a, b or c"; returns `list`. */
char *orr_list_names(const char *const *names, size_t count, char list[ORR_LIST_BYTES]);

/* Rejects a command's first argument: "orrery COMMAND: expected NAMES, got "TEXT"" with the nearest
 * name. */
int orr_reject_action(const char *command, const char *text, const char *const *names,
                      size_t count);

/* Rejects an option's value that is not a quantity of this kind, with the reason: a missing or
 * unknown unit, and similar units. */
int orr_reject_quantity(const char *command, const char *option, enum orr_quantity quantity,
                        const char *text);

/* Exit status of a library status: 0, 1 internal, 2 input, 3 deadlock. */
int orr_exit_status(enum orrery_status status);

/* Prints the diagnostic on stderr; returns its exit status, 0 if it is ok. */
int orr_print_diag(const struct orr_diag *diag);

/* The same for an error in an option's value: "orrery COMMAND: --OPTION: MESSAGE". */
int orr_print_option_diag(const char *command, const char *option, struct orr_diag *diag);

/* The same for a call of the public API: `error` is the message of its handle. */
int orr_print_api_error(enum orrery_status status, const char *error);

/* Callback for orr_diag.warn: prints a line on stderr. */
void orr_print_warning(void *user, const char *text);

#endif
