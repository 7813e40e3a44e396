#!/bin/sh
# Chunks along given trees in a timeline: each goes up, turns at the root and comes down, in the steps of
# the tables of C-Cube's Fig. 5.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}

# chunks PHASED: lines "NPU track's name: chunk ... at STEP", a step being 1 ms
chunks() {
    "$ORRERY_BIN" run --topology 'FC(4)' --bandwidth '1 GB/s' --set 'workload={generate: all_reduce, bytes: 4 MB}' \
        --set system.algorithms.all_reduce=trees --set 'system.trees=["1 3 1 -"]' --set system.chunks_of.all_reduce=4 \
        --set "system.phased=$1" --timeline t.json --timeline-ranks all >/dev/null 2>err || fail "exit status $?: $(cat err)"
    awk '
        function number(key) { match($0, "\"" key "\":[0-9.]+"); return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0 }
        /"thread_name"/ && match($0, /chunks to NPU [0-9]+/) { peer = substr($0, RSTART + 14, RLENGTH - 14); to[number("tid")] = peer }
        /"cat":"chunk"/ && match($0, /"name":"[^"]*"/) {
            name = substr($0, RSTART + 8, RLENGTH - 9)
            printf "%s>%s %s %d %d\n", number("pid"), to[number("tid")], name, number("ts") / 1000 + 1, number("dur")
        }' t.json | sort
}

# NPUs 0 and 2 are leaves, 1 is their parent, 3 the root. Chunk c, counted from 0: leaves send it up in step c + 1,
# 1 in c + 2; where phases overlap the root sends it down in c + 3 and 1 in c + 4, else 3 steps later.
for way in "false 0" "true 3"; do
    later=${way#* }
    for c in 0 1 2 3; do
        echo "0>1 chunk $c up $((c + 1)) 1000"
        echo "2>1 chunk $c up $((c + 1)) 1000"
        echo "1>3 chunk $c up $((c + 2)) 1000"
        echo "3>1 chunk $c turns at the root $((c + 3 + later)) 1000"
        echo "1>0 chunk $c down $((c + 4 + later)) 1000"
        echo "1>2 chunk $c down $((c + 4 + later)) 1000"
    done | sort >expected
    chunks "${way% *}" >found
    cmp -s expected found || fail "phased ${way% *}: $(diff expected found | head -5)"
done

# Only some NPUs are drawn; a tree that was not given has no such tracks.
"$ORRERY_BIN" run --topology 'FC(4)' --bandwidth '1 GB/s' --set 'workload={generate: all_reduce, bytes: 4 MB}' \
    --set system.algorithms.all_reduce=trees --set 'system.trees=["1 3 1 -"]' --timeline t.json --timeline-ranks 1,3 >/dev/null
[ "$(grep -c '"name":"chunks to NPU' t.json)" -eq 4 ] || fail "tracks of NPUs 1 and 3: $(grep -c '"name":"chunks to NPU' t.json)"
"$ORRERY_BIN" run --topology 'FC(4)' --bandwidth '1 GB/s' --set 'workload={generate: all_reduce, bytes: 4 MB}' \
    --set system.algorithms.all_reduce=tree --timeline t.json --timeline-ranks all >/dev/null
grep -q '"cat":"chunk"' t.json && fail "chunks of a tree that was not given"

[ "$failures" -eq 0 ] && echo "chunks in timelines: step by step"
exit $((failures > 0))
