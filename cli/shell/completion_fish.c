/* Completion script of fish: one complete command for each word and option. */
#include "cli/shell/completion.h"

#include <string.h>

static const char head[] = "# fish completion of orrery; made by: orrery completion fish\n"
                           "function __orrery_inputs\n"
                           "    orrery run --list-inputs 2>/dev/null | awk -v kind=\"$argv[1]\" "
                           "'/^[^ ]/ { on = $1 == kind } /^  / && on { print $1 }'\n"
                           "end\n"
                           "complete -c orrery -f\n"
                           "complete -c orrery -l help -d 'help'\n"
                           "complete -c orrery -n __fish_use_subcommand -l version -d 'version'\n";

static void print_quoted(FILE *out, const char *text)
{
    (void)fputc('\'', out);
    for (; *text != '\0'; text++) {
        (void)fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    (void)fputc('\'', out);
}

/* -F: files too; -x: a value is needed, and no file. */
static void print_value(FILE *out, enum orr_value value, const char *choices)
{
    static const char *const shape[] = {
        [ORR_VALUE_NONE] = "",
        [ORR_VALUE_ANY] = " -x",
        [ORR_VALUE_CHOICE] = " -x -a ",
        [ORR_VALUE_FILE] = " -r -F",
        [ORR_VALUE_PLATFORM] = " -F -a '(__orrery_inputs platforms)'",
        [ORR_VALUE_WORKLOAD] = " -F -a '(__orrery_inputs workloads)'"};
    (void)fputs(shape[value], out);
    if (value == ORR_VALUE_CHOICE) {
        print_quoted(out, choices);
    }
}

static void print_option(FILE *out, const char *when, const struct orr_help_item *item)
{
    (void)fprintf(out, "complete -c orrery%s -l %s", when, item->name + strlen("--"));
    print_value(out, item->value, item->choices);
    (void)fputs(" -d ", out);
    print_quoted(out, item->text);
    (void)fputc('\n', out);
}

static void print_command(FILE *out, const struct orr_help *help)
{
    char when[128];
    const char *name = help->command->name;
    (void)fprintf(out, "complete -c orrery -n __fish_use_subcommand -a %s -d ", name);
    print_quoted(out, help->command->summary);
    (void)fputc('\n', out);
    (void)snprintf(when, sizeof when, " -n '__fish_seen_subcommand_from %s'", name);
    for (size_t i = 0; i < help->words; i++) {
        (void)fprintf(out, "complete -c orrery%s -a %s -d ", when, help->word[i].name);
        print_quoted(out, help->word[i].text);
        (void)fputc('\n', out);
    }
    for (unsigned value = ORR_VALUE_FILE; value <= ORR_VALUE_WORKLOAD; value++) {
        if (help->takes[value]) {
            (void)fprintf(out, "complete -c orrery%s", when);
            print_value(out, (enum orr_value)value, "");
            (void)fputc('\n', out);
        }
    }
    for (size_t i = 0; i < help->options; i++) {
        print_option(out, when, &help->option[i]);
    }
}

void orr_completion_fish(FILE *out, const struct orr_help *help, size_t count)
{
    (void)fputs(head, out);
    print_option(out, "", &orr_color_item);
    print_option(out, "", &orr_plugin_item);
    for (size_t i = 0; i < count; i++) {
        print_command(out, &help[i]);
    }
}
