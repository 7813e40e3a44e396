/* Completion script of bash, which splits words at '=': "--fold=au" is three words. */
#include "cli/shell/completion.h"

static const char head[] =
    "# bash completion of orrery; made by: orrery completion bash\n"
    "_orrery_inputs() {\n"
    "    \"$2\"" ORR_LIST_INPUTS "\n"
    "}\n"
    "\n"
    "_orrery_add() { # what compgen prints, a line each\n"
    "    local IFS=$'\\n'\n"
    "    COMPREPLY+=($(compgen \"$@\" -- \"$cur\"))\n"
    "}\n"
    "\n"
    "_orrery_files() {\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    _orrery_add -f\n"
    "}\n"
    "\n"
    "_orrery_yaml() { # KINDS COMMAND: files, and the names of inputs that ship\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    _orrery_add -f -X '!*.yml'\n"
    "    _orrery_add -d\n"
    "    _orrery_add -W \"$(_orrery_inputs \"$1\" \"$2\")\"\n"
    "}\n"
    "\n"
    "_orrery_words() {\n"
    "    local IFS=$' \\n'\n"
    "    COMPREPLY+=($(compgen -W \"$1\" -- \"$cur\"))\n"
    "}\n"
    "\n"
    "_orrery() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= i at=0\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        --color|--plugin) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i += 2)) || ((i++)) ;;\n"
    "        -*) ;;\n"
    "        *)\n"
    "            command=${COMP_WORDS[i]} at=$i\n"
    "            break\n"
    "            ;;\n"
    "        esac\n"
    "    done\n";

static void print_value(FILE *out, const struct orr_help_item *item)
{
    switch (item->value) {
    case ORR_VALUE_CHOICE:
        (void)fprintf(out, "_orrery_words '%s'", item->choices);
        return;
    case ORR_VALUE_FILE:
        (void)fprintf(out, "_orrery_files");
        return;
    case ORR_VALUE_PLATFORM:
        (void)fprintf(out, "_orrery_yaml platforms \"$1\"");
        return;
    case ORR_VALUE_WORKLOAD:
        (void)fprintf(out, "_orrery_yaml workloads \"$1\"");
        return;
    default:
        (void)fprintf(out, ":");
        return;
    }
}

/* Prints the completion of option values. */
static void print_values(FILE *out, const struct orr_help *help)
{
    (void)fprintf(out, "        case $prev in\n");
    for (size_t i = 0; i < help->options; i++) {
        const struct orr_help_item *item = &help->option[i];
        if (item->value == ORR_VALUE_NONE) {
            continue;
        }
        (void)fprintf(out, "        %s) ", item->name);
        /* An optional value follows "=", which bash makes a word of its own. */
        if (item->optional) {
            (void)fprintf(out, "[[ ${COMP_WORDS[COMP_CWORD]} == = || ${COMP_WORDS[COMP_CWORD - 1]} "
                               "== = ]] && ");
        }
        print_value(out, item);
        (void)fprintf(out, "%s ;;\n", item->optional ? " && return" : "; return");
    }
    (void)fprintf(out, "        esac\n");
}

/* Prints the completion of positional arguments, which follow the action, if there is one. */
static void print_files(FILE *out, const struct orr_help *help)
{
    const bool platform = help->takes[ORR_VALUE_PLATFORM];
    const bool workload = help->takes[ORR_VALUE_WORKLOAD];
    const char *behind = help->words > 0 ? "((COMP_CWORD == at + 1)) || " : "";
    if (platform || workload) {
        (void)fprintf(out, "            %s_orrery_yaml '%s%s' \"$1\"\n", behind,
                      platform ? "platforms " : "", workload ? "workloads" : "");
    } else if (help->takes[ORR_VALUE_FILE]) {
        (void)fprintf(out, "            %s_orrery_files\n", behind);
    }
}

static void print_command(FILE *out, const struct orr_help *help)
{
    (void)fprintf(out, "    %s)\n", help->command->name);
    print_values(out, help);
    (void)fprintf(out, "        options='--help %s %s", orr_color_item.name, orr_plugin_item.name);
    for (size_t i = 0; i < help->options; i++) {
        (void)fprintf(out, " %s", help->option[i].name);
    }
    (void)fprintf(out, "'\n        words='");
    for (size_t i = 0; i < help->words; i++) {
        (void)fprintf(out, "%s%s", i > 0 ? " " : "", help->word[i].name);
    }
    (void)fprintf(out, "'\n        [[ $cur == -* ]] || {\n            :\n");
    print_files(out, help);
    (void)fprintf(out, "        }\n        ;;\n");
}

void orr_completion_bash(FILE *out, const struct orr_help *help, size_t count)
{
    (void)fputs(head, out);
    (void)fprintf(out,
                  "    if [[ $prev == --color ]]; then\n        _orrery_words '%s'\n"
                  "        return\n    elif [[ $prev == --plugin ]]; then\n        _orrery_files\n"
                  "        return\n    fi\n    local options words\n    case $command in\n    "
                  "'')\n        at=$((COMP_CWORD - 1))\n"
                  "        options='--help --version --color --plugin'\n        words='",
                  orr_color_item.choices);
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(out, "%s%s", i > 0 ? " " : "", help[i].command->name);
    }
    (void)fprintf(out, "'\n        ;;\n");
    for (size_t i = 0; i < count; i++) {
        print_command(out, &help[i]);
    }
    (void)fputs("    esac\n"
                "    if [[ $cur == -* ]]; then\n"
                "        _orrery_words \"$options\"\n"
                "    elif ((COMP_CWORD == at + 1)); then\n"
                "        _orrery_words \"$words\"\n"
                "    fi\n"
                "}\n"
                "\n"
                "complete -F _orrery orrery\n",
                out);
}
