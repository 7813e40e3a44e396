/* The parser of arguments; see cli.h. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_help.h"
#include "cli/option_store.h"
#include "cli/options.h"
#include "cli/overwrite_guard.h"
#include "core/arena.h"

enum { NAME_BYTES = 64 };

/* ---- finding an option ---- */

/* The row of an option with this name, or with the only name that it abbreviates. `names`: the
 * names that it may be, *count of them. -1: none. */
static int find_option(const struct orr_rows *rows, const char *name, size_t length,
                       const char **names, size_t *count)
{
    int found = -1;
    *count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const char *known = rows->row[i]->name;
        if (known == NULL || length == 0 || strncmp(known, name, length) != 0) {
            continue;
        }
        names[(*count)++] = known;
        found = (int)i;
        if (known[length] == '\0') {
            names[0] = known;
            *count = 1;
            return found;
        }
    }
    return *count == 1 ? found : -1;
}

/* ---- refusals ---- */

/* Whether the option is one of another mode of the command; says so. */
static bool reject_other_mode(const struct orr_call *call, const char *name)
{
    const struct orr_command *command = call->command, *root = call->root;
    const char *why = NULL;
    for (size_t i = 0; root->modes != NULL && root->modes[i] != NULL; i++) {
        why = why == NULL && root->modes[i] != command && orr_has_row(root->modes[i], name)
                  ? root->modes[i]->with
                  : why;
    }
    if (why == NULL && root != command && orr_has_row(root, name)) {
        why = command->without;
    }
    if (why != NULL) {
        orr_print_message("orrery %s: --%s %s\ntry 'orrery %s --help'\n", command->name, name, why,
                          command->name);
    }
    return why != NULL;
}

/* Appends " and X" or ", X" to a list of `count` names, of which this is number i. */
static void append_name(char *list, size_t bytes, const char *name, size_t i, size_t count)
{
    const size_t used = strlen(list);
    (void)snprintf(list + used, bytes - used, "%s%s",
                   i == 0           ? ""
                   : i + 1 == count ? " and "
                                    : ", ",
                   name);
}

/* The actions that have the option, as bits. */
static unsigned actions_with(const struct orr_command *const *actions, const char *name)
{
    unsigned bits = 0;
    for (size_t i = 0; actions[i] != NULL; i++) {
        bits |= orr_has_row(actions[i], name) ? 1u << i : 0;
    }
    return bits;
}

/* The options of the first of the actions that exactly these actions have; at most `max`. */
static size_t find_alike(const struct orr_command *const *actions, unsigned with, size_t max,
                         char (*names)[NAME_BYTES + 2])
{
    struct orr_rows rows;
    size_t count = 0, first = 0;
    while ((with >> first & 1) == 0) {
        first++;
    }
    orr_collect_rows(actions[first], false, &rows);
    for (size_t i = 0; i < rows.count; i++) {
        const char *name = rows.row[i]->name;
        if (name != NULL && actions_with(actions, name) == with && count++ < max) {
            (void)snprintf(names[count - 1], NAME_BYTES + 2, "--%s", name);
        }
    }
    return count;
}

/* Whether the option is one of other actions; says which, and which options they have, too: "--step
 * and --marker go with cut". */
static bool reject_other_action(const struct orr_call *call, const char *name)
{
    enum { MOST = 6 };
    const struct orr_command *const *actions = call->root->actions;
    const unsigned with = actions_with(actions, name);
    char options[512] = "", others[256] = "", names[MOST][NAME_BYTES + 2];
    if (with == 0) {
        return false;
    }
    size_t alike = find_alike(actions, with, MOST, names), found = 0, all = 0;
    if (alike > MOST) {
        alike = 1;
        (void)snprintf(names[0], sizeof names[0], "--%s", name);
    }
    for (size_t i = 0; i < alike; i++) {
        append_name(options, sizeof options, names[i], i, alike);
    }
    for (unsigned bits = with; bits != 0; bits &= bits - 1) {
        all++;
    }
    for (size_t i = 0; actions[i] != NULL; i++) {
        if ((with >> i & 1) != 0) {
            append_name(others, sizeof others, actions[i]->name, found++, all);
        }
    }
    orr_print_message("orrery %s: %s %s with %s\ntry 'orrery %s --help'\n", call->root->name,
                      options, alike > 1 ? "go" : "goes", others, call->root->name);
    return true;
}

