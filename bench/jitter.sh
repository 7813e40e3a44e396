#!/bin/bash
# Events that hardly ever share an instant: each NPU computes for about 1 ms, no two equally long (20 % jitter), and
# then exchanges 64 MiB with all others by the direct algorithm. N NPUs send N x (N - 1) messages.
#
#   usage: bench/jitter.sh [NPUS...]     default 512 1024 4096
#
# Prints a Markdown table of user seconds and peak memory. ORRERY_BIN names another orrery than
# build/release/bin/orrery. Needs GNU time (Debian: time).
set -euo pipefail
if [ ! -x /usr/bin/time ]; then
    echo "bench/jitter.sh: there is no /usr/bin/time; install the package time" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/exchange.json" <<END
{"version":"0.0.4"}
{"id":"0","name":"compute","type":"COMP_NODE","attr":[{"name":"is_cpu_op","boolVal":false},{"name":"num_ops","int64Val":"100000000000"},{"name":"tensor_size","int64Val":"1048576"}]}
{"id":"1","name":"exchange","type":"COMM_COLL_NODE","dataDeps":["0"],"attr":[{"name":"is_cpu_op","boolVal":false},{"name":"comm_type","int64Val":"6"},{"name":"comm_size","int64Val":"67108864"}]}
END

# row NPUS
row() {
    local user kib messages events
    /usr/bin/time -f '%U %M' -o "$work/time" "$orrery" run --topology "Switch($1)" --bandwidth '100 GB/s' \
        --latency '1 us' --set 'compute={peak: 100 TFLOP/s, slowdown: {jitter: {spread: 20 %}}}' \
        --set "workload.traces=$work/exchange.json" --set system.chunks=1 \
        --set system.algorithms.all_to_all=direct >"$work/out"
    read -r user kib <"$work/time"
    read -r messages events < <(sed -n 's/^\([0-9]*\) messages, \([0-9]*\) events.*/\1 \2/p' "$work/out")
    awk -v npus="$1" -v messages="$messages" -v events="$events" -v user="$user" -v kib="$kib" 'BEGIN {
        printf "| %d | %d | %d | %.2f | %.1f million | %d |\n", npus, messages, events, user,
            (user > 0 ? events / user / 1e6 : 0), kib / 1024 }'
}

echo "| NPUs | messages | events | user s | events/s | peak MiB |"
echo "| --- | --- | --- | --- | --- | --- |"
for npus in "${@:-512 1024 4096}"; do
    for one in $npus; do
        row "$one"
    done
done
