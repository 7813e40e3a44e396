/* Messages and color on standard error; see terminal.h. The value of --color is kept in the
 * environment variable ORRERY_COLOR, which users may set too, so the program has no state of its
 * own. */
#include "cli/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/arena.h"
#include "core/text_escape.h"

#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define PLAIN "\033[0m"

enum { MAX_BYTES = 16384 };

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

bool orr_is_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && (term == NULL || strcmp(term, "dumb") != 0);
}

bool orr_use_color(void)
{
    const char *when = getenv("ORRERY_COLOR");
    if (when != NULL && strcmp(when, "always") == 0) {
        return true;
    }
    if (when != NULL && strcmp(when, "never") == 0) {
        return false;
    }
    return orr_is_terminal() && !is_set("NO_COLOR");
}

/* Length of the text before the first ": " of the first line; 0: none. */
static size_t prefix_bytes(const char *text)
{
    const char *end = strstr(text, ": ");
    const char *line = strchr(text, '\n');
    return end != NULL && (line == NULL || end < line) ? (size_t)(end - text) : 0;
}

static void print_colored(const char *text)
{
    const size_t place = orr_use_color() ? prefix_bytes(text) : 0;
    if (place == 0) {
        (void)fputs(text, stderr);
        return;
    }
    const bool warning =
        strncmp(text + place, ": warning: ", 11) == 0 || strncmp(text, "warning: ", 9) == 0;
    (void)fprintf(stderr, "%s%.*s%s%s", warning ? YELLOW : RED, (int)place, text, PLAIN,
                  text + place);
}

void orr_print_message(const char *format, ...)
{
    char text[MAX_BYTES];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    char *clean = orr_text_escape_copy(text, true);
    print_colored(clean != NULL ? clean : text);
    orr_heap_free(clean);
}

int orr_set_color(const char *when)
{
    if (strcmp(when, "auto") != 0 && strcmp(when, "always") != 0 && strcmp(when, "never") != 0) {
        orr_print_message("orrery: --color: expected auto, always or never, got \"%s\"\n", when);
        return ORR_EXIT_USAGE;
    }
    if (setenv("ORRERY_COLOR", when, 1) != 0) {
        orr_print_message("orrery: out of memory\n");
        return 1;
    }
    return 0;
}
