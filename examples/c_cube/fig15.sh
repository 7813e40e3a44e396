#!/bin/bash
# Fig. 15: what forwarding costs GPU 0 and GPU 1, batch 64, all of the NVLinks' bandwidth: time that a GPU
# computes, over that of a GPU which forwards nothing. That a GPU computes 1.3 x slower while chunks go through
# it is an input, fitted to this figure; how long they do comes out here.
#
#   usage: examples/c_cube/fig15.sh [OUTDIR]
figure=fig15
. "$(dirname "$0")/common.sh"

# computing MODEL STEPS: "NPU ms" of each
computing() {
    "$orrery" run "$here/trees.yml" "$1" --set "$(training 64 "$2" "chain: true")" --set compute.forwarding_slowdown=1.3 \
        --set compute.forwarding=collective --csv - | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "compute_ps") column = i }
        NR > 1 { printf "%d %.6f\n", $1, $column / 1e9 }'
}
echo "model,gpu,compute_ms,performance" >"$out/fig15.csv"
for model in zfnet vgg16 resnet50; do
    # Of an iteration: what three have beyond two.
    join <(computing $model 3) <(computing $model 2) | awk -v model=$model '
        { gpu[NR] = $1; ms[NR] = $2 - $3; if (least == "" || ms[NR] < least) least = ms[NR] }
        END { for (i = 1; i <= NR; i++) printf "%s,%d,%.4f,%.4f\n", model, gpu[i], ms[i], least / ms[i] }' >>"$out/fig15.csv"
done
echo "Fig. 15: performance of each GPU by itself, batch 64"
awk -F, 'NR > 1 { if ($1 != model) { printf "%s%-10s", (NR > 2 ? "\n" : ""), $1; model = $1 } printf " %7.4f", $4 } END { print "" }' "$out/fig15.csv"
loss() { awk -F, -v model="$1" '$1 == model && $2 < 2 && 1 - $4 > most { most = 1 - $4 } END { printf "%.2f", 100 * most }' "$out/fig15.csv"; }
others=$(awk -F, 'NR > 1 && $2 > 1 && 1 - $4 > most { most = 1 - $4 } END { printf "%.2f", 100 * most }' "$out/fig15.csv")
must "ZFNet: loss in percent" "$(loss zfnet)" 3.3 0.3
must "VGG-16: loss in percent" "$(loss vgg16)" 0.6 0.1
must "ResNet-50: loss in percent" "$(loss resnet50)" 0.3 0.1
must "loss of GPUs 2 to 7 in percent" "$others" 0 0
says "detour nodes lose" "up to 3-4 %" "$(loss zfnet) % (ZFNet), $(loss vgg16) % (VGG-16), $(loss resnet50) % (ResNet-50)" "$(within "$(loss zfnet)" 3 4)" \
    "the slowdown of 1.3 x while chunks go through is an input, fitted to this"
says "other GPUs lose nothing" "yes" "$others %" "$(within "$others" 0 0)" ""
awk -F, 'NR > 1 { print $1 ",GPU " $2 "," $4 }' "$out/fig15.csv" |
    plot fig15 bars=1 from=0.9 title="Fig. 15: performance of each GPU, batch 64" ylabel="performance"
finish
