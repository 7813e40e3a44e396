#!/bin/bash
# Fig. 1: the share of a training step that the all-reduce takes, around the rings of NCCL, behind the
# whole backward pass.
#
#   usage: examples/c_cube/fig01.sh [OUTDIR]
figure=fig01
. "$(dirname "$0")/common.sh"

echo "Fig. 1: share of the all-reduce in a training step, DGX-1, six rings, no overlap"
printf '%-10s %6s %12s %12s %9s\n' model batch 'step, ms' 'all-reduce' share
echo "model,batch,step_ms,all_reduce_ms,share_percent" >"$out/fig01.csv"
# batch:percent, as known of these compute times and rings
while read -r model known; do
    for pair in $known; do
        batch=${pair%:*}
        "$orrery" run "$here/ring.yml" "$model" --set "$(training "$batch" 1)" --json - |
            awk -v OFS=, -v model="$model" -v batch="$batch" '
                /^  "wall_ps":/ { wall = ($2 + 0) / 1e9 }
                /^      "exposed_communication_ps":/ && !n++ { ring = ($2 + 0) / 1e9 }
                END { printf "%s,%d,%.3f,%.3f,%.2f\n", model, batch, wall, ring, 100 * ring / wall }' >>"$out/fig01.csv"
        must "$model $batch" "$(tail -1 "$out/fig01.csv" | cut -d, -f5)" "${pair#*:}" 0.05
    done
done <<'KNOWN'
zfnet 32:14.4 64:8.0
vgg16 32:2.8 64:1.4
resnet50 32:1.6 64:0.8
KNOWN
awk -F, 'NR > 1 { printf "%-10s %6d %12.3f %12.3f %7.2f %%\n", $1, $2, $3, $4, $5 }' "$out/fig01.csv"

why="100 MB take 1.4 ms of a step of 84 ms; what was measured must hold the waiting for other GPUs too"
most=$(awk -F, 'NR > 1 && $5 > most { most = $5 } END { print most }' "$out/fig01.csv")
says "single-stage detector: share of the all-reduce" "60 %" "$most % at most (ZFNet, batch 32)" "$(within "$most" 54 66)" "$why"
says "neural collaborative filtering: share of the all-reduce" "about 10 %" "not run" "not run" \
    "its model of the paper is not published; ZFNet, of its size, has 8.0 % at batch 64"

{ awk -F, 'NR > 1 { print "here," $1 " " $2 "," $5 }' "$out/fig01.csv"
  echo "paper,single-stage detector,60"
  echo "paper,collaborative filtering,10"; } |
    plot fig01 bars=1 from=0 title="Fig. 1: share of the all-reduce" ylabel="percent of a step"
finish
