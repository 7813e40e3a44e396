#!/bin/sh
# orrery report and --report: what is refused, with the place and in these words; a page is written whole or not at all.
set -u

work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
inputs=$ORRERY_SOURCE_DIR/inputs
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# refuses TEXT ARGUMENT...: all of what is said, and exit status 2
refuses() {
    expected=$1
    shift
    found=$("$ORRERY_BIN" "$@" 2>&1 >/dev/null)
    status=$?
    [ $status = 2 ] || fail "orrery $*: exit status $status"
    [ "$found" = "$expected" ] || fail "orrery $*: says: $found
expected: $expected"
}

"$ORRERY_BIN" run "$inputs/platforms/dgx1_v100.yml" "$inputs/workloads/all_reduce_1gb.yml" --json run.json --details \
    --report run.html >/dev/null || fail "run: exit status $?"
"$ORRERY_BIN" report run.json -o page.html || fail "report: exit status $?"
cp page.html before.html
printf 'name: a platform\n' >platform.yml
printf '# no end\n' >comment
printf '{"version": "0.0.4"}\n' >trace.0.et
printf '{\n "wall_ps": 1,\n oops\n}\n' >broken.json
printf '{"point": 0}\n{"point": 1}\n{"point":\n' >broken.jsonl
printf '{"hello": 1}\n' >other.json
printf '{}\n' >empty.json
printf '[1]\n' >list.json
: >nothing.json
printf '{"wall_ps": 1, "npus": 1, "classes": []}\0x' >behind.json
head -c 3000 run.json >cut.json
wanted='expected a result as JSON, as --json FILE writes it, got'
known='expected a result of orrery run, whatif, sweep, plan, fit, bench-collective, failures or diff as JSON (--json FILE), got'
help="try 'orrery report --help'"

# ---- arguments ----

refuses "orrery report: a result is missing: the JSON of orrery run --json
$help" report
refuses "orrery report: a result is missing: the JSON of orrery run --json
$help" report -o page.html
refuses "orrery report: a file for the page is missing: -o report.html
$help" report run.json
refuses "orrery report: an option needs a value: -o, --output FILE|-
$help" report run.json -o
refuses "orrery report: unknown option \"--colour\"
$help" report run.json --colour

# ---- files that are no results ----

refuses "nowhere.json: cannot be opened: No such file or directory" report nowhere.json -o page.html
refuses ".: expected a file, got a directory" report . -o page.html
refuses "platform.yml:1:4: $wanted a YAML file" report platform.yml -o page.html
refuses "trace.0.et: this is an execution trace, not a result of orrery run --json: workload: {traces: PREFIX} or --workload-configuration PREFIX runs the traces PREFIX.RANK.et" \
    report trace.0.et -o page.html
printf '{"version": 1}\n' >versions.json
refuses "versions.json: $known an object that begins with \"version\"" report versions.json -o page.html
refuses "comment:1:1: $wanted no JSON: '[' or '{' expected near '#'" report comment -o page.html
refuses "nothing.json:1:1: $wanted no JSON: '[' or '{' expected near end of file" report nothing.json -o page.html
refuses "broken.json:3:5: $wanted no JSON: string or '}' expected near 'oops'" report run.json broken.json -o page.html
refuses "broken.jsonl:3:9: $wanted no JSON: unexpected token near end of file" report broken.jsonl -o page.html
refuses "other.json: $known an object that begins with \"hello\"" report other.json -o page.html
refuses "empty.json: $known an empty object" report empty.json -o page.html
refuses "list.json: $known JSON that is no object" report list.json -o page.html
for text in '{"wall_ps": 5, "classes": "none"}' '{"wall_ps": 5, "classes": [1, null]}' \
    '{"wall_ps": 5, "changes": 3}'; do
    echo "$text" >other.json
    refuses "other.json: $known an object that begins with \"wall_ps\"" report other.json -o page.html
done
refuses "page.html:1:1: $wanted a page" report page.html -o other.html
"$ORRERY_BIN" report cut.json -o page.html 2>said && fail "half a result is a result"
grep -q '^cut.json:[0-9]*:[0-9]*: expected a result as JSON' said || fail "half a result: $(cat said)"
refuses "behind.json:1:1: $wanted no JSON: a byte 0" report behind.json -o page.html
[ ! -e other.html ] || fail "a page is written of no result"
cmp -s page.html before.html || fail "a page that was there is gone"

# ---- pages that cannot be written ----

refuses "nowhere/page.html: cannot be written: No such file or directory" report run.json -o nowhere/page.html
refuses "run.json/page.html: cannot be written: Not a directory" report run.json -o run.json/page.html
mkdir folder.html
refuses "folder.html: cannot be written: Is a directory" report run.json -o folder.html
refuses 'orrery report: --output: expected a file that ends in .html, or -, got "page.pdf"' report run.json -o page.pdf
refuses "orrery report: run.json: is an input; results would overwrite it" report run.json -o run.json
mkdir closed
chmod 555 closed
if [ "$(id -u)" != 0 ]; then
    refuses "closed/page.html: cannot be written: Permission denied" report run.json -o closed/page.html
fi
if [ -w /dev/full ]; then
    "$ORRERY_BIN" report run.json -o - >/dev/full 2>said
    status=$?
    [ $status = 1 ] && [ "$(cat said)" = 'orrery: standard output: No space left on device' ] || fail "a full disk: $status: $(cat said)"
fi
"$ORRERY_BIN" run "$inputs/platforms/dgx1_v100.yml" "$inputs/workloads/all_reduce_1gb.yml" --report nowhere/page.html >/dev/null 2>said
status=$?
[ $status = 2 ] && [ "$(cat said)" = "nowhere/page.html: cannot be written: No such file or directory" ] ||
    fail "run --report: $status: $(cat said)"
[ "$(ls -A closed)" = "" ] || fail "something is left: $(ls -A closed)"

# ---- the same twice, to the standard output, and with names ----

"$ORRERY_BIN" report run.json -o - >out || fail "report -o -: exit status $?"
sed 's/report run.json -o -"/report run.json -o page.html"/' out | cmp -s - before.html || fail "-o - tells something else"
"$ORRERY_BIN" report run.json -o page.html && cmp -s page.html before.html || fail "the same page differs"
"$ORRERY_BIN" report run.json --title 'A & B' -o page.html && grep -q '<h1>A &amp; B</h1>' page.html || fail "--title"
mkdir a b
cp run.json a/x.json
cp run.json b/x.json
"$ORRERY_BIN" report a/x.json b/x.json -o page.html || fail "two files of one name"
grep -q '"name":"a/x.json"' page.html && grep -q '"name":"b/x.json"' page.html || fail "two files of one name have one name"

[ "$failures" -eq 0 ] && echo "results become pages, and what is none is refused"
[ "$failures" -eq 0 ]
