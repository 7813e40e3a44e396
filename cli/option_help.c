/* --help of a command, from its table; see option_help.h. */
#include "cli/option_help.h"

#include <string.h>

#include "cli/cli.h"

enum { HEAD_COLUMNS = 34, LINE_BYTES = 1024 };

char *orr_option_head(const struct orr_option *row, char text[ORR_HEAD_BYTES])
{
    const bool optional = (row->role & ORR_OPTIONAL_VALUE) != 0;
    if ((row->role & ORR_POSITIONAL) != 0) {
        (void)snprintf(text, ORR_HEAD_BYTES, "%s%s", row->argument,
                       (row->role & ORR_REPEATED) != 0 ? "..." : "");
        return text;
    }
    (void)snprintf(text, ORR_HEAD_BYTES, "%s--%s%s%s%s",
                   strcmp(row->name, "output") == 0 ? "-o, " : "", row->name,
                   optional                ? "[="
                   : row->argument != NULL ? " "
                                           : "",
                   row->argument != NULL ? row->argument : "", optional ? "]" : "");
    return text;
}

/* ---- usage ---- */

/* Appends as much as fits. */
static void append(char *text, const char *more)
{
    const size_t used = strlen(text);
    (void)snprintf(text + used, LINE_BYTES - used, "%s", more);
}

/* Appends a word of a form: "--name" and "[--name]" become options with their arguments. */
static void append_word(const struct orr_rows *rows, const char *word, size_t length, char *line)
{
    const bool optional = word[0] == '[' && word[1] == '-';
    const char *name = word + (optional ? 3 : 2);
    const size_t bytes = length - (optional ? 4 : 2);
    char head[ORR_HEAD_BYTES], text[ORR_HEAD_BYTES];
    append(line, " ");
    for (size_t i = 0; (optional || (word[0] == '-' && word[1] == '-')) && i < rows->count; i++) {
        const char *known = rows->row[i]->name;
        if (known != NULL && strlen(known) == bytes && strncmp(known, name, bytes) == 0) {
            const char *option = orr_option_head(rows->row[i], head);
            option = strncmp(option, "-o, ", 4) == 0 ? "-o" : option;
            append(line, optional ? "[" : "");
            append(line, option);
            if (strcmp(option, "-o") == 0) {
                append(line, " ");
                append(line, rows->row[i]->argument);
            }
            append(line, optional ? "]" : "");
            return;
        }
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)length, word);
    append(line, text);
}

/* The usage line that the rows make: arguments, needed options, [options]. */
static void append_rows(const struct orr_rows *rows, char *line)
{
    bool options = false;
    char head[ORR_HEAD_BYTES], word[ORR_HEAD_BYTES + 8];
    for (size_t i = 0; i < rows->count; i++) {
        const struct orr_option *row = rows->row[i];
        const bool optional = (row->role & ORR_OPTIONAL) != 0;
        options = options || row->name != NULL;
        if (!rows->hidden[i] && (row->role & ORR_POSITIONAL) != 0) {
            (void)snprintf(word, sizeof word, " %s%s%s", optional ? "[" : "",
                           orr_option_head(row, head), optional ? "]" : "");
            append(line, word);
        }
    }
    for (size_t i = 0; i < rows->count; i++) {
        if ((rows->row[i]->role & ORR_NEEDED) != 0) {
            (void)snprintf(word, sizeof word, "--%s", rows->row[i]->name);
            append_word(rows, word, strlen(word), line);
        }
    }
    append(line, options ? " [options]" : "");
}

static void begin_line(const struct orr_command *command, char *line)
{
    (void)snprintf(line, LINE_BYTES, "%s%s%s", command->parent != NULL ? command->parent : "",
                   command->parent != NULL ? " " : "", command->name);
}

/* `form` ends at the line break. */
static void append_form(const struct orr_rows *rows, const char *form, char *line)
{
    while (*form != '\n' && *form != '\0') {
        const size_t length = strcspn(form, " \n");
        append_word(rows, form, length, line);
        form += length;
        form += strspn(form, " ");
    }
}

void orr_usage_lines(const struct orr_command *command,
                     void (*line)(void *context, const char *text), void *context)
{
    char text[LINE_BYTES];
    struct orr_rows rows;
    orr_collect_rows(command, false, &rows);
    for (const char *form = command->forms; form != NULL; form = strchr(form, '\n')) {
        form += *form == '\n' ? 1 : 0;
        begin_line(command, text);
        append_form(&rows, form, text);
        line(context, text);
    }
    if (command->forms == NULL && command->actions == NULL) {
        begin_line(command, text);
        append_rows(&rows, text);
        line(context, text);
    }
    const struct orr_command *const *const others[] = {command->modes, command->actions};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        for (size_t k = 0; others[i] != NULL && others[i][k] != NULL; k++) {
            orr_usage_lines(others[i][k], line, context);
        }
    }
}

/* ---- text ---- */

