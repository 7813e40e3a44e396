/* Former names of options; see deprecated_options.h. */
#include "cli/deprecated_options.h"

#include <stdio.h>
#include <string.h>

#include "core/core.h"

/* Values are replaced, not kept: a name that now means something else must not be here. */
static const struct deprecated {
    const char *command, *action; /* action: the first argument that is no option; NULL: any */
    const char *before, *now;
} formers[] = {
    {"gen", NULL, "out", "output"},
    {"convert", NULL, "out", "output"},
    {"convert", NULL, "ranks", "npus"},
    {"convert", NULL, "batch-size", "batch"},
    {"convert", NULL, "model", "save-model"},
    {"trace", "scale", "from", "traces"},
    {"trace", "scale", "to", "npus"},
    {"bench-collective", NULL, "step", "factor"},
    {"sweep", NULL, "restart", "anew"},
    {"failures", NULL, "repair", "repair-time"},
    {"failures", NULL, "restart", "restart-time"},
    {"fit", "compute", "compute", "save-compute"},
    {"plan", NULL, "threads", "jobs"},
};

/* Further arguments may be texts of any kind: of a node that is called "scale", say. */
static bool has_action(int argc, char **argv, const char *action)
{
    int first = 1;
    while (first < argc && argv[first][0] == '-') {
        first++;
    }
    return action == NULL || (first < argc && strcmp(argv[first], action) == 0);
}

/* "--NOW" or "--NOW=VALUE"; the argument as it is when memory is out. */
static char *renamed(char *argument, const struct deprecated *deprecated)
{
    const char *value = argument + 2 + strlen(deprecated->before);
    const size_t bytes = 2 + strlen(deprecated->now) + strlen(value) + 1;
    char *text = orr_heap_alloc(bytes);
    if (text != NULL) {
        (void)snprintf(text, bytes, "--%s%s", deprecated->now, value);
    }
    return text != NULL ? text : argument;
}

static bool is_option(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, "--", 2) == 0 && strncmp(argument + 2, name, length) == 0 &&
           (argument[2 + length] == '\0' || argument[2 + length] == '=');
}

void orr_replace_deprecated_options(int argc, char **argv)
{
    for (size_t f = 0; f < sizeof formers / sizeof *formers; f++) {
        const struct deprecated *deprecated = &formers[f];
        if (strcmp(argv[0], deprecated->command) != 0 || !has_action(argc, argv, deprecated->action)) {
            continue;
        }
        for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
            if (is_option(argv[i], deprecated->before)) {
                argv[i] = renamed(argv[i], deprecated);
            }
        }
    }
}
