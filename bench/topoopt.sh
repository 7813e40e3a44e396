#!/bin/bash
# All figures of TopoOpt with all their points (examples/topoopt/run.sh), which takes minutes: compares
# known numbers with the results, and fails if one is missed.
#
#   usage: bench/topoopt.sh [OUTDIR]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
. "$root/bench/known_numbers.sh"
known_numbers "$out" "$root/examples/topoopt/run.sh" -o "$out"
