#!/bin/sh
# orrery fit collectives --evaluate: tells how near a platform is as it stands, and writes nothing unasked.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

cat >"$work/p.yml" <<'END'
network: {topology: Switch(8), bandwidth_is: npu, dims: [{bandwidth: 300 GB/s}]}
system: {library: {name: nccl, gpu: a100, launch: 10 us}}
END
cat >"$work/t.csv" <<'END'
collective,npus,npus_per_node,bytes,time_us
all_reduce,8,8,1024,30
all_reduce,8,8,67108864,600
END
keep() {
    "$ORRERY_BIN" fit collectives "$work/t.csv" --platform "$work/p.yml" --evaluate "$@" >"$work/out" 2>"$work/err"
}

keep || fail "--evaluate: exit status $?: $(cat "$work/err")"
[ ! -s "$work/err" ] || fail "--evaluate warns: $(cat "$work/err")"
grep -q 'as it is, compared to 2 rows of 1 file$' "$work/out" || fail "the head is: $(head -1 "$work/out")"
grep -q '^launch  *10 us  *10 us  *-  -' "$work/out" || fail "the launch moved: $(grep '^launch' "$work/out")"
grep -q '^fitted' "$work/out" && fail "rows were fitted"
grep -q '^all  *all  *2 ' "$work/out" || fail "no errors of both rows"

keep -o "$work/same.yml" --report "$work/r.json" || fail "--evaluate -o: exit status $?: $(cat "$work/err")"
grep -q 'launch: 10 us  *# as it was' "$work/same.yml" || fail "the launch that is written: $(grep launch "$work/same.yml")"
grep -q '"held_out_rows": 2,' "$work/r.json" || fail "the report has other rows: $(head -5 "$work/r.json")"

keep --holdout every:2
[ $? -eq 2 ] || fail "--evaluate --holdout: not refused"
grep -q -e '--evaluate fits nothing' "$work/err" || fail "--evaluate --holdout says: $(cat "$work/err")"

[ "$failures" -eq 0 ] && echo "fit --evaluate: as it stands"
exit $((failures > 0))
