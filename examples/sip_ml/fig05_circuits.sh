# What Fig. 5 says of SiP-OCS and SiP-Ring; fig05.sh sources it, when its table is there.

# fabric_over JOB FABRIC OTHER BANDWIDTH: how many times as long the first takes; a dash, where it has no circuits for the job
fabric_over() { if [ "$2" != "$ring" ] || ring_holds "$1" "$4"; then ratio "$(at "$1" "$2" "$4")" "$(at "$1" "$3" "$4")"; else echo -; fi; }
# over_all FABRIC OTHER JOB...: a table of that, over the bandwidths
over_all() {
    local fabric=$1 other=$2 job b
    shift 2
    echo
    echo "$fabric over $other"
    for job; do
        printf '%-16s' "$job"
        for b in "${bandwidths[@]}"; do printf ' %9s' "$(fabric_over "$job" "$fabric" "$other" "$b")"; done
        echo
    done
}
echo
echo "Time to accuracy on one fabric over that on another, at ${bandwidths[*]} Gb/s"
for other in "$c400" "$c200"; do over_all "$other" "$ocs" "${jobs[@]}"; done
over_all "$ocs" "$flat" "${jobs[@]}"
over_all "$ring" "$ocs" "${jobs[@]}"
with_dp=()
for job in "${jobs[@]}"; do [ "$job" = megatron ] || with_dp+=("$job"); done
over_all "DP on SiP-OCS" "$ocs" "${with_dp[@]}"

# The most, or least, of a kind of number, and where: JOB BANDWIDTH VALUE lines in
most() { sort -g -k3 | tail -1 | awk '{ print $3 " (" $1 " at " $2 " Gb/s)" }'; }

for job in "${jobs[@]}"; do
    for out_of in 400 200; do
        known "Elect-Cluster ($out_of Gb/s) over SiP-OCS $job 8192" "$(fabric_over "$job" "Elect-Cluster ($out_of Gb/s)" "$ocs" 8192)"
    done
done

# No fabric is faster than an ideal switch with the same strategy.
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do
        for fabric in ocs ring; do
            [ "$fabric" = ocs ] || ring_holds "$job" "$b" || continue
            echo "$fabric/$job $b $(over_switch "$job-$fabric-1024-$b")"
        done
    done
