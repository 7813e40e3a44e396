# What the figures of SiP-ML share; each sources it with its own name in $figure. $1 is the folder of results.
# says, must, bound, plot, calc, within and finish: examples/figures/common.sh.
#
#   search NAME JOB [PATH=VALUE...]     notes a search, `orrery plan sip-ml JOB`, for
#   search_kept NAME ...                the same, and what is found is run too, beside the same strategy on an ideal switch
#   search_all                          that runs those noted, as many side by side as there are processors; of one that fails every
#                                       number says so
#   ocs GPUS GBPS [OCSS], ring GPUS GBPS     PATH=VALUE of SiP-OCS, with 16 switches unless told, and of SiP-Ring, with as
#                                       many wavelengths of 25 Gb/s as fit into a GPU's bandwidth
#   over_switch NAME                    how many times as long as on that switch the kept one took
#   simulated_ms FOLDER [--set PATH=VALUE]...   ms of a run of a kept plan
#   of NAME KEY [PART]                  a number of its answer: of the plan, or of PART (data_parallel)
#   ratio A B                           A / B with three digits behind the point
#   known NUMBER HERE                   checks a number by known.csv, where it may be as far from the paper's, from those of
#                                       the presets' first use (prototype), and from what came out here before, as that file
#                                       says, in percent
#                                       (SIP_ML_KNOWN=FILE adds what came out to a file, to renew that one)
#   known_of NUMBER COLUMN              what is there: paper, prototype or here
#   assumptions JOB                     says which readings a preset is of

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../figures/common.sh"

known_file=$here/known.csv
[ -n "${SIP_ML_RUNS:-}" ] || SIP_ML_RUNS=$work/runs # that figures have in common
mkdir -p "$SIP_ML_RUNS"
queue=$work/queue
: >"$queue"

# A search that was made is not made again, unless its run is missing; nor one that failed.
search() {
    local name=$1 job=$2 each
    shift 2
    [ ! -s "$SIP_ML_RUNS/$name.failed" ] || return 0
    [ ! -s "$SIP_ML_RUNS/$name.json" ] || { [ -n "${kept:-}" ] && [ ! -s "$SIP_ML_RUNS/$name.run" ]; } || return 0
    printf '%s\0%s\0%s' "$name" "${kept:-}" "$job" >"$work/one"
    for each; do printf '\0%s' "$each" >>"$work/one"; done
    base64 -w 0 "$work/one" >>"$queue"
    echo >>"$queue"
}
search_kept() { kept=yes search "$@"; }

one_search() {
    local -a part sets=()
    local i runs=$SIP_ML_RUNS
    mapfile -d '' -t part < <(base64 -d <<<"$1" && printf '\0')
    local name=${part[0]}
    for ((i = 3; i < ${#part[@]}; i++)); do sets+=(--set "${part[i]}"); done
    [ -z "${part[1]}" ] || sets+=(-o "$runs/$name")
    "$orrery" plan sip-ml "${part[2]}" "${sets[@]}" --jobs 1 --json - >"$runs/$name.part" 2>"$runs/$name.said" &&
        { [ -z "${part[1]}" ] || "$orrery" run "$runs/$name/platform.yml" "$runs/$name/workload.yml" --json "$runs/$name.run" >"$runs/$name.told" 2>"$runs/$name.said"; } || {
        echo "examples/sip_ml: the search $name failed, and what needs it says so: $(cat "$runs/$name.said")" >&2
        mv "$runs/$name.said" "$runs/$name.failed"
        return 0
    }
    mv "$runs/$name.part" "$runs/$name.json"
}

search_all() {
    export -f one_search
    export orrery SIP_ML_RUNS
    xargs -r -P "$(nproc)" -I '{}' bash -c 'one_search {}' <"$queue" || {
        echo "${here#"$root"/}: a search failed" >&2
        exit 2
    }
    : >"$queue"
}

# lost NAME: what stands for its numbers, if it failed
lost() {
    [ -s "$SIP_ML_RUNS/$1.failed" ] || return 1
    failed "$1" "$(cat "$SIP_ML_RUNS/$1.failed")"
}

of() {
    lost "$1" || awk -F'": ' -v part="${3:-best}" -v key="$2" '
        index($0, "  \"" part "\": {") == 1 { on = 1; next }
        on && /^  }/ { exit }
        on && $1 == "    \"" key { sub(/,$/, "", $2); print $2; exit }' "$SIP_ML_RUNS/$1.json"
}

ocs() { echo "network.design={name: sip-ocs, servers: $1, degree: ${3:-16}, bandwidth: $2 Gb/s, latency: 1 us}"; }
ring() { echo "network.design={name: sip-ring, servers: $1, degree: $(($2 / 25)), latency: 1 us}"; }

# ran FILE KEY: a number of a run
ran() { lost "$(basename "$1" .run)" || awk -F'": ' -v key="  \"$2" '$1 == key { sub(/,$/, "", $2); print $2; exit }' "$1"; }
over_switch() { FORMAT=%.9f calc "$(ran "$SIP_ML_RUNS/$1.run" wall_ps) / $(ran "$SIP_ML_RUNS/$1.run" switch_ps)"; }

simulated_ms() {
    local folder=$1
    shift
    "$orrery" run "$folder/platform.yml" "$folder/workload.yml" --json "$work/run.json" "$@" >"$work/told" 2>"$work/said" || {
        lost "$(basename "$folder")" || failed "$(basename "$folder")/${*//--set /}" "$(cat "$work/said")"
        return 0
    }
    calc "$(ran "$work/run.json" wall_ps) / 1e9"
}

ratio() { FORMAT=%.3f calc "$1 / $2"; }

known_of() {
    awk -F, -v figure="$figure" -v number="$1" -v column="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == figure && $2 == number { print $at[column]; exit }' "$known_file"
}

# one_known NUMBER HERE EXPECTED PERCENT WHOSE
one_known() {
    [ -z "$3" ] || [ -z "$4" ] || must "$1 ($5)" "$2" "$3" "$(calc "$3 * $4 / 100")"
}
known() {
    [ -z "${SIP_ML_KNOWN:-}" ] || echo "$figure,$1,$2" >>"$SIP_ML_KNOWN"
    one_known "$1" "$2" "$(known_of "$1" paper)" "$(known_of "$1" paper_within)" paper
    one_known "$1" "$2" "$(known_of "$1" prototype)" "$(known_of "$1" prototype_within)" prototype
    one_known "$1" "$2" "$(known_of "$1" here)" "$(known_of "$1" within)" before
}

assumptions() {
    echo "$1: $(awk '/^# Fitted/ { on = 1 } on && /^#/ { sub(/^# */, ""); printf "%s%s", sep, $0; sep = " " } /^plan:/ { exit }' "$root/inputs/plans/sipml/$1.yml" |
        sed 's/ They are no measurements.*/ No measurements./')"
}
