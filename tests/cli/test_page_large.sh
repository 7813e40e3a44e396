#!/bin/sh
# Pages of large results: 1,024 GPUs under 5 MB, a million NPUs, a sweep of 10,000 points; they open, and their figures are right.
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

# below BYTES FILE
below() {
    [ "$(wc -c <"$2")" -lt "$1" ] || fail "$2: $(wc -c <"$2") bytes, not less than $1"
}

. "$ORRERY_SOURCE_DIR/tests/cli/page/large_pages.sh"
for page in gpus.html million.html points.html; do
    below 5000000 $page
done

python3 "$ORRERY_SOURCE_DIR/tests/cli/page/check.py" >said 2>&1 <<'END'
open gpus.html
clean
figures gpus.json
accessible
open million.html
clean
fact npus 1048576
accessible
open points.html
clean
accessible
figures points.jsonl
clean
END
status=$?
[ $status -ne 77 ] || { cat said; exit 77; }
[ $status -eq 0 ] || fail "$(cat said)"
grep ': ready' said

[ "$failures" -eq 0 ] && echo "large pages open"
[ "$failures" -eq 0 ]
