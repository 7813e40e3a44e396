#!/bin/sh
# Every example runs from what ships, without any reference data, from a copy of the tree that has nothing
# beside it; or it says what is missing and fails. None prints or writes a number that is none.
#
#   usage: test_examples.sh [slow]      the quick examples, or the others and all of those that run in part
set -u

# Of topoopt a few figures of both kinds, with operators' times and without: test_topoopt_figures makes all.
topoopt='fig08 fig14 fig20 fig28 table2'
slow=' design_space topoopt_plan disaggregated_memory wafer_vs_conventional '
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
mkdir "$work/tree" "$work/tmp"
cp -r "$ORRERY_SOURCE_DIR/examples" "$ORRERY_SOURCE_DIR/inputs" "$work/tree"
unset ORRERY_SHARED
export ORRERY_BIN TMPDIR="$work/tmp"
export QUICK=1 # c_cube, design_space, sip_ml, topoopt: a few points of each figure, a smaller step

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# numbers EXAMPLE FILE...: nan and inf as words, whatever their sign, are in none of the files
numbers() {
    example=$1
    shift
    grep -HnE '(^|[^[:alnum:]_])-?(nan|NaN|inf)($|[^[:alnum:]_])' "$@" /dev/null | head -5 >"$work/found"
    [ ! -s "$work/found" ] || fail "$example: $(cat "$work/found")"
}

for run in "$work"/tree/examples/*/run.sh; do
    example=$(basename "$(dirname "$run")")
    case "$slow" in
    *" $example "*) [ "${1:-}" = slow ] || continue ;;
    *) [ "$example" = topoopt ] || [ "${1:-}" != slow ] || continue ;;
    esac
    mkdir "$work/$example"
    folder='out'
    case $example in # whose arguments are figures
    topoopt)
        folder="$topoopt -o out"
        [ "${1:-}" != slow ] || folder='-o out'
        ;;
    sip_ml) folder='table1 fig12 section5 -o out' ;; # test_sip_ml_figures makes all
    esac
    (cd "$work/$example" && "$run" $folder >stdout 2>stderr </dev/null)
    status=$?
    if [ $status -ne 0 ]; then
        [ -s "$work/$example/stderr" ] || fail "$example: exit status $status, and nothing says why"
        grep -q 'python3' "$work/$example/stderr" || fail "$example: exit status $status: $(cat "$work/$example/stderr")"
    fi
    [ -s "$work/$example/stdout" ] || fail "$example: prints nothing"
    numbers "$example" $(find "$work/$example" -type f ! -name '*.et' ! -name '*.gz' ! -name '*.pdf' ! -name '*.fbuf' ! -name '*.otg')
    # A table has a line behind its heading.
    for table in $(find "$work/$example" -name '*.csv'); do
        [ "$(wc -l <"$table")" -gt 1 ] || fail "$example: $(basename "$table") is empty"
    done
    rm -rf "${work:?}/$example"
done

[ "$failures" -eq 0 ] && echo "the examples: from what ships"
exit $((failures > 0))
