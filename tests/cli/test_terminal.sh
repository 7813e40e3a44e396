#!/bin/sh
# Colour and the line of progress: on a terminal only, unless asked for.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
escape=$(printf '\033')
unset NO_COLOR ORRERY_COLOR
TERM=xterm
export TERM

fail() {
    echo "$*"
    failures=$((failures + 1))
}

# says TEXT ARGUMENT...: standard error, not a terminal
says() {
    expected=$1
    shift
    said=$("$ORRERY_BIN" "$@" 2>&1 >/dev/null)
    [ "$said" = "$expected" ] || fail "orrery $*: says: $said
expected: $expected"
}

plain='orrery: unknown command "rum"; did you mean "run"?
See orrery --help.'
coloured="${escape}[1;31morrery${escape}[0m: unknown command \"rum\"; did you mean \"run\"?
See orrery --help."
says "$plain" rum
says "$plain" --color auto rum
says "$plain" --color=never rum
says "$coloured" --color always rum
says "$coloured" rum --color=always
ORRERY_COLOR=always says "$coloured" rum
ORRERY_COLOR=always says "$plain" --color never rum
NO_COLOR=1 says "$coloured" --color always rum
says 'orrery: --color: expected auto, always or never, got "red"' --color red rum
says 'orrery: an option needs a value: --color' rum --color
says "${escape}[1;31mnope.yml${escape}[0m: cannot be opened: No such file or directory" \
    run nope.yml --color always

# ---- progress, asked for ----

cat >"$work/job.yml" <<'END'
network:
  dims:
    - {block: ring, npus: 4, bandwidth: 1 GB/s, latency: 1 us}
workload:
  generate: all_reduce
  bytes: 4 MB
END
says "" run "$work/job.yml"
says "" run "$work/job.yml" --progress never
says 'orrery run: --progress: expected auto, always or never, got "yes"' \
    run "$work/job.yml" --progress yes
# The result does not depend on the slices.
"$ORRERY_BIN" run "$work/job.yml" >"$work/without"
"$ORRERY_BIN" run "$work/job.yml" --progress always >"$work/with" 2>"$work/err"
cmp "$work/without" "$work/with" || fail "results with progress differ"
wall=$(sed -n 's/^job time \(.*\) on .*/\1/p' "$work/with")
grep -qE "^0 s: simulated $wall, [0-9.]+ million events/s, 100 % of 4 NPUs finished\$" "$work/err" ||
    fail "progress says: $(cat "$work/err")"
[ "$(wc -l <"$work/err")" -eq 1 ] || fail "progress: more than a line: $(cat "$work/err")"

# ---- on a terminal ----

if ! command -v script >/dev/null || ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo "no script(1) here: terminals not tried"
    exit $((failures > 0))
fi

# shows PATTERN ARGUMENTS: on a terminal
shows() {
    script -qec "$ORRERY_BIN $2" /dev/null </dev/null >"$work/out" 2>&1
    grep -q "$1" "$work/out" || fail "on a terminal, orrery $2: $(cat "$work/out")"
}
# hides PATTERN ARGUMENTS
hides() {
    script -qec "$ORRERY_BIN $2" /dev/null </dev/null >"$work/out" 2>&1
    ! grep -q "$1" "$work/out" || fail "on a terminal, orrery $2: $(cat "$work/out")"
}
shows "^$escape\[1;31morrery$escape\[0m: unknown" rum
hides "$escape" "--color never rum"
NO_COLOR=1
export NO_COLOR
hides "$escape" rum
unset NO_COLOR
TERM=dumb
hides "$escape" rum
TERM=xterm
hides simulated "run $work/job.yml"
hides "$escape" "run $work/job.yml" # nothing to write over either

# A run that takes long on any machine: 64 NPUs and 400 collectives of 64 chunks, 206 million messages.
sed -e 's/npus: 4/npus: 64/' -e 's/bytes: 4 MB/bytes: 1 MB\n  repeat: 400/' "$work/job.yml" >"$work/long.yml"
# The first line comes after a second of a machine that is not busy; nothing waits for what is behind it.
script -qfec "timeout 8 $ORRERY_BIN run $work/long.yml --fold off" /dev/null </dev/null >"$work/out" 2>&1 &
child=$!
tries=0
until grep -q "${escape}\[K[0-9]* s: simulated .* ms, .* events/s, 0 % of 64 NPUs finished" "$work/out"; do
    tries=$((tries + 1))
    [ $tries -lt 90 ] || { fail "on a terminal, no progress in 9 s: $(cat "$work/out")"; break; }
    sleep 0.1
done
kill $child 2>/dev/null
wait $child 2>/dev/null
orrery=$ORRERY_BIN
ORRERY_BIN="timeout 2 $orrery"
hides simulated "run $work/long.yml --fold off --progress never"

[ "$failures" -eq 0 ] && echo "terminals: as expected"
exit $((failures > 0))
