#!/bin/bash
# Fig. 17: parameters and forward time of the layers of ResNet-50, batch 64. A layer is a convolution with
# its batch norm, or the dense one, and what follows it up to the next.
#
#   usage: examples/c_cube/fig17.sh [OUTDIR]
figure=fig17
. "$(dirname "$0")/common.sh"

"$orrery" run "$here/ring.yml" resnet50 --set "$(training 64 1)" --timeline "$work/timeline.json" >/dev/null
# Computations in the order of their start; the operations of an update are its parameters.
awk -v OFS=, '
    function number(key) { match($0, "\"" key "\":[0-9.]+"); return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0 }
    /"ph":"X"/ && /"cat":"compute"/ && match($0, /"name":"[^"]*"/) {
        split(substr($0, RSTART + 8, RLENGTH - 9), word, " ")
        if (word[3] == "fwd") {
            if (word[1] == "conv" || word[1] == "dense") { layer[++layers] = word[1] " " word[2]; of[word[1] " " word[2]] = layers }
            ms[layers] += number("dur") / 1000
        } else if (word[3] == "update") {
            place = of[word[1] " " word[2]]
            if (word[1] == "norm") place = of["conv " word[2]]
            parameters[place] += number("flops")
        }
    }
    END { print "index,layer,parameters,forward_ms"
          for (i = 1; i <= layers; i++) printf "%d,%s,%d,%.4f\n", i, layer[i], parameters[i], ms[i] }' \
    "$work/timeline.json" >"$out/fig17.csv"

# rank COLUMN: Spearman of the column with the order of the layers; equal values share their ranks
rank() {
    awk -F, -v column="$1" 'NR > 1 { v[++n] = $column }
        END { for (i = 1; i <= n; i++) {
                  less = same = 0
                  for (j = 1; j <= n; j++) { less += v[j] < v[i]; same += v[j] == v[i] }
                  r = less + (same + 1) / 2
                  sr += r; srr += r * r; sir += i * r; si += i; sii += i * i }
              printf "%.3f", (n * sir - si * sr) / sqrt((n * sii - si * si) * (n * srr - sr * sr)) }' "$out/fig17.csv"
}
parameters=$(rank 3)
forward=$(rank 4)

echo "Fig. 17: layers of ResNet-50, batch 64"
awk -F, 'NR > 1 { n++; p[int((n - 1) / 11)] += $3; t[int((n - 1) / 11)] += $4 }
    END { for (i = 0; i * 11 < n; i++)
              printf "layers %2d to %2d: %5.2f million parameters, forwards %6.2f ms\n", 11 * i + 1,
                     11 * i + 11 < n ? 11 * i + 11 : n, p[i] / 1e6, t[i] }' "$out/fig17.csv"
must "rank correlation of parameters" "$parameters" 0.93 0.03
must "rank correlation of forward time" "$forward" -0.43 0.03
must "parameters of all layers" "$(awk -F, 'NR > 1 { n += $3 } END { print n }' "$out/fig17.csv")" 25557032 0
says "parameters grow with the layers" "yes" "rank correlation $parameters" "$(within "$parameters" 0.01 1)" ""
says "forward time falls with the layers" "yes" "rank correlation $forward" "$(within "$forward" -1 -0.01)" \
    "but weakly: operations alone do not fall, only what the memory bounds does"

for scale in parameters:3:1e6:"million parameters" forward:4:1:"forward time, ms"; do
    IFS=: read -r name column unit label <<<"$scale"
    awk -F, -v c="$column" -v unit="$unit" -v label="$label" 'NR > 1 { print label "," $1 "," $c / unit }' "$out/fig17.csv" |
        plot "fig17_$name" from=0 title="Fig. 17: layers of ResNet-50, batch 64" xlabel="layer" ylabel="$label"
done
finish
