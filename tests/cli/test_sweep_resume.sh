#!/bin/sh
# orrery sweep, killed: whenever that is, the next run goes on and ends with the same files.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

same() {
    cmp -s "$1" "$2" || fail "$3: $1 and $2 differ: $(diff "$1" "$2" | head -5)"
}

# refuses TEXT COMMAND...: exit status 2, and this on standard error
refuses() {
    expected=$1
    shift
    "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq 2 ] || fail "$*: exit status $status, expected 2"
    grep -qF "$expected" err || fail "$*: no \"$expected\" in: $(cat err)"
}

cat >small.yml <<'END'
network: {topology: "Ring(4)_Switch(8)", bandwidth: [100 GB/s, 50 GB/s]}
workload: {generate: all_reduce, bytes: 1 MB}
END
cat >study.yml <<'END'
sweep:
  platform: small.yml
  axes:
    network.dims[0].latency: {from: 0 ns, to: 490 ns, step: 10 ns}
    system.chunks: [1, 8, 16, 0]
END
sed -i 's/bandwidth: \[100 GB\/s, 50 GB\/s\]/dims: [{bandwidth: 100 GB\/s}, {bandwidth: 50 GB\/s}]/' small.yml
"$ORRERY_BIN" sweep study.yml --output whole >whole.out 2>/dev/null || fail "whole: status $?"
[ "$(wc -l <whole.csv)" -eq 201 ] || fail "whole.csv: $(wc -l <whole.csv) lines"

# ---- kill -9 at several moments, several times over, until it is done ----

for delay in 0.01 0.03 0.08; do
    rm -f part.*
    kills=0
    while [ $kills -lt 30 ]; do
        "$ORRERY_BIN" sweep study.yml --output part >part.out 2>/dev/null &
        child=$!
        sleep $delay
        if kill -9 $child 2>/dev/null; then
            kills=$((kills + 1))
        fi
        wait $child 2>/dev/null && break
    done
    "$ORRERY_BIN" sweep study.yml --output part >part.out 2>/dev/null || fail "$delay: status $?"
    same whole.csv part.csv "$delay s, $kills kills"
    same whole.jsonl part.jsonl "$delay s, $kills kills"
    sed 's/part\./whole./g' part.out >out
    same whole.out out "$delay s, $kills kills"
    [ ! -e part.csv.tmp ] && [ ! -e part.jsonl.tmp ] || fail "$delay: files left over"
done

# ---- mpirun killed: its ranks end too, and the next run goes on, with ranks or without ----

# MPI's own memory at its end is none of ours.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
export ASAN_OPTIONS
if command -v mpirun >/dev/null && ldd "$ORRERY_BIN" | grep -q libmpi; then
    rm -f part.*
    for delay in 0.3 0.5; do
        mpirun --allow-run-as-root --oversubscribe -n 2 "$ORRERY_BIN" sweep study.yml \
            --output part >part.out 2>/dev/null </dev/null &
        child=$!
        sleep $delay
        kill -9 $child 2>/dev/null
        wait $child 2>/dev/null
    done
    tries=0
    until "$ORRERY_BIN" sweep study.yml --output part >part.out 2>err; do
        grep -q 'another process is writing to part.jsonl' err || break
        tries=$((tries + 1))
        [ $tries -lt 100 ] || break
        sleep 0.1
    done
    same whole.csv part.csv "mpirun"
    same whole.jsonl part.jsonl "mpirun"
fi

# ---- a file cut at any byte: what is whole stays, and no point runs twice ----

for bytes in 0 1 150 4000 12345 20000; do
    sort -R --random-source=whole.csv whole.jsonl | head -c $bytes >part.jsonl
    kept=$(grep -c '}$' part.jsonl)
    [ "$(tail -c 1 part.jsonl | wc -l)" -eq 1 ] || [ "$kept" -eq "$(wc -l <part.jsonl)" ] ||
        kept=$(wc -l <part.jsonl)
    "$ORRERY_BIN" sweep study.yml --output part >/dev/null 2>err || fail "$bytes bytes: status $?"
    [ "$kept" -eq 0 ] || grep -qx "$kept of 200 points are done already" err ||
        fail "$bytes bytes, $kept lines: $(head -1 err)"
    same whole.csv part.csv "$bytes bytes"
    same whole.jsonl part.jsonl "$bytes bytes"
done

# ---- failed points once more ----

"$ORRERY_BIN" sweep study.yml --output part --retry-failed >/dev/null 2>err || fail "retry: $?"
grep -qx '150 of 200 points are done already' err || fail "retry: $(cat err)"
same whole.jsonl part.jsonl "--retry-failed"

# ---- from another folder ----

mkdir inner
(cd inner && "$ORRERY_BIN" sweep ../study.yml --output ../part) >/dev/null 2>err || fail "folder: $?"
grep -qx '200 of 200 points are done already' err || fail "folder: $(cat err)"

# ---- results of something else ----

cp small.yml kept.yml
sed -i 's/1 MB/2 MB/' small.yml
refuses 'orrery sweep: small.yml has changed since the results in part.jsonl were begun' \
    "$ORRERY_BIN" sweep study.yml --output part
same whole.jsonl part.jsonl "refused"
cp kept.yml small.yml
cp study.yml kept.yml
sed -i 's/490 ns/480 ns/' study.yml
refuses 'orrery sweep: study.yml has changed since the results in part.jsonl were begun' \
    "$ORRERY_BIN" sweep study.yml --output part
cp kept.yml study.yml
echo '# a comment changes nothing' >>study.yml
"$ORRERY_BIN" sweep study.yml --output part >/dev/null 2>err || fail "comment: status $?: $(cat err)"
sed -i 's/480 ns/490 ns/; s/50 GB/25 GB/' small.yml
"$ORRERY_BIN" sweep study.yml --output part --restart >/dev/null 2>err || fail "--restart: $?"
cmp -s whole.jsonl part.jsonl && fail "--restart keeps what was there"
rm -f other.*
echo mine >other.csv
refuses 'orrery sweep: other.csv exists and is not known to be of this sweep' \
    "$ORRERY_BIN" sweep study.yml --output other
[ "$(cat other.csv)" = mine ] || fail "other.csv was overwritten"
sed -i '2s/.*/{"point": 1}/' part.jsonl
refuses 'part.jsonl:2: not a line that orrery sweep wrote; --restart starts again' \
    "$ORRERY_BIN" sweep study.yml --output part
refuses 'no/where.state: cannot be written' "$ORRERY_BIN" sweep study.yml --output no/where

[ "$failures" -eq 0 ] && echo "sweep: resumed to the same files"
exit $((failures > 0))
