# What the figures of TopoOpt share; each sources it with its own name in $figure. $1 is the folder of results.
# says, must, plot, calc, within and finish: examples/figures/common.sh.
#
#   times_used                              says whose times operators take; every figure that runs models begins with it
#   task_graph MODEL SERVERS [OPTION...]    the task graph of topoopt/MODEL, made once; prints its file
#   must_measured WHAT HERE EXPECTED TOLERANCE   must, where times are measured ones
#   flows ARGUMENT...                       the time of an iteration of a task graph by flows, in ms

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../figures/common.sh"

# Times of operators that FlexFlow measured on A100s, for each way to split them: none, if there are no such files.
profiles=${ORRERY_SHARED:-$root/../shared}/data/flexflow/profiles
[ -d "$profiles" ] || profiles=
times_used() {
    if [ -n "$profiles" ]; then
        echo "times of operators: as FlexFlow measured them on an A100"
    else
        echo "times of operators: the roofline's (server.yml), as there are no measured ones; numbers that need these are not checked"
    fi
}

# profile_of MODEL SERVERS: the file that has the times of its operators; empty, if none has
profile_of() {
    local name
    [ -n "$profiles" ] || return 0
    case $1,$2 in
    vgg,128) name=vgg128 ;;
    vgg,16) name=vgg16 ;;
    resnet50,128) name=resnet128 ;;
    bert_5_3,128) name=transformer128 ;;
    bert_5_6,16) name=transformer16 ;;
    dlrm_5_3,128) name=dlrm128 ;;
    dlrm_5_6,16) name=dlrm16 ;;
    ncf,128) name=ncf128 ;;
    candle_5_3,128) name=candle_128 ;;
    candle_5_6,16) name=candle16 ;;
    *) return 0 ;;
    esac
    printf '%s' "$profiles/$name.json"
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

must_measured() {
    [ -z "$profiles" ] || must "$@"
}

# Shares of links are equal; all-reduces are rings; a link takes 1 us.
flows() {
    "$orrery" run --flow-model maxmin "$@" --json - | awk '/^  "wall_ps":/ { printf "%.6f", ($2 + 0) / 1e9 }'
}
