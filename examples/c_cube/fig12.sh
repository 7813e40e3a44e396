#!/bin/bash
# Fig. 12: bandwidth of the all-reduce by two trees with detours on the DGX-1, in two phases (B) and
# overlapped (C1), and what overlap gains, by messages and by the equations.
#
#   usage: examples/c_cube/fig12.sh [OUTDIR]
figure=fig12
. "$(dirname "$0")/common.sh"

# reduce BACKEND PHASED MIB [OPTION...]: ms
reduce() {
    local backend=$1 phased=$2 mib=$3
    shift 3
    wall "$here/trees.yml" --set 'workload={generate: all_reduce}' --set "workload.bytes=$mib MiB" \
        --set "network.backend=$backend" --set "system.phased=$phased" "$@"
}
# Eq. 5 and Eq. 7 of a tree with half of the bytes: alpha of 11.85 us and 25 GB/s make both numbers of the paper.
model() {
    awk -v n="$1" 'BEGIN { a = 11.85e-6; t = n / 2 / 25e9; root = sqrt(a * t * 3)
        printf "%.3f", 100 * ((6 * a + 2 * t + 4 * root) / (6 * a + t + 3 * root) - 1) }'
}
# The schedule: 2 (K + 3) and K + 7 steps of K chunks a tree, with Eq. 4.
schedule() {
    awk -v n="$1" 'BEGIN { a = 7e-6; t = n / 2 / 22.3e9; k = int(sqrt(3 * t / a) + 0.5); if (k < 1) k = 1
        step = a + t / k; printf "%.4f %.4f", 2e3 * (k + 3) * step, 1e3 * (k + 7) * step }'
}

sizes="1 4 16 32 64 128 256 512"
[ -z "${QUICK:-}" ] || sizes="1 64"
echo "mib,B_ms,C1_ms,B_schedule_ms,C1_schedule_ms,B_flow_ms,C1_flow_ms,B_gb_s,C1_gb_s,gain_percent,equations_percent" >"$out/fig12.csv"
for mib in $sizes; do
    bytes=$((mib * 1048576))
    b=$(reduce congestion true "$mib")
    c=$(reduce congestion false "$mib")
    read -r sb sc <<<"$(schedule $bytes)"
    echo "$mib,$b,$c,$sb,$sc,$(reduce flow true "$mib"),$(reduce flow false "$mib"),$(FORMAT=%.2f calc "$bytes / $b / 1e6"),$(FORMAT=%.2f calc "$bytes / $c / 1e6"),$(FORMAT=%.2f calc "100 * ($b / $c - 1)"),$(FORMAT=%.2f calc "$(model $bytes)")"
done >>"$out/fig12.csv"

echo "Fig. 12: all-reduce by two trees on the DGX-1 (22.3 GB/s a channel, 7 us): ms, GB/s, gain of C1 over B"
printf '%5s %9s %9s %9s %9s %9s %9s %10s\n' MiB 'B, ms' 'C1, ms' 'B, GB/s' 'C1, GB/s' 'gain, %' 'Eq. 5/7' 'schedule'
awk -F, 'NR > 1 { printf "%5d %9.3f %9.3f %9s %9s %9.1f %9.1f %10.1f\n", $1, $2, $3, $8, $9, $10, $11, 100 * ($4 / $5 - 1) }' "$out/fig12.csv"

at() { awk -F, -v mib="$1" -v column="$2" '$1 == mib { print $column }' "$out/fig12.csv"; }
while IFS=, read -r mib b c sb sc fb fc _ _ gain _; do
    must "B, $mib MiB, over the schedule" "$(calc "$b / $sb")" 1 0.01
    must "C1, $mib MiB, over the schedule" "$(calc "$c / $sc")" 1 0.01
    must "B, $mib MiB, flows over messages" "$(calc "$fb / $b")" 1 0.0001
    must "C1, $mib MiB, flows over messages" "$(calc "$fc / $c")" 1 0.0001
    case $mib in
    1) must "gain, $mib MiB" "$gain" 20 2 ;;
    4) must "gain, $mib MiB" "$gain" 38 2 ;;
    16) must "gain, $mib MiB" "$gain" 60 2 ;;
    32) must "gain, $mib MiB" "$gain" 68 2 ;;
    64) must "gain, $mib MiB" "$gain" 75 2 ;;
    128) must "gain, $mib MiB" "$gain" 81 2 ;;
    256) must "gain, $mib MiB" "$gain" 86 2 ;;
    512) must "gain, $mib MiB" "$gain" 90 2 ;;
    esac
