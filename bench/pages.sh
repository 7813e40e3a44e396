#!/usr/bin/env bash
# How long a browser takes to open large pages of results, and how large they are: 1,024 GPUs, a million NPUs, a sweep of
# 10,000 points. Each is opened five times; the row has the median.
#
#   usage: bench/pages.sh           needs Chromium and python3; BUILD names another build than build/release
#
# Exit status 1 if a page misses its goal.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
export ORRERY_SOURCE_DIR=$root ORRERY_BIN=${BUILD:-$root/build/release}/bin/orrery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    printf '%s\n' "$1" >&2
    exit 1
}

. "$root/tests/cli/page/large_pages.sh"

# row PAGE GOAL_S: the median of five openings
row() {
    local seconds megabytes
    seconds=$(for _ in 1 2 3 4 5; do echo "open $1"; done | python3 "$root/tests/cli/page/check.py" |
        sed -n 's/.*: ready after \(.*\) s$/\1/p' | sort -n | sed -n 3p)
    [ -n "$seconds" ] || fail "$1: no browser opened it (Debian package chromium)"
    megabytes=$(awk -v bytes="$(wc -c <"$1")" 'BEGIN { printf "%.2f", bytes / 1e6 }')
    printf '| %-12s | %6s | %8s | %6s |\n' "$1" "$megabytes" "$seconds" "$2"
    awk -v s="$seconds" -v goal="$2" 'BEGIN { exit !(s <= goal) }' || missed=1
}

missed=0
printf '| page         |     MB | opens, s | goal, s |\n| --- | ---: | ---: | ---: |\n'
row gpus.html 5
row million.html 5
row points.html 2
exit $missed