done >"$work/over_switch"
least=$(sort -g -k3 "$work/over_switch" | head -1)
bound "$(wc -l <"$work/over_switch") runs on circuits over the same strategy on an ideal switch" "${least##* }" least 1
says "no optical network is faster than Elect-Flat with the same strategy" "lower bound" "least $(most <<<"$least"), most $(most <"$work/over_switch")" \
    "$(within "${least##* }" 1 1e9)" "the same task graph on an ideal switch of a GPU's bandwidth"

# Megatron's groups of 16 stand apart: each of up to 80 pairs across a segment has a wavelength first, whatever it sends.
for job in "${jobs[@]}"; do
    for b in "${bandwidths[@]}"; do [ "$b" -lt 1024 ] || [ "$job" = megatron ] || echo "$job $b $(fabric_over "$job" "$ring" "$ocs" "$b")"; done
done >"$work/ring_over_ocs"
worst=$(most <"$work/ring_over_ocs")
bound "SiP-Ring over SiP-OCS from 1024 Gb/s on, but for Megatron" "${worst%% *}" most 1.35

if [ -z "${QUICK:-}" ]; then
    says "SiP-Ring performs similarly to SiP-OCS" "similar" "from 1024 Gb/s on at most $worst; at 8192 Gb/s $(for job in "${jobs[@]}"; do printf '%s %s, ' "$job" "$(fabric_over "$job" "$ring" "$ocs" 8192)"; done | sed 's/, $//')" \
        "$(for b in "${bandwidths[@]}"; do awk -v b="$b" '$2 == b && $1 != "megatron" && $3 > 1.35 { no = 1 } $2 == b && $1 != "megatron" { n++ } END { print b, !n ? "not run" : no ? "no" : "yes" }' "$work/ring_over_ocs"; done | span "Gb/s, but for Megatron")" "within 35 %, with W wavelengths on each of two fibres; 25 us in 125 are dark"
    says "the same of Megatron in groups of 16" "similar" "$(fabric_over megatron "$ring" "$ocs" 2048) at 2048, $(fabric_over megatron "$ring" "$ocs" 4096) at 4096, $(fabric_over megatron "$ring" "$ocs" 8192) at 8192 Gb/s; none below" \
        "$(for b in 2048 4096 8192; do echo "$b $(within "$(fabric_over megatron "$ring" "$ocs" $b)" 0 1.35)"; done | span Gb/s)" "80 pairs have arcs across one segment and each gets a wavelength first: at 2 Tb/s that is all but one of 81; groups of 8 below"
    for job in "${jobs[@]}"; do
        for b in "${bandwidths[@]}"; do
            [ "$b" -lt 256 ] || echo "$job $b $(ratio "$(at "$job" "$ocs" "$b")" "$(at "$job" "$flat" "$((b / 2))")")"
        done
    done >"$work/ocs_over_half"
    half=$(most <"$work/ocs_over_half")
    bound "SiP-OCS over Elect-Flat of half the bandwidth, from 256 Gb/s on" "${half%% *}" most 1.15
    says "SiP-ML performs as well as Elect-Flat of half the bandwidth" "up to 2 times the bandwidth" "at most $half times as long, from 256 Gb/s on" \
        "$(within "${half%% *}" 0 1.15)" \
        "within 15 %"
    gains() { for job in "${jobs[@]}"; do printf '%s %s / %s, ' "$job" "$(fabric_over "$job" "$c200" "$ocs" 8192)" "$(fabric_over "$job" "$c400" "$ocs" 8192)"; done | sed 's/, $//'; }
    says "SiP-ML is 1.3 to 9.1 times faster than Elect-Cluster, least for ResNet, most for Megatron" "1.3 to 9.1" "at 8192 Gb/s over 200 / 400 Gb/s: $(gains)" \
        "$({ echo "200 Gb/s out of servers $(within "$(calc "$(fabric_over megatron "$c200" "$ocs" 8192) / 9.1")" 0.8 1.2)"; echo "400 Gb/s $(within "$(calc "$(fabric_over megatron "$c400" "$ocs" 8192) / 9.1")" 0.8 1.2)"; } | list_of)" "of Megatron, by servers of 200 Gb/s, tensor cores, and groups of 16 that cross servers"
    lose() { for job in "${jobs[@]}"; do for b in 128 256; do printf '%s ' "$(fabric_over "$job" "$c400" "$ocs" "$b")"; done; done | sed 's/ $//'; }
    adds "SiP-ML over Elect-Cluster at low bandwidths" "400 Gb/s at 128 and 256 Gb/s, ${jobs[*]}: $(lose)" "below about 256 Gb/s circuits that are set once lose to servers of 400 Gb/s, which have more bandwidth inside than all of a GPU's circuits"
    for job in "${with_dp[@]}"; do known "DP over hybrid on SiP-OCS at 8192 Gb/s $job" "$(fabric_over "$job" "DP on SiP-OCS" "$ocs" 8192)"; done
    says "Transformer gains about 50 % over data parallelism at 8 Tb/s, on SiP-OCS" "1.5" "$(for job in "${with_dp[@]}"; do printf '%s %s, ' "$job" "$(fabric_over "$job" "DP on SiP-OCS" "$ocs" 8192)"; done | sed 's/, $//')" \
        "$(for job in "${with_dp[@]}"; do [[ $job != transformer* ]] || echo "$job $(within "$(fabric_over "$job" "DP on SiP-OCS" "$ocs" 8192)" 1.35 1.65)"; done | list_of)" "the fixed cost of an operator decides: see Fig. 5"
    . "$here/fig05_readings.sh"
fi