/* Whether another table has an option of just this name, which then abbreviates none of this one.
 */
static bool is_of_others(const struct orr_call *call, const char *name)
{
    const struct orr_command *const *others =
        call->root->actions != NULL ? call->root->actions : call->root->modes;
    bool found = call->root != call->command && orr_has_row(call->root, name);
    for (size_t i = 0; others != NULL && others[i] != NULL && !found; i++) {
        found = orr_has_row(others[i], name);
    }
    return found;
}

static int reject_unknown(const struct orr_call *call, const struct orr_rows *rows,
                          const char *argument, const char *name)
{
    const char *names[ORR_MAX_ROWS];
    size_t count = 0;
    const char *full = strcmp(name, "o") == 0 ? "output" : name;
    if (call->root->actions != NULL ? reject_other_action(call, full)
                                    : reject_other_mode(call, full)) {
        return ORR_EXIT_USAGE;
    }
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->row[i]->name != NULL) {
            names[count++] = rows->row[i]->name;
        }
    }
    return orr_reject_unknown_option(orr_command_name(call->command), names, count, argument, name);
}

/* Rejects "--NAME[=VALUE]" that is no option or may be several. */
static int reject_name(const struct orr_call *call, const struct orr_rows *rows,
                       const char *argument, const char *const *names, size_t count)
{
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "%s", argument + strspn(argument, "-"));
    name[strcspn(name, "=")] = '\0';
    if (count > 1) {
        orr_print_message("orrery %s: ambiguous option \"%s\": --%s or --%s%s\n",
                          orr_command_name(call->command), argument, names[0], names[1],
                          count > 2 ? ", among others" : "");
        return ORR_EXIT_USAGE;
    }
    return reject_unknown(call, rows, argument, name);
}

/* ---- parsing ---- */

/* An option that is given. */
struct taken {
    int row;
    const char *value; /* NULL: none */
};

struct parser {
    const struct orr_call *call;
    const struct orr_command *command;
    const char *name; /* for messages */
    struct orr_rows rows;
    struct orr_given *given; /* values, for the guard */
    size_t count;
    struct taken *taken; /* options in their order; stored behind the guard */
    size_t options;
    char *arguments;
    int argc, at; /* at: the argument that is parsed */
    char **argv;
};

static void add_given(struct parser *parser, unsigned role, const char *option, const char *value)
{
    parser->given[parser->count++] =
        (struct orr_given){.role = role & ORR_ROLE_MASK, .option = option, .value = value};
}

/* The value of an option: behind "=", or the next argument. NULL with *status 0: none is needed. */
static const char *find_value(struct parser *parser, const struct orr_option *row,
                              const char *equals, int *status)
{
    const char *next = parser->at + 1 < parser->argc ? parser->argv[parser->at + 1] : NULL;
    const bool is_flag = (row->role & ORR_ROLE_MASK) == ORR_FLAG;
    *status = 0;
    if (equals != NULL && is_flag) {
        orr_print_message("orrery %s: option \"--%s\" takes no value\n", parser->name, row->name);
        *status = ORR_EXIT_USAGE;
    }
    if (equals != NULL || is_flag || (row->role & ORR_OPTIONAL_VALUE) != 0) {
        return equals != NULL ? equals + 1 : NULL;
    }
    if ((row->role & ORR_DASH) != 0 && (next == NULL || (next[0] == '-' && next[1] != '\0'))) {
        return "-";
    }
    if (next == NULL) {
        *status = orr_usage_error(parser->name, "an option needs a value: ",
                                  orr_option_head(row, (char[ORR_HEAD_BYTES]){0}));
        return NULL;
    }
    parser->at++;
    return next;
}

/* Whether the name abbreviates the row, and is an option of another action or mode. */
static bool is_of_others_only(const struct parser *parser, int row, const char *name, size_t length)
{
    char text[NAME_BYTES];
    const char *known = parser->rows.row[row]->name;
    (void)snprintf(text, sizeof text, "%.*s", (int)length, name);
    return strncmp(known, name, length) == 0 && known[length] != '\0' &&
           is_of_others(parser->call, text);
}

