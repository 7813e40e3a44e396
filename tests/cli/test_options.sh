#!/bin/sh
# What the tables of options make of every command: help, --json, missing values, options of other actions, and
# the guard against overwriting.
set -u

. "$ORRERY_SOURCE_DIR/tests/cli/support.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# ---- help: -h, --help and orrery help say the same, in at most 97 columns ----

count=0
for command in $(commands); do
    for action in "" $(actions_of "$command"); do
        # shellcheck disable=SC2086 # an action is a word or none
        {
            "$ORRERY_BIN" "$command" $action --help >long || fail "orrery $command $action --help fails"
            "$ORRERY_BIN" "$command" $action -h >short
            "$ORRERY_BIN" help "$command" $action >help
        }
        cmp -s long short || fail "orrery $command $action: -h differs from --help"
        cmp -s long help || fail "orrery help $command $action differs from --help"
        [ "$(head -n 1 long | cut -d ' ' -f 1-3)" = "usage: orrery $command" ] || fail "$command $action: no usage"
        tail -n 1 long | grep -q '^Exit status: 0 done' || fail "$command $action: no exit status"
        awk 'length > 97 { exit 1 }' long || fail "orrery $command $action: lines of more than 97 columns"
        count=$((count + 1))
    done
done
[ "$count" -eq 53 ] || fail "$count commands and actions, expected 53"

# ---- --json FILE|-, and without a file where it was a switch ----

"$ORRERY_BIN" gen all_reduce --npus 2 --bytes 1KiB -o t >/dev/null || fail "gen"
printf 'network: {topology: Ring(4), bandwidth: 50 GB/s}\n' >ring.yml
cat >jobs.txt <<'END'
trace print t.0.et
trace stats t.0.et
trace diff t.0.et t.1.et
topo show ring.yml
topo check fat-tree:4 --npus 16
topo rings ring.yml
topo sip-ml --gpus 64
model show resnet50
model demand topoopt/dlrm_6 --devices 4
END
while read -r line; do
    # shellcheck disable=SC2086 # words
    {
        "$ORRERY_BIN" $line --json - >given 2>err || fail "$line --json -: $(cat err)"
        "$ORRERY_BIN" $line --json >last 2>err || fail "$line --json: $(cat err)"
        "$ORRERY_BIN" $line >text 2>err
        "$ORRERY_BIN" $line --json result.json >printed 2>err || fail "$line --json result.json: $(cat err)"
    }
    cmp -s given last || fail "$line: --json at the end is not --json -"
    cmp -s given result.json || fail "$line: --json FILE has other contents than standard output"
    cmp -s given text && fail "$line: the text is JSON"
    case $line in
    *sip-ml*) [ ! -s printed ] || fail "$line: text beside the file" ;;
    *) cmp -s printed text || fail "$line --json FILE: the text is missing" ;;
    esac
done <jobs.txt
"$ORRERY_BIN" trace stats --json --top 1 t.0.et >given || fail "--json before an option"
grep -q '"file": "t.0.et"' given || fail "--json before an option prints no JSON"

# ---- refusals: TEXT, then the arguments ----

refuses() {
    expected=$1
    shift
    "$ORRERY_BIN" "$@" >out 2>err
    status=$?
    [ "$status" -eq 2 ] && [ ! -s out ] && [ "$(head -n 1 err)" = "$expected" ] ||
        fail "orrery $*: status $status, $(head -n 1 err); expected $expected"
}

cp t.0.et kept.et
refuses 'orrery trace: --json: expected a file of JSON, or - for standard output, got "t.0.et"' trace print --json t.0.et t.1.et
cmp -s t.0.et kept.et || fail "a trace was overwritten"
refuses 'orrery run: an option needs a value: --csv FILE|-' run ring.yml --csv
refuses 'orrery report: an option needs a value: -o, --output FILE|-' report x.json -o
refuses 'orrery trace: unknown option "--jsno"; did you mean "--json"?' trace stats t.0.et --jsno
refuses 'orrery run: option "--why" takes no value' run ring.yml --why=1
refuses 'orrery run: ambiguous option "--li": --list-inputs or --link-stats' run --li
refuses 'orrery run: --fold: expected off or auto, got "of"; did you mean "off"?' run ring.yml --fold of
refuses 'orrery trace: --marker, --from and --to go with cut' trace stats t.0.et --to x
refuses 'orrery topo: --output goes with draw, trees and rings' topo show ring.yml -o x.svg
refuses 'orrery run: --fabric goes with --taskgraph FILE' run ring.yml --fabric x
refuses 'orrery run: --topology does not go with --cluster' run --cluster jobs.yml --topology x

# ---- an output that is an input, or is written twice ----

cp ring.yml copy.yml
ln -s ring.yml link.json
refuses 'orrery topo: link.json: is an input (ring.yml); results would overwrite it' topo show ring.yml --json link.json
refuses 'orrery model: x: two options write it; one would overwrite the other' model demand topoopt/dlrm_6 --devices 4 --csv x --svg x
refuses 'orrery trace: t.0.et: is an input; results would overwrite it' trace cut t.0.et --step 1 -o t.0.et
refuses 'orrery fit: ring.yml: is an input; results would overwrite it' fit collectives x.csv --platform ring.yml -o ring.yml
refuses 'orrery bench-collective: ring.yml: is an input; results would overwrite it' bench-collective --platform ring.yml --csv ring.yml
refuses 'orrery bench-collective: x: two options write it; one would overwrite the other' bench-collective ring.yml --csv x --json x
cmp -s ring.yml copy.yml || fail "a platform was overwritten"

[ "$failures" -eq 0 ] && echo "options: as the tables say"
exit $((failures > 0))
