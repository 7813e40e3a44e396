# What the figures of traffic share, behind common.sh.
#
#   heatmap NAME MODEL OPTION...     the bytes between servers, NAME.csv and NAME.svg (orrery model demand)
#   balance NAME                     of that matrix: pairs with bytes, the most of a pair, all, and the standard
#                                    deviation over the mean of all pairs of two servers: PAIRS,MOST,SUM,SPREAD
#   cell NAME FROM TO                the bytes from one server to another
#   table NAME [FOLDER]              prints NAME.csv in columns
#   jumps D                          those that the published code selects for 128 servers of D interfaces
#   workload BATCH                   DLRM of section 5.4, BATCH samples a GPU, as a workload; prints its file
#   evaluated BATCH FABRIC OPTION... what orrery plan evaluate says of it on 128 servers
#   predicted BATCH FABRIC GBITS     the time that it predicts of an iteration with links of so many Gb/s, in ms
#   seeds_of DEGREE BATCH            what it says with TopoOpt's links and five seeds of routes, made once; prints the file
#   eq1 DEGREE BATCH                 alpha as the mean path, the bandwidth tax and by the busiest link, and the times of
#                                    Eq. 1 in ms: Fat-tree, TopoOpt with each: H,TAX,LINK,TF,TH,TTAX,TLINK
#   value NAME                       a number of such an answer in JSON

heatmap() {
    local name=$1 model=$2
    shift 2
    "$orrery" model demand "$model" "$@" --csv "$out/$name.csv" --svg "$out/$name.svg"
}

balance() {
    awk -F, 'NR > 1 { for (i = 2; i <= NF; i++) if (i != NR) { n++; sum += $i; squares += $i * $i; pairs += $i > 0; most = $i > most ? $i : most } }
        END { mean = sum / n; printf "%d,%.0f,%.0f,%.3f", pairs, most, sum, sqrt(squares / n - mean * mean) / mean }' "$out/$1.csv"
}

cell() {
    awk -F, -v row="$2" -v column="$3" 'NR > 1 && $1 == row { printf "%.0f", $(column + 2) }' "$out/$1.csv"
}

table() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) width[i] = length($i) + 2 }
        { for (i = 1; i <= NF; i++) printf "%-*s%s", i < NF ? (width[i] < 14 ? 14 : width[i]) : 0, $i, i < NF ? "" : "\n" }' "${2:-$out}/$1.csv"
}

field() { cut -d, -f"$2" <<<"$1"; } # field LINE NUMBER

jumps() {
    case $1 in
    4) echo 1,13 ;;
    8) echo 1,5,13,39 ;;
    esac
}

# Profiles are those of FlexFlow for the samples of 128 servers of four GPUs.
workload() {
    local file=$work/all_to_all_$1 profile=
    if [ ! -e "$file.yml" ]; then
        sed "s/batch_per_device: .*/batch_per_device: $((4 * $1))/" "$root/inputs/models/topoopt/dlrm_5_4.yml" >"$file.model.yml"
        profile="  profile: '$(profile_of dlrm_128_tables 128 $((512 * $1)))'"
        printf "workload:\n  model: '%s'\n  all_reduce: ring\n%s\n" "$file.model.yml" "$profile" >"$file.yml"
    fi
    printf '%s' "$file.yml"
}

evaluated() {
    local batch=$1 fabric=$2
    shift 2
    "$orrery" plan evaluate "$here/all_to_all.yml" "$(workload "$batch")" --no-run --json - \
        --set "network.graph.fabric=$fabric" "$@"
}

value() { sed -n "s/^ *\"$1\": \"*\([^\",]*\).*/\1/p"; }

predicted() {
    local told
    told=$(evaluated "$1" "$2" --set "network.graph.bandwidth=$3Gb/s")
    value predicted_ps <<<"$told" | awk '{ printf "%.3f", $1 / 1e9 }'
}

seeds_of() {
    local file=$work/seeds_$1_$2 seed
    if [ ! -e "$file" ]; then
        for seed in 1 2 3 4 5; do
            evaluated "$2" "circulant:$(jumps "$1")" --set "network.seed=$seed"
        done >"$file"
    fi
    printf '%s' "$file"
}

# R bytes are reduced and A transferred by 128 servers; what computes alone is what a network without limits leaves.
# The busiest link is that of the transfers alone, in the mean of the seeds.
eq1() {
    local file compute
    file=$(seeds_of "$1" "$2")
    compute=$(predicted "$2" ideal-switch 1000000)
    awk -F'[:,]' -v d="$1" -v c="$compute" '
        /"transfer_bytes"/ { a = $2 + 0 }
        /"all_reduce_bytes"/ { r = $2 + 0 }
        /"transfer_hops"/ { h = $2 + 0 }
        /"bandwidth_tax"/ { tax = $2 + 0 }
        /"links_by_transfers_mean_ps"/ { even = $2 + 0 }
        /"links_by_transfers_most_ps"/ { link += h * $2 / even / 5 }
        END {
            to = 128 * d * 12.5e6 # bytes a ms
            printf "%.3f,%.4f,%.3f,%.3f,%.3f,%.3f,%.3f", h, tax, link, (r + a) / (to / 4) + c, (r + h * a) / to + c,
                (r + tax * a) / to + c, (r + link * a) / to + c
        }' "$file"
}
