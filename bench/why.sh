#!/bin/bash
# Cost of the critical path: processor time of gpt3_175b_3d on two platforms that ship, folded and with every
# NPU, without and with --why. Fails where --why takes more than three times as long as the run with --fold off,
# or names another time than without the fold.
#
#   usage: bench/why.sh [RUNS]     minimum of RUNS runs each (5)
#
# ORRERY_BIN names another orrery than build/release/bin/orrery.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
orrery=${ORRERY_BIN:-$here/../build/release/bin/orrery}
runs=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# min PLATFORM ARGUMENT...: user and system time in seconds
min() {
    local platform=$1
    shift
    for ((i = 0; i < runs; i++)); do
        (
            TIMEFORMAT="%U %S"
            time "$orrery" run "$platform" gpt3_175b_3d --ignore-capacity "$@" >"$work/out" 2>"$work/err"
        ) 2>&1
    done | awk '{ t = $1 + $2; if (NR == 1 || t < min) min = t } END { printf "%.2f", min }'
}

# The parts of the path, with their times; NPUs are named by who stands for them.
parts() {
    "$orrery" run "$1" gpt3_175b_3d --ignore-capacity --why --fold "$2" 2>"$work/err" |
        sed -n '/^why the job takes/,/^on the path at/p'
}

echo "| platform | folded, s | folded \`--why\`, s | every NPU, s | every NPU \`--why\`, s |"
echo "| --- | --- | --- | --- | --- |"
for platform in dgx_a100_64 hgx_h100_256; do
    plain=$(min $platform) why=$(min $platform --why)
    off=$(min $platform --fold off) why_off=$(min $platform --fold off --why)
    echo "| \`$platform\` | $plain | $why | $off | $why_off |"
    awk -v why="$why" -v off="$off" 'BEGIN { exit why > 3 * off }' ||
        { echo "$platform: --why takes $why s, more than three times $off s" >&2 && failed=1; }
    [ "$(parts $platform auto)" = "$(parts $platform off)" ] ||
        { echo "$platform: folded, the critical path is another" >&2 && failed=1; }
done
exit $failed
