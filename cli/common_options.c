/* Options of every command; see common_options.h. */
#include "cli/common_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/terminal.h"
#include "orrery/extend.h"

enum { ERROR_BYTES = 4096 };

static int refuse_plugin(const char *error)
{
    orr_print_message("%s\n", error);
    return ORR_EXIT_USAGE;
}

static int load_plugin(const char *file)
{
    char error[ERROR_BYTES];
    return orrery_load_plugin(file, error, sizeof error) == ORRERY_OK ? 0 : refuse_plugin(error);
}

static int load_plugins(void)
{
    char error[ERROR_BYTES];
    return orrery_load_plugins(error, sizeof error) == ORRERY_OK ? 0 : refuse_plugin(error);
}

static const struct common_option {
    const char *name;
    int (*take)(const char *value);
} options[] = {{"--color", orr_set_color}, {"--plugin", load_plugin}};

enum { OPTIONS = sizeof options / sizeof *options };

/* The option that an argument is, with or without a value behind "="; NULL: none. */
static const struct common_option *option_of(const char *argument)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const size_t bytes = strlen(options[i].name);
        if (strncmp(argument, options[i].name, bytes) == 0 &&
            (argument[bytes] == '\0' || argument[bytes] == '=')) {
            return &options[i];
        }
    }
    return NULL;
}

/* Takes the option at *at, and its value. */
static int take(const struct common_option *option, int argc, char **argv, int *at)
{
    const char *value = strchr(argv[*at], '=');
    if (value == NULL && *at + 1 == argc) {
        orr_print_message("orrery: an option needs a value: %s\n", option->name);
        return ORR_EXIT_USAGE;
    }
    return option->take(value != NULL ? value + 1 : argv[++*at]);
}

int orr_extract_common_options(int *argc, char **argv)
{
    int kept = 1, status = load_plugins();
    for (int i = 1; i < *argc && status == 0; i++) {
        const struct common_option *option = option_of(argv[i]);
        if (strcmp(argv[i], "--") == 0) {
            while (i < *argc) {
                argv[kept++] = argv[i++];
            }
        } else if (option != NULL) {
            status = take(option, *argc, argv, &i);
        } else {
            argv[kept++] = argv[i];
        }
    }
    *argc = kept;
    argv[kept] = NULL;
    return status;
}