done < <(tail -n +2 "$out/fig12.csv")
must "B, 64 MiB, ms" "$(at 64 2)" 3.762 0.03762
must "C1, 64 MiB, ms" "$(at 64 3)" 2.150 0.0215
must "Eq. 5 / Eq. 7, 64 MB" "$(model 64000000)" 75.0 0.75
must "Eq. 5 / Eq. 7, 128 MB" "$(model 128000000)" 80.9 0.81

# The same without detours, and with one NVLink for each pair.
free='system.trees=["- 3 1 0 7 1 7 3", "2 - 1 0 0 6 2 6"]'
direct=$(reduce congestion false 64 --set "$free")
must "C1 by trees without detours, 64 MiB, ms" "$direct" 2.016 0.02016
# Until the first chunk is back at every GPU, in us.
turned() {
    "$orrery" run "$here/trees.yml" --set "$(lone 67108864)" --json - "$@" |
        awk '/^  "gradient_turnaround_ps":/ { printf "%.2f", $2 / 1e6 }'
}
turned_b=$(turned --set system.phased=true)
turned_c=$(turned)
turned_free=$(turned --set "$free")
echo
echo "turnaround at 64 MiB: B $turned_b us, C1 $turned_c us, C1 without detours $turned_free us"
must "turnaround of C1, 64 MiB, us" "$turned_c" 537 5.37
must "turnaround of C1 without detours, 64 MiB, us" "$turned_free" 403 4.03
must "turnaround of B over the time of C1" "$(calc "$turned_b / $(at 64 3) / 1000")" 1 0.0001
largest=${sizes##* }
says "C1 over B at 64 MB" "+75 %" "+$(FORMAT=%.1f calc "$(at 64 10)") %" "$(within "$(at 64 10)" 73 77)" "alpha of 7 us is fitted to this number"
all_sizes="1 4 16 32 64 128 256 512"
sizes_where() { for mib in $all_sizes; do echo "$mib $(within "$(at "$mib" 10)" "$1" "$2")"; done | span MiB; }
says "C1 over B is up to +80 %" "+80 %" "+$(FORMAT=%.1f calc "$(at "$largest" 10)") % at $largest MiB" "$(sizes_where 0.01 80.5)" \
    "the gain goes on to grow, to its limit of 100 %; the paper does not say its largest size"
says "C1 is always faster than B" "yes" "+$(FORMAT=%.1f calc "$(at 1 10)") % at 1 MiB, +$(FORMAT=%.1f calc "$(at "$largest" 10)") % at $largest MiB" "$(sizes_where 0.01 1e9)" ""
says "equations and measurement agree (Fig. 12b)" "closely" "Eq. 5 / Eq. 7 +$(FORMAT=%.1f calc "$(model 64000000)") % at 64 MB, +$(FORMAT=%.1f calc "$(model 128000000)") % at 128 MB" \
    "$({ within "$(model 64000000)" 74 76; within "$(model 128000000)" 79 82; } | all_of)" \
    "with one alpha of 11.85 us at 25 GB/s"
says "the gradient turnaround is shorter with overlap" "yes" "$turned_c us instead of $turned_b at 64 MiB" "$(holds "$turned_c < $turned_b")" \
    "without overlap it is all the time that C1 takes"
adds "trees that need no detour, C1 at 64 MiB" "$(FORMAT=%.3f calc "$direct") ms instead of $(FORMAT=%.3f calc "$(at 64 3)")" \
    "the DGX-1 has such pairs of trees"

awk -F, 'NR > 1 { print "B," $1 "," $8; print "C1," $1 "," $9 }' "$out/fig12.csv" |
    plot fig12a logx=1 from=0 title="Fig. 12a: bandwidth of the all-reduce" xlabel="MiB" ylabel="GB/s"
awk -F, 'NR > 1 { print "messages," $1 "," $10; print "Eq. 5 / Eq. 7," $1 "," $11 }' "$out/fig12.csv" |
    plot fig12b logx=1 from=0 title="Fig. 12b: gain of C1 over B" xlabel="MiB" ylabel="percent"
finish
