#!/bin/bash
# Fig. 17: iteration times of DLRM and BERT on circuits that are moved by demand within an iteration, with and without
# forwarding, over the time of a reconfiguration.
#
#   usage: examples/topoopt/fig17.sh [OUTDIR]
figure=fig17
. "$(dirname "$0")/common.sh"
. "$here/dedicated.sh"

# The text sets it as Fig. 11 (d = 4), the caption says d = 8.
times=$work/times.csv
fixed=$work/fixed.csv
degrees="4 8" run_models="dlrm_5_3 bert_5_3"
latencies="1 20 100 1000 10000 100000"  # us
forwarded="20 100 1000 10000 100000" # at 1 us DLRM takes more than a minute of computing
[ -z "${LONG:-}" ] || forwarded=$latencies
[ -z "${QUICK:-}" ] || degrees=4 run_models=bert_5_3 latencies=10000 forwarded=10000

# runs READING MODELS LATENCIES KEY: VALUES...: adds lines reading,model,degree,us,ms
runs() {
    local reading=$1 chosen=$2 over=$3
    shift 3
    {
        echo "sweep:"
        echo "  axes:"
        echo "    platform: [$here/networks/ocs_reconfig.yml]"
        echo "    workload: $(listed "$work/" .yml $chosen)"
        echo "    network.design.degree: $(listed '' '' $degrees)"
        echo "    network.design.reconfiguration: $(listed '' ' us' $over)"
        for each; do echo "    $each"; done
        echo "  output: $work/sweep"
    } >"$work/sweep.yml"
    "$orrery" sweep "$work/sweep.yml" --restart --progress never >"$work/said" || {
        cat "$work/said" >&2
        return 1
    }
    awk -F, -v reading="$reading" '
        function base(path) { gsub(/.*\/|\.yml/, "", path); return path }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%s,%s,%d,%d,%s\n", reading, base($at["workload"]), $at["network.design.degree"],
                 $at["network.design.reconfiguration"], $NF != "" ? $NF : sprintf("%.6f", $at["wall_ps"] / 1e9) }' \
        <(rows_of "$work/sweep.csv") >>"$times"
}

# ms READING MODEL DEGREE US
ms() { awk -F, -v r="$1" -v m="$2" -v d="$3" -v us="$4" '$1 == r && $2 == m && $3 == d && $4 == us { printf "%s", $5 }' "$times"; }
topoopt() { of "$fixed" topoopt "$1" "$2" 100; }
# over READING OTHER MODEL DEGREE US: one's time over the other's
over() { FORMAT=%.3f calc "$(ms "$1" "$3" "$4" "$5") / $(ms "$2" "$3" "$4" "$5")"; }
# off READING MODEL DEGREE US: over TopoOpt's
off() { FORMAT=%.3f calc "$(ms "$1" "$2" "$3" "$4") / $(topoopt "$2" "$3")"; }
name() { case $1 in dlrm_5_3) echo DLRM ;; bert_5_3) echo BERT ;; esac; }

workload_files $run_models
iterations "$fixed" 1 topoopt -- "network.design.degree: $(listed '' '' $degrees)" "network.design.bandwidth: [100 Gb/s]"
runs FW "$run_models" "$forwarded" "network.design.forwarding: [true]"
runs noFW "$run_models" "$latencies" "network.design.forwarding: [false]"
runs "FW one-way" bert_5_3 10000 "network.design.forwarding: [true]" "network.circuits.links: [one-way]"
[ -n "${QUICK:-}" ] || runs "noFW 50 us" "$run_models" 1 "network.design.forwarding: [false]" "network.circuits.period: [50 us]"
runs "noFW moved" bert_5_3 20 "network.design.forwarding: [false]" "network.circuits.pauses: [moved]"

echo "Fig. 17: iteration times over the time of a reconfiguration: 128 servers, 100 Gb/s, in ms"
times_used
echo "OCS-reconfig: every 5 latencies Algorithm 5 decides by the bytes that are not sent yet, and all is dark for one"
echo "FW: duplex circuits, joined by two-edge replacement, servers forward; noFW: one-way circuits, transfers wait for theirs"
printf '%-5s %2s %12s %12s %12s %12s %10s\n' model d latency TopoOpt FW noFW "FW / noFW"
echo "model,degree,latency_us,topoopt_ms,fw_ms,nofw_ms" >"$out/fig17.csv"
for model in $run_models; do
    for d in $degrees; do
        for us in $latencies; do
            fw=$(ms FW "$model" "$d" "$us") none=$(ms noFW "$model" "$d" "$us")
            echo "$model,$d,$us,$(topoopt "$model" "$d"),$fw,$none" >>"$out/fig17.csv"
            printf '%-5s %2s %9s us %12s %12s %12s %10s\n' "$(name "$model")" "$d" "$us" "$(shown %.3f "$(topoopt "$model" "$d")")" \
                "$(shown %.3f "$fw")" "$(shown %s "$none")" "$([ -z "$fw" ] && echo - || shown %s "$(over FW noFW "$model" "$d" "$us")")"
        done
        awk -F, -v m="$model" -v d="$d" '$1 == m && $2 == d {
            if ($4 ~ /^[0-9]/) print "TopoOpt," $3 "," $4
            if ($5 ~ /^[0-9]/) print "OCS-reconfig-FW," $3 "," $5
            if ($6 ~ /^[0-9]/) print "OCS-reconfig-noFW," $3 "," $6 }' "$out/fig17.csv" |
            plot "fig17_${model}_d$d" logx=1 logy=1 title="Fig. 17, $(name "$model"): 128 servers, d = $d, 100 Gb/s" \
                xlabel="us of a reconfiguration" ylabel="ms an iteration"
    done
