#!/bin/bash
# Section V-B of ASTRA-sim 2.0 (ISPASS 2023): every statement, what it is here, and over which range of chunks and assumptions
# it is reached, by the results of run.sh.
#
#   usage: examples/disaggregated_memory/statements.sh OUTDIR    (after run.sh OUTDIR, which calls it)
here=$(cd "$(dirname "$0")" && pwd)
figure=fig11
. "$here/../figures/common.sh"

# memory SYSTEM OPTION...: a step, s
memory() {
    local system=$1
    shift
    "$orrery" run "$here/$system.yml" "$here/moe_1t.yml" "$@" --json "$work/run.json" >/dev/null 2>"$work/said" || {
        failed "$system${*:+/${*//--set /}}" "$(cat "$work/said")"
        return
    }
    awk '/^  "wall_ps":/ { printf "%.6f", ($2 + 0) / 1e12 }' "$work/run.json"
}
# of SYSTEM PART: s; parts of the step are columns 3 to 7
of() { awk -F, -v name="$1" -v part="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == name { print $at[part] }' "$out/fig11.csv"; }
point() { awk -F, -v fabric="$1" -v group="$2" '$1 == fabric && $2 == group { print $3 }' "$out/sweep.csv"; }
assumed() { awk -F, -v name="$1" -v at="$2" '$1 == name { print $at }' "$out/assumptions.csv"; }

z=$(of zero_infinity total_s) h=$(of hiermem total_s) o=$(of hiermem_opt total_s)
declare -A gap
for kib in 4 16 64 128 256; do
    gap[$kib]=$(FORMAT=%.3f calc "100 * ($(memory hiermem --set "memory.pool.chunk=$kib KiB") / $(memory zero_infinity --set "memory.pool.chunk=$kib KiB") - 1)")
done
gaps() { for kib in 4 16 64 128 256; do printf '%s %% with %s KiB, ' "${gap[$kib]}" $kib; done | sed 's/, $//'; }
says "ZeRO-Infinity is 0.1 % better than HierMem (baseline)" "0.1 %" "$(gaps)" \
    "$(for kib in 4 16 64 128 256; do echo "$kib $(within "${gap[$kib]}" 0.05 0.15)"; done | span "KiB a chunk of the pool")" \
    "the sign is reached with all; how much goes by the chunk of the pool, which the paper does not give (16 KiB here)"
says "Both are about as fast, having almost the same resources" "yes" "$z and $h s" "$(holds "$h < 1.002 * $z && $h > 0.998 * $z")" "within 0.2 %"
remote=$(FORMAT=%.9f calc "$(of hiermem exposed_remote_memory_s) - $(of zero_infinity exposed_remote_memory_s)")
says "HierMem loses by additional stages of transfers, through several levels of switches" "yes" \
    "$(FORMAT=%.2f calc "1000 * $remote") of $(FORMAT=%.2f calc "1000 * ($h - $z)") ms are exposed remote memory, and they grow with the chunk that fills the stages" \
    "$(holds "$remote > 0.8 * ($h - $z) && ${gap[4]} < ${gap[16]} && ${gap[16]} < ${gap[64]}")" ""
rest=$(awk -F, '$1 == "hiermem" && /failed:/ { print $2; exit } $1 == "hiermem" { d = $3 + $4 + $5 + $6 + $7 - $2; printf "%.6f", d < 0 ? -d : d }' "$out/fig11.csv")
says "The step has five parts: compute, exposed local memory, remote memory, communication, idle" "yes" "they add up to the total, to $(FORMAT=%.0f calc "1e6 * $rest") us" \
    "$(holds "$rest < 1e-5")" ""
share() { FORMAT=%.0f calc "100 * $(of "$1" exposed_communication_s) / $(of "$1" total_s)"; }
says "Exposed communication is the bottleneck; it dominates (I)" "yes" "$(share zero_infinity) % of the step with ZeRO-Infinity, $(share hiermem) % with HierMem" \
    "$(holds "$(share zero_infinity) > 50 && $(share hiermem) > 50")" ""
lost=$(failed_in "$(cat "$out/sweep.csv")" || true) # of the sweep: may have been the best
read -r first first_group least < <(awk -F, 'NR > 1 && $3 ~ /^[0-9]/ && (best == "" || $3 < best) { best = $3; point = $1 " " $2 } END { print point, best }' "$out/sweep.csv")
found=$(awk -F, -v best="$least" 'NR > 1 && $3 ~ /^[0-9]/ && $3 <= 1.005 * best { print $1, $2; exit }' "$out/sweep.csv")
says "Fabric of 256 to 2048, groups of 100 to 500 GB/s: the best with the least is 512 and 500" "512 and 500 GB/s" "${found/ / and } GB/s, of $(($(wc -l <"$out/sweep.csv") - 1)) points" \
    "$([ -n "$lost" ] && echo "not run $lost" || { [ "$found" = "512 500" ] && echo yes || echo no; })" "a tie: all fabrics of 512 GB/s and more with groups of 500 are as fast to 0.5 %; the very fastest, $first and $first_group, is ahead by $(FORMAT=%.3f calc "100 * ($(point 512 500) / $least - 1)") %"
says "More fabric than 512 GB/s gains nothing, and all of 500 GB/s of a group is needed" "yes" \
    "$(point 512 500) s with 512, $(point 2048 500) s with 2048; $(for g in 100 200 300 400 500; do printf '%s ' "$(shown %.3f "$(point 512 $g)")"; done)s with 100 to 500" \
    "$(holds "$(point 2048 500) > 0.995 * $(point 512 500) && $(point 512 500) < 0.95 * $(point 512 400)")" ""
# Over all assumptions that assumptions.csv changes, one at a time.
speeds() { awk -F, 'NR > 1 && $NF ~ /^failed/ { printf "%s not run %s\n", $1, $NF; next } NR > 1 { printf "%s %s\n", $1, ($NF >= 4.55 && $NF < 4.65 ? "yes" : "no") }' "$out/assumptions.csv" | sed 's/^as above /the assumptions of run.sh /'; }
low=$(awk -F, 'NR > 1 && $NF ~ /^[0-9]/ && (low == "" || $NF < low) { low = $NF } END { print low }' "$out/assumptions.csv")
high=$(awk -F, 'NR > 1 && $NF ~ /^[0-9]/ && $NF > high { high = $NF } END { print high }' "$out/assumptions.csv")
says "HierMem (opt) is 4.6 times as fast as HierMem (baseline)" "4.6" "$(FORMAT=%.2f calc "$h / $o") times; $low to $high where one assumption is changed" "$(speeds | list_of)" \
    "the workload is not published: half of the batch has $(assumed "half of the batch" 6), twice $(assumed "twice the batch" 6), no prefetch $(assumed "no prefetch" 6), memory and network on paths of their own $(assumed "memory and network on paths of their own" 6)"
says "... and than ZeRO-Infinity (I)" "4.6" "$(FORMAT=%.2f calc "$z / $o") times" "$(within "$(calc "$z / $o")" 4.55 4.6499)" "by the assumptions of run.sh"
says "... since it hides communication (I)" "yes" "exposed: $(FORMAT=%.2f calc "$(of hiermem exposed_communication_s) * 1") s before, $(FORMAT=%.2f calc "$(of hiermem_opt exposed_communication_s) * 1") s then" \
    "$(holds "$(of hiermem_opt exposed_communication_s) < 0.5 * $(of hiermem exposed_communication_s)")" ""
grouped() { memory hiermem --set memory.pool.hierarchical.groups="$1" --set "memory.pool.hierarchical.group_bandwidth=$((25600 / $1)) GB/s" --set "network.dims[0].bandwidth=50 GB/s"; }
of64=$(grouped 64) of32=$(grouped 32)
says "HierMem can have any number of remote memory groups, ZeRO-Infinity cannot" "yes" \
    "256, 64 and 32 groups with as much bandwidth in all take $h, $of64 and $of32 s; a per_npu memory belongs to its NPU" \
    "$(holds "$of64 < 1.01 * $h && $of32 < 1.01 * $h")" ""
finish
