# What the figures share; each sources it with its own name in $figure. $1 is the folder of results. What
# figures of every paper share, such as says and must, is examples/figures/common.sh.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../figures/common.sh"

# Numbers of runs go through many hands here: of one that fails every statement of the figure says so.
all_or_none=yes
cat >"$work/orrery" <<'END'
#!/bin/bash
"$ORRERY_REAL" "$@" 2>"$failures.$$"
status=$?
cat "$failures.$$" >&2
[ $status = 0 ] || failed "${*##*/}" "$(cat "$failures.$$")" >/dev/null
rm -f "$failures.$$"
exit $status
END
chmod +x "$work/orrery"
export ORRERY_REAL=$orrery
orrery=$work/orrery

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

# lone BYTES: an all-reduce, and a node of a picosecond that waits for its first byte, as a trace; prints how
# to run it, with $quick beside it. Then the turnaround of the all-reduce is known: gradient_turnaround_ps.
quick="--set compute.peak=1PFLOP/s"
lone() {
    local file=$work/lone_$1.json
    if [ ! -f "$file" ]; then
        cat >"$file.$$" <<JSON
{"version":"0.0.4"}
{"id":"1","name":"gradients","type":"COMM_COLL_NODE","attr":[{"name":"comm_type","int64Val":"0"},{"name":"comm_size","int64Val":"$1"}]}
{"id":"2","name":"first layer","type":"COMP_NODE","dataDeps":["1"],"attr":[{"name":"num_ops","int64Val":"1"},{"name":"orrery_prefix_of","uint64List":{"values":["1"]}},{"name":"orrery_prefix_bytes","uint64List":{"values":["1"]}}]}
JSON
        mv "$file.$$" "$file"
    fi
    printf '%s' "workload={traces: $file}"
}
