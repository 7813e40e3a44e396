#!/bin/sh
# orrery plan evaluate: the bandwidth tax of TopoOpt's all-to-all DLRM (section 5.4) by routes, within
# 1 % of the published selection's and Algorithm 3's, and how unevenly transfers load the links.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "$*" >&2
    exit 1
}

cat >"$dir/platform.yml" <<'END'
network:
  backend: flow
  graph: {npus: 128, fabric: "circulant:1,13", bandwidth: 100 Gb/s, latency: 1 us}
compute: {peak: 312 TFLOP/s}
END
# model BATCH: for each of the four GPUs of a server
model() {
    sed "s/batch_per_device: .*/batch_per_device: $((4 * $1))/" \
        "$ORRERY_SOURCE_DIR/inputs/models/topoopt/dlrm_5_4.yml" >"$dir/dlrm_$1.yml"
    printf 'workload:\n  model: dlrm_%s.yml\n  all_reduce: ring\n' "$1" >"$dir/workload_$1.yml"
}
# evaluated BATCH FABRIC [OPTION...]
evaluated() {
    batch=$1
    fabric=$2
    shift 2
    "$ORRERY_BIN" plan evaluate "$dir/platform.yml" "$dir/workload_$batch.yml" --no-run \
        --set "network.graph.fabric=$fabric" "$@"
}
near() {
    awk -v got="$2" -v expected="$3" -v within="$4" \
        'BEGIN { d = got / expected - 1; exit !(d < within && d > -within) }' ||
        fail "$1: expected $3, got $2"
}
model 64
model 2048
while read -r batch fabric tax hops; do
    evaluated "$batch" "$fabric" --json >"$dir/out.json"
    near "tax, batch $batch, $fabric" \
        "$(sed -n 's/.*"bandwidth_tax": \([0-9.]*\).*/\1/p' "$dir/out.json")" "$tax" 0.001
    near "hops, $fabric" \
        "$(sed -n 's/.*"transfer_hops": \([0-9.]*\).*/\1/p' "$dir/out.json")" "$hops" 0.0002
done <<END
64 circulant:1,13 1.111 5.622
64 circulant:1,5,13,39 1.047 2.961
64 circulant:1,11 1.108 5.480
64 circulant:+1,+3,+11,+37 1.085 4.520
2048 circulant:1,13 3.040 5.622
2048 circulant:1,11 2.977 5.480
END

# One random shortest path of each pair, transfers alone: the least loaded link has 39 and 62 % less
# than the most loaded one (mean of eight seeds; 38 to 43 and 60 to 67).
while read -r fabric below; do
    sum=0
    for seed in 1 2 3 4 5 6 7 8; do
        part=$(evaluated 64 "$fabric" --set network.seed=$seed |
            sed -n 's/^  by transfers.*least \([0-9.]*\) % below that$/\1/p')
        sum=$(echo "$sum $part" | awk '{ print $1 + $2 }')
    done
    near "least below most, $fabric" "$(echo "$sum" | awk '{ print $1 / 8 }')" "$below" 0.03
done <<END
circulant:1,13 40.4
circulant:1,5,13,39 61.7
END

# In text, of a network whose NPUs do not forward.
evaluated 64 ideal-switch >"$dir/out.txt"
grep -q '^bandwidth tax  *1.000$' "$dir/out.txt" || fail "a switch: $(cat "$dir/out.txt")"
grep -q '^  hops  *2.000 of a transferred byte$' "$dir/out.txt" || fail "a switch: $(cat "$dir/out.txt")"
