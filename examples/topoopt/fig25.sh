#!/bin/bash
# Fig. 25: Active and Look-ahead ports: two jobs after each other on the same servers, and what a sequence of jobs waits for
# links with and without look-ahead.
#
#   usage: examples/topoopt/fig25.sh [OUTDIR]
figure=fig25
. "$(dirname "$0")/common.sh"
. "$here/panels.sh"

plan_job present dlrm_6
plan_job next candle_6 --set plan.panels.look_ahead=true

# ---- ports ----

echo "Fig. 25: 8 servers with $degree interfaces, $((2 * degree)) panels"
{
    echo "panel,port,other_port,job,layer"
    awk -F, -v OFS=, 'FNR > 1 { print $1, $2, $3, FILENAME ~ /present/ ? "present" : "next", $5 }' "$work/present/ports.csv" "$work/next/ports.csv"
} >"$out/fig25.csv"
sed 1d "$out/fig25.csv" >"$work/lines"
draw_panels fig25 $((2 * degree)) 8 "$work/lines"
awk -F, -v d="$degree" 'NR > 1 { at[$1] = at[$1] sprintf(" %d-%d", $2, $3); of[$1] = $4 }
    END { for (p = 0; p < 2 * d; p++) printf "panel %d  %-10s %-8s%s\n", p, p < d ? "active" : "look-ahead", of[p], at[p] }' "$out/fig25.csv"
# Interface i of a server hangs on panel i and, by its 1x2 switch, on panel d + i.
must "panels of the present job, the first" "$(awk -F, '$4 == "present" { p[$1] } END { n = 0; for (i in p) n += i < '"$degree"'; print n }' "$work/lines")" "$degree" 0
must "panels of the next job, the others" "$(awk -F, '$4 == "next" { p[$1] } END { n = 0; for (i in p) n += i >= '"$degree"'; print n }' "$work/lines")" "$degree" 0
must "ports in use, of all" "$(awk -F, '{ n[$1, $2]; n[$1, $3] } END { for (p in n) all++; print all }' "$work/lines")" $((2 * degree * 8)) 0

# ---- a sequence of jobs ----

# All of them are known at the beginning. Long ones train for more than the three minutes of patching, brief ones for less.
cat >"$work/sequence.yml" <<END
cluster:
  servers: 8
  network: sharded
  queue: fifo
  panels: {technology: patch-panel, reconfiguration: 3 min, count: $((2 * degree))}
jobs:
  - {name: long-1, plan: present, iterations: 20000}
  - {name: long-2, plan: next, iterations: 20000}
  - {name: brief-3, plan: present, iterations: 300}
  - {name: brief-4, plan: next, iterations: 300}
  - {name: long-5, plan: present, iterations: 20000}
  - {name: long-6, plan: next, iterations: 20000}
END
# waits NAME OPTION...: runs them, NAME.csv
waits() {
    local name=$1
    shift
    "$orrery" run --cluster "$work/sequence.yml" "$@" --csv "$out/fig25_$name.csv" --json "$work/$name.json" >/dev/null
    column "$out/fig25_$name.csv" for_patching_ps >"$work/$name.waits"
}
waits look_ahead
waits patched --set cluster.panels.look_ahead=false
waits circuits --set 'cluster.panels={technology: ocs}'
column "$out/fig25_look_ahead.csv" name >"$work/names"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { printf "%.3f\n", ($at["end_ps"] - $at["start_ps"]) / 1e12 }' "$out/fig25_look_ahead.csv" >"$work/runs"

echo
echo "job       trains for s   waits for links, s: patch panels   with look-ahead   optical circuit switches"
paste "$work/names" "$work/runs" "$work/patched.waits" "$work/look_ahead.waits" "$work/circuits.waits" |
    awk '{ printf "%-9s %12.3f %34.3f %17.3f %26.3f\n", $1, $2, $3 / 1e12, $4 / 1e12, $5 / 1e12 }'
declare -A all
for name in patched look_ahead circuits; do
    makespan=$(awk '/"makespan_ps"/ { printf "%.6f", $2 / 1e12 }' "$work/$name.json")
    used=$(awk '/"utilization"/ { print 100 * $2 }' "$work/$name.json")
    echo "$name: all have ended after $(FORMAT=%.1f calc "$makespan") s, servers used $(FORMAT=%.1f calc "$used") %"
    all[$name]=$makespan
done

