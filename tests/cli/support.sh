# shellcheck shell=sh
# Functions of the shell tests; they source this file.

# The subcommands, one a line.
commands() {
    "$ORRERY_BIN" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
}

# actions_of COMMAND: "show" of "orrery topo show", one a line; nothing for a command without actions
actions_of() {
    "$ORRERY_BIN" "$1" --help | awk -v begin="orrery $1 " '
        index($0, begin "ACTION --help") == 1 { on = 1 }
        (at = index($0, begin)) == 8 { split(substr($0, at + length(begin)), word, " "); name[++names] = word[1] }
        END { for (i = 1; on && i <= names; i++) print name[i] }'
}

# help_of COMMAND: its --help, and that of each of its actions
help_of() {
    "$ORRERY_BIN" "$1" --help
    for action in $(actions_of "$1"); do
        "$ORRERY_BIN" "$1" "$action" --help
    done
}
