/* See named_input.h. */
#include "cli/named_input.h"

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "report/report.h"

const char *orr_input_file(const char *kind, const char *name, char path[ORR_INPUT_PATH_BYTES],
                           int *status)
{
    struct orr_diag diag;
    const char *found = name;
    orr_diag_init(&diag);
    if (orr_find_input(kind, name, path, &found, &diag) != ORR_OK) {
        orr_say("orrery: %s\nSee orrery run --list-inputs.\n", diag.message);
        *status = orr_exit_status((enum orrery_status)diag.status);
    }
    return found;
}

static size_t list_kind(FILE *out, const char *kind, const struct orr_shipped_inputs *inputs)
{
    orr_print(out, "%s in %s:\n", kind, inputs->folder);
    for (size_t i = 0; i < inputs->count; i++) {
        orr_print(out, "  %-20s %s\n", inputs->input[i].name, inputs->input[i].comment);
    }
    return inputs->count;
}

int orr_list_inputs(FILE *out)
{
    static const char *const kinds[] = {"platforms", "workloads", "models"};
    struct orr_arena *arena = orr_arena_create();
    struct orr_shipped_inputs inputs = {.root = NULL};
    size_t count = 0;
    bool memory = arena != NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && memory; i++) {
        memory = orr_shipped_inputs(arena, kinds[i], &inputs) == ORR_OK;
        count += memory ? list_kind(out, kinds[i], &inputs) : 0;
    }
    if (!memory) {
        orr_say("orrery: out of memory\n");
    } else if (count == 0) {
        orr_say("orrery: %s: no inputs here; ORRERY_INPUTS names another folder\n", inputs.root);
    }
    orr_arena_destroy(arena);
    return !memory ? 1 : count > 0 ? 0 : ORR_EXIT_USAGE;
}
