#!/bin/bash
# All figures of C-Cube with all their points (examples/c_cube/run.sh), which takes over ten seconds: compares
# known numbers with the results, and fails if one is missed.
#
#   usage: bench/c_cube.sh [OUTDIR]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
. "$root/bench/known_numbers.sh"
known_numbers "$out" "$root/examples/c_cube/run.sh" "$out"
