/* Deprecated names of options and of their values; see deprecated_options.h. */
#include "cli/deprecated_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"
#include "core/arena.h"

/* Replaced, not kept: a name that now means something else must not be here. */
static const struct deprecated {
    const char *command, *action;  /* action: the first argument that is no option; NULL: any */
    const char *old_name, *name;   /* without "--" */
    const char *old_value, *value; /* NULL: any value, which stays */
} deprecated_options[] = {
    {"gen", NULL, "out", "output", NULL, NULL},
    {"convert", NULL, "out", "output", NULL, NULL},
    {"convert", NULL, "ranks", "npus", NULL, NULL},
    {"convert", NULL, "batch-size", "batch", NULL, NULL},
    {"convert", NULL, "model", "save-model", NULL, NULL},
    {"trace", "scale", "from", "traces", NULL, NULL},
    {"trace", "scale", "to", "npus", NULL, NULL},
    {"bench-collective", NULL, "step", "factor", NULL, NULL},
    {"run", NULL, "beside", "compare", NULL, NULL},
    {"run", NULL, "flow-model", "flow-model", "equal", "maxmin"},
    {"sweep", NULL, "anew", "restart", NULL, NULL},
    {"failures", NULL, "repair", "repair-time", NULL, NULL},
    {"failures", NULL, "restart", "restart-time", NULL, NULL},
    {"failures", NULL, "recovery", "recovery", "borrow", "detour"},
    {"fit", "compute", "compute", "save-compute", NULL, NULL},
    {"fit", NULL, "keep", "evaluate", NULL, NULL},
    {"topo", "trees", "shape", "shape", "usual", "double-binary"},
    {"topo", "trees", "around", "detour-always", NULL, NULL},
    {"plan", NULL, "threads", "jobs", NULL, NULL},
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

static void warn_deprecated(const char *command, const char *old_text, const char *text)
{
    orr_print_message("orrery %s: warning: %s is deprecated; write %s\n", command, old_text, text);
}

/* "--NAME" or "--NAME=VALUE" in place of the argument, which stays when memory is out. */
static void replace_name(const struct deprecated *option, char **argument)
{
    const char *rest = *argument + 2 + strlen(option->old_name);
    const size_t bytes = 2 + strlen(option->name) + strlen(rest) + 1;
    char *text = orr_heap_alloc(bytes);
    if (text != NULL) {
        (void)snprintf(text, bytes, "--%s%s", option->name, rest);
        warn_deprecated(option->command, *argument, text);
        *argument = text;
    }
}

/* The same of a value: `argument` is the option, `next` the argument behind it, or NULL. */
static void replace_value(const struct deprecated *option, char **argument, char **next)
{
    const char *equals = strchr(*argument, '=');
    const char *value = equals != NULL ? equals + 1 : next != NULL ? *next : "";
    const size_t bytes = 2 + strlen(option->name) + 1 + strlen(option->value) + 1;
    char *text = strcmp(value, option->old_value) == 0 ? orr_heap_alloc(bytes) : NULL;
    if (text == NULL) {
        return;
    }
    (void)snprintf(text, bytes, "--%s=%s", option->name, option->value);
    warn_deprecated(option->command, option->old_value, text);
    if (equals != NULL) {
        *argument = text;
    } else {
        *next = strchr(text, '=') + 1;
    }
}

static bool is_option(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, "--", 2) == 0 && strncmp(argument + 2, name, length) == 0 &&
           (argument[2 + length] == '\0' || argument[2 + length] == '=');
}

void orr_replace_deprecated_options(int argc, char **argv)
{
    const size_t count = sizeof deprecated_options / sizeof *deprecated_options;
    for (const struct deprecated *option = deprecated_options; option < deprecated_options + count;
         option++) {
        if (strcmp(argv[0], option->command) != 0 || !has_action(argc, argv, option->action)) {
            continue;
        }
        for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
            if (!is_option(argv[i], option->old_name)) {
                continue;
            }
            if (option->old_value == NULL) {
                replace_name(option, &argv[i]);
            } else {
                replace_value(option, &argv[i], i + 1 < argc ? &argv[i + 1] : NULL);
            }
        }
    }
}
