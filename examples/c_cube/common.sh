# What the figures share; each sources it with its own name in $figure. $1 is the folder of results.
#
#   says STATEMENT PAPER HERE REACHED REASON    a row of what the paper says and what comes out here
#   must WHAT HERE EXPECTED TOLERANCE           a number that is known; the script fails where it is not met
#   plot NAME KEY=VALUE... <FILE                FILE's lines SERIES,X,Y as NAME.svg (plot.awk)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
orrery=${ORRERY_BIN:-$root/build/release/bin/orrery}
if [ ! -x "$orrery" ]; then
    echo "examples/c_cube: there is no $orrery; build it first:" >&2
    echo "  cmake --preset release && cmake --build --preset release" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"
says_file=$out/${figure}_statements.csv
must_file=$out/${figure}_checks.csv
rm -f "$says_file" "$must_file"

says() {
    printf '%s,"%s","%s","%s","%s","%s"\n' "$figure" "$@" >>"$says_file"
}

must() {
    awk -v OFS=, -v figure="$figure" -v what="$1" -v got="$2" -v expected="$3" -v tolerance="$4" 'BEGIN {
        d = got - expected
        met = got != "" && (d < 0 ? -d : d) <= tolerance * (1 + 1e-9) ? "met" : "MISSED"
        print figure, "\"" what "\"", got, expected, tolerance, met }' >>"$must_file"
}

plot() {
    local name=$1 settings=()
    shift
    for each; do
        settings+=(-v "$each")
    done
    awk -F, -f "$here/plot.awk" "${settings[@]}" >"$out/$name.svg"
}

# What the paper says beside what is here, and how the numbers that are known came out.
finish() {
    if [ -f "$says_file" ]; then
        echo
        awk '{
            n = split(substr($0, index($0, "\"") + 1, length($0) - index($0, "\"") - 1), f, "\",\"")
            printf "%s\n    paper: %s; here: %s; reached: %s%s\n", f[1], f[2], f[3], f[4],
                   f[5] != "" ? " (" f[5] ")" : "" }' "$says_file"
    fi
    [ -f "$must_file" ] || return 0
    awk -F, '{ n++; if ($NF == "MISSED") missed++ }
        END { printf "%d known numbers, %d missed\n", n, missed + 0 }' "$must_file"
    if grep MISSED "$must_file"; then
        exit 1
    fi
}

# wall RUN-ARGUMENT...: the time of a job, in ms
wall() {
    "$orrery" run "$@" --json - | awk '/^  "wall_ps":/ { printf "%.6f", ($2 + 0) / 1e9 }'
}

# computes MODEL BATCH: what a GPU computes in a step, forwards, backwards and the update, in ms
computes() {
    "$orrery" run "$here/ring.yml" "$1" --set "$(training "$2" 1)" --json - |
        awk '/^      "compute_ps":/ && !n++ { printf "%.6f", ($2 + 0) / 1e9 }'
}

# training BATCH STEPS KEY...: options for steps of BATCH images a GPU in fp32, one all-reduce behind the
# backward pass unless keys of the training say otherwise
training() {
    local batch=$((8 * $1)) steps=$2 keys
    shift 2
    keys="batch: $batch, steps: $steps, element_bytes: 4, gradient_bytes: 4, optimizer: sgd"
    printf '%s' "workload.training={$keys, ${*:-overlap: false, bucket: 1 GiB}}"
}

# calc EXPRESSION: its value by awk, with 4 digits behind the point unless FORMAT says otherwise
calc() {
    awk "BEGIN { printf \"${FORMAT:-%.4f}\", $1 }"
}

# usual NPUS: the parents of a tree whose root, 0, has one child, below which is a binary tree in order
usual() {
    awk -v n="$1" '
        function below(first, last, parent,    middle, half) {
            if (first > last) return
            for (half = 1; first - 1 + 2 * half <= last; half *= 2) { }
            middle = first - 1 + half
            of[middle] = parent
            below(first, middle - 1, middle)
            below(middle + 1, last, middle)
        }
        BEGIN { below(1, n - 1, 0)
                printf "-"
                for (i = 1; i < n; i++) printf " %d", of[i] }'
}

# within VALUE LOW HIGH: yes or no
within() { awk -v v="$1" -v low="$2" -v high="$3" 'BEGIN { print (v != "" && v + 0 >= low && v + 0 <= high ? "yes" : "no") }'; }

# lone BYTES: an all-reduce, and a node of a picosecond that waits for its first byte, as a trace; prints how
# to run it, with $quick beside it. Then the turnaround of the all-reduce is known: gradient_turnaround_ps.
quick="--set compute.peak=1PFLOP/s"
lone() {
    local file=$work/lone_$1.json
    if [ ! -f "$file" ]; then
        cat >"$file.$$" <<JSON
{"version":"0.0.4"}
{"id":"1","name":"gradients","type":"COMM_COLL_NODE","attr":[{"name":"comm_type","int64Val":"0"},{"name":"comm_size","int64Val":"$1"}]}
{"id":"2","name":"first layer","type":"COMP_NODE","dataDeps":["1"],"attr":[{"name":"num_ops","int64Val":"1"},{"name":"prefix_of","uint64List":{"values":["1"]}},{"name":"prefix_bytes","uint64List":{"values":["1"]}}]}
JSON
        mv "$file.$$" "$file"
    fi
    printf '%s' "workload={traces: $file}"
}
