/* Reference of commands and options; see option_reference.h. */
#include "cli/schema/option_reference.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/option_help.h"
#include "orrery/orrery.h"

/* ---- Markdown ---- */

/* Prints text in a cell: '|' and '<' would end it or begin a tag. */
static void print_cell(FILE *out, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        (void)fprintf(out, *text == '|' || *text == '<' || *text == '*' ? "\\%c" : "%c", *text);
    }
}

static void print_usage(void *context, const char *text)
{
    (void)fprintf(context, "orrery %s\n", text);
}

static void print_table(FILE *out, const struct orr_command *command)
{
    struct orr_rows rows;
    char head[ORR_HEAD_BYTES];
    bool in_table = false;
    orr_collect_rows(command, true, &rows);
    for (size_t i = 0; i < rows.count; i++) {
        const struct orr_option *row = rows.row[i];
        if (rows.hidden[i]) {
            continue;
        }
        if ((row->role & ORR_ROLE_MASK) == ORR_HEADING) {
            (void)fprintf(out, "\n%s\n", row->help);
            in_table = false;
            continue;
        }
        if (!in_table) {
            (void)fputs("\n| option | |\n| --- | --- |\n", out);
        }
        in_table = true;
        (void)fputs("| `", out);
        for (const char *at = orr_option_head(row, head); *at != '\0'; at++) {
            (void)fprintf(out, *at == '|' ? "\\%c" : "%c", *at);
        }
        (void)fputs("` | ", out);
        print_cell(out, row->help);
        (void)fputs(" |\n", out);
    }
}

static void print_paragraphs(FILE *out, const char *text)
{
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, "\n");
        (void)fprintf(out, *text == ' ' ? "\n  %.*s\n" : "\n%.*s\n", (int)length, text);
        text += length;
        text += *text == '\n' ? 1 : 0;
    }
}

static void print_words(FILE *out, const struct orr_command *command)
{
    struct orr_word word;
    for (size_t i = 0; command->word != NULL && command->word(i, &word); i++) {
        if (i == 0) {
            (void)fprintf(out, "\n%s:\n\n", command->words);
        }
        (void)fprintf(out, "- `%s`: ", word.name);
        print_cell(out, word.text);
        (void)fputc('\n', out);
    }
}

static void print_command(FILE *out, const struct orr_command *command)
{
    const char *parent = command->parent;
    (void)fprintf(out, "\n%s `orrery %s%s%s`\n", parent != NULL ? "###" : "##",
                  parent != NULL ? parent : "", parent != NULL ? " " : "", command->name);
    (void)fputc('\n', out);
    print_cell(out, command->summary);
    (void)fputs("\n\n```\n", out);
    orr_usage_lines(command, print_usage, out);
    (void)fputs("```\n", out);
    print_paragraphs(out, command->about);
    print_words(out, command);
    if (command->actions == NULL) {
        print_table(out, command);
    }
    print_paragraphs(out, command->notes);
    for (size_t i = 0; command->actions != NULL && command->actions[i] != NULL; i++) {
        print_command(out, command->actions[i]);
    }
}

int orr_write_option_reference(FILE *out)
{
    size_t count;
    const struct orr_command *const *commands = orr_commands(&count);
    (void)fputs(
        "# Commands and options\n\n"
        "Made by `orrery schema options` from the tables of the commands, which also make "
        "`--help`, the manual pages and the completions.\n\n"
        "Every command has `--help` (`-h`) and `--color auto|always|never`, and takes `--plugin "
        "FILE.so` (how-to/plugins.md). Names of options "
        "may be abbreviated. A file `-` is standard output. In `trace`, `topo`, `model` and "
        "`plan`, `--json` without a file, at the end or before another option, is `--json "
        "-`.\n",
        out);
    for (size_t i = 0; i < count; i++) {
        print_command(out, commands[i]);
    }
    return ferror(out) != 0 ? 1 : 0;
}

/* ---- manual pages ---- */

/* Prints a line of roff, escaped. */
static void print_roff(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'') {
        (void)fputs("\\&", out);
    }
    for (; *text != '\0'; text++) {
        (void)fputs(*text == '\\'  ? "\\e"
                    : *text == '-' ? "\\-"
                                   : (const char[]){*text, '\0'},
                    out);
    }
    (void)fputc('\n', out);
}

