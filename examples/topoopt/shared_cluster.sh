# What Fig. 16 runs: jobs of 16 servers on a cluster of 432, each in one process with all networks side by side.
#
#   counts MIX JOBS SEED          how many jobs of each model: "11 8 5 3"
#   jobs_file COUNTS SEED ITERATIONS    the file of jobs, on TopoOpt
#   run_case KIND MIX JOBS SEED COUNTS ITERATIONS NETWORK...   adds lines to $work/cases
#   of KIND MIX JOBS NETWORK WHAT [mean|least|most]    a column of $table over the seeds

kinds="dlrm bert candle vgg"
head="kind,mix,jobs,seed,network,mean_ms,p99_ms,dlrm_ms,bert_ms,candle_ms,vgg_ms"

# A named reading of the mix: what the text says; and what the published sampling draws, which takes a new random
# number for each comparison, so that BERT has 0.6 x 0.7 of the jobs, CANDLE 0.6 x 0.3 x 0.9, VGG the rest: as
# shares, or drawn by the seed.
counts() {
    case $1 in
    stated) shares=(40 30 20 10) ;;
    expected) shares=(40 42 16.2 1.8) ;;
    drawn) shares= ;;
    esac
    if [ "$1" != drawn ]; then
        # By the largest remainder; of equal ones the first.
        printf '%s\n' "${shares[@]}" | awk -v jobs="$2" '
            { whole[NR] = int($1 * jobs / 100 + 1e-9); rest[NR] = $1 * jobs / 100 - whole[NR]; left += whole[NR] }
            END {
                for (left = jobs - left; left > 0; left--) {
                    most = 1
                    for (i = 2; i <= NR; i++) if (rest[i] > rest[most] + 1e-9) most = i
                    whole[most]++
                    rest[most] = -1
                }
                print whole[1], whole[2], whole[3], whole[4] }'
        return
    fi
    awk -v jobs="$2" -v x="$(($3 * 7919 + 12345))" '
        function drawn() { x = (x * 69069 + 1) % 4294967296; return int(x / 65536) / 65536 }
        BEGIN {
            for (i = 0; i < 20; i++) drawn()
            for (i = 0; i < jobs; i++) n[drawn() < 0.4 ? 1 : drawn() < 0.7 ? 2 : drawn() < 0.9 ? 3 : 4]++
            print n[1] + 0, n[2] + 0, n[3] + 0, n[4] + 0 }'
}

jobs_file() {
    local seed=$2 counts iterations i=0 kind
    read -r -a counts <<<"$1"
    read -r -a iterations <<<"$3"
    echo "cluster:"
    echo "  {servers: 432, placement: random, seed: $seed, network: sharded, fabric: \"circulant:1,3,5,9\","
    echo "   link_bandwidth: 100 Gb/s, flow_model: maxmin}"
    echo "jobs:"
    for kind in $kinds; do
        [ "${counts[i]}" = 0 ] ||
            echo "  - {name: $kind, taskgraph: $(model_graph "$kind"), count: ${counts[i]}, iterations: ${iterations[i]}}"
        i=$((i + 1))
    done
}

model_graph() {
    case $1 in
    vgg) echo "$work/vgg_16.otg" ;;
    *) echo "$work/${1}_5_6_16.otg" ;;
    esac
}

# setting NETWORK COUNTS ITERATIONS: what makes the jobs those of another network, as --compare takes it. CANDLE by a
# searched strategy is another job in the place of the one that is there.
setting() {
    local shared='cluster.network=shared,cluster.link_bandwidth' candle counts iterations
    read -r -a counts <<<"$2"
    read -r -a iterations <<<"$3"
    candle="jobs[$(((counts[0] > 0) + (counts[1] > 0)))]={name: candle, count: ${counts[2]}, iterations: ${iterations[2]}, plan: $work"
    case $1 in
    ideal) echo "ideal:cluster.fabric=ideal-switch,cluster.link_bandwidth=800 Gb/s" ;;
    fat_tree) echo "fat_tree:$shared=200 Gb/s,cluster.fabric=fat-tree:12" ;;
    oversubscribed) echo "oversubscribed:$shared=800 Gb/s,cluster.fabric=fat-tree:12,2" ;;
    half_uplinks) echo "half_uplinks:cluster.network=shared,cluster.fabric=$work/half_uplinks.yml" ;;
    fat_tree_searched) echo "fat_tree_searched:$shared=200 Gb/s,cluster.fabric=fat-tree:12,$candle/candle_fat_tree}" ;;
    topoopt_searched) echo "topoopt_searched:$candle/candle_topoopt}" ;;
    esac
}

