/* Parser of --help; see help_text.h for its grammar. */
#include "cli/shell/help_text.h"

#include "core/arena.h"
#include "core/diag.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

const struct orr_help_item orr_color_item = {"--color", "colour of errors and warnings",
                                             ORR_VALUE_CHOICE, false, "auto always never"};

enum { LINE_BYTES = 1024 };

/* Runs the command with standard output going to the file. */
static bool print_help_to(const struct orr_command *command, FILE *file)
{
    char name[64], option[] = "--help";
    char *arguments[] = {name, option, NULL};
    (void)snprintf(name, sizeof name, "%s", command->name);
    (void)fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    if (before < 0 || dup2(fileno(file), STDOUT_FILENO) < 0) {
        return false;
    }
    const bool done = command->run(2, arguments) == 0 && fflush(stdout) == 0;
    const bool back = dup2(before, STDOUT_FILENO) >= 0;
    (void)close(before);
    return done && back;
}

static enum orr_value value_of(const char *argument)
{
    static const char *const files[] = {"FILE", "PREFIX", "FOLDER", "DIR", "."};
    if (argument[0] == '\0') {
        return ORR_VALUE_NONE;
    }
    if (strncmp(argument, "PLATFORM", 8) == 0) {
        return ORR_VALUE_PLATFORM;
    }
    if (strncmp(argument, "WORKLOAD", 8) == 0) {
        return ORR_VALUE_WORKLOAD;
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strstr(argument, files[i]) != NULL) {
            return ORR_VALUE_FILE;
        }
    }
    return strchr(argument, '|') != NULL && islower((unsigned char)argument[0]) != 0
               ? ORR_VALUE_CHOICE
               : ORR_VALUE_ANY;
}

/* Parses "usage: orrery NAME ...": the positional arguments. */
static void read_usage(const char *line, struct orr_help *help)
{
    bool is_value = false;
    for (const char *at = line + strspn(line, " []"); *at != '\0';) {
        char word[64];
        const size_t length = strcspn(at, " []");
        (void)snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!is_value && isupper((unsigned char)word[0]) != 0) {
            help->takes[value_of(word)] = true;
        }
        at += length;
        is_value = word[0] == '-' && at[0] == ' '; /* "[--json] FILE": no value */
        at += strspn(at, " []");
    }
}

/* Parses "--name[=]ARGUMENT text" at `line`; returns the text. */
static const char *read_option(struct orr_arena *arena, const char *line,
                               struct orr_help_item *item)
{
    const size_t name = 2 + strspn(line + 2, "abcdefghijklmnopqrstuvwxyz0123456789-");
    const char *at = line + name;
    item->name = orr_arena_strndup(arena, line, name);
    item->optional = at[0] == '[';
    at += at[0] == '[' ? 1 : 0;
    const bool has_value = at[0] == '=' || (at[0] == ' ' && at[1] != ' ' && at[1] != '\0');
    at += has_value ? 1 : 0;
    const size_t length = has_value ? strcspn(at, item->optional ? "] " : " ") : 0;
    char *argument = orr_arena_strndup(arena, at, length);
    item->value = argument != NULL ? value_of(argument) : ORR_VALUE_NONE;
    item->choices = item->value == ORR_VALUE_CHOICE ? argument : "";
    for (char *bar = argument; bar != NULL && (bar = strchr(bar, '|')) != NULL;) {
        *bar = ' ';
    }
    at += length;
    at += item->optional && at[0] == ']' ? 1 : 0;
    return at + strspn(at, " ");
}

/* Parses "word text" at `line`; returns the text, NULL if it is something else. */
static const char *read_word(struct orr_arena *arena, const char *line, struct orr_help_item *item)
{
    const size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    if (islower((unsigned char)line[0]) == 0 || line[name] != ' ' || line[name + 1] != ' ') {
        return NULL;
    }
    *item = (struct orr_help_item){.name = orr_arena_strndup(arena, line, name), .choices = ""};
    return line + name + strspn(line + name, " ");
}

/* Parses a line indented by two blanks. Returns the item that continuation lines belong to, or
 * NULL. */
static struct orr_help_item *read_item(struct orr_arena *arena, const char *line,
                                       struct orr_help *help)
{
    struct orr_help_item *item = NULL;
    const char *text = NULL, *option = strncmp(line, "--", 2) == 0 ? line : NULL;
    if (line[0] == '-' && line[1] != '-' && strncmp(line + 2, ", --", 4) == 0) {
        option = line + 4;
    }
    if (option != NULL && help->options < ORR_MAX_ITEMS) {
        item = &help->option[help->options++];
        text = read_option(arena, option, item);
    } else if (option == NULL && help->words < ORR_MAX_ITEMS) {
        item = &help->word[help->words];
        text = read_word(arena, line, item);
        help->words += text != NULL ? 1 : 0;
    }
    if (text == NULL) {
        return NULL;
    }
    item->text = orr_arena_strdup(arena, text);
    return item;
}

static void append_text(struct orr_arena *arena, const char *text, struct orr_help_item *item)
{
    if (item->text != NULL) {
        item->text =
            orr_arena_printf(arena, "%s%s%s", item->text, item->text[0] != '\0' ? " " : "", text);
    }
}

static void read_lines(struct orr_arena *arena, FILE *file, struct orr_help *help)
{
    char line[LINE_BYTES];
    struct orr_help_item *last = NULL;
    bool usage = false;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const size_t blanks = strspn(line, " ");
        usage = strncmp(line, "usage: ", 7) == 0 || (usage && blanks >= 4);
        if (usage) {
            read_usage(line, help);
        } else if (blanks == 2) {
            last = read_item(arena, line + 2, help);
        } else if (blanks > 2 && last != NULL) {
            append_text(arena, line + blanks, last);
        } else {
            last = NULL;
        }
    }
}

static bool is_complete(const struct orr_help_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].name == NULL || items[i].text == NULL || items[i].choices == NULL) {
            return false;
        }
    }
    return true;
}

enum orr_status orr_help_read(struct orr_arena *arena, const struct orr_command *command,
                              struct orr_help *help, struct orr_diag *diag)
{
    *help = (struct orr_help){.command = command};
    FILE *file = tmpfile();
    if (file == NULL || !print_help_to(command, file)) {
        const int reason = errno;
        if (file != NULL) {
            (void)fclose(file);
        }
        return orr_diag_fail(diag, ORR_ERR_IO, NULL, "the help of %s cannot be read: %s",
                             command->name, strerror(reason));
    }
    rewind(file);
    read_lines(arena, file, help);
    (void)fclose(file);
    return is_complete(help->option, help->options) && is_complete(help->word, help->words)
               ? ORR_OK
               : orr_diag_no_memory(diag, "the help of a command");
}