static int parse_option(struct parser *parser)
{
    const char *argument = parser->argv[parser->at], *names[ORR_MAX_ROWS];
    const bool is_short = argument[1] != '-';
    const char *equals = is_short ? NULL : strchr(argument, '=');
    size_t count = 0;
    int status = 0;
    if (strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0) {
        orr_print_help(stdout, parser->command);
        return ORR_STOP;
    }
    const size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const int index =
        !is_short            ? find_option(&parser->rows, argument + 2, length - 2, names, &count)
        : argument[1] == 'o' ? find_option(&parser->rows, "output", strlen("output"), names, &count)
                             : -1;
    if (index < 0 || is_of_others_only(parser, index, argument + 2, length - 2)) {
        return reject_name(parser->call, &parser->rows, argument, names, count);
    }
    const struct orr_option *row = parser->rows.row[index];
    const char *value =
        is_short && argument[2] != '\0' ? argument + 2 : find_value(parser, row, equals, &status);
    if (status != 0) {
        return status;
    }
    if (value != NULL) {
        add_given(parser, row->role, row->name, value);
    }
    parser->taken[parser->options++] = (struct taken){index, value};
    return 0;
}

static int store_options(struct parser *parser)
{
    int status = 0;
    for (size_t i = 0; i < parser->options && status == 0; i++) {
        const int row = parser->taken[i].row;
        status = orr_store_value(parser->name, parser->rows.row[row], parser->taken[i].value,
                                 parser->arguments + parser->rows.base[row]);
    }
    return status;
}

/* Stores the arguments that are no options, and checks their number. */
static int parse_positional(struct parser *parser, int argc)
{
    const char *extra = parser->command->extra;
    int next = 1, status = 0;
    for (size_t i = 0; i < parser->rows.count && status == 0; i++) {
        const struct orr_option *row = parser->rows.row[i];
        if ((row->role & ORR_POSITIONAL) == 0) {
            continue;
        }
        if (next == argc && (row->role & ORR_OPTIONAL) == 0) {
            return parser->command->missing != NULL
                       ? orr_usage_error(parser->name, parser->command->missing, NULL)
                       : orr_usage_error(parser->name, "expected ", row->argument);
        }
        do {
            status = next < argc ? orr_store_value(parser->name, row, parser->argv[next],
                                                   parser->arguments + parser->rows.base[i])
                                 : 0;
            next += next < argc ? 1 : 0;
        } while (next < argc && (row->role & ORR_REPEATED) != 0 && status == 0);
    }
    return status == 0 && next < argc
               ? orr_usage_error(parser->name, extra != NULL ? extra : "unexpected argument ",
                                 parser->argv[next])
               : status;
}

static int parse(struct parser *parser, int *argc)
{
    int kept = 1, status = 0;
    bool ended = false;
    for (parser->at = 1; parser->at < *argc && status == 0; parser->at++) {
        char *argument = parser->argv[parser->at];
        if (!ended && strcmp(argument, "--") == 0) {
            ended = true;
        } else if (!ended && argument[0] == '-' && argument[1] != '\0') {
            status = parse_option(parser);
        } else {
            add_given(parser, ORR_INPUT, NULL, argument);
            parser->argv[kept++] = argument;
        }
    }
    *argc = kept;
    status = status == 0 ? orr_check_overwrite(parser->name, parser->given, parser->count) : status;
    status = status == 0 ? store_options(parser) : status;
    return status == 0 ? parse_positional(parser, kept) : status;
}

int orr_parse_options(const struct orr_call *call, int *argc, char **argv, void *arguments)
{
    struct parser parser = {.call = call,
                            .command = call->command,
                            .name = orr_command_name(call->command),
                            .arguments = arguments,
                            .argc = *argc,
                            .argv = argv};
    orr_collect_rows(call->command, false, &parser.rows);
    parser.given = orr_heap_calloc((size_t)*argc + 1, sizeof *parser.given);
    parser.taken = orr_heap_calloc((size_t)*argc + 1, sizeof *parser.taken);
    int status = 1;
    if (parser.given == NULL || parser.taken == NULL) {
        orr_print_message("orrery %s: out of memory\n", parser.name);
    } else {
        status = parse(&parser, argc);
    }
    orr_heap_free(parser.taken);
    orr_heap_free(parser.given);
    return status;
}