done

bert=$(over FW noFW bert_5_3 4 10000)
must "BERT, d = 4, 10 ms: FW over noFW" "$bert" 1.4 0.14
one_way=$(over "FW one-way" noFW bert_5_3 4 10000) caption=$(over FW noFW bert_5_3 8 10000)
says "BERT at 10 ms: forwarding slower than none" "1.4" \
    "$bert with d = 4 and duplex circuits where forwarding, $one_way with one-way circuits in both${caption:+, $caption with d = 8 as in the caption}" \
    "$({ echo "d = 4 and duplex circuits where forwarding $(within "$bert" 1.26 1.54)"
        echo "d = 4 and one-way circuits $(within "$one_way" 1.26 1.54)"
        echo "d = 8 and duplex circuits where forwarding $(within "$caption" 1.26 1.54)"; } | list_of)" \
    "it is the links that make the difference, not forwarding; more ports leave less to share"
if [ -z "${QUICK:-}" ]; then
    for d in $degrees; do
        gain=$(over noFW FW dlrm_5_3 "$d" 10000)
        must "DLRM, d = $d, 10 ms: FW is faster" "$(within "$gain" 1.0001 1e9 | sed 's/yes/1/; s/no/0/')" 1 0
        says "DLRM at 10 ms, d = $d: faster with forwarding" "faster" "$gain times" "$(within "$gain" 1.0001 1e9)" ""
    done
    for model in $run_models; do
        for us in 1 20; do
            must "$(name "$model"), d = 8, $us us: noFW over TopoOpt" "$(off noFW "$model" 8 $us)" 1 0.1
        done
        says "$(name "$model"), d = 8: noFW at 1 us as TopoOpt" "matches" "$(off noFW "$model" 8 1), at 20 us $(off noFW "$model" 8 20)" \
            "$(within "$(off noFW "$model" 8 1)" 0.9 1.1)" ""
        reached=$(within "$(off noFW "$model" 4 1)" 0.9 1.1) why=
        [ "$reached" = yes ] || why="a fifth of the time is dark, however short the latency: below by a period of its own"
        says "$(name "$model"), d = 4: noFW at 1 us as TopoOpt" "matches" "$(off noFW "$model" 4 1), at 20 us $(off noFW "$model" 4 20)" \
            "$reached" "$why"
        for d in $degrees; do
            says "$(name "$model"), d = $d: FW at 20 us still slower than TopoOpt" "slower" "$(off FW "$model" "$d" 20)" \
                "$(within "$(off FW "$model" "$d" 20)" 1.05 99)" ""
        done
    done
fi
must "BERT, d = 4, 20 us, dark only where circuits move: noFW over TopoOpt" "$(off "noFW moved" bert_5_3 4 20)" 1 0.02
says "BERT, d = 4, dark only where circuits move: noFW at 20 us as TopoOpt" "matches" "$(off "noFW moved" bert_5_3 4 20)" \
    "$(within "$(off "noFW moved" bert_5_3 4 20)" 0.9 1.1)" "pauses: moved; the text pauses at every decision"
# The period is five latencies unless said otherwise. At 1 us it need not be: a decision every 50 us is dark for a fiftieth.
for d in $degrees; do
    for model in $run_models; do
        five=$(off noFW "$model" "$d" 1) fifty=$(off "noFW 50 us" "$model" "$d" 1)
        reached=$(within "$fifty" 0.9 1.1)
        [ "$(within "$five" 0.9 1.1)" = yes ] || reached=${reached/yes/over a decision every 50 us}
        says "$(name "$model"), d = $d: noFW at 1 us as TopoOpt, by the period" "matches" \
            "${five:+$five every five latencies, $fifty every 50 us}" "$reached" "a fifth of the time is dark where a period is five latencies"
    done
done
finish
