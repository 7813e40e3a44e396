# What Figs. 11, 27 and 28 share: models on networks of 128 servers over bandwidths, by flows and by the evaluator.
#
#   workload_files MODEL...       MODEL.yml in $work, each with its measured times
#   iterations TABLE SEEDS NETWORK... -- KEY: VALUES...   runs every model on networks/NETWORK.yml, over the seeds
#                                 and axes given, and adds lines network,model,degree,gbit_per_s,seed,ms to TABLE
#   of TABLE NETWORK MODEL DEGREE GBITS [WHAT]    mean, least or most of the seeds, or which of them failed
#   ratios TABLE NETWORK OTHER MODEL DEGREE       the mean over bandwidths of one's time over the other's

models="candle_5_3 vgg bert_5_3 dlrm_5_3 ncf resnet50"

workload_files() {
    local model profile
    for model; do
        profile=$(profile_of "$model" 128)
        echo "workload: {model: topoopt/$model${profile:+, profile: $profile}}" >"$work/$model.yml"
    done
}

# listed PREFIX SUFFIX NAME...: as a list of YAML
listed() {
    local prefix=$1 suffix=$2
    shift 2
    printf '['
    printf "$prefix%s$suffix, " "$@"
    printf ']'
}

iterations() {
    local table=$1 seeds=$2 networks=()
    shift 2
    while [ "$1" != -- ]; do
        networks+=("$1")
        shift
    done
    {
        echo "sweep:"
        echo "  axes:"
        echo "    platform: $(listed "$here/networks/" .yml "${networks[@]}")"
        echo "    workload: $(listed "$work/" .yml $run_models)"
        shift
        for each; do echo "    $each"; done
        echo "    network.seed: {from: 1, to: $seeds, step: 1}"
        echo "  output: $work/sweep"
    } >"$work/sweep.yml"
    "$orrery" sweep "$work/sweep.yml" --restart --progress never >"$work/said" || {
        cat "$work/said" >&2
        return 1
    }
    awk -F, '
        function base(path) { gsub(/.*\/|\.yml/, "", path); return path }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%s,%s,%d,%g,%d,%s\n", base($at["platform"]), base($at["workload"]), $at["network.design.degree"],
                 $at["network.design.bandwidth"], $at["network.seed"], $NF != "" ? $NF : sprintf("%.6f", $at["wall_ps"] / 1e9) }' \
        <(rows_of "$work/sweep.csv") >>"$table"
}

of() {
    awk -F, -v network="$2" -v model="$3" -v d="$4" -v b="$5" -v what="${6:-mean}" '
        $1 == network && $2 == model && $3 == d && $4 == b {
            if ($6 ~ /^failed/) { lost = lost (lost == "" ? "" : "+") $6; next }
            n++; sum += $6
            if (n == 1 || $6 < least) least = $6
            if ($6 > most) most = $6
        }
        END { if (lost != "") printf "%s", lost; else if (n) printf "%.6f", what == "mean" ? sum / n : what == "least" ? least : most }' "$1"
}

ratios() {
    awk -F, -v network="$2" -v other="$3" -v model="$4" -v d="$5" '
        ($1 == network || $1 == other) && $2 == model && $3 == d && $6 ~ /^failed/ { lost = lost (lost == "" ? "" : "+") $6 }
        ($1 == network || $1 == other) && $2 == model && $3 == d { n[$1, $4]++; sum[$1, $4] += $6; b[$4] }
        END {
            if (lost != "") { printf "%s", lost; exit }
            for (i in b) if (n[network, i] && n[other, i]) {
                count++
                ratio += sum[network, i] / n[network, i] / (sum[other, i] / n[other, i])
            }
            if (count) printf "%.4f", ratio / count
        }' "$1"
}