# Without look-ahead every job waits 3 minutes, with circuit switches 10 ms; with look-ahead, what the job before leaves of 3 minutes.
i=0
before=0
while read -r name runs patched look circuits; do
    i=$((i + 1))
    must "$name: waits for patching, s" "$(calc "$patched / 1e12")" 180 0
    must "$name: waits for circuit switches, s" "$(calc "$circuits / 1e12")" 0.01 0
    must "$name: waits with look-ahead, s" "$(calc "$look / 1e12")" "$(calc "(180 > $before ? 180 - $before : 0)")" 0.002
    before=$runs
    must "$name: side of its panels" "$(column "$out/fig25_look_ahead.csv" side | sed -n "${i}p")" $(((i - 1) % 2)) 0
done < <(paste "$work/names" "$work/runs" "$work/patched.waits" "$work/look_ahead.waits" "$work/circuits.waits")

paste -d, "$work/names" "$work/patched.waits" "$work/look_ahead.waits" "$work/circuits.waits" | awk -F, '{
    print "patch panels," NR "," $2 / 1e12; print "with look-ahead," NR "," $3 / 1e12; print "optical circuit switches," NR "," $4 / 1e12 }' |
    plot fig25_waits bars=1 from=0 title="Fig. 25: what jobs wait for links" xlabel="job" ylabel="seconds"

# ---- a timeline ----

# Patching, light, and training of each job, on the side of panels that it takes.
awk -F, -v end="${all[look_ahead]}" '
    function x(s) { return 150 + 700 * s / end }
    function bar(from, to, side, color, text) {
        printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"36\" fill=\"%s\" stroke=\"#444\"/>\n", x(from), 50 + side * 60, x(to) - x(from), color
        if (x(to) - x(from) > 40) printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (x(from) + x(to)) / 2, 73 + side * 60, text
    }
    NR == 1 {
        for (i = 1; i <= NF; i++) at[$i] = i
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"880\" height=\"210\" font-family=\"sans-serif\" font-size=\"12\">"
        print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/><text x=\"150\" y=\"25\">light: patching; dark: training; a job flips to the other side</text>"
        for (s = 0; s < 2; s++) printf "<text x=\"10\" y=\"%d\">panels %s</text>\n", 73 + s * 60, s == 0 ? "0 to d - 1" : "d to 2d - 1"
        next
    }
    {
        from = $at["patching_ps"] / 1e12; start = $at["start_ps"] / 1e12
        bar(from, from + 180 < start ? from + 180 : start, $at["side"], "#dfe8f5", "patch"); bar(start, $at["end_ps"] / 1e12, $at["side"], "#7fa6d9", $1)
    }
    END { for (s = 0; s <= end; s += 1800) printf "<text x=\"%.1f\" y=\"180\" text-anchor=\"middle\">%d s</text>\n", x(s), s; print "</svg>" }' \
    "$out/fig25_look_ahead.csv" >"$out/fig25_timeline.svg"

longest=$(sort -n "$work/circuits.waits" | tail -1)
says "patch panels delay a job by several minutes" "several minutes" "180 s each (an input), $(FORMAT=%.0f calc "${all[patched]} - ${all[circuits]}") s more of $(FORMAT=%.0f calc "${all[circuits]}") for the six" "$(holds "${all[patched]} - ${all[circuits]} > 180")" ""
says "look-ahead hides that" "servers flip at once when all are ready" "all of it where the job before trains for 180 s or more; $(FORMAT=%.0f calc "${all[look_ahead]} - ${all[circuits]}") s more for the six" \
    "$(paste "$work/runs" "$work/look_ahead.waits" | awk 'NR > 1 { print (before >= 180 ? "after jobs of 180 s and more " : "after shorter jobs ") ($2 / 1e12 < 0.05 ? "yes" : "no") } { before = $1 }' | sort | uniq | awk '{ v = $NF; sub(" " v "$", ""); if (v == "no" || !($0 in all)) all[$0] = v } END { for (l in all) print l, all[l] }' | sort | span)" "the first job has nothing before it and waits 180 s; after one of 101 s 79 are left, after one of 76 s 104"
says "circuit switches need no look-ahead" "four orders of magnitude faster" "waits of $(FORMAT=%.3f calc "$longest / 1e12") s at most" "$(within "$longest" 0 "$(calc "180e12 / 1e4")")" ""
says "a server takes part in two topologies" "one active, one look-ahead" "jobs take panels 0 to d - 1 and d to 2d - 1 in turn" "$(column "$out/fig25_look_ahead.csv" side | awk '$1 != (NR - 1) % 2 { no = 1 } END { print (!NR ? "not run" : no ? "no" : "yes") }')" "all servers of a job must have the same side free: links join ports of one panel"
finish
