/* Tables of options as lists, and commands by their actions; see cli.h. */
#include <string.h>

#include "cli/cli.h"
#include "cli/option_help.h"
#include "cli/options.h"
#include "core/diag.h"

/* ---- lists ---- */

static bool is_listed(const struct orr_rows *rows, const char *name)
{
    bool found = false;
    for (size_t i = 0; name != NULL && i < rows->count && !found; i++) {
        found = rows->row[i]->name != NULL && strcmp(rows->row[i]->name, name) == 0;
    }
    return found;
}

static void collect(const struct orr_option *row, size_t base, bool hidden, struct orr_rows *rows)
{
    for (; row != NULL && row->role != ORR_END; row++) {
        if ((row->role & ORR_ROLE_MASK) == ORR_INCLUDE) {
            collect(row->store.rows, base + row->store.at, hidden || (row->role & ORR_HIDDEN) != 0,
                    rows);
        } else if (!is_listed(rows, row->name)) {
            ORR_ASSERT(rows->count < ORR_MAX_ROWS);
            rows->row[rows->count] = row;
            rows->base[rows->count] = base;
            rows->hidden[rows->count] = hidden || (row->role & ORR_HIDDEN) != 0;
            rows->count++;
        }
    }
}

static void collect_command(const struct orr_command *command, bool all, struct orr_rows *rows)
{
    collect(command->rows, 0, false, rows);
    const struct orr_command *const *const others[] = {command->modes, command->actions};
    for (size_t i = 0; all && i < sizeof others / sizeof *others; i++) {
        for (size_t k = 0; others[i] != NULL && others[i][k] != NULL; k++) {
            collect_command(others[i][k], true, rows);
        }
    }
}

void orr_collect_rows(const struct orr_command *command, bool all, struct orr_rows *rows)
{
    rows->count = 0;
    collect_command(command, all, rows);
}

bool orr_has_row(const struct orr_command *command, const char *name)
{
    struct orr_rows rows;
    orr_collect_rows(command, false, &rows);
    return is_listed(&rows, name);
}

/* ---- actions ---- */

/* The first argument that names an action, for options before it; 0: none. */
static int find_action(const struct orr_command *command, int argc, char **argv, size_t *action)
{
    for (int i = 1; i < argc; i++) {
        for (*action = 0; command->actions[*action] != NULL; ++*action) {
            if (strcmp(argv[i], command->actions[*action]->name) == 0) {
                return i;
            }
        }
        if (i == 1 && argv[i][0] != '-') {
            return 0;
        }
    }
    return 0;
}

static int reject_action(const struct orr_command *command, const char *given)
{
    const char *names[32];
    char list[ORR_LIST_BYTES];
    size_t count = 0;
    for (; command->actions[count] != NULL; count++) {
        names[count] = command->actions[count]->name;
    }
    if (given != NULL && given[0] != '-') {
        return orr_reject_action(command->name, given, names, count);
    }
    return orr_usage_error(command->name, orr_list_names(names, count, list), " is missing");
}

int orr_run_command(const struct orr_command *command, int argc, char **argv)
{
    size_t action = 0;
    if (command->actions == NULL) {
        return command->run(&(struct orr_call){command, command}, argc, argv);
    }
    const int at = find_action(command, argc, argv, &action);
    if (at == 0) {
        for (int i = 1; i < argc; i++) {
            if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
                orr_print_help(stdout, command);
                return ORR_STOP;
            }
        }
        return reject_action(command, argc > 1 ? argv[1] : NULL);
    }
    char *name = argv[at]; /* goes first: "orrery trace --top 3 stats" */
    memmove((void *)&argv[2], (void *)&argv[1], (size_t)(at - 1) * sizeof *argv);
    argv[1] = name;
    const struct orr_call call = {command->actions[action], command};
    return call.command->run(&call, argc - 1, argv + 1);
}
