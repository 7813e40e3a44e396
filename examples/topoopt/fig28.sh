#!/bin/bash
# Fig. 28: iteration times of CANDLE, DLRM and BERT on TopoOpt over the degree of 128 servers, at 40 and 100 Gb/s.
#
#   usage: examples/topoopt/fig28.sh [OUTDIR]
figure=fig28
. "$(dirname "$0")/common.sh"
. "$here/dedicated.sh"

times=$work/times.csv
degrees="4 6 8 10" last=10
drawn=dlrm_5_3 # paths of its transfers are, by 5 seeds; rings alone have links of their own
[ -z "${QUICK:-}" ] || degrees="4 10" drawn=
workload_files candle_5_3 bert_5_3 $drawn
axes=("network.design.degree: $(listed '' '' $degrees)" "network.design.bandwidth: [40 Gb/s, 100 Gb/s]")
run_models="candle_5_3 bert_5_3" iterations "$times" 1 topoopt -- "${axes[@]}"
[ -z "$drawn" ] || run_models=$drawn iterations "$times" 5 topoopt -- "${axes[@]}"

name() { case $1 in candle_5_3) echo CANDLE ;; dlrm_5_3) echo DLRM ;; bert_5_3) echo BERT ;; esac; }
echo "Fig. 28: iteration times on TopoOpt with 128 servers over the degree, in ms"
times_used
echo "data parallelism, tables round robin; duplex links, whose d / 2 jumps the published code selects"
printf '%-8s %5s' model Gb/s
for d in $degrees; do printf ' %12s' "d = $d"; done
printf ' %12s %14s\n' "4 / $last" "most - least"
echo "model,gbit_per_s,degree,mean_ms,least_ms,most_ms" >"$out/fig28.csv"
for model in candle_5_3 $drawn bert_5_3; do
    for b in 40 100; do
        printf '%-8s %5s' "$(name "$model")" "$b"
        spread=0
        for d in $degrees; do
            mean=$(of "$times" topoopt "$model" "$d" "$b")
            least=$(of "$times" topoopt "$model" "$d" "$b" least)
            most=$(of "$times" topoopt "$model" "$d" "$b" most)
            echo "$model,$b,$d,$mean,$least,$most" >>"$out/fig28.csv"
            spread=$(awk -v s="$spread" -v d="$(calc "$most - $least")" 'BEGIN { print (d > s ? d : s) }')
            printf ' %12s' "$(shown %.3f "$mean")"
        done
        printf ' %12s %14s\n' "$(shown %s "$(FORMAT=%.3f calc "$(of "$times" topoopt "$model" 4 "$b") / $mean")")" "$(shown %s "$spread")"
    done
done

# gain MODEL GBITS: how many times as fast with the highest degree
gain() { FORMAT=%.3f calc "$(of "$times" topoopt "$1" 4 "$2") / $(of "$times" topoopt "$1" $last "$2")"; }
must "CANDLE at 40 Gb/s: d = 4 over d = 10" "$(gain candle_5_3 40)" 2.26 0.06
must "BERT at 100 Gb/s: d = 4 over d = 10" "$(gain bert_5_3 100)" 1 0.03
says "CANDLE over d" "almost linear: 2.5 from 4 to 10" "$(gain candle_5_3 40) at 40 Gb/s, $(gain candle_5_3 100) at 100" \
    "$(within "$(gain candle_5_3 40)" 2.2 2.5)" "its 2.01 s of computation stay"
if [ -n "$drawn" ]; then
    says "DLRM over d at 100 Gb/s" "more than linear" "$(gain dlrm_5_3 100); at 40 Gb/s $(gain dlrm_5_3 40)" \
        "$(within "$(gain dlrm_5_3 100)" 2.5001 99)" \
        "few of its bytes are transfers, so that shorter ways gain little, and 16.8 ms of computation stay"
fi
says "BERT over d at 100 Gb/s" "marginal" "$(gain bert_5_3 100)" "$(within "$(gain bert_5_3 100)" 0.97 1.03)" \
    "at 40 Gb/s $(gain bert_5_3 40): a step of a ring among many is a few packets of 9000 bytes, and sends whole ones"
for b in 40 100; do
    awk -F, -v b=$b '$2 == b { print $1 "," $3 "," $4 "," $5 "," $6 }' "$out/fig28.csv" |
        plot "fig28_$b" logy=1 title="Fig. 28: TopoOpt, 128 servers, $b Gb/s" xlabel="degree" ylabel="ms an iteration"
done
finish