run_case() {
    local kind=$1 mix=$2 jobs=$3 seed=$4 counts=$5 iterations=$6 beside=() network name
    shift 6
    name=${kind}_${mix}_${jobs}_$seed
    for network; do beside+=(--compare "$(setting "$network" "$counts" "$iterations")"); done
    mkdir -p "$work/$name"
    jobs_file "$counts" "$seed" "$iterations" >"$work/$name/topoopt"
    "$orrery" run --cluster "$work/$name/topoopt" "${beside[@]}" --progress never --csv "$work/$name/times.csv" >/dev/null
    # The mean over jobs of each one's mean; the nearest rank over iterations.
    awk -F, -v OFS=, -v head="$kind,$mix,$jobs,$seed" -v kinds="$kinds" '
        NR > 1 {
            if (!($1 in n)) order[++runs] = $1
            n[$1]++
            time[$1, n[$1]] = $6 / 1e9
            job[$1, $2] += $6 / 1e9
            jobs[$1, $2]++
        }
        END {
            split(kinds, kind, " ")
            for (r = 1; r <= runs; r++) {
                run = order[r]
                sum = count = 0
                for (k in kind) { of[k] = of_count[k] = 0 }
                for (each in job) {
                    split(each, part, SUBSEP)
                    if (part[1] != run) continue
                    sum += job[each] / jobs[each]
                    count++
                    for (k in kind) if (index(part[2], kind[k]) == 1) { of[k] += job[each] / jobs[each]; of_count[k]++ }
                }
                # The 99th percentile: as many of the largest are left out as are above it.
                above = n[run] - int((99 * n[run] + 99) / 100)
                for (; above >= 0; above--) {
                    p99 = 0
                    for (i = 1; i <= n[run]; i++) if (time[run, i] > p99) { p99 = time[run, i]; at = i }
                    time[run, at] = 0
                }
                line = head OFS run OFS sprintf("%.6f", sum / count) OFS sprintf("%.6f", p99)
                for (k = 1; k <= 4; k++) line = line OFS (of_count[k] ? sprintf("%.6f", of[k] / of_count[k]) : "")
                print line
            }
        }' "$work/$name/times.csv" >"$work/cases/$name"
}

# run_cases <LINES: each what run_case takes, with the counts and iterations between commas; as many at once as there
# are processors
run_cases() {
    mkdir -p "$work/cases"
    export orrery work kinds
    export -f run_case jobs_file model_graph setting
    xargs -P "$(nproc)" -L 1 bash -c 'set -euo pipefail; run_case "$1" "$2" "$3" "$4" "${5//,/ }" "${6//,/ }" "${@:7}"' run_case
    cat "$work/cases"/* | sort -t, -k1,1 -k2,2 -k3,3n -k4,4n -k5,5 >"$work/all"
    { echo "$head"; cat "$work/all"; } >"$table"
}

of() {
    awk -F, -v OFS=, -v kind="$1" -v mix="$2" -v jobs="$3" -v network="$4" -v name="$5" -v what="${6:-mean}" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
        $1 == kind && $2 == mix && $3 == jobs && $5 == network && $column != "" {
            n++; sum += $column
            if (n == 1 || $column < least) least = $column
            if ($column > most) most = $column
        }
        END { if (n) printf "%.6f", what == "mean" ? sum / n : what == "least" ? least : most }' "$table"
}
