/* Messages on standard error: errors and warnings, in color on a terminal. */
#ifndef ORR_CLI_TERMINAL_H
#define ORR_CLI_TERMINAL_H

#include <stdbool.h>

/* Prints on standard error (printf). The text starts with "LOCATION: ", which a terminal shows in
 * red, or in yellow if ": warning: " follows. Control characters of arguments become escapes
 * (core/text_escape.h), except line breaks. */
void orr_print_message(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* Whether standard error is in color: by --color or ORRERY_COLOR (always, never), else (auto) on a
 * terminal unless NO_COLOR is set or TERM is dumb. */
bool orr_use_color(void);

/* Whether standard error is a terminal that can overwrite a line. */
bool orr_is_terminal(void);

/* Stores the value of --color in the environment, for orr_use_color. Returns 0 or the exit status.
 */
int orr_set_color(const char *when);

#endif
