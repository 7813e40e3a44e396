/* Inputs by name; see named_input.h. */
#include "cli/named_input.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "report/inputs_report.h"

const char *orr_input_file(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES],
                           int *status)
{
    struct orr_diag diag;
    const char *found = name;
    orr_diag_init(&diag);
    if (orr_find_input(kind, name, path, &found, &diag) != ORR_OK) {
        const bool workload = strcmp(kind, "workloads") == 0;
        const char *other = workload ? "platforms" : "workloads";
        if (orr_ships_input(other, name, path)) {
            orr_print_message(
                "orrery: \"%s\" is one of the %s that ship; expected one of the %s, or a file: "
                "the platform comes first, then the workload\nSee orrery run --list-inputs.\n",
                name, other, kind);
        } else {
            orr_print_message("orrery: %s\nSee orrery run --list-inputs.\n", diag.message);
        }
        *status = orr_exit_status((enum orrery_status)diag.status);
    }
    return found;
}

int orr_list_inputs(FILE *out)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    const enum orr_status status = orr_list_shipped(out, &diag);
    if (status != ORR_OK) {
        orr_print_message("orrery: %s\n", diag.message);
    }
    return orr_exit_status((enum orrery_status)status);
}
