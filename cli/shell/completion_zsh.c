/* Completion script of zsh, by _arguments. */
#include "cli/shell/completion.h"

static const char head[] =
    "#compdef orrery\n"
    "# zsh completion of orrery; made by: orrery completion zsh\n"
    "_orrery_inputs() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$(orrery" ORR_LIST_INPUTS ")\"})\n"
    "    _alternative 'names:input that ships:compadd -a names' 'files:file:_files -g \"*.yml\"'\n"
    "}\n"
    "\n"
    "_orrery() {\n"
    "    local curcontext=$curcontext state line\n"
    "    typeset -A opt_args\n";

/* Prints a text inside of single quotes, between brackets or colons. */
static void print_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            (void)fputs("'\\''", out);
        } else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') {
            (void)fprintf(out, "\\%c", *text);
        } else {
            (void)fputc(*text, out);
        }
    }
}

static void print_value(FILE *out, const struct orr_help_item *item)
{
    switch (item->value) {
    case ORR_VALUE_CHOICE:
        (void)fprintf(out, "value:(%s)", item->choices);
        return;
    case ORR_VALUE_FILE:
        (void)fprintf(out, "file:_files");
        return;
    case ORR_VALUE_PLATFORM:
        (void)fprintf(out, "platform:{_orrery_inputs platforms}");
        return;
    case ORR_VALUE_WORKLOAD:
        (void)fprintf(out, "workload:{_orrery_inputs workloads}");
        return;
    default:
        (void)fprintf(out, "value: ");
        return;
    }
}

static void print_option(FILE *out, const struct orr_help_item *item)
{
    const char *kind = item->value == ORR_VALUE_NONE ? "" : item->optional ? "=-" : "=";
    (void)fprintf(out, " \\\n            '*%s%s[", item->name, kind);
    print_text(out, item->text);
    (void)fputc(']', out);
    if (item->value != ORR_VALUE_NONE) {
        (void)fputs(item->optional ? "::" : ":", out);
        print_value(out, item);
    }
    (void)fputc('\'', out);
}

static void print_command(FILE *out, const struct orr_help *help)
{
    const enum orr_value file = help->takes[ORR_VALUE_PLATFORM]   ? ORR_VALUE_PLATFORM
                                : help->takes[ORR_VALUE_WORKLOAD] ? ORR_VALUE_WORKLOAD
                                : help->takes[ORR_VALUE_FILE]     ? ORR_VALUE_FILE
                                                                  : ORR_VALUE_ANY;
    (void)fprintf(out, "        %s)\n            _arguments '--help[help]'", help->command->name);
    print_option(out, &orr_color_item);
    print_option(out, &orr_plugin_item);
    for (size_t i = 0; i < help->options; i++) {
        print_option(out, &help->option[i]);
    }
    if (help->words > 0) {
        (void)fprintf(out, " \\\n            '1:what:((");
        for (size_t i = 0; i < help->words; i++) {
            (void)fprintf(out, "%s%s", i > 0 ? " " : "", help->word[i].name);
        }
        (void)fprintf(out, "))'");
    } else if (file == ORR_VALUE_PLATFORM && help->takes[ORR_VALUE_WORKLOAD]) {
        (void)fprintf(out, " \\\n            '1:platform:{_orrery_inputs platforms}'");
    }
    const struct orr_help_item rest = {
        .value = file == ORR_VALUE_PLATFORM && help->takes[ORR_VALUE_WORKLOAD] && help->words == 0
                     ? ORR_VALUE_WORKLOAD
                     : file};
    if (file != ORR_VALUE_ANY) {
        (void)fprintf(out, " \\\n            '*:");
        print_value(out, &rest);
        (void)fputc('\'', out);
    }
    (void)fprintf(out, "\n            ;;\n");
}

void orr_completion_zsh(FILE *out, const struct orr_help *help, size_t count)
{
    (void)fputs(head, out);
    (void)fprintf(out, "    _arguments -C '--help[help]' '--version[version]'");
    print_option(out, &orr_color_item);
    print_option(out, &orr_plugin_item);
    (void)fprintf(out, " \\\n        '1:command:((");
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "%s%s\\:\"", i > 0 ? " " : "", help[i].command->name);
        print_text(out, help[i].command->summary);
        (void)fputc('"', out);
    }
    (void)fprintf(out, "))' \\\n        '*::argument:->argument'\n"
                       "    [[ $state == argument ]] || return\n    case $words[1] in\n");
    for (size_t i = 0; i < count; i++) {
        print_command(out, &help[i]);
    }
    (void)fputs("    esac\n}\n\n"
                "if [[ $funcstack[1] == _orrery ]]; then\n    _orrery \"$@\"\nelse\n"
                "    compdef _orrery orrery\nfi\n",
                out);
}
