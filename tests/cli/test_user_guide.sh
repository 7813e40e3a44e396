#!/bin/sh
# The user guide names every option that the help of a command names, and no other; and the first
# example prints what the guide shows.
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

"$ORRERY_SOURCE_DIR/examples/first_run/run.sh" "$work/out" | sed "s|$work/out|OUTDIR|g" >"$work/shown"
sed -n '/^wrote 8 traces/,/^```/p' "$guide" | sed '/^```/d' >"$work/written"
# How many events a run takes is not promised.
sed 's/[0-9]* events/N events/' "$work/shown" >"$work/shown.plain"
sed 's/[0-9]* events/N events/' "$work/written" >"$work/written.plain"
if ! diff "$work/shown.plain" "$work/written.plain" >"$work/diff"; then
    echo "the first example prints (<) what docs/user-guide.md does not show (>):"
    cat "$work/diff"
    failures=$((failures + 1))
fi

[ "$failures" -eq 0 ] && echo "the user guide: up to date"
exit $((failures > 0))
