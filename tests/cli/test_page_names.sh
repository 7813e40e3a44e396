#!/bin/sh
# Names of any bytes in a page: of files, platforms, nodes, settings, and in results that somebody else wrote. They are
# shown as they are and do nothing.
set -u

command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# ---- names of a run ----

separator=$(printf '\342\200\250') # U+2028, which ends a line of JavaScript
evil="</script><script>window.hurt=1</script><!--<script> \"q\" 'a' &amp; & <img src=x onerror=window.hurt=1>$separator"
printf '%s' "$evil" >evil.txt
printf '%s' "${evil%"$separator"}\\xe2\\x80\\xa8" >shown.txt # as the command's own tables show it
escaped=$(printf '%s' "$evil" | sed 's/["\\]/\\&/g')
for rank in 0 1; do
    printf '{"version": "0.0.4"}\n{"id": "1", "name": "%s\\nline 2", "type": "COMP_NODE", "attr": [
        {"name": "num_ops", "int64Val": "1000000"}, {"name": "tensor_size", "uint64Val": "8"}, {"name": "is_cpu_op", "boolVal": false}]}\n' \
        "$escaped" >t.$rank.et
done
cat >evil.yml <<END
name: "$escaped"
network: {dims: [{block: switch, npus: 2, bandwidth: 1 GB/s}]}
compute: {peak: 1 GFLOP/s}
workload: {traces: t}
END
file=$(printf 'a <b> "q" & \047s\047\n<img src=x onerror=hurt()> $(x)').yml
odd=$(printf 'no\377utf8\033[31m').json
cp evil.yml "$file"
"$ORRERY_BIN" run "$file" --report run.html --json "$odd" --details >/dev/null 2>err || fail "run: exit status $?: $(cat err)"
cp "$odd" plain.json
"$ORRERY_BIN" report "$odd" -o odd.html || fail "report: a name of bytes that are no UTF-8"
"$ORRERY_BIN" report "$odd" plain.json -o two.html || fail "report: two"
"$ORRERY_BIN" report plain.json --title "$evil" -o title.html || fail "report: a title"
! grep -q "$(printf '[\033\377]')" odd.html || fail "a byte stands in the page as it is"
for page in run odd two title; do
    [ "$(grep -o '</script>' $page.html | wc -l)" = 2 ] || fail "$page.html: $(grep -o '</script>' $page.html | wc -l) ends of scripts"
done

# ---- results that somebody else wrote ----

printf '{"wall_ps": 5, "npus": 1, "classes": []}' >least.json
printf '{"wall_ps": 5, "npus": 1, "classes": [{"ranks": "0"}], "dims": [], "critical_path": {"parts": []},
    "config": {"</script>": "<b>", "__proto__": "x", "constructor": "y"}}' >keys.json
printf '{"wall_ps": 5, "npus": 2, "classes": [{"ranks": "<img src=x onerror=hurt()>", "finish_ps": 5, "compute_ps": 5}],
    "later": {"version": [1, {"a": null}]}, "dims": [{"block": "<i>"}], "details": {"orrery": "9.9", "later": 1, "missing": {},
    "origins": {}, "timeline": {"npus": [], "names": [], "classes": 0, "joined_within_ps": 0}}}' >later.json
# Members of other types: the part says so, and takes no other along.
printf '{"wall_ps": 5, "npus": 1, "classes": [], "dims": "x", "critical_path": [], "details": 7, "collectives": [1],
    "operators": "abc", "config": [], "warnings": "w"}' >types.json
printf '{"wall_ps": 5, "npus": 1, "classes": [], "whatif": 3, "uncertainty": 7, "details": {"timeline": {"npus": 4, "names": 3},
    "traffic": {"bytes": 1}, "links": {"by_use": 1}, "memory": 4, "stages": "x", "missing": 3}}' >parts.json
printf '{"wall_ps": 0, "npus": 1, "classes": [{"ranks": "0", "finish_ps": 0, "compute_ps": 0}], "whatif": {"wall_ps": 0,
    "changes": []}, "critical_path": {"parts": [{"what": "compute", "ps": 0}], "steps": []}}' >zero.json
printf '{"points": [{"point": 0, "status": "ok", "wall_ps": "x"}]}' >point.json
printf '{"points": []}' >none.json
printf '{"wall_ps": "5", "npus": null, "classes": []}' >words.json
# Members that are missing, and numbers beyond all measure.
printf '{"collective": "all_reduce", "runs": [{}]}' >bench.json
printf '{"model": "m", "devices": 4, "points": [{}]}' >plan.json
printf '{"wall_ps": 1e300, "npus": 1, "classes": [{}], "model_flops_utilization": 1e300, "messages": {"a": 1}}' >beyond.json
for name in least keys later types parts zero point none words bench plan beyond; do
    "$ORRERY_BIN" report $name.json -o $name.html || fail "report $name.json: exit status $?"
done

# Names without a blank, however long.
name=$(printf 'a_result_of_many_words_%.0s' 1 2 3 4 5 6 7 8)
cp plain.json "$name.json"
"$ORRERY_BIN" report plain.json "$name.json" least.json -o long.html || fail "report: a long name"

# What is shown must be text: the same page, whose script takes it for HTML.
sed 's/element.append(child);/typeof child === "string" ? element.insertAdjacentHTML("beforeend", child) : element.append(child);/' \
    run.html >believes.html
sed 's/\\u003c/</g' run.html >ends.html

python3 "$ORRERY_SOURCE_DIR/tests/cli/page/check.py" >said 2>&1 <<END
open run.html
clean
inert
accessible
shows @evil.txt
shows "line 2"
open odd.html
clean
inert
title 'no?utf8\x1b[31m'
open two.html
clean
inert
accessible
open title.html
clean
inert
title @shown.txt
open least.html
clean
worded
open keys.html
clean
worded
inert
says Configuration "</script>"
open later.html
clean
worded
inert
open types.html
clean
worded
accessible
open parts.html
clean
worded
accessible
open zero.html
clean
worded
open point.html
clean
worded
open none.html
clean
worded
open words.html
clean
worded
open bench.html
clean
worded
open plan.html
clean
worded
open beyond.html
clean
worded
within 500
open long.html
clean
within 1000
within 400
open believes.html
fails " " inert
open ends.html
fails "scripts were added" inert
END
status=$?
[ $status -ne 77 ] || { cat said; exit 77; }
[ $status -eq 0 ] || fail "$(cat said)"

[ "$failures" -eq 0 ] && echo "names are shown as they are and do nothing"
[ "$failures" -eq 0 ]
