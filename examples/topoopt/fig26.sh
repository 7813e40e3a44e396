#!/bin/bash
# Fig. 26: one cluster sharded for two jobs: servers and cross-connections of patch panels that they have apart.
#
#   usage: examples/topoopt/fig26.sh [OUTDIR]
figure=fig26
. "$(dirname "$0")/common.sh"
. "$here/panels.sh"

plan_job green dlrm_6
plan_job red candle_6
# Servers 0 to 7 and 8 to 15 (1, 2 and n - 1, n in the paper), or any.
cat >"$work/cluster.yml" <<END
cluster:
  servers: 16
  network: sharded
  queue: fifo
  panels: {technology: ocs, count: $degree}
jobs:
  - {name: green, plan: green, iterations: 3}
  - {name: red, plan: red, iterations: 3}
END

# both_of NAME: servers with links of both jobs
both_of() { awk -F, '{ of[$2] = of[$2] " " $4; of[$3] = of[$3] " " $4 } END { for (s in of) both += of[s] ~ /green/ && of[s] ~ /red/; print both + 0 }' "$work/$1.lines"; }

# crossed NAME OPTION...: panel, port, port, job of both jobs, where the placement puts them, as NAME.csv
crossed() {
    local name=$1 job servers
    shift
    "$orrery" run --cluster "$work/cluster.yml" "$@" --json "$work/$name.json" >/dev/null
    echo "panel,port,other_port,job,layer" >"$out/$name.csv"
    for job in green red; do
        servers=$(tr -d ' \n' <"$work/$name.json" | sed "s/.*\"name\":\"$job\"[^]]*\"servers\":\[\([0-9,]*\)\].*/\1/")
        awk -F, -v OFS=, -v job="$job" -v servers="$servers" 'BEGIN { split(servers, at, ",") }
            NR > 1 { print $1, at[$2 + 1], at[$3 + 1], job, $5 }' "$work/$job/ports.csv"
    done | sort -t, -k1,1n -k2,2n >>"$out/$name.csv"
    sed 1d "$out/$name.csv" >"$work/$name.lines"
    draw_panels "$name" "$degree" 16 "$work/$name.lines"
    must "$name: ports that have two cross-connections" "$(awk -F, '{ n[$1, $2]++; n[$1, $3]++ }
        END { for (p in n) more += n[p] > 1; print more + 0 }' "$work/$name.lines")" 0 0
    must "$name: ports of panels in use, 16 of each" "$(awk -F, '{ n[$1, $2]++; n[$1, $3]++ }
        END { for (p in n) all++; print all + 0 }' "$work/$name.lines")" $((16 * degree)) 0
    must "$name: servers with links of both jobs" "$(both_of "$name")" 0 0
    for job in green red; do
        must "$name: cross-connections of $job on a panel" "$(awk -F, -v job="$job" '$4 == job { n[$1]++ }
            END { for (p in n) { low = low == "" || n[p] < low ? n[p] : low; high = n[p] > high ? n[p] : high }
                print low == high ? low : "uneven" }' "$work/$name.lines")" 4 0
    done
}
echo "Fig. 26: 16 servers with $degree interfaces, $degree panels, two jobs of 8 servers"
crossed fig26
crossed fig26_random --set cluster.placement=random
awk -F, -v degree="$degree" 'NR > 1 { at[$1, $4] = at[$1, $4] sprintf(" %d-%d", $2, $3) }
    END { for (p = 0; p < degree; p++) for (j = 1; j <= 2; j++) { job = j == 1 ? "green" : "red"; printf "panel %d  %-5s %s\n", p, job, at[p, job] } }' "$out/fig26.csv"

# Each takes the time that it takes by itself.
"$orrery" run --cluster "$work/cluster.yml" --csv "$work/both.csv" >/dev/null
same=()
for job in green red; do
    alone=$("$orrery" run "$work/$job/platform.yml" "$work/$job/workload.yml" --json - | awk '/^  "wall_ps":/ { printf "%.0f", $2 }')
    both=$(awk -F, -v job="$job" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $1 == job { print $at["mean_ps"] }' "$work/both.csv")
    echo "$job: iterations of $(FORMAT=%.3f calc "$both / 1e9") ms, alone $(FORMAT=%.3f calc "$alone / 1e9") ms"
    same+=("$(holds "$both == $alone")")
    must "$job: ps of an iteration beside the other job, as alone" "$both" "$alone" 0
done
shared=$(both_of fig26) shared_random=$(both_of fig26_random)
says "links of the two jobs are disjoint" "completely disjointed" "servers with links of both: $shared; with servers at random (fig26_random): $shared_random" "$(holds "$shared == 0 && $shared_random == 0")" ""
says "each job gets its dedicated resources" "yes" "iterations take to the picosecond what they take alone: ${same[*]}" "$(printf '%s\n' "${same[@]}" | all_of)" ""
finish
