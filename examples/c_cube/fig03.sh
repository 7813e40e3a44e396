#!/bin/bash
# Fig. 3: bandwidth of the all-reduces of ResNet-50's gradients, all at once, tensor by tensor, and in
# slices, over the peak of the NVLinks. Each call costs something; how much is a fit to the figure.
#
#   usage: examples/c_cube/fig03.sh [OUTDIR]
figure=fig03
. "$(dirname "$0")/common.sh"

peak=150 # GB/s: six NVLinks of 25

# Bytes of each tensor in the order of the model: a convolution's weights, then scale and shift of its
# norm; layer by layer these together.
"$orrery" run "$here/ring.yml" resnet50 --set "$(training 1 1)" --timeline "$work/timeline.json" >/dev/null
awk -v tensors="$work/tensors" -v layers="$work/layers" '
    /"cat":"compute"/ && match($0, /"name":"[a-z]+ [0-9]+ update"/) {
        split(substr($0, RSTART + 8, RLENGTH - 9), word, " ")
        match($0, /"flops":[0-9]+/)
        n[word[1], word[2]] = substr($0, RSTART + 8, RLENGTH - 8)
    }
    END { for (i = 1; i <= 53; i++) {
              print 4 * n["conv", i] >tensors
              print 2 * n["norm", i] >tensors
              print 2 * n["norm", i] >tensors
              print 4 * (n["conv", i] + n["norm", i]) >layers
          }
          print 4 * (n["dense", 1] - 1000) >tensors
          print 4000 >tensors
          print 4 * n["dense", 1] >layers }' "$work/timeline.json"
total=$(awk '{ n += $1 } END { print n }' "$work/tensors")
slices() { awk -v all="$total" -v size="$1" 'BEGIN { for (; all > size; all -= size) print size; print all }'; }
echo "$total" >"$work/whole"
slices 200000 >"$work/slices" # of 50,000 parameters
slices 512000 >"$work/slices512"

# bandwidth NAME FILE US: the all-reduces of FILE one behind the other, us before each of them
bandwidth() {
    { echo MODEL; wc -l <"$2"; awk -v ns="$((1000 * $3))" '{ print "t" NR, -1, ns, "ALLREDUCE", $1, "0 NONE 0 0 NONE 0 0" }' "$2"; } >"$work/$1.txt"
    "$orrery" convert text "$work/$1.txt" --platform "$here/ring.yml" -o "$work/$1" >/dev/null
    local ms
    ms=$(wall "$here/ring.yml" --set "workload.traces=$work/$1" --set "network.graph.latency=0ns")
    awk -v OFS=, -v name="$1" -v calls="$(wc -l <"$2")" -v us="$3" -v ms="$ms" -v all="$total" -v peak=$peak '
        BEGIN { bus = 1.75 * all / ms / 1e6
                formula = (calls * us + 1.75 * all / 133.8e3) / 1e3
                printf "%s,%d,%s,%.4f,%.4f,%.2f,%.4f\n", name, calls, us, ms, formula, bus, bus / peak }' >>"$out/fig03.csv"
}
echo "way,calls,call_us,ms,formula_ms,bus_gb_s,of_peak" >"$out/fig03.csv"
bandwidth one-shot "$work/whole" 9
bandwidth layer-wise "$work/tensors" 9
bandwidth slicing "$work/slices" 9
bandwidth one-shot-27 "$work/whole" 27
bandwidth layer-wise-27 "$work/layers" 27
bandwidth slicing-27 "$work/slices512" 27

echo "Fig. 3: all-reduce of ResNet-50's gradients (102 MB) in calls of 9 us, or of 27 us with larger pieces"
printf '%-14s %6s %8s %10s %12s %8s %9s\n' way calls 'call, us' ms 'formula, ms' GB/s 'of peak'
awk -F, 'NR > 1 { printf "%-14s %6d %8s %10s %12s %8s %9s\n", $1, $2, $3, $4, $5, $6, $7 }' "$out/fig03.csv"

share() { awk -F, -v name="$1" '$1 == name { print $7 }' "$out/fig03.csv"; }
less() { FORMAT=%.2f calc "$(share "$1") / $(share "$2")"; }
layer=$(less one-shot layer-wise)
slice=$(less one-shot slicing)
must "one-shot over the peak" "$(share one-shot)" 0.89 0.005
must "layer-wise: times less" "$layer" 2.1 0.21
must "slicing: times less" "$slice" 4.4 0.44
must "54 layers at 27 us: times less" "$(less one-shot-27 layer-wise-27)" 2.1 0.21
must "slices of 512 kB at 27 us: times less" "$(less one-shot-27 slicing-27)" 4.9 0.49
fit="the cost of a call, 9 us, is fitted to this figure; measured calls of NCCL (66 us at 1 MiB) would lose more"
says "layer-wise loses about half of the bandwidth" "1/2" "1/$layer" "$(within "$layer" 1.8 2.2)" "$fit"
says "slicing leaves less than a quarter" "less than 1/4" "1/$slice" "$(within "$slice" 4 1e9)" "$fit"

awk -F, 'NR > 1 && NR < 5 { print "here," $1 "," $7 }
    END { print "paper,one-shot,"; print "paper,layer-wise,0.44"; print "paper,slicing,0.22" }' "$out/fig03.csv" |
    sed '/^paper/d' | plot fig03 bars=1 from=0 title="Fig. 3: bandwidth over the peak of the NVLinks" ylabel="share of 150 GB/s"
finish
