# What the figures of TopoOpt share; each sources it with its own name in $figure. $1 is the folder of results.
# says, must, plot, calc, within and finish: examples/figures/common.sh.
#
#   times_used                              prints whose times operators take; every figure that runs models begins with it
#   profile_of MODEL SERVERS [SAMPLES]      their file for that model, made from operator_times.csv; nothing, if nobody measured it
#   task_graph MODEL SERVERS [OPTION...]    the task graph of topoopt/MODEL, made once; prints its file
#   flows ARGUMENT...                       the time of an iteration of a task graph by flows, in ms

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../figures/common.sh"

times_used() { echo "times of operators: as FlexFlow measured them on an A100 (operator_times.csv)"; }

profile_of() {
    local file=$work/profile_$1_$2${3:+_$3}.yml
    [ -e "$file" ] || awk -F, -v model="$1" -v servers="$2" -v samples="${3:-}" '
        $1 != model || $2 != servers || (samples != "" && $3 != samples) { next }
        !n++ { printf "batch_size: %s\nngpus: %s\nmeasurements:\n", $3, $2 }
        { printf "  - {name: %s, pc_str: %s, fw_time: %s, bw_time: %s}\n", $4, $5, $6, $7 }' "$here/operator_times.csv" >"$file"
    [ ! -s "$file" ] || printf '%s' "$file"
}

task_graph() {
    local model=$1 servers=$2 profile
    shift 2
    local file=$work/${model}_$servers.otg
    if [ ! -e "$file" ]; then
        profile=$(profile_of "$model" "$servers")
        "$orrery" model tasks "topoopt/$model" --devices "$servers" ${profile:+--profile "$profile"} \
            --platform "$here/server.yml" "$@" -o "$file" >/dev/null
    fi
    printf '%s' "$file"
}

# Shares of links are equal; all-reduces are rings; a link takes 1 us.
flows() {
    "$orrery" run --flow-model maxmin "$@" --json - | awk '/^  "wall_ps":/ { printf "%.6f", ($2 + 0) / 1e9 }'
}