static void print_synopsis(void *context, const char *text)
{
    (void)fputs(".B orrery\n", context);
    print_roff(context, text);
    (void)fputs(".br\n", context);
}

static void print_roff_paragraphs(FILE *out, const char *text)
{
    char line[4096];
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)length, text);
        (void)fputs(".PP\n", out);
        print_roff(out, line + strspn(line, " "));
        text += length;
        text += *text == '\n' ? 1 : 0;
    }
}

static void print_item(FILE *out, const char *head, const char *text)
{
    (void)fputs(".TP\n.B ", out);
    print_roff(out, head);
    if (text != NULL && text[0] != '\0') {
        print_roff(out, text);
    }
}

static void print_roff_rows(FILE *out, const struct orr_command *command)
{
    struct orr_rows rows;
    char head[ORR_HEAD_BYTES];
    orr_collect_rows(command, true, &rows);
    for (size_t i = 0; i < rows.count; i++) {
        const struct orr_option *row = rows.row[i];
        if (!rows.hidden[i] && (row->role & ORR_ROLE_MASK) == ORR_HEADING) {
            (void)fputs(".PP\n", out);
            print_roff(out, row->help);
        } else if (!rows.hidden[i]) {
            print_item(out, orr_option_head(row, head), row->help);
        }
    }
}

/* The page of the command itself: the list of its subcommands. */
static void write_overview(FILE *out)
{
    size_t count;
    const struct orr_command *const *commands = orr_commands(&count);
    (void)fprintf(out,
                  ".TH ORRERY 1 \"\" \"Orrery %s\" \"Orrery\"\n.SH NAME\norrery \\- simulates "
                  "distributed deep\\-learning training\n.SH SYNOPSIS\n.B orrery\nCOMMAND "
                  "[OPTION...]\n.br\n.B orrery\nCOMMAND \\-\\-help\n.br\n.B orrery\n\\-\\-help | "
                  "\\-\\-version\n.SH COMMANDS\n",
                  orrery_version());
    for (size_t i = 0; i < count; i++) {
        print_item(out, commands[i]->name, commands[i]->summary);
    }
    (void)fputs(
        ".SH EXIT STATUS\n0 done, 1 internal error, 2 bad usage or input, 3 the simulated job "
        "cannot finish\n",
        out);
}

void orr_write_manual(FILE *out, const struct orr_command *command)
{
    struct orr_word word;
    if (command == NULL) {
        write_overview(out);
        return;
    }
    (void)fprintf(out,
                  ".TH ORRERY\\-%s 1 \"\" \"Orrery %s\" \"Orrery\"\n.SH NAME\norrery\\-%s \\- ",
                  command->name, orrery_version(), command->name);
    print_roff(out, command->summary);
    (void)fputs(".SH SYNOPSIS\n.nh\n", out);
    orr_usage_lines(command, print_synopsis, out);
    (void)fputs(".hy\n.SH DESCRIPTION\n", out);
    print_roff_paragraphs(out, command->about != NULL ? command->about : command->summary);
    for (size_t i = 0; command->word != NULL && command->word(i, &word); i++) {
        print_item(out, word.name, word.text);
    }
    for (size_t i = 0; command->actions != NULL && command->actions[i] != NULL; i++) {
        print_item(out, command->actions[i]->name, command->actions[i]->summary);
    }
    (void)fputs(".SH OPTIONS\n", out);
    if (command->actions == NULL) {
        print_roff_rows(out, command);
    }
    for (size_t i = 0; command->actions != NULL && command->actions[i] != NULL; i++) {
        (void)fprintf(out, ".SS %s\n", command->actions[i]->name);
        print_roff_paragraphs(out, command->actions[i]->about);
        print_roff_rows(out, command->actions[i]);
    }
    print_roff_paragraphs(out, command->notes);
    (void)fputs(".SH EXIT STATUS\n", out);
    print_roff(out, orr_exit_text(command) + strlen("Exit status: "));
}
