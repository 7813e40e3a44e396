#!/bin/bash
# Synchronization by the host instead of by the GPUs (section IV-B): so much more for every chunk.
# 64 MiB by two trees on the DGX-1, with the number of chunks that is best then.
#
#   usage: examples/c_cube/extra_host.sh [OUTDIR]
figure=host
. "$(dirname "$0")/common.sh"

reduce() {
    wall "$here/trees.yml" --set 'workload={generate: all_reduce, bytes: 64 MiB}' --set "system.phased=$1" \
        --set "system.host_synchronization=$2 us"
}
echo "host_us,B_ms,C1_ms,gain_percent" >"$out/host.csv"
for us in 0 10 30 100; do
    b=$(reduce true $us)
    c=$(reduce false $us)
    echo "$us,$b,$c,$(FORMAT=%.2f calc "100 * ($b / $c - 1)")" >>"$out/host.csv"
done
echo "Synchronization by the host: all-reduce of 64 MiB on the DGX-1"
awk -F, 'NR == 1 { printf "%8s %8s %8s %8s\n", "us", "B, ms", "C1, ms", "gain, %" } NR > 1 { printf "%8s %8.3f %8.3f %8.1f\n", $1, $2, $3, $4 }' "$out/host.csv"
at() { awk -F, -v us="$1" -v column="$2" '$1 == us { print $column }' "$out/host.csv"; }
while read -r us c gain; do
    must "C1, $us us, ms" "$(at "$us" 3)" "$c" "$(calc "0.01 * $c")"
    must "gain, $us us" "$(at "$us" 4)" "$gain" 1
done <<'KNOWN'
0 2.15 75
10 2.55 65
30 3.13 56
100 4.65 39
KNOWN
says "synchronization by the host loses what overlap gains" "high overhead" \
    "C1 over B +$(FORMAT=%.0f calc "$(at 0 4)") % without, +$(FORMAT=%.0f calc "$(at 10 4)"), +$(FORMAT=%.0f calc "$(at 30 4)") and +$(FORMAT=%.0f calc "$(at 100 4)") % with 10, 30 and 100 us a chunk" \
    "$(for us in 10 30 100; do echo "$us $(holds "$(at $us 4) < $(at 0 4)")"; done | span "us a chunk")" \
    "the paper gives no value"
awk -F, 'NR > 1 { print "B," $1 "," $2; print "C1," $1 "," $3 }' "$out/host.csv" |
    plot host from=0 title="Synchronization by the host, 64 MiB" xlabel="us for each chunk" ylabel="ms"
finish
