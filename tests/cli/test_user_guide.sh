#!/bin/sh
# The user guide names every option that the help of a command names, and no other. What it prints as
# output is compared by test_printed_examples.sh.
set -u

guide=$ORRERY_SOURCE_DIR/docs/user-guide.md
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

options() {
    grep -oE -- '--[a-z][a-z-]+' | sort -u
}

for command in $("$ORRERY_BIN" --help |
    awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
    "$ORRERY_BIN" "$command" --help | options | grep -vx -- --help >"$work/help"
    sed -n "/^## \`orrery $command\`/,/^## /p" "$guide" | options | grep -vx -- --help >"$work/guide"
    if ! diff "$work/help" "$work/guide" >"$work/diff"; then
        echo "orrery $command: options of --help (<) and of docs/user-guide.md (>) differ:"
        cat "$work/diff"
        failures=$((failures + 1))
    fi
done

[ "$failures" -eq 0 ] && echo "the user guide: up to date"
exit $((failures > 0))