/* Prints words, which begin in column `at`, and go on in column `indent`. */
static void print_wrapped(FILE *out, const char *text, size_t at, size_t indent)
{
    bool first = true;
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        if (!first && at + 1 + length > ORR_HELP_COLUMNS) {
            (void)fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            (void)fputc(' ', out);
            at++;
        }
        (void)fprintf(out, "%.*s", (int)length, text);
        at += length;
        text += length;
        text += strspn(text, " ");
        first = false;
    }
    (void)fputc('\n', out);
}

/* Prints paragraphs, which line breaks part; one that begins with a blank is printed as it is. */
static void print_paragraphs(FILE *out, const char *text)
{
    char paragraph[4096];
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, "\n");
        (void)snprintf(paragraph, sizeof paragraph, "%.*s", (int)length, text);
        if (paragraph[0] == ' ') {
            (void)fprintf(out, "%s\n", paragraph);
        } else {
            (void)fputc('\n', out);
            print_wrapped(out, paragraph, 0, 0);
        }
        text += length;
        text += *text == '\n' ? 1 : 0;
    }
}

/* Prints two columns; `width`: of the first. */
static void print_item(FILE *out, const char *head, const char *text, size_t width)
{
    const size_t indent = width + 4;
    (void)fprintf(out, "  %s", head);
    if (text == NULL || text[0] == '\0') {
        (void)fputc('\n', out);
        return;
    }
    if (strlen(head) > width) {
        (void)fprintf(out, "\n%*s", (int)indent, "");
    } else {
        (void)fprintf(out, "%*s", (int)(width - strlen(head) + 2), "");
    }
    print_wrapped(out, text, indent, indent);
}

struct usage {
    FILE *out;
    bool shown;
};

static void print_usage(void *context, const char *text)
{
    struct usage *usage = context;
    const size_t name = strcspn(text, " ");
    (void)fprintf(usage->out, usage->shown ? "       " : "usage: ");
    (void)fprintf(usage->out, "orrery ");
    print_wrapped(usage->out, text, 14, 15 + name);
    usage->shown = true;
}

/* ---- sections ---- */

static size_t head_columns(const struct orr_rows *rows)
{
    size_t columns = 0;
    char head[ORR_HEAD_BYTES];
    for (size_t i = 0; i < rows->count; i++) {
        const bool shown = (rows->row[i]->role & ORR_ROLE_MASK) != ORR_HEADING && !rows->hidden[i];
        const size_t length = shown ? strlen(orr_option_head(rows->row[i], head)) : 0;
        columns = length > columns && length <= HEAD_COLUMNS ? length : columns;
    }
    return columns;
}

static void print_rows(FILE *out, const struct orr_rows *rows)
{
    const size_t width = head_columns(rows);
    char head[ORR_HEAD_BYTES];
    bool in_section = false;
    for (size_t i = 0; i < rows->count; i++) {
        const struct orr_option *row = rows->row[i];
        const bool heading = (row->role & ORR_ROLE_MASK) == ORR_HEADING;
        if (rows->hidden[i]) {
            continue;
        }
        if (heading || !in_section) {
            (void)fputc('\n', out);
        }
        if (heading) {
            print_wrapped(out, row->help, 0, 0);
        } else {
            print_item(out, orr_option_head(row, head), row->help, width);
        }
        in_section = true;
    }
}

static void print_words(FILE *out, const struct orr_command *command)
{
    struct orr_word word;
    size_t width = 0;
    for (size_t i = 0; command->word != NULL && command->word(i, &word); i++) {
        width = strlen(word.name) > width ? strlen(word.name) : width;
    }
    if (width > 0) {
        (void)fprintf(out, "\n%s:\n", command->words);
    }
    for (size_t i = 0; width > 0 && command->word(i, &word); i++) {
        print_item(out, word.name, word.text, width);
    }
}

static void print_actions(FILE *out, const struct orr_command *command)
{
    size_t width = 0;
    for (size_t i = 0; command->actions[i] != NULL; i++) {
        const size_t length = strlen(command->actions[i]->name);
        width = length > width ? length : width;
    }
    (void)fputc('\n', out);
    for (size_t i = 0; command->actions[i] != NULL; i++) {
        print_item(out, command->actions[i]->name, command->actions[i]->summary, width);
    }
    (void)fprintf(out, "\norrery %s ACTION --help has the options of an action.\n", command->name);
}

const char *orr_exit_text(const struct orr_command *command)
{
    return command->simulates
               ? "Exit status: 0 done, 1 internal error, 2 bad usage or input, 3 the job cannot "
                 "finish."
               : "Exit status: 0 done, 1 internal error, 2 bad usage or input.";
}

void orr_print_help(FILE *out, const struct orr_command *command)
{
    struct usage usage = {.out = out};
    struct orr_rows rows;
    orr_usage_lines(command, print_usage, &usage);
    print_paragraphs(out, command->about != NULL || command->parent == NULL ? command->about
                                                                            : command->summary);
    print_words(out, command);
    if (command->actions != NULL) {
        print_actions(out, command);
    } else {
        orr_collect_rows(command, true, &rows);
        print_rows(out, &rows);
    }
    print_paragraphs(out, command->notes);
    (void)fprintf(out, "\n%s\n", orr_exit_text(command));
}
