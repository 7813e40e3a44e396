/* Common parts of the subcommands; see options.h. */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "core/conf/conf.h"
#include "core/strings.h"

enum { NAME_BYTES = 64 };

bool orr_has_option(const char *name, int argc, char **argv)
{
    const size_t length = strlen(name);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0 && strncmp(argv[i] + 2, name, length) == 0 &&
            (argv[i][2 + length] == '\0' || argv[i][2 + length] == '=')) {
            return true;
        }
    }
    return false;
}

int orr_usage_error(const char *command, const char *message, const char *value)
{
    orr_print_message("orrery %s: %s%s\ntry 'orrery %s --help'\n", command, message,
                      value != NULL ? value : "", command);
    return ORR_EXIT_USAGE;
}

static bool is_among(const char *name, const char *const *names, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = strcmp(names[i], name) == 0;
    }
    return found;
}

/* Rejects --output for a command with a separate option for each kind of result. */
static int reject_output(const char *command, const char *const *names, size_t count,
                         const char *argument)
{
    const bool json = is_among("json", names, count), csv = is_among("csv", names, count);
    orr_print_message("orrery %s: unknown option \"%s\"%s%s\ntry 'orrery %s --help'\n", command,
                      argument,
                      json  ? "; results go with --json FILE"
                      : csv ? "; results go with --csv FILE"
                            : "",
                      json && csv ? " or --csv FILE" : "", command);
    return ORR_EXIT_USAGE;
}

/* Options of other programs: whose, and what to do. */
static const char *foreign_option(const char *name)
{
    static const char ns3[] =
        "ASTRA-sim's ns-3 front end, which is not built in: the network's own "
        "dimensions are the logical ones (network: {topology: "
        "Switch(8)_Switch(4), ...}); links go as network: {graph: ...}";
    static const char first[] = "ASTRA-sim 1.0: orrery convert text FILE --platform PLATFORM.yml "
                                "[--passes N] -o PREFIX makes traces of its workloads";
    static const struct {
        const char *name, *whose;
    } options[] = {{"logical-topology-configuration", ns3},
                   {"physical-topology-configuration", ns3},
                   {"ns3-configuration", ns3},
                   {"num-passes", first},
                   {"total-stat-rows", first},
                   {"stat-row", first},
                   {"run-name", first}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return options[i].whose;
        }
    }
    return NULL;
}

int orr_reject_unknown_option(const char *command, const char *const *names, size_t count,
                              const char *argument, const char *name)
{
    const char *nearest = orr_nearest_name(name, names, count);
    const char *foreign = foreign_option(name);
    if (foreign != NULL) {
        orr_print_message("orrery %s: \"%s\" is an option of %s\n", command, argument, foreign);
        return ORR_EXIT_USAGE;
    }
    if (strcmp(name, "o") == 0 || strcmp(name, "output") == 0) {
        return reject_output(command, names, count, argument);
    }
    orr_print_message("orrery %s: unknown option \"%s\"%s%s%s\ntry 'orrery %s --help'\n", command,
                      argument, nearest != NULL ? "; did you mean \"--" : "",
                      nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "", command);
    return ORR_EXIT_USAGE;
}

int orr_reject_value(const char *command, const char *option, const char *expected,
                     const char *text, const char *more)
{
    orr_print_message("orrery %s: --%s: expected %s, got \"%s\"%s\n", command, option, expected,
                      text, more);
    return ORR_EXIT_USAGE;
}

char *orr_list_names(const char *const *names, size_t count, char list[ORR_LIST_BYTES])
{
    list[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, ORR_LIST_BYTES - used, "%s%s",
                       i == 0           ? ""
                       : i + 1 == count ? " or "
                                        : ", ",
                       names[i]);
    }
    return list;
}

int orr_reject_name(const char *command, const char *option, const char *text,
                    const char *const *names, size_t count)
{
    char list[ORR_LIST_BYTES], suggestion[ORR_SUGGESTION_BYTES];
    return orr_reject_value(command, option, orr_list_names(names, count, list), text,
                            orr_suggest_name(text, names, count, suggestion, sizeof suggestion));
}

int orr_reject_action(const char *command, const char *text, const char *const *names, size_t count)
{
    char list[ORR_LIST_BYTES], suggestion[ORR_SUGGESTION_BYTES];
    orr_print_message("orrery %s: expected %s, got \"%s\"%s\ntry 'orrery %s --help'\n", command,
                      orr_list_names(names, count, list), text,
                      orr_suggest_name(text, names, count, suggestion, sizeof suggestion), command);
    return ORR_EXIT_USAGE;
}

int orr_reject_quantity(const char *command, const char *option, enum orr_quantity quantity,
                        const char *text)
{
    char why[ORR_PROBLEM_BYTES] = "", more[ORR_PROBLEM_BYTES + 2] = "";
    if (orr_quantity_problem(quantity, text, why, sizeof why)[0] != '\0') {
        (void)snprintf(more, sizeof more, "; %s", why);
    }
    return orr_reject_value(command, option, orr_quantity_expected(quantity), text, more);
}

int orr_exit_status(enum orrery_status status)
{
    switch (status) {
    case ORRERY_OK:
        return 0;
    case ORRERY_ERROR_INPUT:
    case ORRERY_ERROR_IO:
        return 2;
    case ORRERY_ERROR_DEADLOCK:
        return 3;
    default:
        return 1;
    }
}

int orr_print_diag(const struct orr_diag *diag)
{
    char text[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 64];
    if (diag->status == ORR_OK) {
        return 0;
    }
    (void)orr_conf_render_error(diag, text, sizeof text);
    orr_print_message("%s\n", text);
    return orr_exit_status((enum orrery_status)diag->status);
}

int orr_print_api_error(enum orrery_status status, const char *error)
{
    if (status != ORRERY_OK) {
        orr_print_message("%s\n", error);
    }
    return orr_exit_status(status);
}

void orr_print_warning(void *user, const char *text)
{
    (void)user;
    orr_print_message("%s\n", text);
}

int orr_print_option_diag(const char *command, const char *option, struct orr_diag *diag)
{
    char place[NAME_BYTES];
    (void)snprintf(place, sizeof place, "orrery %s: --%s", command, option);
    diag->place = orr_location_file(place);
    return orr_print_diag(diag);
}
