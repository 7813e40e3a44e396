#!/bin/bash
# Fig. 8: five layers of 1 to 5 chunks; (a) the forward pass begins when the overlapped all-reduce is over, (b)
# each layer when its chunks are there (gradient queuing). The tree of Fig. 5, a chunk taking a link for 1 ms, a
# layer 3 ms. As a timeline: chunks go up, turn at the root, come down, and let layers begin.
#
#   usage: examples/c_cube/fig08.sh [OUTDIR]
figure=fig08
. "$(dirname "$0")/common.sh"

trace() { # trace CHAINED
    local layer last=0
    echo '{"version":"0.0.4"}'
    echo '{"id":"1","name":"gradients","type":"COMM_COLL_NODE","attr":[{"name":"comm_type","int64Val":"0"},{"name":"comm_size","int64Val":"15000000"}]}'
    for layer in 1 2 3 4 5; do
        last=$((last + layer))
        printf '{"id":"%d","name":"forward %d","type":"COMP_NODE","dataDeps":["1"%s],"durationMicros":"3000","attr":[' \
            $((layer + 1)) "$layer" "$([ "$layer" -eq 1 ] || printf ',"%d"' "$layer")"
        [ "$1" = no ] || printf '{"name":"orrery_prefix_of","uint64List":{"values":["1"]}},{"name":"orrery_prefix_bytes","uint64List":{"values":["%d"]}}' \
            $((last * 1000000))
        echo ']}'
    done
}
draw() { # draw NAME CHAINED
    trace "$2" >"$work/$1.json"
    "$orrery" run --topology 'FC(4)' --bandwidth '1 GB/s' --set "workload={traces: $work/$1.json}" \
        --set 'compute={mode: replay}' --set system.algorithms.all_reduce=trees --set 'system.trees=["1 3 1 -"]' \
        --set system.chunks_of.all_reduce=15 --timeline "$out/fig08_$1.json" --timeline-ranks all >/dev/null
    # NPU 0, a leaf: its layers, and the chunks that come to it from NPU 1.
    awk -v name="$1" '
        function number(key) { match($0, "\"" key "\":[0-9.]+"); return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0 }
        /"thread_name"/ && match($0, /chunks to NPU [0-9]+/) { peer = substr($0, RSTART + 14, RLENGTH - 14); to[number("pid") " " number("tid")] = peer }
        /"cat":"compute"/ && number("pid") == 0 && match($0, /"name":"forward [0-9]/) {
            layer = substr($0, RSTART + 16, 1); printf "%s,layer,%d,%g,%g\n", name, layer, number("ts") / 1000, (number("ts") + number("dur")) / 1000 }
        /"cat":"chunk"/ && number("pid") == 1 && to[1 " " number("tid")] == "0" && match($0, /"name":"chunk [0-9]+/) {
            chunk = substr($0, RSTART + 14, RLENGTH - 14); printf "%s,chunk,%d,%g,%g\n", name, chunk, number("ts") / 1000, (number("ts") + number("dur")) / 1000 }' \
        "$out/fig08_$1.json"
}
{ echo "way,what,number,start_ms,end_ms"
  draw a no
  draw b yes; } >"$out/fig08.csv"

echo "Fig. 8: NPU 0, a leaf: chunks that arrive (the layer that each is of), and layers, by ms"
for way in a b; do
    awk -F, -v way=$way '
        $1 == way { for (t = $4; t < $5 - 1e-6; t++) at[$2, int(t + 0.5)] = $2 == "layer" ? $3 : of($3); if ($5 > end) end = int($5 + 0.5) }
        function of(chunk,    l, n) { for (l = 1; (n += l) <= chunk; l++) { } return l }
        END { for (row = 0; row < 2; row++) {
                  what = row ? "layer" : "chunk"; text = ""
                  for (t = 0; t < end; t++) text = text ((what, t) in at ? at[what, t] : ".")
                  printf "%s  %-7s %s\n", way, what "s", text } }' "$out/fig08.csv"
done
echo "timelines for Perfetto (ui.perfetto.dev): fig08_a.json, fig08_b.json"

# Overlapped: chunk c is at the leaves after 2 L + c + 1 - 1 = 4 + c ms (c from 0), all 15 after 18 ms. Layer l needs
# l (l + 1) / 2 chunks: after 4, 6, 9, 13 and 18 ms; a layer takes 3 ms.
starts() { awk -F, -v way="$1" '$1 == way && $2 == "layer" { printf "%s%g", n++ ? " " : "", $4 }' "$out/fig08.csv"; }
ends_of_chunks() { awk -F, -v way="$1" '$1 == way && $2 == "chunk" { print $3, $5 }' "$out/fig08.csv" | sort -n | cut -d" " -f2; }
must "a: layers begin at 18 21 24 27 30 ms" "$([ "$(starts a)" = "18 21 24 27 30" ] && echo 1 || echo 0)" 1 0
must "b: layers begin at 4 7 10 13 18 ms" "$([ "$(starts b)" = "4 7 10 13 18" ] && echo 1 || echo 0)" 1 0
says "gradient queuing lets a layer begin while later chunks are under way" "yes" "layers begin at $(starts b) ms instead of $(starts a)" \
    "$(holds "$(starts b | cut -d" " -f2) < $(ends_of_chunks b | tail -1)")" ""
in_order=$(ends_of_chunks b | sort -nc 2>/dev/null && echo yes || echo no)
says "chunks of layers arrive in order" "yes" "$in_order" "$in_order" "by a tree; a ring of one chunk delivers at its end only"
awk -F, 'NR > 1 && $2 == "layer" { print $1 ": begins," $3 "," $4 }' "$out/fig08.csv" |
    plot fig08 from=0 title="Fig. 8: when layers begin" xlabel="layer" ylabel="ms"
finish
