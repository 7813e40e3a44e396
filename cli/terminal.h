/* What people see on standard error: errors and warnings, in colour on a terminal. */
#ifndef ORR_CLI_TERMINAL_H
#define ORR_CLI_TERMINAL_H

#include <stdbool.h>

/* printf on standard error. The text begins with "PLACE: "; on a terminal the place is red, in a
 * warning (": warning: " follows) yellow. Control characters of arguments are
 * shown as escapes (core/text_escape.h); lines of arguments stay lines. */
void orr_print_message(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* Whether standard error takes colour: as --color or ORRERY_COLOR says (always, never); else (auto)
 * on a terminal, unless NO_COLOR is set or TERM is dumb. */
bool orr_use_color(void);

/* Whether standard error is a terminal on which a line can be written over. */
bool orr_is_terminal(void);

/* Takes "--color WHEN" out of the arguments, wherever it stands before "--", and keeps it for
 * orr_use_color in the environment. Returns 0 or the exit status. */
int orr_extract_color_option(int *argc, char **argv);

#endif
