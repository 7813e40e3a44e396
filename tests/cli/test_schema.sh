#!/bin/sh
# The schemas and the references of keys and results in the tree are those that the command prints; the command's
# usage errors.
set -u

failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# current FILE ARGUMENT
current() {
    if ! "$ORRERY_BIN" schema "$2" | diff "$ORRERY_SOURCE_DIR/$1" - >"$work/diff"; then
        echo "$1 is not what 'orrery schema $2' prints (>); make it anew:"
        echo "  orrery schema $2 >$1"
        cat "$work/diff"
        failures=$((failures + 1))
    fi
}

current inputs/schema/platform.schema.json platform
current inputs/schema/workload.schema.json workload
current inputs/schema/sweep.schema.json sweep
current inputs/schema/jobs.schema.json jobs
current inputs/schema/model.schema.json model
current inputs/schema/strategy.schema.json strategy
current inputs/schema/plan.schema.json plan
current docs/keys.md keys
current docs/results.md results
current docs/options.md options

# refuses TEXT ARGUMENT...
refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" schema "$@" >"$work/out" 2>"$work/err"
    status=$?
    if [ "$status" -ne 2 ] || [ -s "$work/out" ] || [ "$(cat "$work/err")" != "$expected" ]; then
        echo "orrery schema $*: exit status $status; $(cat "$work/err")"
        failures=$((failures + 1))
    fi
}

try="try 'orrery schema --help'"
refuses "orrery schema: expected platform, workload, sweep, jobs, model, strategy, plan, keys, results or options, got \"network\"
$try" network
refuses "orrery schema: unexpected argument workload
$try" platform workload

"$ORRERY_BIN" schema >"$work/out" || failures=$((failures + 1))
cmp -s "$work/out" "$ORRERY_SOURCE_DIR/inputs/schema/platform.schema.json" ||
    failures=$((failures + 1))

[ "$failures" -eq 0 ] && echo "the schemas and the references: current"
exit $((failures > 0))
