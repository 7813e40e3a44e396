#!/bin/sh
# The command as such: help, version, and what is said to a wrong name.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# runs STATUS ARGUMENT...: runs orrery; keeps its output in out and err
runs() {
    expected=$1
    shift
    "$ORRERY_BIN" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    what="orrery $*"
    [ "$status" -eq "$expected" ] || fail "exit status $status, expected $expected"
}

# says out|err TEXT: the whole of it
says() {
    [ "$(cat "$work/$1")" = "$2" ] || fail "std$1 is: $(cat "$work/$1")
expected: $2"
}

# has out|err TEXT: somewhere in it
has() {
    grep -qF -- "$2" "$work/$1" || fail "std$1 lacks: $2"
}

fail() {
    printf '%s: %s\n' "$what" "$1"
    failures=$((failures + 1))
}

runs 0 --help
says err ""
has out "usage: orrery COMMAND"
for command in run gen trace; do
    has out "  $command "
done
cp "$work/out" "$work/help"

runs 0 -h
says out "$(cat "$work/help")"

for command in $(sed -n 's/^  \([a-z-]*\)  .*/\1/p' "$work/help"); do
    runs 0 "$command" --help
    cp "$work/out" "$work/long"
    runs 0 "$command" -h
    says out "$(cat "$work/long")"
done

runs 2
says out ""
says err "$(cat "$work/help")"

version=$(sed -n 's/^#define ORRERY_VERSION "\(.*\)"$/\1/p' \
    "$ORRERY_SOURCE_DIR/include/orrery/orrery.h")
runs 0 --version
says out "orrery $version"

runs 2 trce
says out ""
says err 'orrery: unknown command "trce"; did you mean "trace"?
See orrery --help.'

runs 2 xyzzyxyzzy
says err 'orrery: unknown command "xyzzyxyzzy"
See orrery --help.'

runs 2 --frobnicate
says err 'orrery: unknown option "--frobnicate"
See orrery --help.'

# What the list of subcommands holds is what help names, each with help of its own.
listed=$(sed -n 's/^ORR_COMMAND(orr_command_\(.*\))$/\1/p' "$ORRERY_SOURCE_DIR/cli/command_list.h" | tr _ -)
runs 0 --help
named=$(sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$work/out")
what="the list of subcommands"
[ -n "$listed" ] && [ "$listed" = "$named" ] || fail "is: $listed
help names: $named"
for command in $listed; do
    runs 0 "$command" --help
    says err ""
    has out "usage: orrery $command"
done

what="orrery --help >/dev/full"
if [ -c /dev/full ]; then
    "$ORRERY_BIN" --help >/dev/full 2>"$work/err"
    status=$?
    [ "$status" -eq 1 ] || fail "exit status $status, expected 1"
    has err "standard output"
fi

[ "$failures" -eq 0 ] && echo "the command: as documented"
exit $((failures > 0))
